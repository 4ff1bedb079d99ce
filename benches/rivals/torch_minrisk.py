"""Times R - T H and its gradient by PyTorch's autograd, in one process: FORESTS REPEAT BATCH THREADS. Prints JSON.

The forests are those of `risk_forests`, kept in memory in batches of BATCH. In a batch, nodes of all forests are numbered
by level, so that one operation deals with all edges into the nodes of a level; that is the inside algorithm, and the
recursion for expectations in terms of local probabilities, which needs no second backward pass. Scores are products with
a sparse matrix, whose transpose is kept for the backward pass. Double precision.

Two versions are tried. In logarithms nothing under- or overflows; with plain products of probabilities, which these
forests allow, there are fewer operations. The faster one counts.
"""

import json
import resource
import sys
import time
from pathlib import Path

import numpy as np
import torch

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import risk_forests


class Product(torch.autograd.Function):
    """A sparse matrix times a vector."""

    @staticmethod
    def forward(ctx, matrix, transpose, vector):
        ctx.transpose = transpose
        return torch.mv(matrix, vector)

    @staticmethod
    def backward(ctx, grad):
        return None, None, torch.mv(ctx.transpose, grad)


class Batch:
    """Some forests as one hypergraph in the order of levels."""

    def __init__(self, made):
        nodes = sum(forest["nodes"] for forest in made)
        edges = sum(len(forest["heads"]) for forest in made)
        heads, tails, levels, roots = [], [], [], []
        at = 0
        for forest in made:
            pair = np.full((len(forest["heads"]), 2), -1)
            arities = np.diff(forest["tail_starts"].astype(int))
            pair[np.arange(2) < arities[:, None]] = forest["tails"].astype(int)
            heads.append(forest["heads"].astype(int) + at)
            tails.append(np.where(pair < 0, nodes, pair + at))
            levels.append(levels_of(forest["nodes"], forest["heads"].astype(int), pair))
            roots.append(forest["root"] + at)
            at += forest["nodes"]
        heads, tails, levels = np.concatenate(heads), np.concatenate(tails), np.concatenate(levels)
        order = np.argsort(levels, kind="stable")
        number = np.empty(nodes + 1, int)
        number[order], number[-1] = np.arange(nodes), nodes
        heads, tails = number[heads], number[tails]
        edge_order = np.argsort(heads, kind="stable")
        heads, tails = heads[edge_order], tails[edge_order]
        bounds = np.searchsorted(levels[order], np.arange(levels.max() + 2))
        edge_bounds = np.searchsorted(heads, bounds)
        self.nodes, self.roots = nodes, torch.tensor(number[roots])
        self.levels = []
        for low, high, first, last in zip(bounds[:-1], bounds[1:], edge_bounds[:-1], edge_bounds[1:], strict=True):
            here = tails[first:last]
            self.levels.append(
                (
                    slice(int(low), int(high)),
                    slice(int(first), int(last)),
                    torch.tensor(heads[first:last] - low),
                    torch.tensor(here[:, 0].copy()),
                    torch.tensor(here[:, 1].copy()),
                )
            )
        self.losses = torch.tensor(np.concatenate([forest["losses"] for forest in made])[edge_order])
        self.phi, self.phi_t = matrices(made, edge_order, edges)


def levels_of(nodes, heads, tails):
    """Return the longest way down from each node; heads rise and stand behind their tails."""
    levels = np.zeros(nodes + 1, int)
    starts = np.searchsorted(heads, np.arange(nodes + 1))
    levels[-1] = -1
    for node in range(nodes):
        levels[node] = 1 + levels[tails[starts[node] : starts[node + 1]]].max()
    return levels[:-1]


def matrices(made, edge_order, edges):
    """Return the features of all edges as a matrix by rows, and its transpose by rows."""
    lengths = np.concatenate([np.diff(forest["starts"].astype(int)) for forest in made])
    old = np.concatenate(([0], np.cumsum(lengths)))
    starts = np.concatenate(([0], np.cumsum(lengths[edge_order])))
    places = np.repeat(old[:-1][edge_order] - starts[:-1], lengths[edge_order]) + np.arange(starts[-1])
    ids = np.concatenate([forest["ids"] for forest in made]).astype(int)[places]
    values = np.concatenate([forest["values"] for forest in made])[places]
    count = risk_forests.DENSE + risk_forests.SPARSE
    rows = np.repeat(np.arange(edges), lengths[edge_order])
    by_column = np.lexsort((rows, ids))
    columns = np.concatenate(([0], np.cumsum(np.bincount(ids, minlength=count))))

    def csr(starts, ids, values, shape):
        parts = (torch.tensor(starts.astype(np.int32)), torch.tensor(ids.astype(np.int32)), torch.tensor(values))
        return torch.sparse_csr_tensor(*parts, size=shape, dtype=torch.float64)

    phi = csr(starts, ids, values, (edges, count))
    return phi, csr(columns, rows[by_column], values[by_column], (count, edges))


def in_logarithms(batch, theta, temperature):
    """Return risk and entropy, summed over the forests of a batch, and the objective."""
    scores = Product.apply(batch.phi, batch.phi_t, theta)
    # The last node stands for what a tail does not have.
    beta = torch.zeros(batch.nodes + 1, dtype=torch.float64)
    means = torch.zeros(batch.nodes + 1, dtype=torch.float64)
    risk = torch.zeros(batch.nodes + 1, dtype=torch.float64)
    for nodes, edges, heads, left, right in batch.levels:
        count = nodes.stop - nodes.start
        logs = scores[edges] + beta[left] + beta[right]
        most = torch.full((count,), -torch.inf, dtype=torch.float64)
        most = most.scatter_reduce(0, heads, logs.detach(), "amax")
        shifted = torch.exp(logs - most[heads])
        sums = torch.zeros(count, dtype=torch.float64).index_add(0, heads, shifted)
        beta[nodes] = most + torch.log(sums)
        local = logs - beta[nodes][heads]
        q = torch.exp(local)
        mixed = batch.losses[edges] - temperature * -local
        whole = q * (mixed + means[left] + means[right])
        means[nodes] = torch.zeros(count, dtype=torch.float64).index_add(0, heads, whole)
        with torch.no_grad():
            whole = q * (batch.losses[edges] + risk[left] + risk[right])
            risk[nodes] = torch.zeros(count, dtype=torch.float64).index_add(0, heads, whole)
    return risk[batch.roots].sum(), means[batch.roots].sum()


def in_probabilities(batch, theta, temperature):
    """The same without a logarithm in the recursion for Z."""
    weights = torch.exp(Product.apply(batch.phi, batch.phi_t, theta))
    beta = torch.ones(batch.nodes + 1, dtype=torch.float64)
    means = torch.zeros(batch.nodes + 1, dtype=torch.float64)
    risk = torch.zeros(batch.nodes + 1, dtype=torch.float64)
    for nodes, edges, heads, left, right in batch.levels:
        count = nodes.stop - nodes.start
        products = weights[edges] * beta[left] * beta[right]
        sums = torch.zeros(count, dtype=torch.float64).index_add(0, heads, products)
        beta[nodes] = sums
        q = products / sums[heads]
        mixed = batch.losses[edges] + temperature * torch.log(q)
        whole = q * (mixed + means[left] + means[right])
        means[nodes] = torch.zeros(count, dtype=torch.float64).index_add(0, heads, whole)
        with torch.no_grad():
            whole = q * (batch.losses[edges] + risk[left] + risk[right])
            risk[nodes] = torch.zeros(count, dtype=torch.float64).index_add(0, heads, whole)
    return risk[batch.roots].sum(), means[batch.roots].sum()


def main(count, repeat, size, threads):
    """Repeat the evaluation."""
    torch.set_num_threads(int(threads))
    made = list(risk_forests.forests(int(count)))
    batches = [Batch(made[n : n + int(size)]) for n in range(0, len(made), int(size))]
    del made
    best = None
    for method in (in_logarithms, in_probabilities):
        seconds, cpu = [], []
        for _ in range(int(repeat)):
            start, cpu_start = time.perf_counter(), time.process_time()
            theta = torch.tensor(risk_forests.weights(), requires_grad=True)
            risk = objective = 0.0
            for batch in batches:
                part, whole = method(batch, theta, risk_forests.TEMPERATURE)
                whole.backward()
                risk += float(part)
                objective += float(whole.detach())
            seconds.append(time.perf_counter() - start)
            cpu.append(time.process_time() - cpu_start)
        found = {"risk": risk, "objective": objective, "gradient": theta.grad[:20].tolist()}
        result = {"method": method.__name__.replace("_", " "), "seconds": seconds, "cpu": cpu, "found": found}
        best = result if best is None or min(seconds) < min(best["seconds"]) else best
    print(json.dumps(best | {"peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024}))


if __name__ == "__main__":
    main(*sys.argv[1:])
