"""Model files whose checksums are right and whose content is not: an error, or some answer, but never a crash.

A checksum finds accidents. Who writes a file on purpose gets the checksums right, too; so what stands in the arrays
is checked before it is used as a place, a count or a probability.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import plait
from made_corpora import zipf_corpus
from plait import align, models, reorder, translit
from plait.crf import ChainCRF
from plait.errors import PlaitError
from plait.lexicon import Lexicon
from plait.ngram import NgramModel

NUMBERS = (0, 1, -1, 2**31, 2**32 - 1, 2**53, 2**63 - 1)
REALS = (float("nan"), float("inf"), -float("inf"), -1.0, 1e308, 0.0)
JSON = (None, True, -1, 2**70, 1e308, "", "x", [], {}, [1, 2], ["a", "a"])
TRIALS = 150

SOURCES, TARGETS = zipf_corpus(40, types=12, mean_length=4)
ITEMS = [[{"word": word, "place": float(place)} for place, word in enumerate(words)] for words in SOURCES]
LABELS = [[word[-1] for word in words] for words in SOURCES]


def align_new_text(path: Path) -> None:
    model = align.load(path)
    text = plait.Bitext.from_lists([*SOURCES[:5], ["new"], []], [*TARGETS[:5], ["new"], ["x"]])
    model.align(text)
    model.score(text)
    model.lexicon()


def read_a_lexicon(path: Path) -> None:
    lexicon = Lexicon.load(path)
    lexicon.pruned(0.01)
    lexicon.translations(SOURCES[0][0])


def tag(path: Path) -> None:
    model = ChainCRF.load(path)
    model.predict(ITEMS[:5])
    model.predict_nbest(ITEMS[:2], 3)
    model.marginals(ITEMS[:2])
    len(model.state_features_), len(model.transition_features_)


def predict(path: Path) -> None:
    reorder.load(path).predict_proba(examples())


def examples() -> reorder.Examples:
    text = plait.Bitext.from_lists(SOURCES, TARGETS)
    links = align.fit(text, "EM-5").alignments
    return reorder.Examples.from_bitext(text, links, threshold=0, pairs=True)


def aligner(path: Path) -> None:
    align.fit(plait.Bitext.from_lists(SOURCES, TARGETS)).save(path)


def lexicon(path: Path) -> None:
    align.fit(plait.Bitext.from_lists(SOURCES, TARGETS), "hmm").lexicon().save(path)


def field(path: Path) -> None:
    ChainCRF(max_iterations=3).fit(ITEMS, LABELS).save(path)


def logistic(path: Path) -> None:
    reorder.save(reorder.DualLogistic().fit(examples()), path)


def bayes(path: Path) -> None:
    reorder.save(reorder.NaiveBayes().fit(examples()), path)


def table(path: Path) -> None:
    reorder.save(reorder.Lexicalised().fit(examples()), path)


def stacked(path: Path) -> None:
    reorder.save(reorder.StackedLogistic().fit(examples()), path)


def words() -> list[tuple[str, str]]:
    """Pairs of words that are spelled alike."""
    return [(word, word.upper()) for word in sorted({"".join(words) for words in SOURCES})][:30]


def channel(path: Path) -> None:
    translit.JointSourceChannel(order=2).fit(words()).save(path)


def two_step(path: Path) -> None:
    translit.TwoStepCRF(max_iterations=5).fit(words()).save(path)


def both(path: Path) -> None:
    systems = [translit.JointSourceChannel(order=2), translit.TwoStepCRF(max_iterations=5)]
    translit.Interpolation([system.fit(words()) for system in systems]).save(path)


def transliterate(path: Path) -> None:
    translit.load(path).nbest([words()[0][0], "unseen ö"], 3)


def grams(path: Path) -> None:
    NgramModel(order=3).fit(SOURCES).save(path)


def score(path: Path) -> None:
    model = NgramModel.load(path)
    model.score([SOURCES[0], ["unseen"], []])
    model.perplexity(SOURCES[:3])


KINDS: dict[str, tuple[Callable[[Path], None], Callable[[Path], None]]] = {
    "aligner": (aligner, align_new_text),
    "lexicon": (lexicon, read_a_lexicon),
    "chain field": (field, tag),
    "logistic": (logistic, predict),
    "naive Bayes": (bayes, predict),
    "lexicalised": (table, predict),
    "stacked": (stacked, predict),
    "joint source-channel": (channel, transliterate),
    "two-step": (two_step, transliterate),
    "interpolation": (both, transliterate),
    "n-grams": (grams, score),
}


def forged_array(array: np.ndarray, draw: random.Random) -> np.ndarray:
    """An array of the same type with something wrong in it."""
    flat = array.copy()
    way = draw.randrange(6)
    if way == 0:
        return flat[: draw.randrange(len(flat) + 1)]
    if way == 1:
        return np.concatenate([flat, flat[: draw.randrange(len(flat) + 1)]])
    if way == 2:
        return flat[::-1].copy()
    if way == 3 and flat.size:
        raw = bytearray(flat.tobytes())
        raw[draw.randrange(len(raw))] ^= 1 << draw.randrange(8)
        if flat.dtype == np.bool_:
            raw = bytearray(byte & 1 for byte in raw)
        return np.frombuffer(bytes(raw), dtype=flat.dtype).reshape(flat.shape)
    if flat.size:
        values = REALS if flat.dtype.kind == "f" else NUMBERS
        value = np.array(draw.choice(values)).astype(np.float64 if flat.dtype.kind == "f" else object)
        where = slice(None) if way == 4 else draw.randrange(flat.size)
        with np.errstate(all="ignore"):
            if flat.dtype.kind == "f":
                flat.reshape(-1)[where] = value
            else:
                flat.reshape(-1)[where] = int(value) & (2 ** (8 * flat.itemsize) - 1) if flat.dtype.kind == "u" else 1
    return flat


def forged_json(value: Any, draw: random.Random) -> Any:
    """The same with one value somewhere inside replaced or taken out."""
    if isinstance(value, dict) and value and draw.random() < 0.9:
        key = draw.choice(sorted(value))
        changed = dict(value)
        if draw.random() < 0.2:
            del changed[key]
        else:
            changed[key] = forged_json(value[key], draw)
        return changed
    if isinstance(value, list) and value and draw.random() < 0.7:
        place = draw.randrange(len(value))
        return [*value[:place], forged_json(value[place], draw), *value[place + 1 :]]
    return draw.choice(JSON)


def outcome(use: Callable[[Path], None], path: Path, what: str) -> str:
    """What comes of a file: "refused" with a message, or "answered"."""
    try:
        use(path)
    except PlaitError as problem:
        return "refused" if str(problem).strip() else pytest.fail(f"{what}: an error that says nothing")
    except Exception as problem:
        raise AssertionError(f"{what}: {type(problem).__name__}: {problem}") from problem
    return "answered"


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.filterwarnings("ignore")
@pytest.mark.slow
def test_a_forged_model_is_refused_or_answers(kind: str, tmp_path: Path) -> None:
    make, use = KINDS[kind]
    sound = tmp_path / "sound.plait"
    make(sound)
    use(sound)
    file = models.load(sound)
    outcomes = {"refused": 0, "answered": 0}
    for trial in range(TRIALS):
        draw = random.Random(trial)
        arrays, metadata = dict(file.arrays), file.metadata
        if draw.random() < 0.25:
            metadata = forged_json(metadata, draw)
            if not isinstance(metadata, dict):
                metadata = {}
        else:
            name = draw.choice(sorted(arrays))
            arrays[name] = forged_array(arrays[name], draw)
        forged = tmp_path / "forged.plait"
        models.save(forged, file.kind, arrays, metadata, force=True)
        changed = "the metadata" if metadata is not file.metadata else name
        outcomes[outcome(use, forged, f"trial {trial}, a change of {changed}")] += 1
    # Most changes are noticed; a flipped bit of a probability cannot be.
    assert outcomes["refused"] >= TRIALS // 5, outcomes
