"""Tests for what plug into plait: the laws of a semiring of your own.

`check_semiring` takes a semiring and some values, and raises `LawError` with the law, the values and both sides where
one is broken; `search_semiring` lets hypothesis look for values and make them small. `check_module` and
`check_bilinear` do the same for what expectation semirings are made of, `check_homomorphism` for maps between
semirings. Rounding is judged by a `Tolerance`.
"""

from plait.testing.laws import LawError
from plait.testing.module_laws import check_bilinear, check_module
from plait.testing.semiring_laws import check as check_semiring
from plait.testing.semiring_laws import check_homomorphism
from plait.testing.semiring_laws import search as search_semiring
from plait.testing.tolerances import Exact, Linear, Logarithmic, Tolerance, tolerance_of

__all__ = [
    "Exact",
    "LawError",
    "Linear",
    "Logarithmic",
    "Tolerance",
    "check_bilinear",
    "check_homomorphism",
    "check_module",
    "check_semiring",
    "search_semiring",
    "tolerance_of",
]
