//! Aligning new text with a trained model, without further training.

use super::emissions::{Block, Direction, Emissions};
use super::lexicon::Lexicon;
use super::options::Options;
use super::placement::Model;
use super::readout::{BlockReadout, DirectionReadout, assemble};
use super::rows::BATCH;
use super::token::Token;
use super::train::Context;
use crate::cancel::CancelToken;
use crate::error::Result;
use crate::ids::WordId;
use crate::numeric::{to_f64, to_index, to_u64};
use crate::parallel;
use crate::text::{Bitext, Vocabulary};

/// Blocks that new text is cut into; their number has no influence on the result.
const BLOCKS: usize = 48;

/// What aligning new text needs to know of training: the vocabularies and both lexicons.
#[derive(Debug, Clone, Copy)]
pub struct Knowledge<'a> {
    /// Source and target words of the training text.
    pub vocabularies: (&'a Vocabulary, &'a Vocabulary),
    /// Forward and reverse lexicons.
    pub lexicons: [&'a Lexicon; 2],
    /// The options of training.
    pub options: &'a Options,
}

/// Links and posteriors of both directions for new text, forward first. Deterministic: nothing is sampled.
///
/// # Errors
/// As in [`super::train::train`].
///
/// # Complexity
/// O(candidate links) time.
pub fn align_new(
    bitext: &Bitext,
    knowledge: Knowledge<'_>,
    context: &Context<'_>,
) -> Result<Vec<DirectionReadout>> {
    let options = knowledge.options;
    let (source, target) = knowledge.vocabularies;
    let source_ids = source.translate(bitext.source().vocabulary())?;
    let target_ids = target.translate(bitext.target().vocabulary())?;
    let with_null = |ids: &[Option<WordId>], lexicon: &Lexicon| {
        // NULL comes after the words, in training and here.
        let null = u32::try_from(lexicon.totals.len() - 1).map(WordId::from_u32);
        [ids, &[null.ok()]].concat()
    };
    let mut readouts = Vec::new();
    for (direction, lexicon) in Direction::BOTH.into_iter().zip(knowledge.lexicons) {
        let (given_ids, emitted_ids) = match direction {
            Direction::TargetGivenSource => (&source_ids[..], &target_ids[..]),
            Direction::SourceGivenTarget => (&target_ids[..], &source_ids[..]),
        };
        let given_ids = with_null(given_ids, lexicon);
        let ids = (&given_ids[..], emitted_ids);
        let emissions = Emissions::new(bitext, direction)?;
        let blocks = emissions.blocks(BLOCKS);
        let model = (options.model, options.null_probability);
        let parts = parallel::map(
            context.threads,
            context.cancel,
            blocks.clone(),
            |_, block| read_new(lexicon, &emissions, &block, ids, model, context.cancel),
        )?;
        let wants = options.wants_posteriors;
        readouts.push(assemble(
            &emissions,
            &blocks,
            parts,
            bitext.len(),
            wants,
            context.cancel,
        )?);
    }
    Ok(readouts)
}

/// Posteriors of new text under a trained lexicon, with no further training.
///
/// `given_ids[e]` is the training id of the new text's given word `e` (NULL last), `emitted_ids[f]` likewise; `None` for a word that training never saw,
/// which has the smoothed probability of a pair without counts.
///
/// # Errors
/// [`crate::error::Error::Cancelled`], looked for at every emitted type.
fn read_new(
    lexicon: &Lexicon,
    emissions: &Emissions<'_>,
    block: &Block,
    ids: (&[Option<WordId>], &[Option<WordId>]),
    (model, null_probability): (Model, Option<f64>),
    cancel: &CancelToken,
) -> Result<BlockReadout> {
    let (given_ids, emitted_ids) = ids;
    let types = to_f64(to_u64(lexicon.emitted_types().max(1)));
    let unseen: Vec<f64> = given_ids
        .iter()
        .map(|id| id.map_or(1.0 / types, |e| lexicon.probability(e.index(), 0.0)))
        .collect();
    let mut local = vec![u32::MAX; lexicon.totals.len()];
    for (new, id) in (0_u32..).zip(given_ids) {
        if let Some(e) = id {
            local[e.index()] = new;
        }
    }
    let mut weight = unseen.clone();
    let mut candidates = Vec::new();
    let mut readout = BlockReadout::with_capacity(block.slots.len());
    for word in block.types.clone() {
        cancel.check()?;
        let cells = emitted_ids[word].map_or(0..0, |f| {
            to_index(lexicon.starts[f.index()])..to_index(lexicon.starts[f.index() + 1])
        });
        for cell in cells.clone() {
            let e = lexicon.given[cell] as usize;
            if let Some(slot) = weight.get_mut(local[e] as usize) {
                *slot = lexicon.probability(e, f64::from(lexicon.counts[cell]));
            }
        }
        for slot in emissions.slots(word) {
            if slot.is_multiple_of(BATCH) {
                cancel.check()?;
            }
            let token = Token::new(emissions, slot, model, null_probability);
            let sum = token.weigh(&weight, &lexicon.placement, &mut candidates);
            readout.push(&candidates, sum, true);
        }
        for cell in cells {
            let new = local[lexicon.given[cell] as usize] as usize;
            if let Some(slot) = weight.get_mut(new) {
                *slot = unseen[new];
            }
        }
    }
    Ok(readout)
}
