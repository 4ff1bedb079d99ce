"""A small translation system on the demo corpora, to have forests that a training of weights can start from.

Phrase pairs are learned with plait's aligner, word pairs of the target with a bigram model; a bracketing transduction
grammar orders the phrases. See `plait demo minrisk`.
"""

from plait.demo.translation.chart import FEATURES, Beams, translate
from plait.demo.translation.language_model import BigramModel
from plait.demo.translation.phrase_table import PhraseOption, PhraseTable
from plait.demo.translation.system import LONGEST_SENTENCE, WRONG_WEIGHTS, Parts, Text, Translator, jackknifed

__all__ = [
    "FEATURES",
    "LONGEST_SENTENCE",
    "WRONG_WEIGHTS",
    "Beams",
    "BigramModel",
    "Parts",
    "PhraseOption",
    "PhraseTable",
    "Text",
    "Translator",
    "jackknifed",
    "translate",
]
