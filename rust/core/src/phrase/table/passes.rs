//! The two sorts behind a whole table: of phrase pairs by their sources, and of their counts by targets.

use super::score::Scorer;
use super::{BATCH, Body, pieces};
use crate::cancel::CancelToken;
use crate::error::{Error, Result};
use crate::parallel;
use crate::phrase::discount::{CountsOfCounts, Discount, PartnerCounts};
use crate::phrase::pairs::Groups;
use crate::phrase::sort::{Count, Counter, Merged, SequenceReader, SequenceWriter, Storage};
use crate::progress::Progress;

pub(super) struct Passes<S> {
    pub(super) storage: S,
    pub(super) memory: usize,
    pub(super) threads: usize,
}

impl<S: Storage + Clone> Passes<S> {
    fn counter(&self) -> Counter<S> {
        Counter::new(self.storage.clone(), self.memory, self.threads)
    }

    /// Writes the phrase pairs in their order, and finds the counts of targets in the same order.
    pub(super) fn run(
        mut self,
        mut groups: Groups<S>,
        scorer: &Scorer,
        cancel: &CancelToken,
        progress: &dyn Progress,
    ) -> Result<Body<S>> {
        let (id, file) = self.storage.create()?;
        let mut writer = SequenceWriter::new(file);
        let mut by_target = self.counter();
        let mut counts = CountsOfCounts::default();
        let (mut index, mut missing) = (0_u64, 0);
        loop {
            let some = groups.some(BATCH, cancel)?;
            if some.is_empty() {
                break;
            }
            let parts = parallel::map(self.threads, cancel, pieces(some), |_, groups| {
                Ok(groups.iter().map(|g| scorer.records(g)).collect::<Vec<_>>())
            })?;
            for (records, more) in parts.into_iter().flatten() {
                missing += more;
                for (record, target, count) in records {
                    writer.write(&record, count)?;
                    counts.add(count);
                    let mut key = [0; 24];
                    key[..16].copy_from_slice(&target);
                    key[16..].copy_from_slice(&index.to_be_bytes());
                    by_target.add(&key, count, cancel)?;
                    index += 1;
                }
            }
            progress.report("counting pairs", index, index, &[]);
        }
        writer.finish()?;
        groups.close()?;
        let options = &scorer.options;
        let discount = Discount::new(options.smoothing, &counts, options.is_moses)?;
        let targets = self.targets(by_target.finish(cancel)?, cancel)?;
        Ok(Body::Both {
            records: SequenceReader::new(self.storage.open(&id)?),
            id,
            storage: self.storage,
            targets,
            discount,
            missing,
        })
    }

    /// For each phrase pair, in their order, the count of its target and the numbers of its sources.
    fn targets(&self, mut sorted: Merged<S>, cancel: &CancelToken) -> Result<Merged<S>> {
        let mut by_index = self.counter();
        let mut current = [0; 16];
        let (mut total, mut members) = (Count::default(), Vec::new());
        let mut flush = |total: Count, members: &mut Vec<([u8; 8], Count)>| {
            let partners = PartnerCounts::of(members.iter().map(|(_, count)| *count)).to_bytes();
            for (index, _) in members.drain(..) {
                let mut key = [0; 32];
                key[..8].copy_from_slice(&index);
                key[8..].copy_from_slice(&partners);
                by_index.add(&key, total, cancel)?;
            }
            Ok::<(), Error>(())
        };
        while let Some((key, count)) = sorted.next(cancel)? {
            if key[..16] != current {
                flush(total, &mut members)?;
                current.copy_from_slice(&key[..16]);
                total = Count::default();
            }
            total = total + count;
            members.push((key[16..].try_into().unwrap_or_default(), count));
        }
        flush(total, &mut members)?;
        sorted.close()?;
        by_index.finish(cancel)
    }
}
