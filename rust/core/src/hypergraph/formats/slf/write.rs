//! From lattices to files.

use super::super::super::forest::{Forest, Forests};
use super::super::lattice::{Lattice, label};
use super::super::output::{feature, number, one_line, real, refuse, refuse_weights, text};
use super::{NULL, PROPERTY, TIME, VALUES, VARIANT};
use crate::error::Result;
use std::io::Write;

/// Appends a lattice.
///
/// # Errors
/// [`crate::error::Error::Hypergraph`] for what is no lattice, has weights, other features than SLF's, or no end.
pub fn write(forests: &Forests, forest: &Forest, out: &mut Vec<u8>) -> Result<()> {
    refuse_weights(forest, "SLF")?;
    let mut lattice = Lattice::of(forest)?;
    let Some(end) = lattice
        .only_end(forest)
        .or_else(|| lattice.arcs.is_empty().then_some(lattice.start))
    else {
        return Err(refuse(
            "the lattice".to_owned(),
            "SLF holds lattices with a path",
            "no path",
        ));
    };
    let has_version = forest.property("slf:VERSION").is_some();
    if !has_version {
        out.extend_from_slice(b"VERSION=1.1\n");
    }
    for (name, value) in &forest.properties {
        let key = if name == "id" {
            Some("UTTERANCE")
        } else {
            name.strip_prefix(PROPERTY)
        };
        if let Some(key) = key {
            out.extend_from_slice(key.as_bytes());
            out.push(b'=');
            push_value(out, one_line(value, "a field of the header")?);
            out.push(b'\n');
        }
    }
    // Writing to a vector does not fail.
    let _ = writeln!(out, "start={} end={end}", lattice.start);
    let _ = writeln!(out, "N={} L={}", lattice.states, lattice.arcs.len());
    for state in 0..lattice.states {
        out.extend_from_slice(b"I=");
        number(out, state);
        let time = (state < forest.nodes)
            .then(|| text(forests, forest.node_texts(TIME), state))
            .flatten();
        if let Some(time) = time {
            out.extend_from_slice(b" t=");
            push_value(out, one_line(time, "a time")?);
        }
        out.push(b'\n');
    }
    for (n, &arc) in lattice.arcs.iter().enumerate() {
        let _ = write!(out, "J={n} S={} E={} W=", arc.from, arc.to);
        push_value(out, one_line(label(forests, arc, NULL), "a word")?);
        if let Some(edge) = arc.edge {
            if let Some(variant) = text(forests, forest.edge_texts(VARIANT), edge) {
                out.extend_from_slice(b" v=");
                push_value(out, one_line(variant, "a variant")?);
            }
            for (id, value) in forest.features(edge) {
                let name = feature(forests, id);
                let Some((short, _)) = VALUES.iter().find(|(_, long)| *long == name) else {
                    let known: Vec<&str> = VALUES.iter().map(|value| value.1).collect();
                    let problem = format!(
                        "SLF has the features {} only; rename or remove others, or choose plait",
                        known.join(", ")
                    );
                    return Err(refuse(
                        format!("edge {edge}"),
                        &problem,
                        &format!("{name:?}"),
                    ));
                };
                let _ = write!(out, " {short}=");
                real(out, value);
            }
        }
        out.push(b'\n');
    }
    Ok(())
}

/// A value, in quotes if it must be.
fn push_value(out: &mut Vec<u8>, value: &str) {
    let is_plain =
        !value.is_empty() && !value.contains([' ', '\t']) && !value.starts_with(['"', '\'']);
    if is_plain {
        out.extend_from_slice(value.as_bytes());
        return;
    }
    out.push(b'"');
    for byte in value.bytes() {
        if matches!(byte, b'"' | b'\\') {
            out.push(b'\\');
        }
        out.push(byte);
    }
    out.push(b'"');
}
