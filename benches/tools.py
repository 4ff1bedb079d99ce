"""The command lines of plait and of the rivals, for equal work.

Rivals live in a virtual environment of their own (``--rivals DIR``); nothing of them reaches the project.
"""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from corpora import Corpus

PLAIT = (sys.executable, "-m", "plait.cli.main")


@dataclass(frozen=True)
class Rivals:
    """The environment that holds the rivals, if there is one."""

    folder: Path | None

    @property
    def eflomal(self) -> str | None:
        """The program ``eflomal-align``."""
        return self._program("eflomal-align")

    @property
    def systran(self) -> str | None:
        """The interpreter that can import ``systran_align``, the library form of fast_align."""
        return self.python_with("systran_align")

    @property
    def thot(self) -> str | None:
        """The interpreter that can import ``thot``, of sil-thot."""
        return self.python_with("thot")

    def python_with(self, module: str) -> str | None:
        """Return the interpreter of the environment if it can import the module."""
        python = self._program("python")
        if python is None or subprocess.run([python, "-c", f"import {module}"], capture_output=True).returncode:
            return None
        return python

    def versions(self) -> dict[str, str]:
        """Return the versions of the rivals that are there."""
        python = self._program("python")
        if python is None:
            return {}
        program = (
            "from importlib import metadata\n"
            "for name in ('eflomal', 'systran-align', 'sil-thot', 'torch-struct', 'pynini', 'genlm-grammar', "
            "'torch', 'jax', 'nltk', 'phonetisaurus', 'sequitur-g2p', 'python-crfsuite', 'crfpy', 'libwapiti'):\n"
            "    try: print(name, metadata.version(name))\n"
            "    except metadata.PackageNotFoundError: pass\n"
        )
        output = subprocess.run([python, "-c", program], capture_output=True, text=True, check=True).stdout
        return dict(line.split() for line in output.splitlines())

    def _program(self, name: str) -> str | None:
        path = self.folder / "bin" / name if self.folder else None
        return str(path) if path and path.exists() else None


def plait_sweeps(corpus: Corpus, out: Path, *, sweeps: int, threads: int, sampler: str) -> list[str]:
    """Model 1 by Gibbs sampling, one chain, both directions, this many sweeps."""
    return [
        *plait_align(corpus, out, threads=threads),
        *("--model", "ibm1", "--inference", "gibbs", "--sampler", sampler),
        *("--burn-in", str(sweeps - 1), "--samples", "1", "--lag", "1", "--symmetrize", "intersection"),
    ]


def plait_align(corpus: Corpus, out: Path, *, threads: int, preset: str | None = None, seed: int = 1) -> list[str]:
    """Read, train both directions, symmetrise and write, on the text as eflomal sees it: lower-cased."""
    return [
        *PLAIT,
        "align",
        *("-s", str(corpus.source), "-t", str(corpus.target), "-o", str(out), "--force"),
        *("--threads", str(threads), "--lowercase", "--seed", str(seed), "--progress", "none"),
        *(("--preset", preset) if preset else ()),
    ]


def eflomal_sweeps(program: str, corpus: Corpus, out: Path, *, sweeps: int) -> list[str]:
    """Model 1, one chain, both directions, this many sweeps and a last one that takes the best link.

    ``-1 N`` is the number of sampling iterations of a chain (the default is three chains). The directions run
    on two threads of OpenMP; with one chain, a direction has no use for a second one.
    """
    return [*eflomal_align(program, corpus, out), "-m", "1", "-1", str(sweeps), "--n-samplers", "1"]


def eflomal_align(program: str, corpus: Corpus, out: Path) -> list[str]:
    """Both directions; its default is Model 3 (HMM and fertility) with three chains."""
    forward, reverse = directions(out)
    return [
        program,
        *("-s", str(corpus.source), "-t", str(corpus.target)),
        *("-f", str(forward), "-r", str(reverse), "--overwrite"),
    ]


def systran_align(python: str, corpus: Corpus, out: Path) -> list[str]:
    """Fast_align's model with the settings it recommends: diagonal favoured and tuned, variational Bayes."""
    driver = Path(__file__).parent / "rivals" / "systran.py"
    return [python, str(driver), str(corpus.source), str(corpus.target), str(out)]


def thot_align(python: str, corpus: Corpus, out: Path, *, model: str, seed: int = 1) -> list[str]:
    """One of sil-thot's models, both directions, which it leaves apart."""
    driver = Path(__file__).parent / "rivals" / "sil_thot.py"
    return [python, str(driver), model, str(seed), *map(str, (corpus.source, corpus.target, *directions(out)))]


def directions(out: Path) -> tuple[Path, Path]:
    """Return where the two directions go that belong to an output."""
    return out.with_suffix(".forward"), out.with_suffix(".reverse")
