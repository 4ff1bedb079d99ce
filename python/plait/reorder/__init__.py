r"""Reordering models: how the orientation of a phrase pair follows from its words and their context.

An example is a phrase pair with its orientation (``mono``, ``swap``, ``other``, or any classes of yours) and
features: aligned word pairs inside, source words around. `Examples` makes them of a corpus with links or reads them
from a file; the classifiers learn from them, or from any sparse matrix, by the conventions of scikit-learn:

- `DualLogistic`: multinomial logistic regression in the dual, with a shrinking set of examples;
- `StackedLogistic`: the same, with the counts of the phrase pair among its features;
- `PrimalLogistic`: the objective of `DualLogistic` by stochastic gradient descent;
- `NaiveBayes`: multinomial naive Bayes, by MAP or by Bayesian inference;
- `Lexicalised`: smoothed relative frequencies of each phrase pair, as in Moses.

The last two learn from `ExampleCounts` as well, which no row in memory is needed for.

`evaluate` measures them, `mutual_information` rates features, `reordering_table` writes what a decoder reads, `save`
and `load` keep models in files. See ``docs/design/reordering.md`` for the mathematics.

A small corpus, its examples, and a model of them:

>>> import plait
>>> from plait.reorder import DualLogistic, Examples, evaluate
>>> text = plait.Bitext.from_lists(["a b c", "b a", "c a b"] * 5, ["A B C", "A B", "A B C"] * 5)
>>> links = plait.Alignments.from_lists([[(0, 0), (1, 1), (2, 2)], [(0, 1), (1, 0)], [(0, 2), (1, 0), (2, 1)]] * 5)
>>> examples = Examples.from_bitext(text, links, threshold=0)
>>> examples
Examples(70 phrase pairs, 6 features, classes mono swap other)
>>> model = DualLogistic(sigma2=10.0).fit(examples)
>>> result = evaluate(model, examples)
>>> round(result.error_rate, 3), round(result.majority_error, 3)
(0.214, 0.357)

Sources: Alrajeh and Niranjan (2014), Large-scale reordering model for statistical machine translation using dual
multinomial logistic regression, EMNLP; Alrajeh and Niranjan (2014), Bayesian reordering model with feature selection,
WMT.
"""

from __future__ import annotations

from plait.reorder.bayes import NaiveBayes
from plait.reorder.classifier import Classifier
from plait.reorder.dual import Check, DualLogistic
from plait.reorder.evaluation import Comparison, Evaluation, compare, evaluate
from plait.reorder.examples import Examples, write_examples
from plait.reorder.files import KIND, load, save
from plait.reorder.information import mutual_information, selected
from plait.reorder.lexicalised import Lexicalised
from plait.reorder.primal import PrimalLogistic
from plait.reorder.selection import SelectionPoint, selection_curve
from plait.reorder.stacked import StackedLogistic
from plait.reorder.table import reordering_table, write_table
from plait.reorder.tally import ExampleCounts

__all__ = [
    "KIND",
    "Check",
    "Classifier",
    "Comparison",
    "DualLogistic",
    "Evaluation",
    "ExampleCounts",
    "Examples",
    "Lexicalised",
    "NaiveBayes",
    "PrimalLogistic",
    "SelectionPoint",
    "StackedLogistic",
    "compare",
    "evaluate",
    "load",
    "mutual_information",
    "reordering_table",
    "save",
    "selected",
    "selection_curve",
    "write_examples",
    "write_table",
]
