"""One check for each reader: any bytes are read or refused with a message that names the file.

A check takes bytes and fails by an exception. The fuzzer and the replay of kept inputs call the same ones.
"""

from __future__ import annotations

import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path

import click

import plait
from fuzz_python import sealed
from plait import models, reorder, translit
from plait.classes import WordClasses
from plait.cli import main
from plait.crf import ChainCRF
from plait.errors import PlaitError
from plait.hypergraph import read_forests
from plait.io.bal import read_bal
from plait.lexicon import Lexicon
from plait.metrics import read_gold
from plait.minrisk import read_weights
from plait.ngram import NgramModel
from plait.translit.files import read_entries

_FOLDER = tempfile.TemporaryDirectory(prefix="plait-fuzz-")
_PATH = Path(_FOLDER.name) / "input"
# What a reader may start with to say that it is compressed; decompression is tested elsewhere.
_PACKED = (b"\x1f\x8b", b"BZh", b"\xfd7zXZ\x00", b"\x28\xb5\x2f\xfd")


def check_tmx(data: bytes) -> None:
    """A translation memory: each pair has one line of text on either side."""

    def read(path: Path) -> None:
        text = plait.Bitext.read_tmx(path, "en", "fr")
        for number in range(len(text)):
            assert all("\n" not in word and word for word in text.source(number) + text.target(number))

    _read_or_refuse(read, data)


def check_entries(data: bytes) -> None:
    """Words with targets, as lines or as XML of the NEWS shared tasks."""

    def read(path: Path) -> None:
        for entry in read_entries(path):
            assert entry.source
            assert entry.targets
            assert all(entry.targets)

    _read_or_refuse(read, data)


def check_configuration(data: bytes) -> None:
    """Options of three verbs out of a TOML file."""
    for verb in (["align"], ["crf", "train"], ["translit", "train"]):
        _PATH.write_bytes(data)
        try:
            with _context(verb, ["--config", str(_PATH), "--print-config"]):
                pass
        except click.ClickException as problem:
            _check_says_something(problem.format_message())


def check_model(data: bytes) -> None:
    """A model file as it is, with a sound checksum of its header, and with all checksums sound."""
    for change in (bytes, sealed.header, sealed.whole):
        _read_or_refuse(_use_model, change(data))


def check_gold(data: bytes) -> None:
    """Gold links of any of the three forms."""

    def read(path: Path) -> None:
        gold = read_gold(path)
        assert len(gold) > 0
        assert len(gold.sure) == len(gold.possible)

    _read_or_refuse(read, data)


def check_records(data: bytes) -> None:
    """The small line formats: JSON lines, mkcls's classes, symal's records, weights."""

    def read_jsonl(path: Path) -> None:
        plait.Bitext.read_jsonl(path, "en", "fr")

    def read_classes(path: Path) -> None:
        classes = WordClasses.read(path)
        path.write_bytes(classes.to_bytes())
        assert WordClasses.read(path) == classes or not classes.words

    def read_links(path: Path) -> None:
        for forward, reverse in read_bal(path, pairs=3):
            assert len(forward) == len(reverse)

    for read in (read_jsonl, read_classes, read_links, read_weights):
        _read_or_refuse(read, data)


TARGETS: dict[str, Callable[[bytes], None]] = {
    "configuration": check_configuration,
    "entries": check_entries,
    "gold": check_gold,
    "model": check_model,
    "records": check_records,
    "tmx": check_tmx,
}


def _read_or_refuse(read: Callable[[Path], object], data: bytes) -> None:
    if data.startswith(_PACKED):
        return
    _PATH.write_bytes(data)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            read(_PATH)
        except PlaitError as problem:
            _check_says_something(str(problem))


def _check_says_something(message: str) -> None:
    assert message.strip()


def _use_model(path: Path) -> None:
    """Load a model of any kind, and ask it something."""
    file = models.load(path)
    use = _USES.get(file.kind)
    if use is not None:
        use(path)


def _ask_aligner(path: Path) -> None:
    model = plait.align.load(path)
    model.align(plait.Bitext.from_lists([["the", "house"], ["new"], []], [["das", "Haus"], ["x"], ["y"]]))


def _ask_tagger(path: Path) -> None:
    model = ChainCRF.load(path)
    model.predict([[{"word": "the"}, {"word": "new"}]])
    model.marginals([[{"word": "the"}]])


def _ask_classifier(path: Path) -> None:
    text = plait.Bitext.from_lists([["the", "house"]], [["das", "Haus"]])
    links = plait.Alignments.from_lists([[(0, 0), (1, 1)]])
    reorder.load(path).predict_proba(reorder.Examples.from_bitext(text, links, threshold=0, pairs=True))


def _ask_ngrams(path: Path) -> None:
    NgramModel.load(path).score([["the", "new"], []])


_USES: dict[str, Callable[[Path], object]] = {
    "aligner": _ask_aligner,
    "chain-crf": _ask_tagger,
    "forest": read_forests,
    "lexicon": lambda path: Lexicon.load(path).translations("the"),
    "ngram": _ask_ngrams,
    "reordering": _ask_classifier,
    "transliteration-interpolation": lambda path: translit.load(path).nbest(["ab"], 2),
    "transliteration-joint-source-channel": lambda path: translit.load(path).nbest(["ab"], 2),
    "transliteration-two-step": lambda path: translit.load(path).nbest(["ab"], 2),
}


def _context(verb: list[str], arguments: list[str]) -> click.Context:
    """Return the context of a verb after its arguments were read."""
    context = main.cli.make_context("plait", [], resilient_parsing=True)
    command: click.Command = main.cli
    for word in verb[:-1]:
        assert isinstance(command, click.Group)
        group = command.get_command(context, word)
        assert isinstance(group, click.Group)
        command, context = group, click.Context(group, info_name=word, parent=context)
    assert isinstance(command, click.Group)
    last = command.get_command(context, verb[-1])
    assert last is not None
    return last.make_context(verb[-1], arguments, parent=context)
