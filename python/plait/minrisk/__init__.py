"""Minimum-risk training on forests: expected loss, entropy, and their gradients (Li and Eisner 2009, sections 6 and 7).

All logarithms are natural; entropies are in nats.
"""

from plait.minrisk.annotate import Annotated, Annotator, annotate, annotate_all
from plait.minrisk.bleu import bleu, bleu_statistics, sentence_bleu
from plait.minrisk.evaluation import Evaluation
from plait.minrisk.feature_index import FeatureIndex
from plait.minrisk.linear_bleu import LinearBleu
from plait.minrisk.ngram_features import NgramFeatures
from plait.minrisk.risk_forest import RiskForest
from plait.minrisk.training_set import TrainingSet

__all__ = [
    "Annotated",
    "Annotator",
    "Evaluation",
    "FeatureIndex",
    "LinearBleu",
    "NgramFeatures",
    "RiskForest",
    "TrainingSet",
    "annotate",
    "annotate_all",
    "bleu",
    "bleu_statistics",
    "sentence_bleu",
]
