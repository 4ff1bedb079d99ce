"""Word tables of the demo corpora: three languages a line, in order of frequency; `plait.demo.lexicon` reads them."""
