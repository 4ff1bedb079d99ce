"""Demo corpora: parallel sentences with known links, generated from small grammars.

No network and no data are needed. `make` returns a corpus of English and German or English and Spanish; both languages
say the same meaning, so that the gold links are known by construction (see `plait.demo.engine`).
"""

from plait.demo.corpus import PAIRS, DemoCorpus, Pair, make

__all__ = ["PAIRS", "DemoCorpus", "Pair", "make"]
