"""What the commands that use a saved reordering model share."""

from __future__ import annotations

from plait.reorder.classifier import Classifier
from plait.reorder.examples import Examples
from plait.reorder.lexicalised import Lexicalised
from plait.reorder.stacked import StackedLogistic

__all__ = ["read_for"]


def read_for(model: Classifier, path: str, *, pairs: bool = False) -> Examples:
    """Read examples with the features and classes of a model; with phrase pairs when it or the caller needs them."""
    assert model.vocabulary_ is not None
    return Examples.read(
        path,
        threshold=0,
        identity=model.identity_,
        pairs=pairs or isinstance(model, Lexicalised | StackedLogistic),
        vocabulary=model.vocabulary_,
        classes=model.classes_.tolist(),
    )
