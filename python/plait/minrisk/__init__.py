"""Minimum-risk training on forests: expected loss, entropy, and their gradients (Li and Eisner 2009, sections 6 and 7).

All logarithms are natural; entropies are in nats.
"""

from plait.minrisk.evaluation import Evaluation
from plait.minrisk.risk_forest import RiskForest
from plait.minrisk.training_set import TrainingSet

__all__ = ["Evaluation", "RiskForest", "TrainingSet"]
