//! What a phrase table holds.

/// Which table is made of the phrase pairs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Kind {
    /// The whole table.
    #[default]
    Both,
    /// The half with p(second | first), before Moses' `consolidate`, from `source ||| target` lines.
    Direct,
    /// The half of the other direction, from `target ||| source` lines.
    Inverse,
}

/// How relative frequencies are smoothed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Smoothing {
    /// Not at all.
    #[default]
    None,
    /// Counts are discounted by Good-Turing.
    GoodTuring,
    /// Kneser-Ney with three discounts (Foster, Kuhn and Johnson 2006).
    KneserNey,
}

/// What a phrase table holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is one column, there or not"
)]
pub struct TableOptions {
    /// Which table.
    pub kind: Kind,
    /// How frequencies are smoothed; a whole table only.
    pub smoothing: Smoothing,
    /// Whether lexical weights are left out.
    pub no_lexical: bool,
    /// Whether links are left out.
    pub no_links: bool,
    /// Whether only p(target | source) is written.
    pub only_direct: bool,
    /// Whether a constant e = 2.718 is added, as Moses' phrase penalty once was.
    pub phrase_count: bool,
    /// Whether exp(-1 / count) is added.
    pub low_count: bool,
    /// Whether counts are singles, as in Moses, and written with six digits.
    pub is_moses: bool,
}
