"""Linear-chain conditional random fields: labels for the positions of sequences.

`ChainCRF` trains and labels, from Python objects or files; `Sequences` holds data in compact form; `evaluate` compares
labels with gold ones as conlleval does; `ChainCRF.load` reads models of CRFsuite and CRF++ too, and `write_crfsuite`
writes them for CRFsuite.

Sources: Lafferty, McCallum and Pereira (2001), Conditional random fields. Sha and Pereira (2003), Shallow parsing with
conditional random fields.
"""

from plait.crf.chain import ChainCRF
from plait.crf.evaluation import Evaluation, Scores, evaluate
from plait.crf.explain import Explanation, Term
from plait.crf.labelling import Labeller, Labelling
from plait.crf.model_formats import write_crfsuite
from plait.crf.penalty import PenaltyChoice, choose_penalty
from plait.crf.sequences import Sequences

__all__ = [
    "ChainCRF",
    "Evaluation",
    "Explanation",
    "Labeller",
    "Labelling",
    "PenaltyChoice",
    "Scores",
    "Sequences",
    "Term",
    "choose_penalty",
    "evaluate",
    "write_crfsuite",
]
