//! Lines of whole tables.

use super::options::TableOptions;
use crate::numeric::{to_f32, to_index};
use crate::phrase::discount::{Discount, PartnerCounts};
use crate::phrase::entries::BAR;
use crate::phrase::general::{write_general, write_whole};
use crate::phrase::sort::Count;

/// What Moses takes for e.
#[expect(
    clippy::approx_constant,
    reason = "decoders' weights were tuned for this very number"
)]
pub(super) const PENALTY: f64 = 2.718;

/// What is known of a phrase pair when its line is written; texts are as they are written, those of scores with a space before each.
#[derive(Debug)]
pub(super) struct Line<'a> {
    pub(super) source: &'a [u8],
    pub(super) target: &'a [u8],
    pub(super) links: &'a [u8],
    pub(super) direct: &'a [u8],
    pub(super) inverse: &'a [u8],
    pub(super) sparse: [&'a [u8]; 2],
    /// What stands in the last field.
    pub(super) properties: &'a [u8],
    pub(super) joint: Count,
    /// Counts of the source and of the target phrase, and the number of their partners.
    pub(super) of_source: (Count, PartnerCounts),
    pub(super) of_target: (Count, PartnerCounts),
}

/// Writes the line of a whole table, unless its scores are too low; returns whether it is there.
pub(super) fn write_line(
    out: &mut Vec<u8>,
    line: &Line<'_>,
    options: &TableOptions,
    discount: &Discount,
) -> bool {
    let ((source, _), (target, _)) = (line.of_source, line.of_target);
    let (direct, inverse) = discount.adjusted(line.joint, line.of_source, line.of_target);
    let ratio = |count: f64, total: Count| {
        if options.is_moses {
            f64::from(to_f32(count) / to_f32(total.to_f64()))
        } else {
            count / total.to_f64()
        }
    };
    let (inverse, direct) = (ratio(inverse, target), ratio(direct, source));
    if inverse < options.min_scores[0] || direct < options.min_scores[1] {
        return false;
    }
    out.extend_from_slice(line.source);
    out.extend_from_slice(BAR);
    out.extend_from_slice(line.target);
    out.extend_from_slice(b" |||");
    let score = |out: &mut Vec<u8>, value: f64| {
        out.push(b' ');
        write_general(out, rounded(options.scale.of(value), options.is_moses));
    };
    if !options.only_direct {
        score(out, inverse);
        out.extend_from_slice(line.inverse);
    }
    score(out, direct);
    out.extend_from_slice(line.direct);
    if options.phrase_count {
        score(out, PENALTY);
    }
    let joint = line.joint.to_f64();
    if options.low_count {
        score(out, libm::exp(-1.0 / joint));
    }
    let bin = options
        .count_bins
        .as_ref()
        .map(|bins| (bins, bins.place(joint)));
    if let Some((bins, place)) = bin.filter(|(bins, _)| !bins.is_sparse) {
        for other in 0..bins.len() {
            score(out, if other == place { PENALTY } else { 1.0 });
        }
    }
    out.extend_from_slice(BAR);
    out.extend_from_slice(line.links);
    out.extend_from_slice(b"||| ");
    for (n, count) in [target, source, line.joint].into_iter().enumerate() {
        if n > 0 {
            out.push(b' ');
        }
        write_count(out, count, options.is_moses);
    }
    out.extend_from_slice(b" |||");
    for sparse in line.sparse {
        out.extend_from_slice(sparse);
    }
    if let Some((bins, place)) = bin.filter(|(bins, _)| bins.is_sparse) {
        out.push(b' ');
        out.extend_from_slice(bins.name(place).as_bytes());
        out.extend_from_slice(b" 1");
    }
    out.extend_from_slice(b" |||");
    if !line.properties.is_empty() {
        out.push(b' ');
        out.extend_from_slice(line.properties);
    }
    out.push(b'\n');
    true
}

/// A count: whole numbers in full; Moses writes a million as 1e+06.
pub(super) fn write_count(out: &mut Vec<u8>, count: Count, is_moses: bool) {
    match count.whole() {
        // Singles are exact up to here, and have six digits.
        Some(whole) if !is_moses || whole < 1_000_000 => write_whole(out, to_index(whole)),
        _ => write_general(out, rounded(count.to_f64(), is_moses)),
    }
}

/// A number as it is written; Moses writes singles.
pub(super) fn rounded(value: f64, is_moses: bool) -> f64 {
    if is_moses {
        f64::from(to_f32(value))
    } else {
        value
    }
}
