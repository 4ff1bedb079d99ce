"""Minimum-risk training on forests and n-best lists, and what measures it."""

from plait.minrisk.bleu import bleu, bleu_statistics, sentence_bleu

__all__ = ["bleu", "bleu_statistics", "sentence_bleu"]
