"""Models of other programs: CRFsuite's are read and written, CRF++'s are read, binary or text.

The formats are told by their first bytes, compressed or not. Such models have weights and names, those of CRF++ their
templates too, but no options or figures of their training.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from plait import _core
from plait.errors import ModelFileError, TextError
from plait.io.atomic import OutputFile
from plait.io.streams import Path, display_name, open_input

if TYPE_CHECKING:
    from plait.crf.chain import ChainCRF

__all__ = ["read_foreign", "write_crfsuite"]

_CRFSUITE = b"lCRF"
_CRFPP_TEXT = b"version: "
_CRFPP_BINARY = (100).to_bytes(4, "little")


def read_foreign(path: Path) -> tuple[_core.CrfModel, dict[str, Any]] | None:
    """Read a model of CRFsuite or CRF++: the model, and metadata as a file of plait has it; None for other files.

    Raises
    ------
    ModelFileError
        The file is damaged, as far as that can be seen: neither format has checksums.
    plait.errors.TextError
        A line of a text model cannot be read, or a template asks for what plait's models do not have.
    OSError
        The file cannot be opened or read.
    """
    if os.fspath(path) == "-":
        # What is read of standard input is gone; only plait's own models come from there.
        return None
    with open_input(path) as stream:
        start = stream.read(len(_CRFPP_TEXT))
        is_crfsuite = start.startswith(_CRFSUITE)
        is_crfpp = start.startswith((_CRFPP_TEXT, _CRFPP_BINARY))
        # plait's own files have JSON here, behind the length of their header.
        if start[8:] == b"{" or not (is_crfsuite or is_crfpp):
            return None
        data = start + stream.read()
    try:
        if is_crfsuite:
            return _core.crf_read_crfsuite(data), _metadata("CRFsuite", format="crfsuite")
        core, template, width = _core.crf_read_crfpp(data)
        return core, _metadata("CRF++", format="conll", template=template, width=width)
    except ModelFileError as problem:
        raise ModelFileError(f"{display_name(path)}: {problem}") from None
    except TextError as problem:
        raise problem.at(display_name(path)) from None


def write_crfsuite(model: ChainCRF, path: Path, *, force: bool = False) -> None:
    """Write a model as CRFsuite stores its own, for CRFsuite, python-crfsuite, sklearn-crfsuite, chaine and crfs.

    Weights that are 0 are left out, and attributes that have no others: they change no score. Options, templates and
    figures of training have no place in the format. Weights of an attribute and two labels, which templates B with
    cells ask for, are refused: it has none.

    Parameters
    ----------
    model
        A trained model.
    path
        The file; whole or absent. These programs read no compressed files.
    force
        Replace a file that exists.

    Raises
    ------
    plait.errors.ConfigError
        The model is not trained, has weights of an attribute and two labels, a name has a zero byte, or the file
        exists and ``force`` is not set.
    plait.errors.ResourceError
        The file would be larger than 4 GiB.

    Notes
    -----
    Time and memory are linear in the file: 20 bytes a weight, and about 40 and its name for an attribute. What
    python-crfsuite calls an attribute is the name here: that of `Sequences.from_items`, or a template filled in.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from plait.crf import ChainCRF, write_crfsuite
    >>> crf = ChainCRF().fit([[{"w": "the"}, {"w": "cat"}]], [["D", "N"]])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder) / "tags.crfsuite"
    ...     write_crfsuite(crf, path)
    ...     again = ChainCRF.load(path)
    >>> again.state_features_ == crf.state_features_
    True
    """
    data = _core.crf_write_crfsuite(model.core)
    with OutputFile(path, force=force) as out:
        out.write(data)


def _metadata(program: str, *, format: str, template: str | None = None, width: int | None = None) -> dict[str, Any]:
    return {
        "options": {},
        "template": template,
        "width": width,
        "format": format,
        # CRF++ stores how many columns its templates name, not how many there were.
        "takes_more_columns": program == "CRF++",
        "history": [],
        "gradient_norm": None,
        "stopped_by": program,
        "held_out_history": [],
    }
