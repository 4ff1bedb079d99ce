"""Aligns a corpus with sil-thot in one process: MODEL SEED SOURCE TARGET FORWARD REVERSE.

MODEL is hmm, ibm4, fast_align or eflomal (sil-thot's own, a sampler like the original). Both directions are trained,
with the iterations that are usual for these models. Runs in the rivals' environment; needs nothing of plait.
"""

import sys
from pathlib import Path

import thot.alignment as models

Sentences = list[list[str]]
SCHEDULES = {
    "hmm": ((models.Ibm1AlignmentModel, 5), (models.HmmAlignmentModel, 5)),
    "ibm4": (
        (models.Ibm1AlignmentModel, 5),
        (models.HmmAlignmentModel, 5),
        (models.Ibm3AlignmentModel, 3),
        (models.Ibm4AlignmentModel, 3),
    ),
    "fast_align": ((models.FastAlignModel, 5),),
}


def main(name: str, seed: str, source: str, target: str, forward: str, reverse: str) -> None:
    """Align in both directions."""
    texts = read(source), read(target)
    # "Forward" is P(target | source): a source position for each target word.
    write(forward, [[(i, j) for j, i in links] for links in align(name, int(seed), *texts)])
    write(reverse, align(name, int(seed), *reversed(texts)))


def align(name: str, seed: int, given: Sentences, generated: Sentences) -> list[list[tuple[int, int]]]:
    """Return for each pair the links (generated position, given position)."""
    full = [n for n, pair in enumerate(zip(given, generated, strict=True)) if all(pair)]
    if name == "eflomal":
        found = sample(seed, [(given[n], generated[n]) for n in full])
    else:
        model = train(name, [(given[n], generated[n]) for n in full])
        found = [
            matrix.to_list()
            for _, matrix in model.get_best_alignments([given[n] for n in full], [generated[n] for n in full])
        ]
    links: list[list[tuple[int, int]]] = [[] for _ in given]
    for n, positions in zip(full, found, strict=True):
        # Position 0 is NULL.
        links[n] = [(j, i - 1) for j, i in enumerate(positions) if i > 0]
    return links


def train(name: str, pairs: list[tuple[list[str], list[str]]]) -> models.AlignmentModel:
    """Train a chain of models, each of which starts from the one before."""
    model = None
    for kind, iterations in SCHEDULES[name]:
        if model is None:
            model = kind()
            add(model, pairs)
        else:
            model = kind(model)
        run(model, iterations)
    return model


def sample(seed: int, pairs: list[tuple[list[str], list[str]]]) -> list[list[int]]:
    """Return the links that the sampler itself reads out at its end."""
    model = models.EflomalAlignmentModel()
    model.seed = seed
    model.emit_training_alignments = True
    add(model, pairs)
    model.start_training()
    for _ in range(model.scheduled_iterations):
        model.train()
    model.end_training()
    return [model.get_training_alignment(n)[1].to_list() for n in range(len(pairs))]


def add(model: models.AlignmentModel, pairs: list[tuple[list[str], list[str]]]) -> None:
    """Give a model its text."""
    for given, generated in pairs:
        model.add_sentence_pair(given, generated, 1)


def run(model: models.AlignmentModel, iterations: int) -> None:
    """Train one model."""
    model.start_training()
    for _ in range(iterations):
        model.train()
    model.end_training()


def read(path: str) -> Sentences:
    """Return the lower-cased words of each line, as the other aligners of the comparison see them."""
    with Path(path).open(encoding="utf-8", newline="\n") as stream:
        return [line.lower().split() for line in stream]


def write(path: str, links: list[list[tuple[int, int]]]) -> None:
    """Write links in Pharaoh's format."""
    with Path(path).open("w", encoding="utf-8", newline="\n") as out:
        out.writelines(" ".join(f"{i}-{j}" for i, j in sorted(pairs)) + "\n" for pairs in links)


if __name__ == "__main__":
    main(*sys.argv[1:])
