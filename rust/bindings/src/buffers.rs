//! Numbers across the border as typed memory, for processes that do without numpy: its import takes 16 MB and more time than small models.
//!
//! What leaves is a `memoryview` of items of one type, from which `numpy.asarray` makes an array without a copy. What comes in is anything that shows such memory, arrays of numpy too.

use pyo3::buffer::{Element, PyBuffer};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyMemoryView};

/// A `memoryview` of numbers in one dimension.
pub type View<'py> = Bound<'py, PyAny>;

/// Numbers that a `memoryview` has a letter for.
pub trait Number: Copy {
    /// That of Python's `struct`.
    const LETTER: &'static str;
    /// Writes the number in this machine's order of bytes.
    fn put(self, place: &mut [u8]);
}

macro_rules! number {
    ($($type:ty: $letter:literal),*) => {
        $(impl Number for $type {
            const LETTER: &'static str = $letter;
            fn put(self, place: &mut [u8]) {
                place.copy_from_slice(&self.to_ne_bytes());
            }
        })*
    };
}

number!(u8: "B", u32: "I", u64: "Q", f32: "f", f64: "d");

/// Numbers as a `memoryview`.
pub fn view<T: Number>(
    py: Python<'_>,
    numbers: impl ExactSizeIterator<Item = T>,
) -> PyResult<View<'_>> {
    let bytes = PyBytes::new_with(py, numbers.len() * size_of::<T>(), |bytes| {
        for (number, place) in numbers.zip(bytes.chunks_exact_mut(size_of::<T>())) {
            number.put(place);
        }
        Ok(())
    })?;
    PyMemoryView::from(&bytes)?.call_method1("cast", (T::LETTER,))
}

/// The numbers of a slice as a `memoryview`.
pub fn view_of<'py, T: Number>(py: Python<'py>, numbers: &[T]) -> PyResult<View<'py>> {
    view(py, numbers.iter().copied())
}

/// The numbers that an object shows.
pub fn numbers<T: Element>(py: Python<'_>, shown: &PyBuffer<T>) -> PyResult<Vec<T>> {
    if shown.dimensions() == 1 {
        return shown.to_vec(py);
    }
    let problem = format!(
        "numbers in one dimension are needed, not in {}",
        shown.dimensions()
    );
    Err(pyo3::exceptions::PyTypeError::new_err(problem))
}
