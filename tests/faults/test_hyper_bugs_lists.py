"""What went wrong in other libraries of hypergraphs and lattices: lists of the best, and files.

`test_hyper_bugs_table.py` says which of our reports each test belongs to.
"""

from __future__ import annotations

import math
import time
from itertools import islice

import numpy as np
import pytest

from plait import hypergraph
from plait.errors import ResourceError
from plait.hypergraph import (
    Distribution,
    Forest,
    Hypergraph,
    KBest,
    SparseFeatures,
    Yields,
    inside,
    kbest,
    read_forests,
    viterbi,
    write_forests,
)
from plait.semiring import (
    Counting,
    Log,
    Real,
)

GRID = Hypergraph.from_edges([(0, []), (0, []), (1, []), (1, []), (2, [0, 1])])
"""Two by two derivations: the corner is next to two of them."""


def catalan(n: int) -> int:
    return math.comb(2 * n, n) // (n + 1)


def test_four_derivations_are_four_however_many_are_asked_for():
    for k in (4, 5, 10, 2**64 - 1):
        found = kbest(GRID, [-1.0, -2.0, -1.0, -2.0, 0.0], k)
        assert found.weights.tolist() == [-2, -3, -3, -4]
        assert {tuple(d.edges.tolist()) for d in found} == {(4, a, b) for a in (0, 1) for b in (2, 3)}
    search = KBest(GRID, np.zeros(5))
    assert len(search.take(3)) == 3
    assert len(search.take(3)) == 1
    assert len(search.take(3)) == 0
    assert list(search) == []


def test_every_derivation_of_the_list_has_its_own_weight():
    """Not only the first: each is the sum of its edges, and there are as many as are counted."""
    steps, arcs = 6, 3
    heads = np.concatenate(([0], np.repeat(np.arange(1, steps + 1), arcs)))
    lattice = Hypergraph(
        heads, np.concatenate(([0], np.arange(len(heads)))), np.repeat(np.arange(steps), arcs), root=steps
    )
    weights = np.random.default_rng(1).normal(size=lattice.edges)
    weights[[2, 5, 9]] = -math.inf
    found = kbest(lattice, weights, 1000)
    alive = np.where(np.isfinite(weights), 1.0, 0.0)
    assert len(found) == inside(lattice, alive, Real())[-1] == 2**3 * 3**3
    assert found.weights == pytest.approx([weights[d.edges].sum() for d in found], abs=1e-12)
    assert (np.diff(found.weights) <= 0).all()
    assert len({d.edges.tobytes() for d in found}) == len(found)
    assert np.logaddexp.reduce(found.weights) == pytest.approx(hypergraph.log_z(lattice, weights))


def test_distinct_strings_are_searched_until_there_are_enough_or_no_more():
    """Of 300 derivations 298 say the same."""
    many = Hypergraph.from_edges([(0, [])] * 300)
    yields = Yields.from_rows([[7]] * 249 + [[8]] + [[7]] * 49 + [[7, 7]])
    weights = -np.arange(300.0)
    for k, expected in ((1, [0]), (2, [0, -249]), (3, [0, -249, -299]), (10, [0, -249, -299])):
        assert kbest(many, weights, k, unique_by=yields).weights.tolist() == expected
    assert len(kbest(many, weights, 10)) == 10


def test_epsilons_make_no_string_another(tmp_path):
    path = tmp_path / "eps.fst"
    path.write_text("0 1 a a 1\n0 2 <eps> <eps> 0.5\n2 1 a a 1\n1 3 x <eps>\n1 3 y <eps> 2\n1 3 b b 9\n3\n")
    (forest,) = read_forests(path)
    assert forest.derivations == 6
    unique = kbest(forest.graph, forest.weights, 6, unique_by=forest.yields)
    words = [[forest.words[n] for n in row] for row in forest.yields.of_all(forest.graph, unique)]
    assert words == [["a"], ["a", "b"]]
    assert unique.weights.tolist() == [-1, -10]


def test_the_first_derivation_looks_at_no_other():
    """The number of derivations that may be looked at is an option: the first needs none, the second one a node."""
    steps = 100
    edges = [(0, []), *((n, [n - 1]) for n in range(1, steps + 1) for _ in range(2))]
    lattice = Hypergraph.from_edges(edges)
    weights = np.random.default_rng(2).normal(size=lattice.edges)
    yields = Yields.from_rows([[], *[[-1, n] for n in range(1, lattice.edges)]])
    search = KBest(lattice, weights, unique_by=yields, limit=0)
    assert next(search) == viterbi(lattice, weights)
    with pytest.raises(ResourceError, match="limit of 0"):
        next(search)
    assert len(kbest(lattice, weights, 1, unique_by=yields, limit=0)) == 1
    for more in (1, 5, 20):
        assert len(kbest(lattice, weights, 1 + more, unique_by=yields, limit=more * steps)) == 1 + more


def test_the_trees_of_forty_words_are_counted_and_none_is_made_but_the_first():
    """S -> S S | a: C(39) = 680425371729975800390 trees, which no memory holds."""
    chart = Hypergraph.cky(40, [[0, 0, 0]], nonterminals=1)
    count = inside(chart, None, Counting())[chart.root]
    assert count == catalan(39) == 680425371729975800390
    weights = np.zeros(chart.edges)
    first = list(islice(KBest(chart, weights), 3))
    assert [len(d) for d in first] == [79] * 3
    assert len({d.edges.tobytes() for d in first}) == 3
    assert hypergraph.log_z(chart, weights) == pytest.approx(math.log(count), rel=1e-14)
    assert hypergraph.entropy(chart, weights) == pytest.approx(math.log(count), rel=1e-12)


# Files


@pytest.mark.parametrize("format", ["openfst", "plait", "travatar", "cdec", "moses", "lazy"])
def test_weights_go_through_files_to_the_last_bit(format, tmp_path):
    steps, arcs = 500, 4
    heads = np.repeat(np.arange(steps), arcs)
    edges = steps * arcs
    graph = Hypergraph(
        np.append(heads, steps), np.append(np.arange(edges + 1), edges), heads + 1, nodes=steps + 1, root=0
    )
    weights = np.append(np.random.default_rng(3).normal(-3, 2, edges), 0.0)
    weights[:3] = [-0.1234567890123456, -1 / 3, -5e-324]
    lattice = Forest(
        graph=graph,
        features=SparseFeatures(np.zeros(edges + 2, np.uint64), np.empty(0, np.uint32), np.empty(0), ()),
        words=("a",),
        item_starts=np.append(np.arange(0, 2 * edges + 1, 2, dtype=np.uint64), np.uint64(2 * edges)),
        items=np.tile(np.array([0, -1], np.int32), edges),
        weights=weights,
        axioms=np.array([edges], np.uint32),
    )
    if format in ("cdec", "moses", "lazy"):
        lattice = lattice.with_weights_as("weight")
    path = tmp_path / "lattice"
    write_forests(path, lattice, format=format)
    (again,) = read_forests(path, format)
    found = again.scores([1.0]) if again.weights is None else again.weights
    # Edges of other numbers, or one more, without a weight.
    assert sorted(filter(None, found)) == sorted(filter(None, weights))
    p = Distribution(again.graph, found)
    assert p.edge_posteriors[np.diff(again.graph.tail_starts) > 0].sum() == pytest.approx(steps, abs=1e-9)
    assert p.log_z == pytest.approx(hypergraph.log_z(graph, weights), rel=1e-14)


REORDERED = {
    "cdec": '{"rules":[1,"[X] ||| le ||| the",2,"[X] ||| chat ||| cat",3,"[X] ||| [X,1] x [X,2] ||| [2] of [1]"],'
    '"features":[],"edges":[{"tail":[],"rule":1}],"node":{"in_edges":[0],"cat":"X"},'
    '"edges":[{"tail":[],"rule":2}],"node":{"in_edges":[1],"cat":"X"},'
    '"edges":[{"tail":[0,1],"rule":3}],"node":{"in_edges":[2],"cat":"X"}}',
    "travatar": '{"nodes":[{"id":0,"sym":"S"},{"id":1,"sym":"X"},{"id":2,"sym":"X"}],"edges":['
    '{"head":1,"tails":[],"trg":[{"words":["the"]}]},{"head":2,"tails":[],"trg":[{"words":["cat"]}]},'
    '{"head":0,"tails":[1,2],"trg":[{"words":[-2,"of",-1]}]}],"words":["x"]}',
}


@pytest.mark.parametrize("format", REORDERED)
def test_the_kth_place_of_a_target_string_is_the_kth_tail_node(format, tmp_path):
    path = tmp_path / "forest"
    path.write_text(REORDERED[format])
    (forest,) = read_forests(path, format)
    (edge,) = np.flatnonzero(forest.graph.heads == forest.graph.root)
    assert forest.yield_of(edge) == (1, "of", 0)
    for target in (format, "plait"):
        copy = tmp_path / f"copy.{target}"
        write_forests(copy, forest, format=target)
        for f in (forest, *read_forests(copy, target)):
            best = viterbi(f.graph, np.zeros(f.edges))
            assert [f.words[n] for n in f.yields.of(f.graph, best)] == ["cat", "of", "the"]
    if format == "cdec":
        # The order of the source is kept apart.
        assert forest.edge_texts("rule")[edge] == "[X] ||| [X,1] x [X,2] ||| [2] of [1]"


def test_edges_are_a_multiset_and_so_are_tails():
    graph = Hypergraph.from_edges([(0, []), (1, [0, 0]), (1, [0, 0]), (1, [0])])
    assert (graph.edges, graph.tail(1), graph.tail(2)) == (4, (0, 0), (0, 0))
    assert inside(graph, None, Counting()) == [1, 3]
    assert len(kbest(graph, np.zeros(4), 9)) == 3
    assert hypergraph.posteriors(graph, np.zeros(4)) == pytest.approx([5 / 3, 1 / 3, 1 / 3, 1 / 3])


def lines_of(format: str, size: int) -> str:
    if format == "plf":
        return "(" + "(('a',1,1),('b',2,1),)," * size + ")\n"
    if format == "openfst":
        return "".join(f"{n} {n + 1} a b 0.5\n{n} {n + 1} b a 0.25\n" for n in range(size)) + f"{size}\n"
    if format == "slf":
        nodes = "".join(f"I={n}\n" for n in range(size + 1))
        return f"N={size + 1} L={size}\n" + nodes + "".join(f"J={n} S={n} E={n + 1} W=a a=-1\n" for n in range(size))
    if format == "moses":
        edges = "".join(f"1\n[{n}] a ||| f=1\n" for n in range(size))
        return f"{size + 1} {size + 1}\n1\n<s> |||\n" + edges
    edges = "".join(f',"edges":[{{"tail":[{n}]}}],"node":{{"in_edges":[{n + 1}]}}' for n in range(size))
    return '{"edges":[{"tail":[]}],"node":{"in_edges":[0]}' + edges + "}"


ONE_OF_MANY = {
    "cdec": '{"edges":[{"tail":[]}],"node":{"in_edges":[0]}}\n',
    "travatar": '{"nodes":[{"id":0,"sym":"S"}],"edges":[{"head":0,"tails":[]}],"words":["x"]}\n',
    "egret": "sentence 1 :\nstory\nNN[0,0] => story ||| -0.5\n\n",
    "plf": "((('a',1,1),),)\n",
    "nbest": "{n} ||| a b ||| f= 1 ||| -2\n",
}


def seconds_of_two_sizes(write, size, format, tmp_path):
    """The processor time of reading a file, and of one that is sixteen times as large: each the least of three."""
    taken = []
    for count in (size, 16 * size):
        path = tmp_path / str(count)
        path.write_text(write(count))
        times = []
        for _ in range(3):
            started = time.process_time()
            forests = read_forests(path, format)
            times.append(time.process_time() - started)
            assert len(forests) + forests[0].nodes > count
        taken.append(min(times))
    return taken


@pytest.mark.parametrize("format", ["plf", "openfst", "slf", "moses", "cdec"])
def test_reading_takes_time_in_proportion_to_what_is_read(format, tmp_path):
    """Sixteen times as long, about, and not 256 times."""
    small, large = seconds_of_two_sizes(lambda size: lines_of(format, size), 1000, format, tmp_path)
    assert large < 64 * small


@pytest.mark.parametrize("format", ONE_OF_MANY)
def test_reading_many_forests_takes_time_in_proportion_to_their_number(format, tmp_path):
    # White space makes a file large without a cost for each forest: nobody looks at it for each forest again.
    space = "\n" * 4000 if format in ("cdec", "travatar") else ""

    def write(size: int) -> str:
        return "".join(ONE_OF_MANY[format].replace("{n}", str(n)) + space for n in range(size))

    small, large = seconds_of_two_sizes(write, 200, format, tmp_path)
    assert large < 64 * small


def test_the_total_weight_is_one_call(tmp_path):
    """Final weights are part of it, and no state is guessed."""
    path = tmp_path / "two_ends.fst"
    path.write_text("5 3 a a 0.5\n5 8 b b 1\n3 8 c c 0.25\n3 0.125\n8 2\n")
    (forest,) = read_forests(path)
    total = math.exp(-0.625) + math.exp(-3) + math.exp(-2.75)
    assert hypergraph.log_z(forest.graph, forest.weights) == pytest.approx(math.log(total), rel=1e-14)
    assert inside(forest.graph, forest.weights, Log())[forest.graph.root] == pytest.approx(math.log(total), rel=1e-14)
