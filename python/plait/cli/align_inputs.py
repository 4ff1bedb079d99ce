"""What ``plait align`` reads: the corpus, test pairs, and classes of words."""

from __future__ import annotations

from typing import Any

from plait.bitext import Bitext, ReadOptions
from plait.classes import WordClasses
from plait.cli.align_usage import columns, two


def read_pairs(options: dict[str, Any]) -> tuple[Bitext, Bitext | None]:
    """Read the corpus and the test pairs."""
    how = ReadOptions(
        lowercase=options["lowercase"],
        stem_source=options["stem_source"],
        stem_target=options["stem_target"],
        max_length=options["max_length"],
        on_error=options["on_error"],
        keep_text=options["format_"] == "giza",
    )
    pairs = options["pairs"]
    if pairs is None:
        train = Bitext.read(options["source"], options["target"], **how)
    elif options["pairs_format"] == "joint":
        train = Bitext.read_joint(pairs, **how)
    elif options["pairs_format"] == "tsv":
        train = Bitext.read_tsv(pairs, *columns(options["columns"]), **how)
    elif options["pairs_format"] == "jsonl":
        train = Bitext.read_jsonl(pairs, *two(options["keys"], "--keys"), **how)
    else:
        train = Bitext.read_tmx(pairs, *two(options["languages"], "--languages"), **how)
    test = None
    if options["test_source"] is not None:
        test = Bitext.read(options["test_source"], options["test_target"], **how)
    return train, test


def read_classes(options: dict[str, Any]) -> tuple[WordClasses | None, WordClasses | None]:
    """Read the classes of source and target words."""
    source, target = options["source_classes"], options["target_classes"]
    return (
        None if source is None else WordClasses.read(source),
        None if target is None else WordClasses.read(target),
    )
