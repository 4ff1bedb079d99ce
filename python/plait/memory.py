"""What an alignment takes of memory, before it is begun."""

from __future__ import annotations

import re
from pathlib import Path

from plait.bitext import Bitext
from plait.errors import ConfigError
from plait.presets import AlignConfig
from plait.threads import resolve_threads

__all__ = ["available_memory", "estimate_memory", "parse_size", "show_size"]

# Bytes for each cell (a pair of tokens of one sentence pair), different pair of words, and token, and for the rest;
# fitted to peaks of 2,000 to 1.1 million sentence pairs of four corpora (docs/design/memory.md).
_TABLES = {
    "ibm, em": (0.0, 29.0, 22.0, 14e6),
    "ibm, gibbs": (2.3, 17.0, 62.0, 16e6),
    "hmm, agreeing": (4.0, 10.0, 38.0, 40e6),
    "hmm, sampled": (4.0, 10.0, 95.0, 37e6),
    "hmm, independent": (4.0, 77.0, 44.0, 9e6),
}
# A level of shorter forms: pairs of them, their counts and estimates, by pair of words.
_LEVEL = 15.5
# A posterior that is kept, for each token; a few words are likely.
_POSTERIORS = 3 * 12.0
# Python, NumPy and the program.
_PROGRAM = 45e6

_SIZE = re.compile(r"([0-9]+(?:\.[0-9]+)?)\s*([kmgt]?)(?:i?b)?", re.IGNORECASE)
_UNITS = {"": 0, "k": 10, "m": 20, "g": 30, "t": 40}


def estimate_memory(
    bitext: Bitext, config: AlignConfig, *, posteriors: bool = False, threads: int | None = None
) -> int:
    """Return the memory that `plait.align.fit` will have taken at its peak, with the text and the program, in bytes.

    Parameters
    ----------
    bitext
        The corpus.
    config
        The settings: a preset of `plait.align.PRESETS`, or a change of one.
    posteriors
        Whether posteriors of all likely links are kept.
    threads
        Number of threads for counting; None for all that may be used.

    Notes
    -----
    Tables depend on how many different pairs of words occur together, which a sample of them tells. The estimate was
    within a quarter of what was measured (docs/design/memory.md). Takes a hash of each pair of tokens: a second for
    600 million.
    """
    cells, pairs = bitext._core.co_occurrence(resolve_threads(threads))
    tokens = bitext.counts.source_tokens + bitext.counts.target_tokens
    cell, pair, token, fixed = _TABLES[_table(config)]
    if config.model == "hmm" and config.agreement:
        pair += _LEVEL * len(config.prefixes)
    if posteriors:
        token += _POSTERIORS
    text = 4.0 * tokens + 16.0 * len(bitext)
    return round(_PROGRAM + fixed + text + cell * cells + pair * pairs + token * tokens)


def _table(config: AlignConfig) -> str:
    if config.model != "hmm":
        return "ibm, gibbs" if config.inference == "gibbs" else "ibm, em"
    if config.inference == "gibbs":
        return "hmm, sampled"
    return "hmm, agreeing" if config.agreement else "hmm, independent"


def parse_size(text: str) -> int:
    """Return the bytes that a text like "800M", "4G" or "1.5 GiB" says; units are powers of 1,024.

    Raises
    ------
    ConfigError
        It is no size.
    """
    found = _SIZE.fullmatch(text.strip())
    if found is None:
        raise ConfigError(name="size", expected="a number with K, M, G or T behind it, as in 4G", found=repr(text))
    return int(float(found[1]) * 2 ** _UNITS[found[2].lower()])


def show_size(size: int) -> str:
    """Return a size for people: "512 MB", "6.5 GB", in powers of 1,024."""
    return f"{size / 2**20:,.0f} MB" if size < 2**30 else f"{size / 2**30:,.1f} GB"


def available_memory(meminfo: Path = Path("/proc/meminfo"), group: Path = Path("/sys/fs/cgroup")) -> int | None:
    """Return the bytes that this process could still take, or None where the system does not tell.

    The least of what the machine has free (Linux: MemAvailable) and what the control group of a container leaves.
    """
    limits = []
    try:
        found = re.search(r"^MemAvailable:\s+([0-9]+) kB", meminfo.read_text(), re.MULTILINE)
        limits += [int(found[1]) * 1024] if found else []
    except OSError:
        pass
    try:
        most = (group / "memory.max").read_text().strip()
        used = (group / "memory.current").read_text().strip()
        limits += [max(int(most) - int(used), 0)] if most.isdigit() and used.isdigit() else []
    except OSError:
        pass
    return min(limits, default=None)
