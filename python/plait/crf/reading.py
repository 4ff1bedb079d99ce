"""How text is read: formats of sequences, and files of templates."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from plait import _core
from plait.errors import ConfigError, TextError
from plait.io.streams import Path, display_name, open_input

if TYPE_CHECKING:
    from plait.crf.labelling import Labeller
    from plait.crf.sequences import Sequences

__all__ = ["FORMATS", "Format", "make_reader", "read_template"]

Format = Literal["conll", "crfsuite"]
"""Columns of CoNLL's shared tasks, or CRFsuite's attributes."""

FORMATS: tuple[Format, ...] = ("conll", "crfsuite")


def make_reader(
    format: Format, template: str | None, known: Labeller | Sequences | None, *, is_fixed: bool
) -> _core.CrfReader:
    """Return a reader for a format.

    Raises
    ------
    ConfigError
        There is no such format, or a template for a format that has none.
    TextError
        The template is none.
    """
    names = None if known is None else known.core.names
    if format == "crfsuite":
        if template is not None:
            raise ConfigError(name="template", expected="none for this format: attributes are in the file", found="one")
        return _core.CrfReader.attributes(names, is_fixed)
    if format != "conll":
        raise ConfigError(name="format", expected=" or ".join(map(repr, FORMATS)), found=repr(format))
    width, takes_more = None, False
    if known is not None:
        template = known.template if template is None else template
        width, takes_more = known.width, known.takes_more_columns
    return _core.CrfReader.columns(template, width, names, is_fixed, takes_more)


def read_template(path: Path) -> str:
    """Return the text of a file of templates.

    Raises
    ------
    plait.errors.TextError
        It is not UTF-8, or a line is no template.
    OSError
        The file cannot be opened or read.
    """
    with open_input(path) as stream:
        data = stream.read()
    name = display_name(path)
    try:
        text = data.decode("utf-8-sig")
        # Its errors are told here, where the name of the file is known.
        _core.CrfReader.columns(text)
        return text
    except TextError as problem:
        raise problem.at(name) from None
    except UnicodeDecodeError as problem:
        line = data.count(b"\n", 0, problem.start) + 1
        raise TextError(
            line=line,
            column=1,
            problem="templates are UTF-8; convert the file",
            found=repr(data[problem.start : problem.end]),
        ).at(name) from None
