//! The active set, and the random order in which it is visited.

use crate::numeric::to_u64;
use crate::reorder::shuffle::{Shuffled, shuffle};
use crate::rng::Stream;

const BLOCK: usize = Shuffled::BLOCK;

/// The examples that are still visited, in their own order.
pub(super) struct Active {
    pub members: Vec<u32>,
    blocks: Vec<u32>,
}

impl Active {
    pub fn new(members: Vec<u32>) -> Self {
        Self {
            members,
            blocks: Vec::new(),
        }
    }

    pub fn len(&self) -> usize {
        self.members.len()
    }

    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// Visits every member once, blocks in random order and members of a block in random order; `visit` says who stays.
    /// Stops between two blocks when `go_on` says so.
    pub fn pass<E>(
        &mut self,
        stream: Stream,
        mut visit: impl FnMut(usize) -> bool,
        mut go_on: impl FnMut() -> Result<(), E>,
    ) -> Result<(), E> {
        const GONE: u32 = u32::MAX;
        let count = self.members.len().div_ceil(BLOCK);
        // 2^32 examples make 2^25 blocks.
        self.blocks = (0..u32::try_from(count).unwrap_or(u32::MAX)).collect();
        let mut draws = 0;
        shuffle(&mut self.blocks, stream, &mut draws);
        for (done, &block) in self.blocks.iter().enumerate() {
            if done % 64 == 0 {
                go_on()?;
            }
            let start = block as usize * BLOCK;
            let stop = (start + BLOCK).min(self.members.len());
            let members = &mut self.members[start..stop];
            let mut order: [u8; BLOCK] = std::array::from_fn(|n| u8::try_from(n).unwrap_or(0));
            let order = &mut order[..members.len()];
            shuffle(order, stream, &mut draws);
            for &at in &*order {
                let member = &mut members[usize::from(at)];
                if !visit(*member as usize) {
                    *member = GONE;
                }
            }
        }
        self.members.retain(|&member| member != GONE);
        Ok(())
    }
}

/// The stream of one pass.
pub(super) fn stream(seed: u64, pass: u32) -> Stream {
    Stream::new(&[seed, to_u64(0x6475_616C), u64::from(pass)])
}
