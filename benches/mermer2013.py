"""The alignment figures of Mermer et al. (2013) on a corpus with gold links.

::

    python benches/mermer2013.py --data DIR --corpus hansards-en-fr --pairs 10000 100000

DIR holds ``align/<corpus>/{train,test}.{src,tgt}`` and ``test.gold``. The test pairs take part in training, as usual
for unsupervised alignment; text is lower-cased. Prints a Markdown table for each size; ``--json FILE`` keeps all
figures. Nothing is timed here: the results are the same on every machine.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import warnings
from pathlib import Path
from typing import Any

import plait
from plait.analyze import analyze
from plait.metrics import Gold, read_gold, score
from plait.symmetrize import symmetrize

SYSTEMS = ("EM-5", "VB-5", "GS-5", "GS-N")
COLUMNS = (
    "system",
    "AER forward",
    "reverse",
    "intersection",
    "grow-diag-final-and",
    "soft > 0.5",
    "dictionary ratio",
    "fertility >= 9, %",
    "unaligned singletons, %",
    "singleton fertility",
    "agreement",
    "coverage, %",
    "phrase ratio",
)


def read(folder: Path, pairs: int) -> tuple[plait.Bitext, Gold, int]:
    """Return the first training pairs with the test pairs behind them, the gold links, and the number of test pairs."""
    with tempfile.TemporaryDirectory() as name:
        paths = []
        for side in ("src", "tgt"):
            lines = (folder / f"train.{side}").read_bytes().split(b"\n")[:pairs]
            path = Path(name) / side
            path.write_bytes(b"\n".join(lines) + b"\n" + (folder / f"test.{side}").read_bytes())
            paths.append(path)
        text = plait.Bitext.read(paths[0], paths[1], lowercase=True)
    gold = read_gold(folder / "test.gold", "pharaoh")
    return text, gold, len(gold)


def figures(text: plait.Bitext, gold: Gold, preset: str, options: dict[str, Any]) -> dict[str, Any]:
    """Train one system and return its row."""
    model = plait.align.fit(text, preset, posteriors=True, objective=False, **options)
    forward_posteriors, reverse_posteriors = model.forward_posteriors, model.reverse_posteriors
    if forward_posteriors is None or reverse_posteriors is None:
        raise RuntimeError("fit left the posteriors out")
    start = len(text) - len(gold)

    def aer(links: plait.Alignments) -> float:
        return 100 * score(links[start:], gold).aer

    both = {
        method: symmetrize(model.forward, model.reverse, method) for method in ("intersection", "grow-diag-final-and")
    }
    soft = symmetrize(forward_posteriors, reverse_posteriors, "soft")
    # As in the paper: fertilities and dictionary of a direction, coverage and phrases of the symmetrised links.
    one_way = analyze(text, model.forward)
    two_way = analyze(text, both["grow-diag-final-and"], forward=model.forward, reverse=model.reverse)
    return {
        "AER forward": aer(model.forward),
        "reverse": aer(model.reverse),
        "intersection": aer(both["intersection"]),
        "grow-diag-final-and": aer(both["grow-diag-final-and"]),
        "soft > 0.5": aer(soft),
        "dictionary ratio": one_way.dictionary_ratio,
        "fertility >= 9, %": 100 * one_way.source.high_fertility_share,
        "unaligned singletons, %": 100 * one_way.source.unaligned_singleton_share,
        "singleton fertility": one_way.source.singleton_fertility,
        "agreement": two_way.agreement,
        "coverage, %": 100 * two_way.source.coverage,
        "phrase ratio": two_way.phrase_ratio,
    }


def main() -> None:
    """Run."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="folder that holds align/")
    parser.add_argument("--corpus", default="hansards-en-fr", help="folder below DATA/align")
    parser.add_argument("--pairs", type=int, nargs="+", default=[10_000], help="training pairs")
    parser.add_argument("--systems", nargs="+", default=list(SYSTEMS), help="presets")
    parser.add_argument("--models", nargs="+", default=["ibm1", "ibm2", "ibm2:each"], help="':each': literal tails")
    parser.add_argument("--burn-in", type=int, help="instead of the preset's")
    parser.add_argument("--samples", type=int, help="instead of the preset's")
    parser.add_argument("--json", type=Path, help="where all figures go")
    options = parser.parse_args()
    warnings.simplefilter("ignore", plait.errors.AlignmentWarning)
    sampling = {"burn_in": options.burn_in, "samples": options.samples}
    sampling = {name: value for name, value in sampling.items() if value is not None}
    rows: list[dict[str, Any]] = []
    for pairs in options.pairs:
        text, gold, tested = read(options.data / "align" / options.corpus, pairs)
        print(f"\n{options.corpus}: {pairs:,} pairs and {tested} tested pairs\n", flush=True)
        print("| " + " | ".join(COLUMNS) + " |\n|" + "---|" * len(COLUMNS), flush=True)
        for model in options.models:
            name, _, tail = model.partition(":")
            for system in options.systems:
                row = figures(text, gold, system, {"model": name, "tail": tail or "shared", **sampling})
                label = f"{system}, {name}" + (f", tail {tail}" if tail else "")
                cells = [f"{row[column]:.2f}" for column in COLUMNS[1:]]
                print(f"| {label} | " + " | ".join(cells) + " |", flush=True)
                rows.append({"pairs": pairs, "system": system, "model": model, **row})
    if options.json is not None:
        options.json.write_text(json.dumps(rows, indent=1) + "\n")


if __name__ == "__main__":
    main()
