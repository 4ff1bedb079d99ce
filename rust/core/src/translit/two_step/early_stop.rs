//! When the rest of the segmentations cannot change the answer (Yang, Dixon and Furui 2010, section 3.3, eq. 3 and appendix A).
//!
//! After k segmentations a candidate T has collected `P_k(T | S)`, the sum of `P(A_j | S) P(T | S, A_j)` over `j <= k`. What is still to come adds at most the
//! mass of the other segmentations to any candidate. The rule has two readings:
//!
//! - against the **truncated** system, which takes the n1 best segmentations and the n2 best conversions of each: its first candidates are certain when each leads the next one by more than
//!   that mass. The mass is at most `1 - sum of P(A_j)`, and also at most `(n1 - k) P(A_k)`, as segmentations come in falling order;
//! - against the **exact** sum over all segmentations and conversions: a rival that is absent from list j may still have in it the smaller of what the list leaves over
//!   and of its last probability, times `P(A_j)`. Where several sequences of labels give the same target, several of them may be missing, and only the first bound holds, for
//!   listed rivals too.

/// What a sum may be off by: rounding.
const SLACK: f64 = 1e-12;

/// When to stop taking segmentations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    /// After n1 segmentations.
    Never,
    /// When the first so many candidates and their order are those of the truncated system.
    Truncated(usize),
    /// When the first candidate is that of the exact sum.
    Exact,
}

/// A candidate and what is known about it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Standing {
    /// What it has collected.
    pub collected: f64,
    /// What lists that have it might have had more, if they had not had it: the part of [`Lists::missing`] that does not concern it.
    pub excused: f64,
}

/// What is known about the lists so far.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Lists {
    /// How many.
    pub count: usize,
    /// Probabilities of their segmentations, summed.
    pub mass: f64,
    /// That of the last one.
    pub last: f64,
    /// What a candidate that no list has might have in them.
    pub missing: f64,
}

/// What a list may give to one target that it does not have, times the probability of its segmentation.
pub(super) fn missing(
    mass: f64,
    listed: f64,
    smallest: f64,
    is_complete: bool,
    is_ambiguous: bool,
) -> f64 {
    if is_complete {
        return 0.0;
    }
    let residual = (1.0 - listed).max(0.0);
    mass * if is_ambiguous {
        residual
    } else {
        residual.min(smallest)
    }
}

impl Stop {
    /// Whether the answer is certain after these lists, of `most` that may be taken.
    pub(super) fn is_certain(self, standings: &[Standing], lists: &Lists, most: usize) -> bool {
        let unseen = (1.0 - lists.mass).max(0.0);
        match self {
            Self::Never => false,
            Self::Truncated(first) => {
                let left = crate::numeric::to_f64((most - lists.count) as u64) * lists.last;
                leads(standings, first, unseen.min(left) + SLACK)
            }
            Self::Exact => {
                let Some(top) = best(standings) else {
                    return false;
                };
                let rivals = standings
                    .iter()
                    .enumerate()
                    .filter(|&(at, _)| at != top)
                    .map(|(_, rival)| rival.collected + lists.missing - rival.excused)
                    .fold(lists.missing, f64::max);
                standings[top].collected > rivals + unseen + SLACK
            }
        }
    }
}

fn best(standings: &[Standing]) -> Option<usize> {
    let largest = standings
        .iter()
        .enumerate()
        .max_by(|a, b| a.1.collected.total_cmp(&b.1.collected));
    largest.map(|(at, _)| at)
}

/// Whether each of the first so many leads the next one, or a candidate that is not seen yet, by more than the rest.
fn leads(standings: &[Standing], first: usize, rest: f64) -> bool {
    if first == 1 {
        // Most of the time only the first is asked for: no sorting.
        let (mut top, mut second) = (0.0, 0.0);
        for standing in standings {
            if standing.collected > top {
                second = top;
                top = standing.collected;
            } else if standing.collected > second {
                second = standing.collected;
            }
        }
        return top - second > rest;
    }
    let mut sums: Vec<f64> = standings.iter().map(|s| s.collected).collect();
    sums.sort_by(|a, b| b.total_cmp(a));
    sums.push(0.0);
    sums.len() > first
        && sums
            .windows(2)
            .take(first)
            .all(|two| two[0] - two[1] > rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn standings(sums: &[f64]) -> Vec<Standing> {
        sums.iter()
            .map(|&collected| Standing {
                collected,
                excused: 0.0,
            })
            .collect()
    }

    #[test]
    fn a_lead_must_be_larger_than_what_is_left() {
        let lists = Lists {
            count: 1,
            mass: 0.7,
            last: 0.7,
            missing: 0.0,
        };
        let stop = Stop::Truncated(1);
        assert!(stop.is_certain(&standings(&[0.2, 0.55]), &lists, 10));
        assert!(!stop.is_certain(&standings(&[0.3, 0.55]), &lists, 10));
        assert!(!stop.is_certain(&[], &lists, 10));
        assert!(!Stop::Never.is_certain(&standings(&[0.7]), &lists, 10));
        // No segmentation is left.
        assert!(stop.is_certain(&standings(&[0.3, 0.31]), &lists, 1));
    }

    #[test]
    fn a_list_is_certain_when_each_leads_the_next() {
        let lists = Lists {
            count: 2,
            mass: 0.95,
            last: 0.1,
            missing: 0.0,
        };
        let sums = standings(&[0.5, 0.3, 0.12, 0.03]);
        assert!(Stop::Truncated(2).is_certain(&sums, &lists, 10));
        assert!(Stop::Truncated(3).is_certain(&sums, &lists, 10));
        assert!(!Stop::Truncated(4).is_certain(&sums, &lists, 10));
        assert!(!Stop::Truncated(9).is_certain(&sums, &lists, 10));
    }

    #[test]
    fn the_exact_reading_counts_what_lists_leave_out() {
        let lists = Lists {
            count: 1,
            mass: 1.0,
            last: 1.0,
            missing: missing(1.0, 0.7, 0.2, false, false),
        };
        assert!((lists.missing - 0.2).abs() < 1e-15);
        let own = |collected| Standing {
            collected,
            excused: lists.missing,
        };
        assert!(Stop::Exact.is_certain(&[own(0.5), own(0.2)], &lists, 10));
        // One that the list does not have may have as much as its last.
        assert!(!Stop::Exact.is_certain(&[own(0.2)], &lists, 10));
        assert!((missing(0.5, 0.9, 0.2, false, false) - 0.05).abs() < 1e-15);
        assert!((missing(0.5, 0.6, 0.2, false, true) - 0.2).abs() < 1e-15);
        assert!(missing(0.5, 0.9, 0.2, true, true).abs() < 1e-15);
    }
}
