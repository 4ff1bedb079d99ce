//! Sequences of positions with sparse features, in flat arrays.

use crate::error::{Error, Result};
use crate::numeric::{to_index, to_u64};

/// The label of positions that have none.
pub const NO_LABEL: u32 = u32::MAX;

/// Sequences of positions. Attributes and labels are dense ids; what they stand for is their maker's to know.
///
/// Memory: 4 bytes for each attribute of a position (12 when any value is not 1), 12 for a position, 8 for a sequence.
#[derive(Debug, Clone, PartialEq)]
pub struct Sequences {
    /// Where each sequence starts among the positions, and the number of positions.
    starts: Vec<usize>,
    /// Where the attributes of each position start, and their number.
    rows: Vec<usize>,
    attributes: Vec<u32>,
    /// A value for each attribute of a position; none when all are 1.
    values: Option<Vec<f64>>,
    /// A label for each position.
    labels: Vec<u32>,
    /// How much each sequence counts in training; none when all count 1.
    weights: Option<Vec<f64>>,
    /// Whether each label may stand at each position: by position, then label. None when labels are known.
    allowed: Option<Vec<bool>>,
    /// Whether each attribute has weights with pairs of labels; those behind the end, and all if it is empty, have not.
    pairing: Vec<bool>,
}

/// One sequence.
#[derive(Debug, Clone, Copy)]
pub struct Sequence<'a> {
    data: &'a Sequences,
    first: usize,
    last: usize,
}

impl Default for Sequences {
    fn default() -> Self {
        Self {
            starts: vec![0],
            rows: vec![0],
            attributes: Vec::new(),
            values: None,
            labels: Vec::new(),
            weights: None,
            allowed: None,
            pairing: Vec::new(),
        }
    }
}

impl Sequences {
    /// Sequences from arrays: position t belongs to sequence n when `starts[n] <= t < starts[n + 1]`; likewise `rows` for the attributes of a position.
    ///
    /// # Errors
    /// [`Error::Config`] when offsets do not rise from 0 to the lengths of what they cut, lengths differ, or a value is not finite.
    pub fn from_parts(
        starts: Vec<usize>,
        rows: Vec<usize>,
        attributes: Vec<u32>,
        values: Option<Vec<f64>>,
        labels: Vec<u32>,
    ) -> Result<Self> {
        check_offsets("rows", &rows, attributes.len())?;
        check_offsets("starts", &starts, rows.len() - 1)?;
        if labels.len() != rows.len() - 1 {
            return Err(Error::config(
                "labels",
                &format!("one for each of the {} positions", rows.len() - 1),
                format!("{} labels", labels.len()),
            ));
        }
        if let Some(values) = &values {
            if values.len() != attributes.len() {
                return Err(Error::config(
                    "values",
                    &format!("one for each of the {} attributes", attributes.len()),
                    format!("{} values", values.len()),
                ));
            }
            if let Some(value) = values.iter().find(|value| !value.is_finite()) {
                return Err(Error::config("values", "finite", value));
            }
        }
        Ok(Self {
            starts,
            rows,
            attributes,
            values,
            labels,
            weights: None,
            allowed: None,
            pairing: Vec::new(),
        })
    }

    /// The same sequences, each with a weight: training counts it as if it stood there so often.
    ///
    /// # Errors
    /// [`Error::Config`] when there is not one weight for each sequence, or one is no finite number from 0.
    pub fn with_weights(mut self, weights: Vec<f64>) -> Result<Self> {
        if weights.len() != self.len() {
            let expected = format!("one for each of the {} sequences", self.len());
            return Err(Error::config("weights", &expected, weights.len()));
        }
        let is_wrong = |weight: &f64| !(weight.is_finite() && *weight >= 0.0);
        if let Some(at) = weights.iter().position(is_wrong) {
            return Err(Error::config(
                "weights",
                "finite numbers from 0",
                format!("{} for sequence {at} (from 0)", weights[at]),
            ));
        }
        #[expect(clippy::float_cmp, reason = "1 is stored exactly or not at all")]
        let is_plain = weights.iter().all(|&weight| weight == 1.0);
        self.weights = (!is_plain).then_some(weights);
        Ok(self)
    }

    /// The weights of sequences; none when all are 1.
    #[must_use]
    pub fn weights(&self) -> Option<&[f64]> {
        self.weights.as_deref()
    }

    /// The same sequences, with labels that may stand at each position instead of one: claims by position, then label, for `labels` labels. Training then maximises the
    /// probability of all labellings that are allowed. A position that has a label already has that one only.
    ///
    /// # Errors
    /// [`Error::Config`] when there are not as many claims as positions times labels, a position has no label that is allowed, or has one that does not exist or that its
    /// claims rule out.
    pub fn with_allowed(mut self, mut claims: Vec<bool>, labels: usize) -> Result<Self> {
        let count = self.positions() * labels;
        if claims.len() != count {
            let expected = format!("{count} claims, for each position and label");
            return Err(Error::config("allowed", &expected, claims.len()));
        }
        let rows = claims.chunks_exact_mut(labels.max(1));
        for (at, (row, &label)) in rows.zip(&self.labels).enumerate() {
            let is_sound = if label == NO_LABEL {
                row.contains(&true)
            } else {
                row.get(to_index(label.into())).copied().unwrap_or(false)
            };
            if !is_sound {
                return Err(Error::config(
                    "allowed",
                    "one label or more at each position, and its own where it has one",
                    format!("not at position {at} of all (from 0)"),
                ));
            }
            if label != NO_LABEL {
                row.fill(false);
                row[to_index(label.into())] = true;
            }
        }
        self.allowed = Some(claims);
        Ok(self)
    }

    /// Whether each label may stand at each position, by position, then label; none when labels are known.
    #[must_use]
    pub fn allowed(&self) -> Option<&[bool]> {
        self.allowed.as_deref()
    }

    /// The weight of the sequence with this number.
    #[inline]
    #[must_use]
    pub fn weight(&self, number: usize) -> f64 {
        self.weights.as_ref().map_or(1.0, |weights| weights[number])
    }

    /// Number of sequences.
    #[must_use]
    pub fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// Whether there is no sequence.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Number of positions of all sequences.
    #[must_use]
    pub fn positions(&self) -> usize {
        self.labels.len()
    }

    /// Number of attributes of all positions.
    #[must_use]
    pub fn occurrences(&self) -> usize {
        self.attributes.len()
    }

    /// Where each sequence starts among the positions, and the number of positions.
    #[must_use]
    pub fn starts(&self) -> &[usize] {
        &self.starts
    }

    /// Where the attributes of each position start, and their number.
    #[must_use]
    pub fn rows(&self) -> &[usize] {
        &self.rows
    }

    /// The attributes of all positions.
    #[must_use]
    pub fn attributes(&self) -> &[u32] {
        &self.attributes
    }

    /// A value for each attribute of a position; none when all are 1.
    #[must_use]
    pub fn values(&self) -> Option<&[f64]> {
        self.values.as_deref()
    }

    /// The labels of all positions; [`NO_LABEL`] where there is none.
    #[must_use]
    pub fn labels(&self) -> &[u32] {
        &self.labels
    }

    /// Whether every position has a label.
    #[must_use]
    pub fn is_labelled(&self) -> bool {
        !self.labels.contains(&NO_LABEL)
    }

    /// Whether a value is not 1.
    #[must_use]
    pub fn has_values(&self) -> bool {
        self.values.is_some()
    }

    /// One more than the largest attribute id.
    #[must_use]
    pub fn attribute_bound(&self) -> usize {
        self.attributes
            .iter()
            .max()
            .map_or(0, |&id| to_index(id.into()) + 1)
    }

    /// Whether an attribute has weights with pairs of neighbouring labels, the second one at its position, and none with single labels.
    #[inline]
    #[must_use]
    pub fn is_pairing(&self, attribute: u32) -> bool {
        let at = to_index(attribute.into());
        self.pairing.get(at).copied().unwrap_or(false)
    }

    /// Whether there are such attributes.
    #[must_use]
    pub fn has_pairing(&self) -> bool {
        !self.pairing.is_empty()
    }

    /// Notes that an attribute has weights with pairs of labels.
    pub(super) fn set_pairing(&mut self, attribute: u32) {
        let at = to_index(attribute.into());
        if self.pairing.len() <= at {
            self.pairing.resize(at + 1, false);
        }
        self.pairing[at] = true;
    }

    /// The sequence with this number.
    #[must_use]
    pub fn get(&self, number: usize) -> Sequence<'_> {
        Sequence {
            data: self,
            first: self.starts[number],
            last: self.starts[number + 1],
        }
    }

    /// All sequences in order.
    #[must_use]
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Sequence<'_>> {
        (0..self.len()).map(|number| self.get(number))
    }

    /// Calls `each` with the attribute and the value of every feature of the position with this number among all.
    #[inline]
    pub(crate) fn features(&self, position: usize, mut each: impl FnMut(u32, f64)) {
        let row = self.rows[position]..self.rows[position + 1];
        let attributes = &self.attributes[row.clone()];
        match &self.values {
            None => attributes.iter().for_each(|&id| each(id, 1.0)),
            Some(values) => attributes
                .iter()
                .zip(&values[row])
                .for_each(|(&id, &value)| each(id, value)),
        }
    }

    /// Adds a feature to the position that is open.
    pub(super) fn push_feature(&mut self, attribute: u32, value: f64) -> Result<()> {
        let no_memory = |length: usize| Error::Memory {
            what: "the features of sequences",
            bytes: to_u64(length).saturating_mul(12),
        };
        let length = self.attributes.len();
        self.attributes
            .try_reserve(1)
            .map_err(|_| no_memory(length))?;
        #[expect(clippy::float_cmp, reason = "1 is stored exactly or not at all")]
        if value != 1.0 && self.values.is_none() {
            self.values = Some(vec![1.0; length]);
        }
        self.attributes.push(attribute);
        if let Some(values) = &mut self.values {
            values.try_reserve(1).map_err(|_| no_memory(length))?;
            values.push(value);
        }
        Ok(())
    }

    /// Closes the position that is open.
    pub(super) fn end_position(&mut self, label: u32) {
        self.rows.push(self.attributes.len());
        self.labels.push(label);
    }

    /// Closes the sequence that is open.
    pub(super) fn end_sequence(&mut self) {
        self.starts.push(self.labels.len());
    }

    /// Number of positions of the sequence that is open.
    pub(super) fn open_positions(&self) -> usize {
        self.labels.len() - self.starts.last().copied().unwrap_or(0)
    }
}

impl<'a> Sequence<'a> {
    /// Number of positions.
    #[must_use]
    pub fn len(&self) -> usize {
        self.last - self.first
    }

    /// Whether there is no position.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.first == self.last
    }

    /// The number of its first position among those of all sequences.
    #[must_use]
    pub fn first(&self) -> usize {
        self.first
    }

    /// The numbers of its positions among those of all sequences.
    #[must_use]
    pub fn positions(&self) -> std::ops::Range<usize> {
        self.first..self.last
    }

    /// The labels.
    #[must_use]
    pub fn labels(&self) -> &'a [u32] {
        &self.data.labels[self.first..self.last]
    }
}

fn check_offsets(name: &'static str, offsets: &[usize], end: usize) -> Result<()> {
    let is_sound =
        offsets.first() == Some(&0) && offsets.last() == Some(&end) && offsets.is_sorted();
    if is_sound {
        Ok(())
    } else {
        let expected = format!("offsets that rise from 0 to {end}");
        Err(Error::config(name, &expected, "others"))
    }
}
