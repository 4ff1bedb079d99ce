//! Special functions, fixed-point numbers and checked narrowing.
