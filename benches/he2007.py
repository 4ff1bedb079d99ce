"""The alignment figures of He (2007), Tables 1 to 3 and Figure 1, on the Hansards.

::

    python benches/he2007.py --data DIR                          as the paper: 500,000 pairs
    python benches/he2007.py --data DIR --pairs 10000 --tau 0 100 1000 inf

DIR holds ``align/hansards-en-fr``; the first pairs of its full text are read in their order, lower-cased, and the test
pairs take part in training, as in the paper. Prints Markdown tables, plait's figures beside the paper's, and whether
the goals are met; writes ``he2007.md``, ``he2007.json`` and, where matplotlib is installed, the curve ``he2007.png``.
Nothing is timed here: the results are the same on every machine.
"""

from __future__ import annotations

import argparse
import json
import math
import tempfile
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import corpora
import plait
from plait.metrics import Gold, read_gold, score
from plait.symmetrize import METHODS, symmetrize

RATES = ("aer", "precision", "recall")
WAYS = ("refined", *(method for method in METHODS if method != "soft"))
PAPER: dict[str, dict[str, tuple[float, float, float]]] = {
    "hmm": {"aer": (12.7, 13.7, 9.8), "precision": (85.2, 83.1, 91.7), "recall": (90.6, 91.4, 88.3)},
    "wdhmm-1000": {"aer": (11.6, 12.7, 8.5), "precision": (86.1, 83.8, 93.3), "recall": (91.9, 92.6, 89.1)},
    "IBM Model 4": {"aer": (11.3, 12.1, 9.7), "precision": (87.2, 86.2, 91.6), "recall": (91.1, 90.8, 88.4)},
}
"""Percent, for English to French, French to English, and both combined."""
MODELS = {"hmm": "baseline HMM", "wdhmm-1000": "WDHMM (tau = 1000)", "IBM Model 4": "IBM Model 4 (GIZA++)"}
LEAST_REDUCTION = 13.0
MOST_COMBINED = 8.5

Links = set[tuple[int, int]]
Row = dict[str, Any]


def main() -> None:
    """Run."""
    options = arguments()
    warnings.simplefilter("ignore", plait.errors.AlignmentWarning)
    with tempfile.TemporaryDirectory() as folder:
        corpus = corpora.real(options.data, f"{options.corpus}-full-{options.pairs}", Path(folder))
        text = plait.Bitext.read(corpus.source, corpus.target, lowercase=True)
    assert corpus.gold is not None
    gold = read_gold(corpus.gold, "pharaoh")
    systems = {"hmm": math.inf, "wdhmm-1000": 1000.0} | {f"tau {tau:g}": tau for tau in options.tau}
    changed: dict[str, Any] = {
        name: value for name in ("p0", "smoothing") if (value := getattr(options, name)) is not None
    }
    rows: list[Row] = []
    for name, tau in systems.items():
        same = next((row for row in rows if row["tau"] == str(tau)), None)
        row = same or figures(text, gold, name if name in PAPER else "hmm", options.threads, {**changed, "tau": tau})
        rows.append({**row, "system": name})
        aers = ", ".join(f"{way} {row[way]['aer']:.2f}" for way in ("forward", "reverse", *WAYS))
        print(f"{name}: {aers}", flush=True)
    title = f"## He 2007: {len(text):,} pairs of the Hansards, {len(gold)} of them tested\n"
    report = "\n".join([title, *tables(rows, options.combine), *curve(rows, options.combine), *each_way(rows)])
    report += "\n" + "\n".join(f"- {verdict}" for verdict in verdicts(rows, options.combine)) + "\n"
    print(report)
    options.out.mkdir(parents=True, exist_ok=True)
    (options.out / "he2007.md").write_text(report, encoding="utf-8")
    content = {"pairs": len(text), "combine": options.combine, "changed": changed, "rows": rows, "paper": PAPER}
    (options.out / "he2007.json").write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
    plot(rows, options.combine, options.out / "he2007.png")


def arguments() -> argparse.Namespace:
    """Return the arguments of the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="folder that holds align/")
    parser.add_argument("--corpus", default="hansards-en-fr", help="folder below DATA/align (default: hansards-en-fr)")
    parser.add_argument("--pairs", type=int, default=500_000, help="training pairs (default: 500000)")
    parser.add_argument(
        "--tau",
        type=float,
        nargs="*",
        default=[0.0, 10.0, 100.0, 1000.0, 10_000.0, math.inf],
        help="points of the curve of Figure 1 (default: 0 10 100 1000 10000 inf)",
    )
    parser.add_argument(
        "--combine",
        choices=WAYS,
        default="refined",
        help="how the directions are combined where one figure stands for both (default: refined, the method of Och "
        "and Ney 2000, which the paper refers to)",
    )
    parser.add_argument("--p0", type=float, help="instead of the presets'; the paper chose it on held-out data")
    parser.add_argument("--smoothing", type=float, help="instead of the presets': share of the uniform distribution")
    parser.add_argument("--threads", type=int, help="instead of all that may be used")
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "results", help="where reports go")
    return parser.parse_args()


def figures(text: plait.Bitext, gold: Gold, preset: str, threads: int | None, changed: dict[str, Any]) -> Row:
    """Train one system in both directions and return its rates in percent."""
    model = plait.align.fit(text, preset, posteriors=False, objective=False, threads=threads, **changed)
    forward, reverse = (links[len(text) - len(gold) :] for links in (model.forward, model.reverse))
    ways = {"forward": forward, "reverse": reverse, "refined": refined(forward, reverse)}
    ways |= {method: symmetrize(forward, reverse, method) for method in METHODS if method != "soft"}
    rates: Row = {}
    for way, links in ways.items():
        found = score(links, gold)
        rates[way] = {rate: 100 * getattr(found, rate) for rate in RATES}
    # JSON has no infinity.
    return {"tau": str(changed["tau"]), **rates, "seconds": model.seconds["train"]}


def refined(forward: plait.Alignments, reverse: plait.Alignments) -> plait.Alignments:
    """Combine the directions by the refined method of Och and Ney (2000, 2003, section 4.4).

    From the intersection, links of the union are added as long as one can be: those whose words both have no link, and
    those with a neighbour on one side as long as no link comes to have neighbours both in its row and in its column.
    Links are looked at by source, then target position.
    """
    pairs = zip(forward, reverse, strict=True)
    return plait.Alignments.from_lists([sorted(refined_pair(links(one), links(other))) for one, other in pairs])


def links(found: Any) -> Links:
    """Return the links of a sentence pair."""
    return {(int(i), int(j)) for i, j in found}


def refined_pair(forward: Links, reverse: Links) -> Links:
    """Combine the directions of one sentence pair."""
    chosen, candidates = forward & reverse, sorted(forward ^ reverse)
    is_growing = True
    while is_growing:
        is_growing = False
        for link in candidates:
            if link not in chosen and is_addable(link, chosen):
                chosen.add(link)
                is_growing = True
    return chosen


def is_addable(link: tuple[int, int], chosen: Links) -> bool:
    """Return whether the refined method adds a link."""
    i, j = link
    if not any(i == other or j == another for other, another in chosen):
        return True
    row, column = neighbours(link, chosen)
    if not (row or column):
        return False
    grown = chosen | {link}
    return not any(all(neighbours(near, grown)) for near in (link, *row, *column))


def neighbours(link: tuple[int, int], chosen: Links) -> tuple[Links, Links]:
    """Return the links beside this one with the same source word, and those with the same target word."""
    i, j = link
    return {(i, j - 1), (i, j + 1)} & chosen, {(i - 1, j), (i + 1, j)} & chosen


def tables(rows: list[Row], combine: str) -> Iterator[str]:
    """Yield Tables 1 to 3."""
    found = {row["system"]: row for row in rows}
    for number, rate in enumerate(RATES, 1):
        yield f"Table {number}: {rate.upper() if rate == 'aer' else rate}, percent; combined: {combine}\n"
        yield "| model | E -> F | paper | F -> E | paper | combined | paper |"
        yield "|---|---:|---:|---:|---:|---:|---:|"
        for system, name in MODELS.items():
            cells = []
            for way, theirs in zip(("forward", "reverse", combine), PAPER[system][rate], strict=True):
                cells += [f"{found[system][way][rate]:.1f}" if system in found else "-", f"{theirs}"]
            yield f"| {name} | {' | '.join(cells)} |"
        if rate == "aer":
            cells = []
            for way, before, after in zip(
                ("forward", "reverse", combine), PAPER["hmm"][rate], PAPER["wdhmm-1000"][rate], strict=True
            ):
                cells += [f"{reduction(found, way):.1f}%", f"{100 * (1 - after / before):.1f}%"]
            yield f"| relative reduction | {' | '.join(cells)} |"
        yield ""


def reduction(found: dict[str, Row], way: str) -> float:
    """Return by how many percent the word-dependent HMM is below the HMM."""
    return float(100 * (1 - found["wdhmm-1000"][way]["aer"] / found["hmm"][way]["aer"]))


def points(rows: list[Row]) -> list[Row]:
    """Return one row for each tau, rising."""
    return sorted({row["tau"]: row for row in rows}.values(), key=lambda row: float(row["tau"]))


def curve(rows: list[Row], combine: str) -> Iterator[str]:
    """Yield Figure 1 as a table."""
    yield f"Figure 1: AER, percent; combined: {combine}. tau = inf is the HMM.\n"
    yield "| tau | E -> F | F -> E | combined | against the HMM |"
    yield "|---:|---:|---:|---:|---:|"
    baseline = next(row for row in rows if row["system"] == "hmm")
    for row in points(rows):
        aers = [row[way]["aer"] for way in ("forward", "reverse", combine)]
        change = 100 * (aers[-1] / baseline[combine]["aer"] - 1)
        yield f"| {float(row['tau']):g} | {' | '.join(f'{aer:.2f}' for aer in aers)} | {change:+.1f}% |"
    yield ""


def each_way(rows: list[Row]) -> Iterator[str]:
    """Yield the AER of each way to combine the directions."""
    yield "AER by the way to combine, percent\n"
    yield f"| tau | {' | '.join(WAYS)} |"
    yield "|---:|" + "---:|" * len(WAYS)
    for row in points(rows):
        cells = [f"{row[way]['aer']:.2f}" for way in WAYS]
        yield f"| {float(row['tau']):g} | {' | '.join(cells)} |"
    yield ""


def verdicts(rows: list[Row], combine: str) -> Iterator[str]:
    """Yield whether the paper's result is there."""
    found = {row["system"]: row for row in rows}
    gain, combined = reduction(found, combine), found["wdhmm-1000"][combine]["aer"]
    best = min(WAYS, key=lambda way: found["wdhmm-1000"][way]["aer"])
    is_below, is_low = gain >= LEAST_REDUCTION, round(combined, 1) <= MOST_COMBINED
    yield f"WD-HMM at least {LEAST_REDUCTION:.0f}% below the HMM, {combine}: {gain:.1f}%: {said(is_below)}"
    yield f"WD-HMM combined {MOST_COMBINED} or lower, {combine}: {combined:.2f}: {said(is_low)}"
    lowest = found["wdhmm-1000"][best]["aer"]
    yield f"best way to combine: {best}, {lowest:.2f}, {reduction(found, best):.1f}% below the HMM"


def said(is_met: bool) -> str:
    """Say it."""
    return "met" if is_met else "NOT met"


def plot(rows: list[Row], combine: str, path: Path) -> None:
    """Draw Figure 1; the leftmost point is tau = 0, as in the paper."""
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        print("no plot: matplotlib is not installed")
        return
    finite = [row for row in points(rows) if math.isfinite(float(row["tau"]))]
    baseline = next(row for row in rows if row["system"] == "hmm")
    figure, axes = plt.subplots(figsize=(6, 4))
    axes.plot(
        [math.log10(max(float(row["tau"]), 1.0)) for row in finite],
        [row[combine]["aer"] for row in finite],
        "o--",
        label="WDHMM",
    )
    axes.axhline(baseline[combine]["aer"], linestyle=":", color="black", label="HMM baseline")
    axes.set(xlabel="log10(tau); leftmost: tau = 0", ylabel=f"AER %, {combine}", title="AER of the word-dependent HMM")
    axes.legend()
    figure.savefig(path, dpi=150, bbox_inches="tight")


if __name__ == "__main__":
    main()
