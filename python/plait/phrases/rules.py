"""Rules with gaps (Chiang 2007) from files to files: the job of Moses' ``extract-rules``."""

from __future__ import annotations

from dataclasses import dataclass

from plait import _core
from plait.io.atomic import OutputGroup
from plait.phrases.files import ExtractedFiles, ParallelFiles, PathLike, split_suffix
from plait.progress import Callback
from plait.threads import resolve_threads

__all__ = ["GLUE_GRAMMAR", "RuleOptions", "extract_rules_files"]

_LINES_PER_BLOCK = 256
"""Sentence pairs that are in memory at a time; each becomes some thousand lines."""

GLUE_GRAMMAR = b"""\
<s> [X] ||| <s> [S] ||| 1 ||| 0-0 ||| 0 ||| |||
[X][S] </s> [X] ||| [X][S] </s> [S] ||| 1 ||| 0-0 1-1 ||| 0 ||| |||
[X][S] [X][X] [X] ||| [X][S] [X][X] [S] ||| 2.718 ||| 0-0 1-1 ||| 0 ||| |||
"""
"""The rules that begin, end and go on with a sentence, in the format of Moses."""


@dataclass(frozen=True, kw_only=True)
class RuleOptions:
    """Which rules are extracted; the defaults are those of Moses.

    Parameters
    ----------
    max_span
        The longest side of an initial phrase pair, in words; at most 100.
    min_gap_source, min_gap_target
        The fewest words of a gap.
    min_words
        The fewest words of each side of a rule. With 0, rules may have gaps only.
    max_symbols_source, max_symbols_target
        The most words and gaps of a side.
    max_gaps
        The most gaps.
    neighbours
        Whether gaps may be neighbours in the source.
    whole_counts
        Whether each rule counts one, instead of its share of the initial phrase pair.
    """

    max_span: int = 10
    min_gap_source: int = 2
    min_gap_target: int = 1
    min_words: int = 1
    max_symbols_source: int = 5
    max_symbols_target: int = 999
    max_gaps: int = 2
    neighbours: bool = False
    whole_counts: bool = False


def extract_rules_files(
    target: PathLike,
    source: PathLike,
    alignment: PathLike,
    out: PathLike,
    *,
    options: RuleOptions | None = None,
    weights: PathLike | None = None,
    glue_grammar: PathLike | None = None,
    force: bool = False,
    threads: int | None = None,
    progress: Callback | None = None,
) -> ExtractedFiles:
    """Write the hierarchical rules of a word-aligned corpus.

    A line is ``source [X] ||| target [X] ||| i-j .. ||| count``, with gaps ``[X][X]``; `plait.phrases.score_files` with
    ``hierarchical=True`` makes a rule table of it.

    Parameters
    ----------
    target, source
        The two sides of the text, one sentence a line. The target goes first, as for Moses.
    alignment
        Links ``i-j``, source-target, from 0, a line for each sentence pair. Repeated links count once.
    out
        Name of the rules; with ``.inv`` behind it the same turned around. A suffix of compression goes last.
    options
        Limits.
    weights
        A file with a number for each sentence pair, which the counts of its rules are multiplied by.
    glue_grammar
        Also write the three rules that join translations of parts, for a decoder.
    force
        Replace files that exist.
    threads
        Number of threads; ``None`` for all that may be used. The files do not depend on it.
    progress
        Called with ``("rules", sentences, sentences, ())`` after each block.

    Returns
    -------
    ExtractedFiles
        How many sentence pairs were read, how many lines were written, and the names of the files.

    Raises
    ------
    TextError
        A link points outside of its sentence pair or is none, a word is ``|||`` or in square brackets, a weight is no
        number; with file and line. No file is written then.
    UnequalLengthError
        The files have different numbers of lines.
    ConfigError
        An option is out of range, or a file exists.

    Notes
    -----
    Each phrase pair of at most ``max_span`` words a side counts one, in even shares for all rules it gives: its words,
    and its words with one to ``max_gaps`` smaller phrase pairs as gaps. Shares of equal rules of one sentence pair are
    added. The number of rules grows with the span to the power of two for each gap.

    References
    ----------
    Chiang (2007), Hierarchical Phrase-Based Translation, section 3.
    """
    options = RuleOptions() if options is None else options
    paths = [target, source, alignment, *([] if weights is None else [weights])]
    count = resolve_threads(threads)
    start, suffix = split_suffix(out)
    with ParallelFiles(paths) as inputs, OutputGroup(force=force) as outputs:
        files = [outputs.open(name) for name in (start + suffix, f"{start}.inv{suffix}")]
        if glue_grammar is not None:
            files.append(outputs.open(glue_grammar))
            files[-1].write(GLUE_GRAMMAR)
        first, second, third, *fourth = inputs.names
        rules = 0
        while blocks := inputs.take(_LINES_PER_BLOCK):
            parts, found = _core.extract_rule_lines(
                *blocks,
                names=(first, second, third, fourth[0] if fourth else ""),
                options=options,
                first_line=inputs.before + 1,
                threads=count,
            )
            for direct, inverse in parts:
                files[0].write(direct)
                files[1].write(inverse)
            rules += found
            if progress is not None:
                progress("rules", inputs.lines, inputs.lines, ())
        written = tuple(file.path for file in files)
    return ExtractedFiles(inputs.lines, rules, written)
