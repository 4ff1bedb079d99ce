"""Minimum-risk training on forests and n-best lists, and what measures it."""

from plait.minrisk.bleu import bleu, bleu_statistics, sentence_bleu
from plait.minrisk.mert import MertResult, MertStart, MertStep, mert
from plait.minrisk.mert_problem import ErrorSurface, MertProblem
from plait.minrisk.nbest_lists import NbestLists, moses_feature_names
from plait.minrisk.statistics_files import Statistics, read_statistics, write_statistics

__all__ = [
    "ErrorSurface",
    "MertProblem",
    "MertResult",
    "MertStart",
    "MertStep",
    "NbestLists",
    "Statistics",
    "bleu",
    "bleu_statistics",
    "mert",
    "moses_feature_names",
    "read_statistics",
    "sentence_bleu",
    "write_statistics",
]
