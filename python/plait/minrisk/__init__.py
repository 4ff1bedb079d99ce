"""Minimum-risk training on forests: expected loss, entropy, and their gradients (Li and Eisner 2009, sections 6 and 7).

All logarithms are natural; entropies are in nats.
"""

from plait.minrisk.annotate import Annotated, Annotator, annotate, annotate_all
from plait.minrisk.bleu import bleu, bleu_statistics, sentence_bleu
from plait.minrisk.development import BestTranslations
from plait.minrisk.evaluation import Evaluation
from plait.minrisk.feature_index import FeatureIndex
from plait.minrisk.flat import merged_lists, nbest_forest
from plait.minrisk.linear_bleu import LinearBleu
from plait.minrisk.mbr import GainForest, expected_gains, ngram_posteriors
from plait.minrisk.mert import MertResult, MertStart, MertStep, mert
from plait.minrisk.mert_problem import ErrorSurface, MertProblem
from plait.minrisk.nbest_lists import NbestLists, moses_feature_names
from plait.minrisk.ngram_features import NgramFeatures
from plait.minrisk.optimizers import LBFGSB, Minimum, Optimizer
from plait.minrisk.penalty import L2
from plait.minrisk.quality import TOKENIZERS, Quality, evaluate
from plait.minrisk.reranking import Translation, rerank
from plait.minrisk.risk_forest import RiskForest
from plait.minrisk.schedule import Schedule, Stage
from plait.minrisk.significance import BleuComparison, BleuEstimate, bootstrap_bleu, compare_bleu
from plait.minrisk.statistics_files import Statistics, read_statistics, write_statistics
from plait.minrisk.trainer import Development, Trainable, train
from plait.minrisk.training import StageResult, Training
from plait.minrisk.training_set import TrainingSet
from plait.minrisk.weights_files import MatchedWeights, match_weights, read_weights, write_weights

__all__ = [
    "L2",
    "LBFGSB",
    "TOKENIZERS",
    "Annotated",
    "Annotator",
    "BestTranslations",
    "BleuComparison",
    "BleuEstimate",
    "Development",
    "ErrorSurface",
    "Evaluation",
    "FeatureIndex",
    "GainForest",
    "LinearBleu",
    "MatchedWeights",
    "MertProblem",
    "MertResult",
    "MertStart",
    "MertStep",
    "Minimum",
    "NbestLists",
    "NgramFeatures",
    "Optimizer",
    "Quality",
    "RiskForest",
    "Schedule",
    "Stage",
    "StageResult",
    "Statistics",
    "Trainable",
    "Training",
    "TrainingSet",
    "Translation",
    "annotate",
    "annotate_all",
    "bleu",
    "bleu_statistics",
    "bootstrap_bleu",
    "compare_bleu",
    "evaluate",
    "expected_gains",
    "match_weights",
    "merged_lists",
    "mert",
    "moses_feature_names",
    "nbest_forest",
    "ngram_posteriors",
    "read_statistics",
    "read_weights",
    "rerank",
    "sentence_bleu",
    "train",
    "write_statistics",
    "write_weights",
]
