//! `plait._core`: the thin border between plait-core and Python. Convert, detach from the interpreter, call, convert back.

use pyo3::prelude::*;

mod align;
mod classes;
mod crf;
mod crf_files;
mod crf_items;
mod crf_model;
mod crf_phases;
mod crf_train;
mod distribution;
mod errors;
mod feature_arrays;
mod forests;
mod generic;
mod hmm;
mod hmm_arrays;
mod hypergraph;
mod hypergraph_envelope;
mod hypergraph_intersect;
mod hypergraph_presence;
mod hypergraph_search;
mod links;
mod minrisk_bleu;
mod minrisk_mert;
mod minrisk_objective;
mod minrisk_statistics;
mod ngram;
mod ngram_arrays;
mod ngram_matches;
mod offsets;
mod phrase;
mod phrase_options;
mod phrase_tables;
mod reorder;
mod reorder_counts;
mod reorder_examples;
mod run;
mod table;
mod text;
mod translit_align;
mod translit_channel;
mod translit_pooled;
mod translit_two_step;
mod user_semiring;

#[pymodule]
fn _core(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    text::register(module)?;
    table::register(module)?;
    links::register(module)?;
    align::register(module)?;
    classes::register(module)?;
    crf::register(module)?;
    crf_files::register(module)?;
    crf_model::register(module)?;
    crf_phases::register(module)?;
    crf_train::register(module)?;
    hmm::register(module)?;
    reorder_counts::register(module)?;
    reorder::register(module)?;
    reorder_examples::register(module)?;
    hypergraph::register(module)?;
    distribution::register(module)?;
    forests::register(module)?;
    generic::register(module)?;
    user_semiring::register(module)?;
    hypergraph_search::register(module)?;
    hypergraph_intersect::register(module)?;
    hypergraph_presence::register(module)?;
    ngram::register(module)?;
    ngram_matches::register(module)?;
    minrisk_bleu::register(module)?;
    minrisk_objective::register(module)?;
    minrisk_mert::register(module)?;
    minrisk_statistics::register(module)?;
    hypergraph_envelope::register(module)?;
    phrase::register(module)?;
    phrase_tables::register(module)?;
    translit_align::register(module)?;
    translit_channel::register(module)?;
    translit_pooled::register(module)?;
    translit_two_step::register(module)?;
    Ok(())
}
