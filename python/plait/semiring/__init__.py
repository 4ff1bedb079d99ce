"""Semirings: what the weights of a hypergraph can be.

A semiring has values, a sum ``plus`` with the identity ``zero``, and a product ``times`` with the identity ``one``. So
the sum of the products along all derivations of a hypergraph can be computed node by node. Which semiring is chosen
decides what comes out: the number of derivations (`Counting`), their total weight (`Real`, `Log`, `Scaled`), the best
one (`Viterbi`, `Tropical`), the best few (`KBest`), the best along a line (`Hull`), expectations and gradients
(`FirstOrder`, `SecondOrder`).

Any object with these four names is a semiring (`Semiring`); `plait.testing.check_semiring` tests its laws.
"""

from plait.semiring.bilinear import Bilinear, Multiplication, Outer
from plait.semiring.boolean import Boolean
from plait.semiring.counting import CheckedCounting, Counting
from plait.semiring.derivation import Derivation
from plait.semiring.first_order import FirstOrder, FirstOrderValue
from plait.semiring.hull import Hull, Line
from plait.semiring.kbest import KBest
from plait.semiring.log import Log
from plait.semiring.modules import Dense, Module, Scalar, Sparse
from plait.semiring.product import Lexicographic, Product
from plait.semiring.protocol import Semiring, declares, has_star
from plait.semiring.rational import Rational
from plait.semiring.real import Real
from plait.semiring.scaled import Scaled, ScaledValue
from plait.semiring.second_order import Lifted, SecondOrder, SecondOrderValue, lift, lower
from plait.semiring.signed_log import SignedLog, SignedLogValue
from plait.semiring.tropical import Tropical
from plait.semiring.viterbi import Viterbi

__all__ = [
    "Bilinear",
    "Boolean",
    "CheckedCounting",
    "Counting",
    "Dense",
    "Derivation",
    "FirstOrder",
    "FirstOrderValue",
    "Hull",
    "KBest",
    "Lexicographic",
    "Lifted",
    "Line",
    "Log",
    "Module",
    "Multiplication",
    "Outer",
    "Product",
    "Rational",
    "Real",
    "Scalar",
    "Scaled",
    "ScaledValue",
    "SecondOrder",
    "SecondOrderValue",
    "Semiring",
    "SignedLog",
    "SignedLogValue",
    "Sparse",
    "Tropical",
    "Viterbi",
    "declares",
    "has_star",
    "lift",
    "lower",
]
