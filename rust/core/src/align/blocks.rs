//! Work over sentences, cut into blocks of fixed size that threads pick up.

use super::links::{Links, LinksBuilder};
use crate::cancel::CancelToken;
use crate::error::Result;
use crate::parallel;
use std::ops::Range;

/// Sentences per block. Large enough to hide the cost of a block, small enough that a request to stop is answered at once.
const SENTENCES: usize = 2048;

/// The blocks of `count` sentences.
pub(super) fn blocks(count: usize) -> Vec<Range<usize>> {
    (0..count)
        .step_by(SENTENCES)
        .map(|start| start..count.min(start + SENTENCES))
        .collect()
}

/// Builds the links of `count` sentences on several threads: `links_of(n, workspace, builder)` pushes those of sentence `n`.
///
/// Each block has its own workspace, so that buffers live longer than a sentence.
///
/// # Errors
/// [`crate::error::Error::Cancelled`] when the token was cancelled.
pub(super) fn build<W, F>(
    count: usize,
    with_probabilities: bool,
    threads: usize,
    cancel: &CancelToken,
    links_of: F,
) -> Result<Links>
where
    W: Default,
    F: Fn(usize, &mut W, &mut LinksBuilder) + Sync,
{
    let parts = parallel::map(threads, cancel, blocks(count), |_, block| {
        let mut workspace = W::default();
        let mut builder = LinksBuilder::new(with_probabilities);
        for n in block {
            links_of(n, &mut workspace, &mut builder);
            builder.finish_sentence();
        }
        Ok(builder.finish())
    })?;
    if parts.is_empty() {
        return Ok(LinksBuilder::new(with_probabilities).finish());
    }
    Links::concatenate(&parts)
}
