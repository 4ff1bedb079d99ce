//! What a phrase table holds, from attributes of a Python object.

use plait_core::error::{Error, Result};
use plait_core::phrase::table::{
    CountBins, DomainFeature, Domains, Kind, Scale, Smoothing, TableOptions, Words,
};
use pyo3::prelude::*;

/// The attributes of `plait.phrases.options.TableOptions`, with files read.
#[derive(FromPyObject)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is an option of its own"
)]
pub struct GivenOptions {
    kind: String,
    smoothing: String,
    scale: String,
    lexical: bool,
    links: bool,
    only_direct: bool,
    phrase_count: bool,
    low_count: bool,
    unaligned: bool,
    source_function_words: Option<Vec<Vec<u8>>>,
    target_function_words: Option<Vec<Vec<u8>>>,
    count_bins: Vec<u64>,
    sparse_count_bins: bool,
    domains: Option<Vec<u8>>,
    domain_feature: Option<String>,
    sparse_domain_feature: Option<String>,
    sentence_ids: bool,
    min_count: f64,
    min_inverse: f64,
    min_direct: f64,
    is_sorted: bool,
    hierarchical: bool,
    compat: Option<String>,
}

impl GivenOptions {
    /// The options of the core.
    pub fn to_core(&self) -> Result<TableOptions> {
        let is_moses = self.compat.is_some();
        let count_bins = if self.count_bins.is_empty() {
            None
        } else {
            Some(CountBins::new(
                self.count_bins.clone(),
                self.sparse_count_bins,
            )?)
        };
        Ok(TableOptions {
            kind: kind(&self.kind)?,
            smoothing: smoothing(&self.smoothing)?,
            scale: scale(&self.scale)?,
            no_lexical: !self.lexical,
            no_links: !self.links,
            only_direct: self.only_direct,
            phrase_count: self.phrase_count,
            low_count: self.low_count,
            unaligned: self.unaligned,
            function_words: [&self.source_function_words, &self.target_function_words]
                .map(|list| list.as_ref().map(|list| words(list))),
            count_bins,
            domains: self.domains(is_moses)?,
            sentence_ids: self.sentence_ids,
            min_count: self.min_count,
            min_scores: [self.min_inverse, self.min_direct],
            is_sorted: self.is_sorted,
            is_hierarchical: self.hierarchical,
            is_moses,
        })
    }

    fn domains(&self, is_moses: bool) -> Result<Option<Domains>> {
        let Some(text) = &self.domains else {
            return Ok(None);
        };
        let mut domains = Domains::parse(text)?;
        domains.dense = self.domain_feature.as_deref().map(feature).transpose()?;
        domains.sparse = self
            .sparse_domain_feature
            .as_deref()
            .map(feature)
            .transpose()?;
        domains.is_open = is_moses;
        Ok(Some(domains))
    }
}

fn words(list: &[Vec<u8>]) -> Words {
    list.iter().map(|word| word.as_slice().into()).collect()
}

fn kind(name: &str) -> Result<Kind> {
    match name {
        "both" => Ok(Kind::Both),
        "direct" => Ok(Kind::Direct),
        "inverse" => Ok(Kind::Inverse),
        other => Err(Error::config("kind", "both, direct or inverse", other)),
    }
}

fn smoothing(name: &str) -> Result<Smoothing> {
    match name {
        "none" => Ok(Smoothing::None),
        "good-turing" => Ok(Smoothing::GoodTuring),
        "kneser-ney" => Ok(Smoothing::KneserNey),
        other => Err(Error::config(
            "smoothing",
            "none, good-turing or kneser-ney",
            other,
        )),
    }
}

fn scale(name: &str) -> Result<Scale> {
    match name {
        "plain" => Ok(Scale::Plain),
        "log" => Ok(Scale::Log),
        "neg-log" => Ok(Scale::NegativeLog),
        other => Err(Error::config("scale", "plain, log or neg-log", other)),
    }
}

fn feature(name: &str) -> Result<DomainFeature> {
    match name {
        "indicator" => Ok(DomainFeature::Indicator),
        "ratio" => Ok(DomainFeature::Ratio),
        "subset" => Ok(DomainFeature::Subset),
        other => Err(Error::config(
            "domain_feature",
            "indicator, ratio or subset",
            other,
        )),
    }
}
