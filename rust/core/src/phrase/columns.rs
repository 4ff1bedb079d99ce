//! The columns of a file of orientations.

use super::extract::PhrasePair;
use super::lines::LineOptions;
use super::model::{Basis, Classes};
use super::orientation::{Definition, Orientation};
use super::room::{CHUNK, Pen};

/// Bytes of the orientations of a phrase pair, at most.
pub(super) const LONGEST_ORIENTATIONS: usize = 3 * " | nomono nomono".len();

/// The columns, with what stands before each: a blank, or a bar.
pub(super) struct Columns(Vec<ByBasis>);

/// The texts of a column, by the orientations to what comes before and to what comes after.
struct ByBasis {
    basis: Basis,
    texts: [[Label; 4]; 4],
}

/// A text, and how many bytes of it count.
#[derive(Clone, Copy)]
struct Label {
    padded: [u8; CHUNK + LONGEST_ORIENTATIONS / 3],
    length: usize,
}

impl Columns {
    pub(super) fn new(options: &LineOptions) -> Self {
        let classes_of = |basis: Basis| {
            let mut models = options.models.iter();
            models.find(|m| m.basis == basis).map(|m| m.classes)
        };
        // DEVIATION in Moses' favour when asked: it drops all other columns where there is one of words (and cannot read such files itself).
        let is_alone = options.extract.definition == Definition::Moses || options.models.len() == 1;
        let is_word_alone = is_alone && classes_of(Basis::Word).is_some();
        let bases = if is_word_alone {
            &Basis::ALL[..1]
        } else {
            &Basis::ALL[..]
        };
        let columns = bases.iter().map(|&basis| ByBasis {
            basis,
            texts: texts(basis, classes_of(basis)),
        });
        Self(columns.collect())
    }

    #[inline]
    pub(super) fn write(&self, pen: &mut Pen<'_>, pair: &PhrasePair) {
        for column in &self.0 {
            let of = |sides| usize::from(column.basis.of(sides).code());
            let label = &column.texts[of(pair.previous)][of(pair.next)];
            pen.text(&label.padded, label.length);
        }
    }
}

fn texts(basis: Basis, classes: Option<Classes>) -> [[Label; 4]; 4] {
    let before = if basis == Basis::Word { " " } else { " | " };
    let label = |previous, next| {
        let text = classes.map_or_else(
            || before.to_owned(),
            |classes| {
                format!(
                    "{before}{} {}",
                    classes.label(previous),
                    classes.label(next)
                )
            },
        );
        let mut padded = [0; CHUNK + LONGEST_ORIENTATIONS / 3];
        padded[..text.len()].copy_from_slice(text.as_bytes());
        Label {
            padded,
            length: text.len(),
        }
    };
    Orientation::ALL.map(|previous| Orientation::ALL.map(|next| label(previous, next)))
}
