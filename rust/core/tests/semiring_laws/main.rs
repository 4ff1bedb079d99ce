//! Every semiring, module and bilinear map keeps its laws: exactly where arithmetic is exact, and within derived bounds on adversarial numbers where it rounds.

mod broken;
mod expectations;
mod kit;
mod numbers;
mod scalars;
