"""The small translation system: its models against slow twins, its forests against everything they may say."""

import itertools
import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from plait import demo
from plait.demo.translation import (
    FEATURES,
    LONGEST_SENTENCE,
    WRONG_WEIGHTS,
    Beams,
    BigramModel,
    Parts,
    PhraseOption,
    PhraseTable,
    Text,
    Translator,
    jackknifed,
    translate,
)
from plait.demo.translation.phrase_table import phrase_spans
from plait.hypergraph import kbest, viterbi

# Beams that nothing falls out of, for short sentences.
WIDE = Beams(nodes=10**6, edges=10**6, widest_swap=100, forest_edges=10**6)
WEIGHTS = dict(zip(FEATURES, (0.7, 1.1, 0.4, -0.6, 0.3), strict=True))


@pytest.fixture(scope="module")
def corpus():
    return demo.make("en-de", 600, seed=3)


@pytest.fixture(scope="module")
def table(corpus):
    return PhraseTable.learn(corpus.source[:500], corpus.target[:500], longest_source=2, longest_target=3, top=4)


@pytest.fixture(scope="module")
def model(corpus):
    return BigramModel.learn(corpus.target[:500])


class Twin:
    """The bigram model from counts, one probability at a time."""

    def __init__(self, sentences):
        padded = [("<s>", *words, "</s>") for words in sentences]
        self.pairs = Counter(pair for words in padded for pair in itertools.pairwise(words))
        self.words = Counter(word for words in padded for word in words[1:])
        self.discounts = [self.discount(counts.values()) for counts in (self.words, self.pairs)]

    @staticmethod
    def discount(counts):
        spread = Counter(counts)
        return spread[1] / (spread[1] + 2 * spread[2]) if spread[1] and spread[2] else 0.5

    def alone(self, word):
        d, total = self.discounts[0], self.words.total()
        rest = d * len(self.words) / total / (len(self.words) + 1)
        return rest + (max(self.words[word] - d, 0) / total if word in self.words else 0)

    def after(self, before, word):
        followers = {pair: count for pair, count in self.pairs.items() if pair[0] == before}
        if not followers:
            return self.alone(word)
        d, total = self.discounts[1], sum(followers.values())
        share = max(followers.get((before, word), 0) - d, 0) / total
        return share + d * len(followers) / total * self.alone(word)

    def score(self, words):
        return sum(math.log(self.after(*pair)) for pair in itertools.pairwise(("<s>", *words, "</s>")))


def test_the_language_model_is_that_of_its_twin(corpus):
    text = corpus.target[:60]
    model, twin = BigramModel.learn(text), Twin(text)
    words = [*sorted(twin.words - Counter(["</s>"]))[:40], "unheard"]
    words = [word for word in words if word != "</s>"]
    found = model.matrix(words, words)
    expected = [[math.log(twin.after(v, w)) for w in words] for v in words]
    np.testing.assert_allclose(found, expected, rtol=1e-12)
    np.testing.assert_allclose(model.starts(words), [math.log(twin.after("<s>", w)) for w in words], rtol=1e-12)
    np.testing.assert_allclose(model.ends(words), [math.log(twin.after(v, "</s>")) for v in words], rtol=1e-12)
    np.testing.assert_allclose(model.alone(words), [math.log(twin.alone(w)) for w in words], rtol=1e-12)


def test_probabilities_of_the_language_model_sum_to_one(model):
    every = np.arange(1, len(model.words) + 1)
    assert np.exp(model.log_probabilities(np.array([[0], [5], [len(model.words)]]), every)).sum(1) == pytest.approx(1)


@settings(max_examples=60, deadline=None)
@given(st.data(), st.integers(1, 6), st.integers(1, 6), st.integers(1, 4), st.integers(1, 4))
def test_phrase_pairs_are_those_that_fit_the_links(data, sources, targets, longest_source, longest_target):
    every = st.tuples(st.integers(0, sources - 1), st.integers(0, targets - 1))
    links = sorted(data.draw(st.sets(every, max_size=8)))
    expected = [
        ((i, j), (k, m))
        for i, j in itertools.combinations(range(sources + 1), 2)
        for k, m in itertools.combinations(range(targets + 1), 2)
        if j - i <= longest_source and m - k <= longest_target
        if any(i <= s < j and k <= t < m for s, t in links)
        if all((i <= s < j) == (k <= t < m) for s, t in links)
    ]
    found = phrase_spans(links, sources, targets, longest_source=longest_source, longest_target=longest_target)
    assert sorted(found) == expected


def test_frequent_words_are_translated_and_unknown_ones_copied(table):
    best = [table.of([word])[0].target for word in ("We", "brother", "Monday")]
    assert best == [("Wir",), ("Bruder",), ("Montag",)]
    assert [option.target for option in table.of(["Zyzzyva"])] == [("Zyzzyva",)]
    assert table.of(["Zyzzyva", "brother"]) == []


def test_options_are_relative_frequencies_less_a_discount(table):
    options = table.of(["brother"])
    assert sum(math.exp(option.target_given_source) for option in options) < 1
    assert all(-20 < value < 0 for o in options for value in (o.target_given_source, o.source_given_target))
    shares = [option.target_given_source for option in options]
    assert shares == sorted(shares, reverse=True)


def walk(forest, edges):
    """What a derivation in prefix order says: words, leaves as (span, words), swaps."""
    edge = next(edges)
    span = tuple(forest.node_columns["span"][forest.graph.heads[edge]].tolist())
    tail = forest.graph.tail(edge)
    parts = [walk(forest, edges) for _ in tail]
    items = forest.yield_of(edge)
    if not parts:
        return items, [(span, items)], 0
    words = tuple(word for item in items for word in parts[item][0])
    is_swapped = items == (1, 0)
    return words, [leaf for part in parts for leaf in part[1]], sum(part[2] for part in parts) + is_swapped


@pytest.mark.parametrize("beams", [Beams(), WIDE])
def test_features_of_a_derivation_are_those_of_what_it_says(corpus, table, model, beams):
    twin = Twin(corpus.target[:500])
    short = [n for n in range(500, 600) if len(corpus.source[n]) <= (12 if beams is not WIDE else 5)]
    for n in short[:6]:
        source = corpus.source[n]
        forest = translate(source, table, model, WEIGHTS, beams, name=str(n))
        edge_scores, totals = forest.scores(WEIGHTS), np.zeros(len(FEATURES))
        for derivation in kbest(forest.graph, edge_scores, 40):
            words, leaves, swaps = walk(forest, iter(derivation.edges.tolist()))
            assert tuple(forest.words[w] for w in forest.yields.of(forest.graph, derivation)) == words
            # The phrases cover the source, each once, and the words are those of the phrases in some order.
            assert sorted(itertools.chain(*(range(*span) for span, _ in leaves))) == list(range(len(source)))
            assert Counter(words) == Counter(word for _, phrase in leaves for word in phrase)
            options = [next(o for o in table.of(source[slice(*span)]) if o.target == phrase) for span, phrase in leaves]
            expected = [
                twin.score(words),
                sum(option.target_given_source for option in options),
                sum(option.source_given_target for option in options),
                -len(words),
                -swaps,
            ]
            totals[:] = 0
            for edge in derivation.edges.tolist():
                row = slice(int(forest.features.starts[edge]), int(forest.features.starts[edge + 1]))
                np.add.at(totals, forest.features.ids[row], forest.features.values[row])
            np.testing.assert_allclose(totals, expected, rtol=1e-9)
            assert derivation.weight == pytest.approx(float(np.dot(expected, list(WEIGHTS.values()))))


def toy(sources):
    """Each word with one translation, or with two where its name says so."""
    option = {
        (word,): [PhraseOption((word.upper() + mark,), -0.1 - at, -0.2 * at) for at, mark in enumerate(marks)]
        for word, marks in sources.items()
    }
    return PhraseTable(option, 1)


@pytest.mark.parametrize(("words", "orders"), [(1, 1), (2, 2), (3, 6), (4, 22), (5, 90), (6, 394)])
def test_each_order_of_the_grammar_has_one_derivation(words, orders):
    # The large Schröder numbers: permutations without the patterns 2413 and 3142.
    names = "abcdef"[:words]
    forest = translate(names, toy(dict.fromkeys(names, "x")), BigramModel.learn([["Ax"]]), WEIGHTS, WIDE, name="0")
    assert forest.derivations == orders
    found = kbest(forest.graph, forest.scores(WEIGHTS), 1000)
    assert len({tuple(words) for words in forest.yields.of_all(forest.graph, found)}) == orders


def test_wide_beams_find_the_best_of_all_translations():
    text = [["Ax", "Cx", "By"], ["Cx", "Bx", "Ax"], ["Dx", "Cx"], ["Cx", "Dx"]]
    model, twin = BigramModel.learn(text), Twin(text)
    table = toy({"a": "xy", "b": "xy", "c": "x", "d": "xy"})
    forest = translate("abcd", table, model, WEIGHTS, WIDE, name="0")
    assert forest.derivations == 22 * 8
    best = -math.inf
    for choice in itertools.product(*(table.options[word,] for word in "abcd")):
        for order in itertools.permutations(range(4)):
            swaps = _swaps(order)
            if swaps is None:
                continue
            words = [choice[place].target[0] for place in order]
            values = [
                twin.score(words),
                sum(option.target_given_source for option in choice),
                sum(option.source_given_target for option in choice),
                -4,
                -swaps,
            ]
            best = max(best, float(np.dot(values, list(WEIGHTS.values()))))
    assert viterbi(forest.graph, forest.scores(WEIGHTS)).weight == pytest.approx(best)


def _swaps(order):
    """The swapped joints of the one tree of an order, found by joining neighbours from the left; None: no tree."""
    stack, swaps = [], 0
    for place in order:
        stack.append((place, place))
        while len(stack) > 1:
            (low, high), (first, last) = stack[-2:]
            if first not in (high + 1, low - (last - first) - 1):
                break
            swaps += first < low
            stack[-2:] = [(min(low, first), max(high, last))]
    return swaps if len(stack) == 1 else None


def test_narrow_beams_keep_less_and_never_more_than_they_are_told(corpus, table, model):
    source = max((words for words in corpus.source[500:] if len(words) <= 12), key=len)
    narrow = translate(source, table, model, WEIGHTS, Beams(nodes=4, edges=10, forest_edges=60), name="0")
    broad = translate(source, table, model, WEIGHTS, Beams(), name="0")
    assert narrow.edges <= 60 < broad.edges <= Beams().forest_edges
    best = [viterbi(forest.graph, forest.scores(WEIGHTS)).weight for forest in (narrow, broad)]
    assert best[0] <= best[1]


def test_no_swap_is_wider_than_allowed():
    names = "abcde"
    beams = Beams(nodes=10**6, edges=10**6, widest_swap=2, forest_edges=10**6)
    forest = translate(names, toy(dict.fromkeys(names, "x")), BigramModel.learn([["Ax"]]), WEIGHTS, beams, name="0")
    # Neighbours may change places, no word twice: Fibonacci numbers.
    assert forest.derivations == 8


def test_the_same_sentence_gives_the_same_bits(corpus, table, model):
    one, two = (translate(corpus.source[520], table, model, WEIGHTS, Beams(), name="520") for _ in range(2))
    assert one.properties["id"] == "520"
    for left, right in (
        (one.graph.heads, two.graph.heads),
        (one.graph.tails, two.graph.tails),
        (one.features.values, two.features.values),
        (one.items, two.items),
    ):
        np.testing.assert_array_equal(left, right)
    assert one.words == two.words


def test_parts_share_no_source_sentence_and_the_held_out_ones_are_short():
    parts = Parts.make("en-de", 400, 60, 70, seed=5)
    assert [len(part) for part in (parts.training, parts.dev, parts.test)] == [400, 60, 70]
    training, dev, test = ({tuple(words) for words in part.source} for part in (parts.training, parts.dev, parts.test))
    assert not training & (dev | test)
    assert not dev & test
    assert (len(dev), len(test)) == (60, 70)
    assert all(len(words) <= LONGEST_SENTENCE for words in dev | test)
    corpus = demo.make("en-de", 400, seed=5)
    assert list(parts.training.source) == corpus.source
    assert list(parts.training.target) == corpus.target


def test_a_system_translates_better_than_it_copies():
    parts = Parts.make("en-de", 1000, 40, 1, seed=5)
    told = []
    forests = Translator.learn(parts.training).translate(parts.dev.source, progress=lambda *report: told.append(report))
    assert told[-1] == ("translating", 40, 40, ())
    assert [forest.properties["id"] for forest in forests] == list(map(str, range(40)))
    right = 0
    for forest, reference in zip(forests, parts.dev.target, strict=True):
        best = viterbi(forest.graph, forest.scores(WRONG_WEIGHTS))
        words = [forest.words[word] for word in forest.yields.of(forest.graph, best)]
        right += (Counter(words) & Counter(reference)).total()
    assert 0.6 < right / sum(map(len, parts.dev.target)) < 0.95


def test_a_jackknifed_system_has_not_seen_what_it_translates():
    training = Parts.make("en-de", 300, 5, 5, seed=5).training
    row = next(row for row in range(30) if len(training.source[row]) <= LONGEST_SENTENCE)
    source, target = list(training.source), list(training.target)
    for other in (row, row + 1):  # neighbours are in different folds
        source[other] = ["Zyzzyva" if n == 0 else word for n, word in enumerate(source[other])]
        target[other] = ["Zyzzyvaner" if n == 0 else word for n, word in enumerate(target[other])]
    source[row + 1] = source[row + 1][:LONGEST_SENTENCE]

    def words_of(rows):
        text = Text([source[n] for n in rows], [target[n] for n in rows])
        forests, references = jackknifed(text, 30, folds=3)
        assert references == [words for words, src in zip(text.target, text.source, strict=True) if len(src) <= 12][:30]
        return next(forest.words for forest in forests if forest.properties["id"] == str(row))

    every = list(range(300))
    assert "Zyzzyvaner" in words_of(every)
    without = [n if n != row + 1 else n + 3 for n in every]
    assert "Zyzzyvaner" not in words_of(without)
    assert "Zyzzyva" in words_of(without)
