"""The ``plait`` command: one verb per subcommand, each loaded when it is called."""

from __future__ import annotations

import os
import sys
from typing import NoReturn

import click

from plait import __version__
from plait.cli.lazy_group import LazyGroup
from plait.cli.signals import EndingSignals
from plait.cli.start import INTERRUPTED
from plait.errors import PlaitError
from plait.io.streams import display_name

# Set to anything, it shows the traceback of an error that nobody has foreseen.
TRACEBACK = "PLAIT_TRACEBACK"

# A shell sets it to ask what can follow.
_COMPLETION = "_PLAIT_COMPLETE"

# verb -> module
COMMANDS = {
    "align": "plait.cli.align",
    "symmetrize": "plait.cli.symmetrize",
    "combine": "plait.cli.combine",
    "eval": "plait.cli.eval",
    "analyze": "plait.cli.analyze",
    "classes": "plait.cli.classes",
    "score": "plait.cli.score",
    "lexicon": "plait.cli.lexicon",
    "priors": "plait.cli.priors",
    "phrases": "plait.cli.phrases",
    "reorder": "plait.cli.reorder",
    "forest": "plait.cli.forest",
    "minrisk": "plait.cli.minrisk",
    "crf": "plait.cli.crf",
    "ngram": "plait.cli.ngram",
    "translit": "plait.cli.translit",
    "view": "plait.cli.view",
    "demo": "plait.cli.demo",
    "info": "plait.cli.info",
    "completion": "plait.cli.completion",
    "fast_align": "plait.cli.fast_align",
    "atools": "plait.cli.atools",
    "eflomal": "plait.cli.eflomal",
    "symal": "plait.cli.symal",
}


@click.group(
    cls=LazyGroup,
    modules=COMMANDS,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, prog_name="plait")
def cli() -> None:
    """Word alignment of parallel text, and the statistics around it.

    \b
    plait demo                                      see it work on a corpus with known links
    plait align -s train.en -t train.fr -o out.al   align a corpus, both directions, symmetrised
    plait eval out.al gold.wpt                      alignment error rate with bootstrap intervals
    """


def main() -> NoReturn:
    """Run the command line.

    The exit code is 0 done, 1 bad data or failed work, 2 bad usage, 130 interrupted (143 by SIGTERM).
    """
    if _COMPLETION in os.environ:
        from plait.cli.completion import register

        register()
    with EndingSignals() as signals:
        try:
            code = _run()
        except KeyboardInterrupt:
            signals.close()
            click.echo(INTERRUPTED, err=True)
            code = signals.code
    sys.exit(code)


def _run() -> int:
    """Run the command line and return its exit code; an interrupt goes on to the caller."""
    try:
        code = cli.main(prog_name="plait", standalone_mode=False)
        sys.stdout.flush()
    except click.exceptions.Exit as stop:
        code = stop.exit_code
    except click.Abort:
        raise KeyboardInterrupt from None
    except click.ClickException as problem:
        problem.show()
        code = problem.exit_code
    except PlaitError as problem:
        code = _fail(str(problem))
    except BrokenPipeError:
        # The reader of our output has gone (`plait ... | head`); keep Python from complaining at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        code = 1
    except OSError as problem:
        name = f"{display_name(problem.filename)}: " if isinstance(problem.filename, str) else ""
        code = _fail(f"{name}{problem.strerror or problem}")
    except MemoryError:
        code = _fail("there is not enough memory; use fewer sentence pairs, or a machine with more")
    except BaseException as problem:
        # A panic of the core derives from BaseException; its class has no public name.
        is_mistake = isinstance(problem, Exception) or type(problem).__name__ == "PanicException"
        if not is_mistake or os.environ.get(TRACEBACK):
            raise
        code = _fail(
            f"{type(problem).__name__}: {problem}; this is a mistake in plait: please report it, with the command and "
            f"what it prints when the environment variable {TRACEBACK} is set to 1"
        )
    return code if isinstance(code, int) else 0


def _fail(message: str) -> int:
    click.echo(f"plait: {message}", err=True)
    return 1


if __name__ == "__main__":
    main()
