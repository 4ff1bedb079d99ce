"""Times R - T H and its gradient by PyTorch's autograd, in one process: FORESTS REPEAT BATCH THREADS. Prints JSON.

The forests are kept in memory, see `minrisk_batches`. The inside algorithm and the recursion for expectations in terms
of local probabilities need no second backward pass. Scores are products with a sparse matrix, whose transpose is kept
for the backward pass. Double precision.

Two versions are tried. In logarithms nothing under- or overflows; with plain products of probabilities, which these
forests allow, there are fewer operations. The faster one counts.
"""

import json
import resource
import sys
import time
import warnings

import minrisk_batches
import numpy as np
import torch

import risk_forests

DOUBLE = torch.float64


class Product(torch.autograd.Function):
    """A sparse matrix times a vector."""

    @staticmethod
    def forward(ctx, matrix, transpose, vector):
        """Multiply."""
        ctx.transpose = transpose
        return torch.mv(matrix, vector)

    @staticmethod
    def backward(ctx, grad):
        """Multiply the transpose."""
        return None, None, torch.mv(ctx.transpose, grad)


class Batch:
    """A batch in PyTorch's arrays."""

    def __init__(self, made):
        self.nodes, self.roots, self.losses = made.nodes, torch.tensor(made.roots), torch.tensor(made.losses)
        self.levels = []
        node_bounds, edge_bounds = made.node_bounds.tolist(), made.edge_bounds.tolist()
        for n in range(len(node_bounds) - 1):
            nodes, edges = slice(*node_bounds[n : n + 2]), slice(*edge_bounds[n : n + 2])
            left, right = (torch.tensor(made.tails[edges, place].copy()) for place in (0, 1))
            self.levels.append((nodes, edges, torch.tensor(made.heads[edges] - nodes.start), left, right))
        shape = (made.edges, minrisk_batches.FEATURES)
        self.phi = csr(made.starts, made.ids, made.values, shape)
        self.phi_t = csr(*made.by_feature(), shape[::-1])


def csr(starts, ids, values, shape):
    """Return a matrix by rows."""
    parts = (torch.tensor(starts.astype(np.int32)), torch.tensor(ids.astype(np.int32)), torch.tensor(values))
    return torch.sparse_csr_tensor(*parts, size=shape, dtype=DOUBLE)


def in_logarithms(batch, theta, temperature):
    """Return the risk of all forests of a batch, and the objective."""
    scores = Product.apply(batch.phi, batch.phi_t, theta)
    beta, means, risk = (torch.zeros(batch.nodes + 1, dtype=DOUBLE) for _ in range(3))
    for nodes, edges, heads, left, right in batch.levels:
        count = nodes.stop - nodes.start
        logs = scores[edges] + beta[left] + beta[right]
        most = torch.full((count,), -torch.inf, dtype=DOUBLE).scatter_reduce(0, heads, logs.detach(), "amax")
        sums = torch.zeros(count, dtype=DOUBLE).index_add(0, heads, torch.exp(logs - most[heads]))
        beta[nodes] = most + torch.log(sums)
        local = logs - beta[nodes][heads]
        expect(batch, nodes, (edges, heads, left, right), (torch.exp(local), local), (means, risk), temperature)
    return risk[batch.roots].sum(), means[batch.roots].sum()


def in_probabilities(batch, theta, temperature):
    """Return the same without a logarithm in the recursion for Z."""
    weights = torch.exp(Product.apply(batch.phi, batch.phi_t, theta))
    beta = torch.ones(batch.nodes + 1, dtype=DOUBLE)
    means, risk = (torch.zeros(batch.nodes + 1, dtype=DOUBLE) for _ in range(2))
    for nodes, edges, heads, left, right in batch.levels:
        products = weights[edges] * beta[left] * beta[right]
        sums = torch.zeros(nodes.stop - nodes.start, dtype=DOUBLE).index_add(0, heads, products)
        beta[nodes] = sums
        q = products / sums[heads]
        expect(batch, nodes, (edges, heads, left, right), (q, torch.log(q)), (means, risk), temperature)
    return risk[batch.roots].sum(), means[batch.roots].sum()


def expect(batch, nodes, level, locals_, sums, temperature):
    """Write the means of the objective and of the loss below the nodes of a level."""
    edges, heads, left, right = level
    q, log_q = locals_
    means, risk = sums
    count = nodes.stop - nodes.start
    whole = q * (batch.losses[edges] + temperature * log_q + means[left] + means[right])
    means[nodes] = torch.zeros(count, dtype=DOUBLE).index_add(0, heads, whole)
    with torch.no_grad():
        whole = q * (batch.losses[edges] + risk[left] + risk[right])
        risk[nodes] = torch.zeros(count, dtype=DOUBLE).index_add(0, heads, whole)


def main(count, repeat, size, threads):
    """Repeat the evaluation."""
    warnings.simplefilter("ignore")
    torch.set_num_threads(int(threads))
    batches = [Batch(made) for made in minrisk_batches.batches(int(count), int(size))]
    best = None
    for method in (in_logarithms, in_probabilities):
        seconds, cpu = [], []
        for _ in range(int(repeat) + 1):
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
        # The first one prepares.
        result = {"method": method.__name__.replace("_", " "), "seconds": seconds[1:], "cpu": cpu[1:], "found": found}
        best = result if best is None or min(result["seconds"]) < min(best["seconds"]) else best
    print(json.dumps(best | {"peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024}))


if __name__ == "__main__":
    main(*sys.argv[1:])
