"""A small corpus in every format that ``plait align`` reads, and the command on it."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable
from typing import Any

from command_line import Outcome
from made_corpora import zipf_corpus
from plait import align
from plait.bitext import Bitext
from plait.errors import AlignmentWarning

SOURCES, TARGETS = zipf_corpus(80, types=60, mean_length=6)
# A line of each kind of emptiness.
SOURCES[3], TARGETS[3] = ["s1"], []
SOURCES[7], TARGETS[7] = [], []
SOURCE = "".join(" ".join(words) + "\n" for words in SOURCES)
TARGET = "".join(" ".join(words) + "\n" for words in TARGETS)
JOINT = "".join(f"{' '.join(s)} ||| {' '.join(t)}\n" for s, t in zip(SOURCES, TARGETS, strict=True))
TSV = "".join(f"{n}\t{' '.join(t)}\t{' '.join(s)}\n" for n, (s, t) in enumerate(zip(SOURCES, TARGETS, strict=True)))
JSONL = "".join(
    json.dumps({"en": " ".join(s), "translation": {"de": t}}) + "\n" for s, t in zip(SOURCES, TARGETS, strict=True)
)
TMX = (
    '<?xml version="1.0"?><tmx version="1.4"><header srclang="en"/><body>'
    + "".join(
        f'<tu><tuv xml:lang="en"><seg>{" ".join(s)}</seg></tuv>'
        f'<tuv xml:lang="de-AT"><seg>{" ".join(t)}</seg></tuv></tu>'
        for s, t in zip(SOURCES, TARGETS, strict=True)
    )
    + '<tu><tuv xml:lang="en"><seg>alone</seg></tuv></tu></body></tmx>'
)
EM = ("--preset", "EM-5")
GIBBS_LENGTH = ("--burn-in", 2, "--samples", 3)
GIBBS = ("--preset", "gibbs", *GIBBS_LENGTH)

Plait = Callable[..., Outcome]
FILES = {"s": SOURCE, "t": TARGET, "joint": JOINT, "tsv": TSV, "jsonl": JSONL, "tmx": TMX}


def links(plait: Plait, *words: object, corpus: tuple[object, ...] = ("-s", "s", "-t", "t"), **keywords: Any) -> str:
    """Run ``plait align`` to standard output; return what it wrote."""
    found = plait("align", *corpus, "-o", "-", *words, **keywords)
    assert found.code == 0, found.err
    return found.out


def fitted(preset: str = "EM-5", **options: Any) -> align.AlignmentModel:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", AlignmentWarning)
        return align.fit(Bitext.from_lists(SOURCES, TARGETS), preset, **options)
