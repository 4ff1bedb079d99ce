"""N-gram models with modified Kneser-Ney smoothing: estimate, score, ARPA files.

`NgramModel` does all of it.

Sources: Chen and Goodman (1998), An empirical study of smoothing techniques for language modeling. Heafield,
Pouzyrevsky, Clark and Koehn (2013), Scalable modified Kneser-Ney language model estimation.
"""

from plait.ngram.model import NgramModel, OrderReport
from plait.ngram.perplexity import Perplexity

__all__ = ["NgramModel", "OrderReport", "Perplexity"]
