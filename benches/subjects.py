"""What is measured apart from alignment: a subject has options of its own, and rows that come one after the other."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from pathlib import Path

import corpora
import crf
import hypergraphs
import minimum_risk
import phrases
import reordering
import translit
from scenarios import Row, Settings


def hypergraph(chosen: argparse.Namespace, settings: Settings) -> Iterator[list[Row]]:
    """Measure passes over hypergraphs."""
    names = chosen.forests or [*hypergraphs.FORESTS, *(["urdu"] if chosen.data else [])]
    yield hypergraphs.measured(names, chosen.data, settings.rivals, settings.folder, settings.repeat)


def minrisk(chosen: argparse.Namespace, settings: Settings) -> Iterator[list[Row]]:
    """Measure gradients of minimum risk."""
    sizes = (chosen.forest_counts, chosen.cpus)
    yield minimum_risk.measured(*sizes, settings.rivals, settings.folder, settings.repeat)


def phrase_tables(chosen: argparse.Namespace, settings: Settings) -> Iterator[list[Row]]:
    """Measure phrase extraction and tables."""
    texts = phrases.texts(chosen.data, chosen.pairs, settings.folder)
    yield phrases.measured(texts, settings.rivals, chosen.moses, settings.folder, settings.repeat)


def reordering_models(chosen: argparse.Namespace, settings: Settings) -> Iterator[list[Row]]:
    """Measure models of reordering.

    A set NAME:swap is taken in the other direction, NAME:train and NAME:train:swap without the pairs that have gold
    links; NAME:SOURCE-TARGET is ``DATA/parallel/NAME/train.SOURCE`` and ``.TARGET``.
    """
    if chosen.sets:
        names = [name for part in chosen.sets for name in part.split(",") if name]
        found = [(name, corpora.parallel(chosen.data, name, settings.folder)) for name in names]
    else:
        found = [(f"made-{pairs}", corpora.made(pairs, settings.folder)) for pairs in chosen.pairs]
    sets = [
        (name, *((text.target, text.source) if name.endswith(":swap") else (text.source, text.target)))
        for name, text in found
    ]
    rows: list[Row] = []
    rival = settings.rivals.python_with("sklearn")
    for row in reordering.measured(sets, rival, settings.folder, chosen.models, chosen.links):
        rows.append(row)
        yield rows


def random_fields(chosen: argparse.Namespace, settings: Settings) -> Iterator[list[Row]]:
    """Measure conditional random fields."""
    names = chosen.crf_sets or (crf.REAL_SETS if chosen.data else crf.SETS)
    yield crf.measured(
        names,
        chosen.data,
        settings.rivals,
        settings.folder,
        iterations=chosen.iterations,
        cpus=settings.cpus,
        chosen=chosen.crf_rivals,
    )


def transliteration(chosen: argparse.Namespace, settings: Settings) -> Iterator[list[Row]]:
    """Measure transliteration."""
    names = chosen.translit_sets or (translit.REAL_SETS if chosen.data else translit.SETS)
    systems = chosen.translit_systems or (*translit.SYSTEMS, *translit.RIVALS)
    rows: list[Row] = []
    for row in translit.measured(names, chosen.data, settings.rivals, settings.folder, systems, max(settings.cpus)):
        rows.append(row)
        yield rows


SUBJECTS: dict[str, Callable[[argparse.Namespace, Settings], Iterator[list[Row]]]] = {
    "hypergraph": hypergraph,
    "minrisk": minrisk,
    "phrases": phrase_tables,
    "reorder": reordering_models,
    "crf": random_fields,
    "translit": transliteration,
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of all subjects."""
    parser.add_argument(
        "--forests",
        nargs="+",
        metavar="FOREST",
        help="hypergraph: cky-WORDS-SYMBOLS-RULES, chain-STEPS-ARCS, or a forest of DATA/hyper/cdec-json "
        f"(default: {' '.join(hypergraphs.FORESTS)}, and urdu with --data)",
    )
    parser.add_argument(
        "--forest-counts",
        type=int,
        nargs="+",
        default=list(minimum_risk.FORESTS),
        help=f"minrisk: numbers of forests (default: {' '.join(map(str, minimum_risk.FORESTS))})",
    )
    parser.add_argument("--moses", type=Path, help="phrases: folder with Moses' programs extract, score ..")
    parser.add_argument(
        "--links", type=Path, metavar="DIR", help="reorder: folder that holds SET.links for each set (default: align)"
    )
    parser.add_argument("--models", nargs="+", metavar="MODEL", help="reorder: what is measured (default: all)")
    parser.add_argument(
        "--crf-sets",
        nargs="+",
        metavar="SET",
        help="crf: made-SEQUENCES-LABELS, or a set of DATA/crf: "
        f"{', '.join(crf.REAL_SETS)} (default: {' '.join(crf.SETS)}; those of DATA/crf with --data)",
    )
    rivals = [system for system, *_ in crf.RIVALS]
    parser.add_argument(
        "--crf-rivals", nargs="+", choices=rivals, default=rivals, help="crf: rivals to measure (default: all)"
    )
    parser.add_argument(
        "--translit-sets",
        nargs="+",
        metavar="SET",
        help="translit: made-WORDS, or a folder of DATA/translit "
        f"(default: {' '.join(translit.SETS)}; with --data {' '.join(translit.REAL_SETS)})",
    )
    parser.add_argument(
        "--translit-systems",
        nargs="+",
        choices=(*translit.SYSTEMS, *translit.RIVALS),
        help="translit: what is measured (default: all)",
    )
    parser.add_argument("--iterations", type=int, default=1000, help="crf: the most iterations (default: 1000)")
