"""What was reported against other tools of transliteration, where no other test shows what plait does instead.

The numbers are those of ``test_crf_bugs_table.py``.
"""

from __future__ import annotations

import subprocess
import sys

import pytest

from plait.translit import JointSourceChannel

PAIRS = [("phil", "fil"), ("sophia", "sofia"), ("phi", "fi"), ("lisa", "liza"), ("asia", "azia"), ("sal", "sal")]

GROWTH = """
import random, resource, sys
from plait.translit import align_chunks
draw = random.Random(1)
word = lambda: "".join(draw.choice("abcdefgh") for _ in range(8))
peak = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
for count in (1000, 4000, 16000):
    pairs = [(w, w.upper()) for w in (word() for _ in range(count))]
    align_chunks(pairs, iterations=2)
    print(peak())
"""


@pytest.mark.skipif(sys.platform != "linux", reason="the unit of the peak of memory is that of Linux: KiB")
def test_38_memory_of_alignment_is_linear():
    """Four times the pairs take at most about four times what was added, and little for each pair."""
    done = subprocess.run([sys.executable, "-c", GROWTH], capture_output=True, text=True, check=True)
    few, some, many = (int(line) for line in done.stdout.split())
    # In KiB: below 10 KB a pair of eight letters, all of Python's objects included.
    assert many - some < 12_000 * 10
    assert many - some < 6 * max(some - few, 4_000)


def test_42_long_words_have_ten_best():
    """The ways to cut such words are more than could be gone through."""
    model = JointSourceChannel(order=3).fit(PAIRS)
    for found in model.nbest(["sophiaphilasia" * 20] * 5, 10):
        assert len(found) == 10
        assert len({candidate.target for candidate in found}) == 10
