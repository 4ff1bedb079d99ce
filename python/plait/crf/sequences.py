"""Sequences of positions with attributes, and a label for each position where there is one."""

from __future__ import annotations

import codecs
import itertools
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self

from plait import _core
from plait.crf.reading import Format, make_reader
from plait.errors import ConfigError, DataError, TextError
from plait.io.streams import Path, display_name, read_blocks

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from plait.crf.labelling import Labeller

__all__ = ["Format", "Sequences"]


class Sequences:
    """Sequences with interned attributes and labels; immutable.

    Made by `from_items`, `from_arrays` and `read`. Data for a model that exists is made with ``model=``: attributes
    that the model does not know are left out and counted.

    Attributes
    ----------
    core
        What the compiled core works on.
    template
        The templates that made the attributes, if they come from columns.
    width
        How many columns attributes were made from.

    Notes
    -----
    Memory: 4 bytes for each attribute of a position (12 when any value is not 1), 12 a position, 8 a sequence, and the
    names once.

    Examples
    --------
    >>> from plait.crf import Sequences
    >>> data = Sequences.from_items([[{"word": "the"}, {"word": "cat", "caps": 0.5}]], [["D", "N"]])
    >>> len(data), data.positions, data.label_names, data.labels()
    (1, 2, ['D', 'N'], [['D', 'N']])
    """

    # Of models of CRF++ only, which do not say how many columns their training data had.
    takes_more_columns = False

    def __init__(self, core: _core.CrfData, template: str | None = None, width: int | None = None) -> None:
        self.core = core
        self.template = template
        self.width = width

    @classmethod
    def from_items(
        cls,
        items: Iterable[Iterable[Mapping[str, Any] | Iterable[str]]],
        labels: Iterable[Iterable[str | None]] | None = None,
        *,
        model: Labeller | Sequences | None = None,
        extends: Labeller | None = None,
    ) -> Self:
        """Make sequences of Python objects, with the names that python-crfsuite gives to features.

        Parameters
        ----------
        items
            A list of positions for each sequence; a position is a dictionary of features or a list of names. In a
            dictionary, ``{"word": "the"}`` is the attribute ``word:the``, ``{"length": 3.5}`` has that value, True and
            False are 1 and 0, a list or set has an attribute for each text in it, and dictionaries nest.
        labels
            A list of texts for each sequence; None for a position whose label is not known.
        model
            Take attributes and labels of this model, or of these sequences; others are left out.
        extends
            Take those of this model, and add those that are new, to go on training it.

        Raises
        ------
        plait.errors.DataError
            Something is of the wrong type or not finite, or lengths differ; the message has the sequence and position,
            from 0.
        """
        known = model or extends
        names = None if known is None else known.core.names
        return cls(_core.crf_data_from_items(items, labels, names, model is not None))

    @classmethod
    def from_arrays(
        cls,
        starts: npt.ArrayLike,
        rows: npt.ArrayLike,
        attributes: npt.ArrayLike,
        *,
        attribute_names: Sequence[str],
        label_names: Sequence[str],
        labels: npt.ArrayLike | None = None,
        values: npt.ArrayLike | None = None,
    ) -> Self:
        """Make sequences of arrays, as those of a sparse matrix in CSR form with a row for each position.

        Parameters
        ----------
        starts
            Where each sequence starts among the positions, and their number: integers[sequences + 1].
        rows
            Where the attributes of each position start, and their number: integers[positions + 1] (``indptr``).
        attributes
            The attribute of each: integers[occurrences] below the number of names (``indices``).
        attribute_names, label_names
            Names by number.
        labels
            The label of each position: integers[positions]; none by default.
        values
            The value of each attribute of a position: floats[occurrences] (``data``); 1 by default.

        Raises
        ------
        plait.errors.ConfigError
            Arrays do not fit each other, or a value is not finite.
        """
        import numpy as np

        positions = len(np.asarray(rows)) - 1
        ids = np.full(max(positions, 0), _core.CRF_NO_LABEL, dtype=np.uint32)
        if labels is not None:
            ids = _unsigned("labels", labels, np.uint32)
        return cls(
            _core.crf_data_from_arrays(
                _unsigned("starts", starts, np.uint64),
                _unsigned("rows", rows, np.uint64),
                _unsigned("attributes", attributes, np.uint32),
                None if values is None else np.ascontiguousarray(values, dtype=np.float64),
                ids,
                _core.CrfNames(list(attribute_names), list(label_names)),
            )
        )

    @classmethod
    def read(
        cls,
        path: Path,
        *,
        format: Format = "conll",
        template: str | None = None,
        model: Labeller | Sequences | None = None,
        extends: Labeller | None = None,
    ) -> Self:
        r"""Read sequences from a file.

        Parameters
        ----------
        path
            The file, "-" for standard input; compressed files are recognised by content.
        format
            "conll": a line for each position, cells between spaces or tabs, the label last (for a model it may be
            missing), an empty line after each sequence. "crfsuite": ``label TAB attribute TAB attribute:value ..``.
        template
            The text of CRF++'s templates, for columns; those of the model for a model; by default
            windows of five cells and two pairs in each column.
        model, extends
            As for `from_items`.

        Raises
        ------
        plait.errors.TextError
            A line cannot be read; the message has file, line and column.
        plait.errors.DataError
            The file is empty, and not for a model: there is nothing to learn from.
        OSError
            The file cannot be opened or read.
        """
        known = model or extends
        reader = make_reader(format, template, known, is_fixed=model is not None)
        name = display_name(path)
        is_empty = True
        try:
            for block in read_blocks(path):
                # A byte order mark alone is no text.
                is_empty = is_empty and block == codecs.BOM_UTF8
                reader.feed(block)
            if is_empty and model is None:
                raise DataError(f"{name}: the file is empty; give one with labelled sequences")
            return cls(*reader.finish())
        except TextError as problem:
            raise problem.at(name) from None

    def __len__(self) -> int:
        """Return the number of sequences."""
        return len(self.core)

    @property
    def positions(self) -> int:
        """The number of positions of all sequences."""
        return self.core.positions

    @property
    def unknown(self) -> int:
        """Occurrences of attributes that were left out because the model does not know them."""
        return self.core.unknown

    @property
    def label_names(self) -> list[str]:
        """The labels, by number."""
        return self.core.label_names()

    @property
    def starts(self) -> npt.NDArray[np.uint64]:
        """Where each sequence starts among the positions, and their number: uint64[sequences + 1]."""
        import numpy as np

        return np.asarray(self.core.starts())

    def with_weights(self, weights: npt.ArrayLike) -> Self:
        """Return these sequences with a weight for each: training counts a sequence as if it stood there so often.

        Parameters
        ----------
        weights
            Finite numbers from 0: floats[sequences]. A sequence with the weight 0 has no part in training at all.

        Raises
        ------
        ConfigError
            There is not one for each sequence, or one is out of range.

        Examples
        --------
        >>> from plait.crf import Sequences
        >>> data = Sequences.from_items([[["a"]], [["b"]]], [["X"], ["Y"]]).with_weights([1, 2.5])
        >>> data.weights
        array([1. , 2.5])
        """
        import numpy as np

        made = np.asarray(weights)
        if made.ndim != 1 or made.dtype.kind not in "iufb":
            raise ConfigError(
                name="weights",
                expected="numbers in one dimension, one for each sequence",
                found=f"{made.dtype}{made.shape}",
            )
        return self._with(self.core.with_weights(np.ascontiguousarray(made, dtype=np.float64)))

    @property
    def weights(self) -> npt.NDArray[np.float64]:
        """The weight of each sequence in training: float64[sequences]."""
        import numpy as np

        weights = self.core.weights()
        return np.ones(len(self)) if weights is None else weights

    def with_allowed(self, allowed: Sequence[Sequence[Collection[str] | None]]) -> Self:
        """Return these sequences with labels that may stand at each position, for training on what is known in part.

        Parameters
        ----------
        allowed
            For each sequence and position the labels that are possible, or None for all. A position that has a label
            keeps it. Labels that are new get the next numbers, in the order in which they come.

        Raises
        ------
        plait.errors.DataError
            There is not a list for each sequence and an entry for each position, or an entry names no label.
        ConfigError
            The label of a position is not among those that are allowed there.

        Notes
        -----
        Training on them (`ChainCRF.fit`) maximises the probability of all labellings that are allowed together. One
        byte for each position and label.

        Examples
        --------
        >>> from plait.crf import Sequences
        >>> data = Sequences.from_items([[["the"], ["walk"]]], [["D", None]]).with_allowed([[None, {"N", "V"}]])
        >>> data.label_names
        ['D', 'N', 'V']
        """
        import numpy as np

        starts = self.core.starts().tolist()
        if len(allowed) != len(self):
            raise DataError(
                f"there are {len(self)} sequences but allowed labels for {len(allowed)}; give a list for each"
            )
        names = dict.fromkeys(self.label_names)
        for number, (choices, start, stop) in enumerate(zip(allowed, starts[:-1], starts[1:], strict=True)):
            if len(choices) != stop - start:
                raise DataError(
                    f"sequence {number} has {stop - start} positions but allowed labels for {len(choices)}; "
                    "give a list of labels, or None, for each"
                )
            for position, labels in enumerate(choices):
                if labels is None:
                    continue
                if isinstance(labels, str) or not labels or not all(isinstance(label, str) for label in labels):
                    raise DataError(
                        f"sequence {number}, position {position}: allowed labels are a list of texts with at least "
                        f"one, or None; found {labels!r}"
                    )
                # The order of a set changes from run to run; numbers must not.
                names.update(dict.fromkeys(sorted(labels) if isinstance(labels, set | frozenset) else labels))
        numbers = {name: number for number, name in enumerate(names)}
        claims = np.ones((self.positions, len(numbers)), dtype=np.bool_)
        for choices, start in zip(allowed, starts[:-1], strict=True):
            for position, labels in enumerate(choices, start):
                if labels is not None:
                    claims[position] = False
                    claims[position, [numbers[label] for label in labels]] = True
        return self._with(self.core.with_allowed(claims, list(numbers)))

    def _with(self, core: _core.CrfData) -> Self:
        return type(self)(core, self.template, self.width)

    def labels(self) -> list[list[str]]:
        """Return the labels of each sequence.

        Raises
        ------
        ConfigError
            A position has none.
        """
        if not self.core.is_labelled:
            raise ConfigError(
                name="sequences", expected="labelled at each position", found="a position without a label"
            )
        return self.split(self.core.labels(), self.label_names)

    def split(self, ids: memoryview[int], names: list[str]) -> list[list[str]]:
        """Return names for numbers of labels, a list for each sequence."""
        texts = [names[label] for label in ids]
        return [texts[start:stop] for start, stop in itertools.pairwise(self.core.starts())]


def _unsigned(name: str, values: npt.ArrayLike, dtype: type[np.uint32 | np.uint64]) -> npt.NDArray[Any]:
    import numpy as np

    array = np.asarray(values)
    if array.ndim != 1 or (array.dtype.kind not in "iu" and array.size):
        raise ConfigError(name=name, expected="whole numbers in one dimension", found=f"{array.dtype}{array.shape}")
    if array.size and (int(array.min()) < 0 or int(array.max()) > np.iinfo(dtype).max):
        raise ConfigError(
            name=name, expected="numbers from 0 that fit their type", found=f"{array.min()}..{array.max()}"
        )
    return np.ascontiguousarray(array, dtype=dtype)
