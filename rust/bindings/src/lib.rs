//! `plait._core`: the thin border between plait-core and Python. Convert, detach from the interpreter, call, convert back.

use pyo3::prelude::*;

mod align;
mod classes;
mod distribution;
mod errors;
mod forests;
mod generic;
mod hmm;
mod hmm_arrays;
mod hypergraph;
mod hypergraph_intersect;
mod hypergraph_search;
mod links;
mod phrase;
mod phrase_tables;
mod run;
mod table;
mod text;
mod user_semiring;

#[pymodule]
fn _core(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    text::register(module)?;
    table::register(module)?;
    links::register(module)?;
    align::register(module)?;
    classes::register(module)?;
    hmm::register(module)?;
    hypergraph::register(module)?;
    distribution::register(module)?;
    forests::register(module)?;
    generic::register(module)?;
    user_semiring::register(module)?;
    hypergraph_search::register(module)?;
    hypergraph_intersect::register(module)?;
    phrase::register(module)?;
    phrase_tables::register(module)?;
    Ok(())
}
