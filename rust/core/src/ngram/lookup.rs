//! Words after contexts by hashing: one place in memory to look at, however many words a context has.

use super::model::Step;
use crate::error::{Error, Result};

/// Slots for each word after a context: a search looks at one or two.
const SLOTS: usize = 2;

/// The context of a slot that is free: no model has so many.
const FREE: u32 = u32::MAX;

/// An open-addressed table with linear probing, built once.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Lookup {
    slots: Vec<Slot>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
struct Slot {
    context: u32,
    word: u32,
    step: Step,
}

impl Lookup {
    /// A table for so many words after contexts.
    pub(super) fn new(words: usize) -> Result<Self> {
        let length = words.saturating_mul(SLOTS) + 1;
        let mut slots = Vec::new();
        slots.try_reserve_exact(length).map_err(|_| Error::Memory {
            what: "the table of an n-gram model",
            bytes: length.saturating_mul(size_of::<Slot>()) as u64,
        })?;
        let step = Step { log: 0.0, next: 0 };
        slots.resize(
            length,
            Slot {
                context: FREE,
                word: 0,
                step,
            },
        );
        Ok(Self { slots })
    }

    /// Adds a word after a context, which is not there yet; there are no more of them than the table was made for.
    pub(super) fn insert(&mut self, context: u32, word: u32, step: Step) {
        let mut at = self.home(context, word);
        while self.slots[at].context != FREE {
            at = self.after(at);
        }
        self.slots[at] = Slot {
            context,
            word,
            step,
        };
    }

    /// The step of a word after a context.
    #[inline]
    pub(super) fn get(&self, context: u32, word: u32) -> Option<Step> {
        let mut at = self.home(context, word);
        loop {
            let slot = &self.slots[at];
            if slot.context == context && slot.word == word {
                return Some(slot.step);
            }
            if slot.context == FREE {
                return None;
            }
            at = self.after(at);
        }
    }

    /// Where a search begins: the upper bits of a product, spread over the slots.
    #[inline]
    fn home(&self, context: u32, word: u32) -> usize {
        let key = (u64::from(context) << 32) | u64::from(word);
        let mixed = (key ^ (key >> 29)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let mixed = (mixed ^ (mixed >> 32)).wrapping_mul(0xD6E8_FEB8_6659_FD93);
        let spread = (u128::from(mixed) * self.slots.len() as u128) >> 64;
        #[expect(
            clippy::cast_possible_truncation,
            reason = "less than the number of slots"
        )]
        {
            spread as usize
        }
    }

    #[inline]
    fn after(&self, at: usize) -> usize {
        if at + 1 == self.slots.len() {
            0
        } else {
            at + 1
        }
    }
}
