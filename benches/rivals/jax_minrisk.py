"""Times R - T H and its gradient by JAX's autodiff, in one process: FORESTS REPEAT BATCH THREADS. Prints JSON.

The forests are kept in memory, see `minrisk_batches`. Levels are filled up to the same size in all batches, so that the
program is compiled once, which is not counted. The inside algorithm with plain products of probabilities, which these
forests allow, and the recursion for expectations in terms of local probabilities; scores are products with a sparse
matrix, whose transpose is kept for the backward pass. Double precision. The processors are those of the process:
THREADS is what it is started with.
"""

import json
import os
import resource
import sys
import time
from functools import partial

os.environ["JAX_PLATFORMS"] = "cpu"

import jax
import jax.numpy as jnp
import minrisk_batches
import numpy as np

import risk_forests

jax.config.update("jax_enable_x64", True)
DENSE = risk_forests.DENSE


def arrays(made, shape):
    """Return a batch in JAX's arrays, filled up."""
    node_sizes, edge_sizes, ones = shape
    new_starts = np.concatenate(([0], np.cumsum(node_sizes)))
    level = np.repeat(np.arange(len(made.node_bounds) - 1), np.diff(made.node_bounds))
    number = np.append(np.arange(made.nodes) - made.node_bounds[level] + new_starts[level], new_starts[-1])
    edge_starts = np.concatenate(([0], np.cumsum(edge_sizes)))
    place = np.concatenate(
        [edge_starts[n] + np.arange(count) for n, count in enumerate(np.diff(made.edge_bounds))]
    ).astype(int)
    edges = edge_starts[-1]
    # What fills up goes to a node that nobody needs, behind those of its level.
    heads = np.repeat(np.array(node_sizes) - 1, edge_sizes)
    heads[place] = number[made.heads] - new_starts[level[made.heads]]
    tails = np.full((edges, 2), new_starts[-1])
    tails[place] = number[made.tails]
    losses = np.zeros(edges)
    losses[place] = made.losses
    rows = np.repeat(place, np.diff(made.starts))
    is_dense = made.ids < DENSE
    dense = np.zeros((edges, DENSE))
    dense[rows[is_dense], made.ids[is_dense]] = made.values[is_dense]
    rows, ids, values = rows[~is_dense], made.ids[~is_dense] - DENSE, made.values[~is_dense]
    fill = ones - len(rows)
    rows, ids = np.append(rows, np.full(fill, edges - 1)), np.append(ids, np.full(fill, risk_forests.SPARSE - 1))
    values = np.append(values, np.zeros(fill))
    order = np.lexsort((rows, ids))
    sparse = (rows, ids, values, rows[order], ids[order], values[order])
    return [jnp.array(x) for x in (heads, tails[:, 0], tails[:, 1], losses, dense, number[made.roots])], [
        jnp.array(x) for x in sparse
    ]


@partial(jax.custom_vjp, nondiff_argnums=(2,))
def product(theta, sparse, edges):
    """Multiply the sparse features with their weights."""
    rows, ids, values = sparse[:3]
    return jax.ops.segment_sum(values * theta[ids], rows, edges, indices_are_sorted=True)


def product_forward(theta, sparse, edges):
    """Keep what the backward pass needs."""
    return product(theta, sparse, edges), sparse


def product_backward(_, sparse, grad):
    """Multiply the transpose."""
    rows, ids, values = sparse[3:]
    by_weight = jax.ops.segment_sum(values * grad[rows], ids, risk_forests.SPARSE, indices_are_sorted=True)
    return by_weight, [None] * 6


product.defvjp(product_forward, product_backward)


def objective(theta, batch, sparse, shape):
    """Return the objective of all forests of a batch, and their risk."""
    node_sizes, edge_sizes, _ = shape
    heads, left, right, losses, dense, roots = batch
    scores = dense @ theta[:DENSE] + product(theta[DENSE:], sparse, sum(edge_sizes))
    weights = jnp.exp(scores)
    nodes = sum(node_sizes) + 1
    beta, means, risk = jnp.ones(nodes), jnp.zeros(nodes), jnp.zeros(nodes)
    node = edge = 0
    for count, length in zip(node_sizes, edge_sizes, strict=True):
        here = slice(edge, edge + length)
        add = partial(jax.ops.segment_sum, segment_ids=heads[here], num_segments=count, indices_are_sorted=True)
        products = weights[here] * beta[left[here]] * beta[right[here]]
        sums = add(products)
        q = products / sums[heads[here]]
        mixed = losses[here] + risk_forests.TEMPERATURE * jnp.log(q)
        below = add(q * (mixed + means[left[here]] + means[right[here]]))
        stopped = jax.lax.stop_gradient(q)
        lost = add(stopped * (losses[here] + risk[left[here]] + risk[right[here]]))
        beta = beta.at[node : node + count].set(jnp.where(sums > 0, sums, 1.0))
        means = means.at[node : node + count].set(below)
        risk = risk.at[node : node + count].set(lost)
        node, edge = node + count, edge + length
    return means[roots].sum(), risk[roots].sum()


def main(count, repeat, size, threads):
    """Repeat the evaluation."""
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[: int(threads)])
    made = minrisk_batches.batches(int(count), int(size))
    levels = max(len(batch.node_bounds) for batch in made)
    for batch in made:
        batch.node_bounds = np.pad(batch.node_bounds, (0, levels - len(batch.node_bounds)), mode="edge")
        batch.edge_bounds = np.pad(batch.edge_bounds, (0, levels - len(batch.edge_bounds)), mode="edge")
    # A node and an edge more, for what fills up.
    node_sizes = tuple((np.max([np.diff(batch.node_bounds) for batch in made], axis=0) + 1).tolist())
    edge_sizes = tuple((np.max([np.diff(batch.edge_bounds) for batch in made], axis=0) + 1).tolist())
    ones = max(int((batch.ids >= DENSE).sum()) for batch in made)
    shape = (node_sizes, edge_sizes, ones)
    batches = [arrays(batch, shape) for batch in made]
    evaluate = jax.jit(jax.value_and_grad(partial(objective, shape=shape), has_aux=True))
    seconds, cpu = [], []
    for _ in range(int(repeat) + 1):
        start, cpu_start = time.perf_counter(), time.process_time()
        theta = jnp.array(risk_forests.weights())
        total = risk = 0.0
        gradient = jnp.zeros_like(theta)
        for batch, sparse in batches:
            (value, lost), slope = evaluate(theta, batch, sparse)
            total, risk, gradient = total + value, risk + lost, gradient + slope
        gradient = np.asarray(gradient)
        seconds.append(time.perf_counter() - start)
        cpu.append(time.process_time() - cpu_start)
    found = {"risk": float(risk), "objective": float(total), "gradient": gradient[:20].tolist()}
    # The first one compiles.
    result = {
        "method": "in probabilities",
        "seconds": seconds[1:],
        "cpu": cpu[1:],
        "found": found,
        "compiled": seconds[0],
    }
    print(json.dumps(result | {"peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024}))


if __name__ == "__main__":
    main(*sys.argv[1:])
