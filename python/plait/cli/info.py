"""``plait info``: what is installed and what it can use; the first thing to put into a bug report."""

from __future__ import annotations

import json
import os
import platform
import sys
from dataclasses import asdict, dataclass
from importlib import metadata
from pathlib import Path

import click

from plait import __version__
from plait.threads import ENVIRONMENT, available_threads

REQUIRED = ("numpy", "click", "rich")
# extra -> (the distribution that it brings, what it is for)
EXTRAS = {
    "bleu": ("sacrebleu", "BLEU of detokenised text"),
    "minrisk": ("scipy", "the optimiser of `plait minrisk train`"),
    "plot": ("matplotlib", "figures of `plait analyze`"),
    "zstd": ("backports.zstd", ".zst files before Python 3.14"),
}
LICENCE = "MIT OR Apache-2.0"
# The instruction sets that matter to counting and sampling loops, by their names in the kernel's list.
CPU_FEATURES = ("sse4_2", "avx", "avx2", "bmi2", "fma", "avx512f", "asimd", "sve")
CITATION = f"""\
@software{{plait,
  title   = {{plait: word alignment of parallel text, and the statistics around it}},
  author  = {{{{plait contributors}}}},
  version = {{{__version__}}},
  url     = {{https://github.com/plait-align/plait}}
}}
"""


@dataclass(frozen=True)
class Facts:
    """What ``plait info`` prints."""

    plait: str
    python: str
    platform: str
    cpu: str
    cpu_features: list[str]
    threads: int
    threads_environment: str | None
    requirements: dict[str, str | None]
    extras: dict[str, str | None]
    licence: str = LICENCE


def collect() -> Facts:
    """Ask the system; a version is ``None`` where the distribution is not installed."""
    name, features = processor()
    return Facts(
        plait=__version__,
        python=f"{platform.python_implementation()} {platform.python_version()}",
        platform=platform.platform(),
        cpu=name,
        cpu_features=features,
        threads=available_threads(),
        threads_environment=os.environ.get(ENVIRONMENT),
        requirements={name: version(name) for name in REQUIRED},
        extras={extra: version(distribution) for extra, (distribution, _) in EXTRAS.items()},
    )


def processor() -> tuple[str, list[str]]:
    """Return the CPU's name and those of `CPU_FEATURES` that it has, as far as the system tells."""
    name, flags = platform.processor() or platform.machine(), set[str]()
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        lines = []
    for line in lines:
        key, _, value = (part.strip() for part in line.partition(":"))
        if key == "model name":
            name = value
        elif key in ("flags", "Features"):
            flags = set(value.split())
            break
    return name, [feature for feature in CPU_FEATURES if feature in flags]


def version(distribution: str) -> str | None:
    """Return the version of an installed distribution."""
    if distribution == "backports.zstd" and sys.version_info >= (3, 14):
        return "in the standard library"
    try:
        return metadata.version(distribution)
    except metadata.PackageNotFoundError:
        return None


def describe(facts: Facts) -> str:
    """Return the facts as lines for a person."""
    features = f" ({' '.join(facts.cpu_features)})" if facts.cpu_features else ""
    capped = f" ({ENVIRONMENT}={facts.threads_environment})" if facts.threads_environment else ""
    lines = [
        f"plait      {facts.plait}",
        f"Python     {facts.python}",
        f"platform   {facts.platform}",
        f"CPU        {facts.cpu}{features}",
        f"threads    {facts.threads}{capped}",
        "requires   " + ", ".join(f"{name} {found or 'MISSING'}" for name, found in facts.requirements.items()),
    ]
    for extra, (_, use) in EXTRAS.items():
        state = facts.extras[extra] or f"not installed: pip install 'plait[{extra}]'"
        lines.append(f"extra      {extra}: {state} ({use})")
    lines += [f"licence    {facts.licence}", "citation   plait info --cite"]
    return "\n".join(lines)


@click.command(short_help="Versions, threads, CPU, extras, licence and citation.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of lines.")
@click.option("--cite", is_flag=True, help="Print a BibTeX entry of this version instead.")
def command(as_json: bool, cite: bool) -> None:
    """Print what is installed and what it can use.

    The versions of plait and of what it needs, the CPU and the threads it sees, the extras that are
    installed, the licence, and how to cite it. Put it into a bug report.

    \b
    Examples:
      plait info
      plait info --json
      plait info --cite >> references.bib
    """
    if as_json and cite:
        raise click.UsageError("--json and --cite exclude each other.")
    if cite:
        click.echo(CITATION, nl=False)
    elif as_json:
        click.echo(json.dumps(asdict(collect()), indent=2))
    else:
        click.echo(describe(collect()))
