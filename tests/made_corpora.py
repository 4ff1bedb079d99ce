"""Parallel texts that are made, not read: fixed by their seed, larger than hypothesis would draw."""

from __future__ import annotations

import numpy as np

from strategies import Corpus


def zipf_corpus(pairs: int, *, types: int = 200, mean_length: int = 9, seed: int = 1) -> Corpus:
    """Sentences of Zipf-distributed words, and their translations with swaps, losses and insertions."""
    rng = np.random.default_rng(seed)
    shares = 1.0 / np.arange(1, types + 1)
    shares /= shares.sum()
    sources, targets = [], []
    for _ in range(pairs):
        words = rng.choice(types, size=1 + rng.poisson(mean_length - 1), p=shares)
        translated = [int(w) for w in words if rng.random() > 0.1]
        for k in range(len(translated) - 1):
            if rng.random() < 0.2:
                translated[k], translated[k + 1] = translated[k + 1], translated[k]
        if rng.random() < 0.5:
            translated.insert(int(rng.integers(len(translated) + 1)), int(rng.choice(types, p=shares)))
        sources.append([f"s{w}" for w in words])
        targets.append([f"t{w}" for w in translated])
    return sources, targets
