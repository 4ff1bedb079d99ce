"""The exceptions and warnings of plait.

Every message has three parts: what is wrong, where, and what to do. ``PlaitError`` is the base of all
exceptions.
"""

from __future__ import annotations

__all__ = [
    "AlignmentWarning",
    "ConfigError",
    "ConvergenceWarning",
    "CycleError",
    "DataError",
    "ModelFileError",
    "NgramWarning",
    "PlaitError",
    "PlaitWarning",
    "ResourceError",
    "TextError",
    "UnequalLengthError",
]


class PlaitError(Exception):
    """Base of everything that plait raises on purpose."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class DataError(PlaitError, ValueError):
    """The data that was given cannot be used."""


class TextError(DataError):
    """A line of text cannot be read as asked.

    Parameters
    ----------
    line, column
        1-based; the column counts characters.
    problem
        What is wrong, what was expected, and the remedy.
    found
        The offending text, escaped for display.
    path
        The file, when there is one.
    """

    def __init__(self, *, line: int, column: int, problem: str, found: str, path: str | None = None) -> None:
        where = f"{path}:{line}:{column}" if path else f"line {line}, column {column}"
        super().__init__(f"{where}: {problem}; found {found}")
        self.line = line
        self.column = column
        self.problem = problem
        self.found = found
        self.path = path

    def at(self, path: str) -> TextError:
        """Return the same error with the name of its file."""
        return type(self)(line=self.line, column=self.column, problem=self.problem, found=self.found, path=path)


class CycleError(DataError):
    """A hypergraph has a cycle where none is allowed, or one that cannot be closed.

    Parameters
    ----------
    cycle
        The nodes of one cycle, heads first, without the first one again.
    problem
        Why that is a problem, and the remedy.
    message
        What is shown.
    """

    def __init__(self, *, cycle: list[int], problem: str, message: str) -> None:
        super().__init__(message)
        self.cycle = tuple(cycle)
        self.problem = problem


class UnequalLengthError(DataError):
    """Two inputs that run in parallel have different lengths."""

    def __init__(self, *, shorter: str, shorter_len: int, longer: str, longer_len: int) -> None:
        super().__init__(
            f"{shorter} ends after line {shorter_len}, but {longer} has {longer_len} lines; "
            "the inputs must be parallel, line by line: "
            "check that both come from the same step of your pipeline"
        )
        self.shorter = shorter
        self.shorter_len = shorter_len
        self.longer = longer
        self.longer_len = longer_len

    def named(self, names: dict[str, str]) -> UnequalLengthError:
        """Return the same error with the sides replaced by the names of their files."""
        return type(self)(
            shorter=names.get(self.shorter, self.shorter),
            shorter_len=self.shorter_len,
            longer=names.get(self.longer, self.longer),
            longer_len=self.longer_len,
        )


class ConfigError(PlaitError, ValueError):
    """An option has a value outside its range, or options contradict each other."""

    def __init__(
        self,
        message: str | None = None,
        *,
        name: str | None = None,
        expected: str | None = None,
        found: object = None,
    ) -> None:
        super().__init__(message or f"{name} must be {expected}; found {found}")
        self.name = name


class ModelFileError(PlaitError):
    """A model file is damaged, incomplete, or of another version."""


class ResourceError(PlaitError):
    """A limit of size, memory or disk was reached."""


class PlaitWarning(UserWarning):
    """Base of plait's warnings."""


class AlignmentWarning(PlaitWarning):
    """Some sentence pairs were left without links; the message says how many and why."""


class ConvergenceWarning(PlaitWarning):
    """Training stopped before it converged."""


class NgramWarning(PlaitWarning):
    """An n-gram model took discounts that its counts do not give; the message says in which order and why."""
