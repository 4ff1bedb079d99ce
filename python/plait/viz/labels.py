"""Labels of a sequence as a table for notebooks: words above, their labels below, chunks of one colour."""

from __future__ import annotations

import html
import itertools
from collections.abc import Iterable, Mapping, Sequence
from typing import TypeVar

from plait.errors import ConfigError
from plait.viz.picture import PairPictures
from plait.viz.scripts import direction_of, isolated, printable

__all__ = ["labels_html", "show_labels"]

# Positions and sequences that a notebook shows; the others are counted.
_POSITIONS_SHOWN = 200
_SEQUENCES_SHOWN = 20
# Middle tones as backgrounds of a fifth of their strength: text keeps its contrast on white and on black.
_COLOURS = ("63,127,208", "184,116,15", "46,139,87", "217,96,74", "138,99,210", "0,150,160")
# What begins and goes on with a chunk in the notations of CoNLL and of segmentation: B-, I-, E-, S-, L-, U-.
_PARTS = frozenset("BIESLUM")
_Item = TypeVar("_Item")
_CELL = "padding:.15em .45em;text-align:center"


def labels_html(
    labels: Sequence[str],
    words: Sequence[str] | None = None,
    *,
    probabilities: Sequence[float] | None = None,
    title: str = "",
) -> str:
    """Return the labels of one sequence as an HTML table.

    It loads nothing and has no script. Labels of one kind have one colour, ``B-NP`` and ``I-NP`` being of the kind
    ``NP``; the label ``O`` has none.

    Parameters
    ----------
    labels
        A label for each position.
    words
        What stands above them; by default the numbers of the positions, from 0.
    probabilities
        The probability of each label, given the sequence, shown below it.
    title
        A line above the table.

    Returns
    -------
    str
        Markup; words, labels and the title in it are escaped. Of a sequence of more than 200 positions the first 200,
        and how many there are.

    Raises
    ------
    ConfigError
        There are not as many words or probabilities as labels.

    Examples
    --------
    >>> labels_html(["B-NP", "I-NP"], ["the", "cat"]).count("<td")
    4
    """
    return _table(labels, words, probabilities, title, _colours(labels))


def show_labels(
    labels: Iterable[Sequence[str]],
    words: Iterable[Sequence[str]] | None = None,
    *,
    marginals: Iterable[Sequence[Mapping[str, float]]] | None = None,
) -> PairPictures:
    """Draw labelled sequences, as the last line of a notebook cell.

    Parameters
    ----------
    labels
        The labels of each sequence, as `ChainCRF.predict` returns them.
    words
        The words of each sequence.
    marginals
        The probability of each label at each position, as `ChainCRF.predict_marginals` returns them.

    Returns
    -------
    PairPictures
        Of 20 sequences at the most; the others are counted.

    Raises
    ------
    ConfigError
        The numbers of sequences or of positions differ, or a label has no probability.

    Examples
    --------
    >>> picture = show_labels([["D", "N"]], [["the", "cat"]], marginals=[[{"D": 0.9, "N": 0.1}, {"N": 1.0}]])
    >>> "0.90" in str(picture)
    True
    """
    sequences = list(labels)
    each_words = _as_many("words", words, len(sequences))
    each_marginals = _as_many("marginals", marginals, len(sequences))
    # One for all, so that a label looks the same everywhere.
    colours = _colours(itertools.chain.from_iterable(sequences[:_SEQUENCES_SHOWN]))
    parts = []
    for n, found in enumerate(sequences[:_SEQUENCES_SHOWN]):
        chances = None if each_marginals is None else _chances(n, found, each_marginals[n])
        parts.append(_table(found, None if each_words is None else each_words[n], chances, "", colours))
    if len(sequences) > _SEQUENCES_SHOWN:
        parts.append(f"… {len(sequences) - _SEQUENCES_SHOWN:,} more")
    return PairPictures("".join(f'<div style="margin-bottom:.8em">{part}</div>' for part in parts))


def _table(
    labels: Sequence[str],
    words: Sequence[str] | None,
    probabilities: Sequence[float] | None,
    title: str,
    colours: Mapping[str, str],
) -> str:
    """Return the labels of a sequence in these colours."""
    for name, given in (("words", words), ("probabilities", probabilities)):
        if given is not None and len(given) != len(labels):
            raise ConfigError(name=name, expected=f"{len(labels)}, one for each label", found=len(given))
    shown = labels[:_POSITIONS_SHOWN]
    heads = [str(n) for n in range(len(shown))] if words is None else [printable(word) for word in words[: len(shown)]]
    rows = ["".join(f'<td style="{_CELL}">{_text(head)}</td>' for head in heads)]
    rows.append("".join(_label(label, colours) for label in shown))
    if probabilities is not None:
        cells = (f'<td style="{_CELL};opacity:.75">{p:.2f}</td>' for p in probabilities[: len(shown)])
        rows.append("".join(cells))
    # Words of a script that runs from the right stand in its order.
    direction = direction_of([words[: len(shown)]]) if words is not None else "ltr"
    body = "".join(f"<tr>{row}</tr>" for row in rows)
    above = f"<div>{html.escape(title)}</div>" if title else ""
    more = f"<div>… {len(labels) - len(shown):,} more positions</div>" if len(labels) > len(shown) else ""
    return (
        f'{above}<div style="overflow-x:auto"><table dir="{direction}" style="border-collapse:collapse">{body}</table>'
        f"</div>{more}"
    )


def _as_many(name: str, given: Iterable[_Item] | None, count: int) -> list[_Item] | None:
    found = None if given is None else list(given)
    if found is not None and len(found) != count:
        raise ConfigError(name=name, expected=f"{count} sequences, as many as there are of labels", found=len(found))
    return found


def _chances(n: int, labels: Sequence[str], marginals: Sequence[Mapping[str, float]]) -> list[float]:
    """Return the probability of each label of sequence ``n``."""
    if len(marginals) != len(labels):
        raise ConfigError(name="marginals", expected=f"{len(labels)} positions in sequence {n}", found=len(marginals))
    for label, chances in zip(labels, marginals, strict=True):
        if label not in chances:
            raise ConfigError(name="marginals", expected=f"a probability of {label!r} in sequence {n}", found="none")
    return [chances[label] for label, chances in zip(labels, marginals, strict=True)]


def _kind(label: str) -> str:
    """Return what a label says without its part of a chunk: ``NP`` of ``B-NP``."""
    part, dash, kind = label.partition("-")
    return kind if dash and part in _PARTS else label


def _colours(labels: Iterable[str]) -> dict[str, str]:
    """Return a colour for each kind of label, by its first use."""
    kinds = dict.fromkeys(_kind(label) for label in labels if label != "O")
    return {kind: _COLOURS[n % len(_COLOURS)] for n, kind in enumerate(kinds)}


def _label(label: str, colours: Mapping[str, str]) -> str:
    colour = colours.get(_kind(label)) if label != "O" else None
    background = "" if colour is None else f";background:rgba({colour},.25)"
    return f'<td style="{_CELL}{background}">{_text(printable(label))}</td>'


def _text(word: str) -> str:
    return html.escape(isolated(word))
