"""How good links are: gold standards, alignment error rate, and how far to trust a difference.

Examples
--------
>>> from plait.alignments import Alignments
>>> gold = Gold(sure=Alignments.from_lists([[(0, 0)]]), possible=Alignments.from_lists([[(0, 0), (1, 1)]]))
>>> round(score(Alignments.from_lists([[(0, 0), (1, 1), (2, 2)]]), gold).aer, 3)
0.25
"""

from plait.metrics.bootstrap import Bootstrap, Interval, PairedBootstrap, bootstrap, paired_bootstrap
from plait.metrics.gold import GOLD_FORMATS, Gold, GoldFormat, read_gold
from plait.metrics.scores import Scores, score, sufficient_statistics

__all__ = [
    "GOLD_FORMATS",
    "Bootstrap",
    "Gold",
    "GoldFormat",
    "Interval",
    "PairedBootstrap",
    "Scores",
    "bootstrap",
    "paired_bootstrap",
    "read_gold",
    "score",
    "sufficient_statistics",
]
