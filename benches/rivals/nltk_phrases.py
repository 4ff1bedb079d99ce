"""Extracts phrase pairs with NLTK: TARGET SOURCE LINKS COUNT. Prints how many; there are no orientations."""

from __future__ import annotations

import sys
from itertools import islice

from nltk.translate.phrase_based import phrase_extraction


def main(target: str, source: str, links: str, count: str) -> None:
    """Extract from the first sentence pairs."""
    found = 0
    with open(target) as targets, open(source) as sources, open(links) as alignment:
        for t, s, a in islice(zip(targets, sources, alignment, strict=True), int(count)):
            pairs = [tuple(map(int, link.split("-"))) for link in a.split()]
            found += len(phrase_extraction(s.strip(), t.strip(), pairs, 7))
    print(found)


if __name__ == "__main__":
    main(*sys.argv[1:])
