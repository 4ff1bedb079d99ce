"""Interpolated modified Kneser-Ney by its definitions, with dictionaries: slow, and obviously right.

Chen and Goodman (1998), eq. 25 and 26, with what lmplz does where they say nothing: n-grams that begin with ``<s>``
keep their counts, and the unigrams are interpolated with the uniform distribution over words, ``</s>`` and ``<unk>``.
"""

from collections import Counter, defaultdict
from fractions import Fraction

START, END, UNKNOWN = "<s>", "</s>", "<unk>"


class Twin:
    """All probabilities as fractions."""

    def __init__(self, sentences, order, *, fallback=("1/2", 1, "3/2"), prune=(0,), closed=False):
        self.order = order
        texts = [(START, *sentence, END) for sentence in sentences]
        self.words = sorted({word for sentence in sentences for word in sentence})
        raw = [
            Counter(text[at : at + n] for text in texts for at in range(len(text) - n + 1)) for n in range(1, order + 1)
        ]
        thresholds = [prune[min(n, len(prune) - 1)] for n in range(order)]
        self.stays = [
            {gram for gram, count in counts.items() if count > least}
            for counts, least in zip(raw, thresholds, strict=True)
        ]
        self.adjusted = [self._adjusted(raw, n) for n in range(order)]
        self.counts_of_counts = [[sum(c == k for c in a.values()) for k in (1, 2, 3, 4)] for a in self.adjusted]
        self.discounts = [self._discounts(t) or tuple(map(Fraction, fallback)) for t in self.counts_of_counts]
        self.followers = [defaultdict(list) for _ in range(order)]
        for n, counts in enumerate(self.adjusted):
            for gram in counts:
                self.followers[n][gram[:-1]].append(gram)
        self.outcomes = [*self.words, END] if closed else [*self.words, END, UNKNOWN]

    def _adjusted(self, raw, n):
        if n == self.order - 1:
            counts = dict(raw[n])
        else:
            before = defaultdict(set)
            for gram in raw[n + 1]:
                before[gram[1:]].add(gram[0])
            counts = {gram: count if gram[0] == START else len(before[gram]) for gram, count in raw[n].items()}
        # <s> is never predicted.
        counts.pop((START,), None)
        return counts

    @staticmethod
    def _discounts(t):
        if 0 in t[:3]:
            return None
        y = Fraction(t[0], t[0] + 2 * t[1])
        found = tuple(k - (k + 1) * y * Fraction(t[k], t[k - 1]) for k in (1, 2, 3))
        return found if all(0 < d <= k for k, d in enumerate(found, 1)) else None

    def _discount(self, n, count):
        return self.discounts[n][min(count, 3) - 1]

    def probability(self, word, context):
        """p(word | the last order - 1 words of a context)."""
        context = tuple(context)[-(self.order - 1) :] if self.order > 1 else ()
        word = word if word in self.words or word == END else UNKNOWN
        return self._probability(word, context)

    def _probability(self, word, context):
        n = len(context)
        lower = self._probability(word, context[1:]) if n else Fraction(word in self.outcomes, len(self.outcomes))
        followers = self.followers[n][context]
        total = sum(self.adjusted[n][gram] for gram in followers)
        if not any(gram in self.stays[n] for gram in followers) and total == 0:
            return lower
        own = [gram for gram in followers if gram in self.stays[n]]
        saved = sum(self._discount(n, self.adjusted[n][gram]) for gram in own)
        saved += sum(self.adjusted[n][gram] for gram in followers if gram not in self.stays[n])
        gram = (*context, word)
        count = self.adjusted[n].get(gram, 0) if gram in self.stays[n] else 0
        share = count - self._discount(n, count) if count else 0
        return Fraction(share + saved * lower) / total

    def sentence(self, words):
        """The probability of each word of a sentence, and of its end."""
        history, found = [START], []
        for word in (*words, END):
            found.append(self.probability(word, history))
            history.append(word if word in self.words else UNKNOWN)
        return found
