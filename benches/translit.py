"""The scenario ``translit``: transliteration on the sets of DATA/translit, beside Phonetisaurus and Sequitur.

Each system trains on the training words, chooses what it has to choose on the development words, and lists ten answers
for each test word. Nothing is chosen on test words: the longest chunks are those of `SETTINGS`, by the kind of script,
for all systems alike.
"""

from __future__ import annotations

import json
import random
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import measure
from hypergraphs import program
from plait.metrics.transliteration import Evaluation, evaluate
from tools import PLAIT, Rivals

SETS = ("made-400",)
"""What is measured without shared data."""

REAL_SETS = (
    "en-zhs-proxy",
    "netranslit-en-katakana",
    "netranslit-en-russian",
    "dakshina-hi-rom2nat",
    "dakshina-hi-nat2rom",
    "cmudict-en",
    "sigmorphon2021-eng_us",
    "sigmorphon2021-dut",
    "sigmorphon2021-geo",
    "sigmorphon2021-ice",
    "sigmorphon2021-ady",
)
SYSTEMS = ("jscm", "two-step", "joint", "two-step+jscm", "joint+jscm")
RIVALS = ("phonetisaurus", "sequitur")
SEQUITUR_ORDER = 6
"""Its models of orders 1 to 6 are trained one from the other; its time grows by as much for each."""

ANSWERS = 10
RESAMPLES = 1000

Row = dict[str, object]


@dataclass(frozen=True)
class Settings:
    """The longest chunks, whether a source chunk may have no target, and the order of n-gram models.

    They are those of a set where all systems need them, otherwise Phonetisaurus' own: plait has its own defaults then.
    """

    is_given: bool = False
    longest_source: int = 2
    longest_target: int = 2
    deletes: bool = True
    order: int = 8

    @property
    def options(self) -> list[str]:
        """Options of ``plait translit train``."""
        if not self.is_given:
            return []
        deletions = "--deletions" if self.deletes else "--no-deletions"
        longest = ("--max-source", str(self.longest_source), "--max-target", str(self.longest_target))
        return [*longest, deletions, "--order", str(self.order)]


# In Chinese a character stands for several letters: there the settings are those of the paper.
SETTINGS = {"en-zhs-proxy": Settings(True, 6, 1, False, 3)}


def measured(
    names: Sequence[str], data: Path | None, rivals: Rivals, folder: Path, systems: Sequence[str], cpus: int
) -> Iterator[Row]:
    """Yield a row for each set and system.

    Raises
    ------
    Failed
        A program failed, or there is no such set.
    """
    for name in names:
        parts = made(name, folder) if name.startswith("made-") else real(name, data)
        settings = SETTINGS.get(name, Settings())
        entries = read(parts["test"])
        for system in systems:
            answers = folder / f"{name}.{system}.answers"
            if system in RIVALS:
                python = rivals.python_with(system)
                if python is None:
                    continue
                found = THEIRS[system](python, parts, answers, settings)
            else:
                found = ours(system, parts, answers, settings, len(entries), cpus)
            by_word = read_answers(answers)
            split = str.split if are_phones(entries) else list
            scores = evaluate([by_word.get(word, []) for word in entries], list(entries.values()), split=split)
            yield {"set": name, "system": system, "words": len(entries), **found, **figures(scores)}


def figures(scores: Evaluation) -> Row:
    """Return measures in percent, with the interval of the first."""
    bounds = scores.intervals(resamples=RESAMPLES)["acc"]
    named = {"ACC %": scores.acc, "F %": scores.f_score, "MRR %": scores.mrr, "MAP_ref %": scores.map_ref}
    return {
        **{name: round(100 * value, 2) for name, value in named.items()},
        "ACC 95%": f"{100 * bounds.low:.2f} to {100 * bounds.high:.2f}",
    }


def ours(system: str, parts: dict[str, Path], answers: Path, settings: Settings, words: int, cpus: int) -> Row:
    """Train, decode and evaluate with plait."""
    model = answers.with_suffix(".plait")
    train = ["--train", str(parts["train"]), "--dev", str(parts["dev"]), "--system", system, *settings.options]
    threads = ["--threads", str(cpus)]
    trained = measure.run([*PLAIT, "translit", "train", *train, *threads, "-o", str(model), "--force"])
    test = answers.with_suffix(".words")
    test.write_text("".join(f"{word}\n" for word in read(parts["test"])), encoding="utf-8")
    decode = ["translit", "decode", "-m", str(model), "-n", str(ANSWERS), *threads, str(test), "-o", str(answers)]
    decoded = measure.run([*PLAIT, *decode, "--force"])
    return {
        "train s": trained.seconds,
        "train CPU s": trained.cpu_seconds,
        "decode words/CPU s": words / decoded.cpu_seconds,
        "model MB": model.stat().st_size / 1e6,
        "peak MB": max(trained.peak_bytes, decoded.peak_bytes) / 2**20,
        "decodings/word": decodings(model, parts["test"], threads) if system != "jscm" else None,
    }


def decodings(model: Path, test: Path, threads: Sequence[str]) -> float:
    """Return how often both random fields decode a word, segmenter and converter together."""
    command = [*PLAIT, "translit", "eval", "-m", str(model), *threads, str(test), "--json", "--resamples", "0"]
    told = subprocess.run(command, check=True, capture_output=True, text=True)
    figure: float = json.loads(told.stdout)["decodings_per_word"]
    return figure


def phonetisaurus(python: str, parts: dict[str, Path], answers: Path, settings: Settings) -> Row:
    """Train and decode with Phonetisaurus."""
    chunks = [str(settings.longest_source), str(settings.longest_target), "1" if settings.deletes else "0"]
    files = [str(parts["train"]), str(parts["test"]), str(answers)]
    found = program(python, "rivals/phonetisaurus_words.py", *files, str(settings.order), *chunks)
    return {**found, "decodings/word": None}


def sequitur(python: str, parts: dict[str, Path], answers: Path, _: Settings) -> Row:
    """Train and decode with Sequitur, which finds its own chunks of up to one letter and one symbol."""
    files = [str(parts[part]) for part in ("train", "dev", "test")]
    found = program(python, "rivals/sequitur_words.py", *files, str(answers), str(SEQUITUR_ORDER))
    return {**found, "decodings/word": None}


THEIRS = {"phonetisaurus": phonetisaurus, "sequitur": sequitur}


def real(name: str, data: Path | None) -> dict[str, Path]:
    """Return the files of a set of DATA/translit."""
    if data is None:
        raise measure.Failed(f"the set {name!r} needs --data")
    parts = {part: data / "translit" / name / f"{part}.tsv" for part in ("train", "dev", "test")}
    for path in parts.values():
        if not path.exists():
            raise measure.Failed(f"the set {name!r} lacks {path.name}")
    return parts


def made(name: str, folder: Path) -> dict[str, Path]:
    """Write word pairs of a made script, where a vowel depends on the consonant before and some letters are silent."""
    draw = random.Random(1)
    count = int(name.removeprefix("made-"))
    words: dict[str, str] = {}
    while len(words) < count:
        source = target = ""
        for _ in range(draw.randint(2, 4)):
            consonant, vowel = draw.choice(("b", "d", "sh", "k", "th", "m")), draw.choice("aeiou")
            silent = draw.choice(("", "", "h"))
            source += consonant + vowel + silent
            target += {"sh": "S", "th": "T"}.get(consonant, consonant.upper())
            target += "ie"[draw.random() < 0.2] if vowel == "i" and consonant in "bk" else vowel
        words[source] = target
    pairs = list(words.items())
    cuts = {"test": pairs[: count // 5], "dev": pairs[count // 5 : count * 2 // 5], "train": pairs[count * 2 // 5 :]}
    paths = {}
    for part, chosen in cuts.items():
        paths[part] = folder / f"{name}.{part}.tsv"
        paths[part].write_text("".join(f"{source}\t{target}\n" for source, target in chosen), encoding="utf-8")
    return paths


def read(path: Path) -> dict[str, list[str]]:
    """Return references by word; those of a word on several lines are joined."""
    entries: dict[str, list[str]] = {}
    for line in path.read_text(encoding="utf-8").split("\n"):
        if line:
            source, targets = line.split("\t")
            entries.setdefault(source, []).extend(targets.split("|"))
    return entries


def read_answers(path: Path) -> dict[str, list[str]]:
    """Return answers by word, the best first."""
    answers: dict[str, list[str]] = {}
    for line in path.read_text(encoding="utf-8").split("\n"):
        if line:
            word, target, _ = line.split("\t")
            answers.setdefault(word, []).append(target)
    return answers


def are_phones(entries: dict[str, list[str]]) -> bool:
    """Return whether most targets have spaces between symbols."""
    return 2 * sum(" " in targets[0] for targets in entries.values()) > len(entries)
