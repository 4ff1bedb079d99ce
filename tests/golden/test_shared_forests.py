"""Real forests of other programs, where the shared files are at hand."""

from __future__ import annotations

import gzip
import json
import math
import os
import re
from pathlib import Path

import numpy as np
import pytest

from forest_comparison import content
from plait.errors import TextError
from plait.hypergraph import Distribution, read_forests, write_forests
from plait.hypergraph.quantities import grad_entropy, grad_risk

ROOT = Path(os.environ.get("PLAIT_DATA", ".")) / "hyper"
FORMATS = ROOT / "formats"
pytestmark = [
    pytest.mark.data,
    pytest.mark.skipif(not ROOT.is_dir() or "PLAIT_DATA" not in os.environ, reason="PLAIT_DATA names no folder"),
]

CDEC = {
    "hg_test.hg": ("hg_test.hg.json", 0),
    "hg_test.hg_balanced": ("hg_test.hg_balanced.json", 0),
    "hg_test.hg_int": ("hg_test.hg_int.json", 0),
    "hg_test.lattice": ("hg_test.lattice.json", 1),
    "hg_test.tiny": ("hg_test.tiny.json", 0),
    "hg_test.tiny_lattice": ("hg_test.tiny_lattice.json", 1),
    "perro": ("perro.json.gz", 0),
    "small": ("small.json.gz", 0),
    "urdu": ("urdu.json.gz", 0),
    "zh0": ("zh0.json.gz", 0),
    "zh1": ("zh1.json.gz", 0),
}
JOSHUA_WEIGHTS = (1.0, 1.066893, 0.752247, 0.589793, -2.844814)


@pytest.mark.parametrize("name", CDEC)
def test_forests_of_cdec_are_those_of_their_plain_copies(name):
    file, axioms = CDEC[name]
    (forest,) = read_forests(ROOT / "cdec-json" / file)
    with gzip.open(ROOT / "cdec-json" / f"{name}.norm.json.gz") as stream:
        plain = json.load(stream)
    assert forest.nodes == len(plain["nodes"])
    assert forest.graph.root == plain["goal"]
    assert forest.edges == len(plain["edges"]) + axioms
    assert len(forest.axioms) == axioms
    assert forest.derivations_text == plain["derivations"]
    assert forest.derivations == int(plain["derivations"])
    rules = forest.edge_texts("rule")
    found = content(forest)
    for edge, expected in enumerate(plain["edges"]):
        assert found["edges"][edge] == (expected["head"], tuple(expected["tail"]))
        assert dict(found["features"][edge]) == expected["feats"]
        assert rules[edge] == plain["rules"][str(expected["rule"])]
    assert forest.node_texts("category") == [node["cat"] for node in plain["nodes"]]


def test_the_number_of_derivations_of_the_large_forest_is_exact():
    (forest,) = read_forests(ROOT / "cdec-json" / "urdu.json.gz")
    assert (forest.nodes, forest.edges) == (3450, 23174)
    assert len(forest.derivations_text) == 23
    assert forest.derivations_text.startswith("80490")


def test_a_node_without_edges_counts_as_given():
    (forest,) = read_forests(ROOT / "cdec-json" / "hg_test.tiny_lattice.json")
    distribution = Distribution(forest.graph, forest.scores({"f1": 1.0}))
    assert math.exp(distribution.log_z) == pytest.approx(1.7934048, abs=1e-7)
    np.testing.assert_allclose(np.exp(distribution.outside), [1.7934048, 1.3114071, 1], atol=1e-7)


def test_the_inside_values_of_cdecs_own_test():
    (forest,) = read_forests(ROOT / "cdec-json" / "hg_test.hg.json")
    distribution = Distribution(forest.graph, forest.scores({"f1": 0.4, "f2": 0.8}))
    expected = [0, -0.4, -0.8, -0.96, -1.562512, -1.786168]
    np.testing.assert_allclose(distribution.inside, expected, atol=2e-6)
    np.testing.assert_allclose(
        distribution.outside, [-1.786168, -1.386168, -0.986168, -0.826168, -0.223656, 0], atol=2e-6
    )
    expectations = dict(zip(forest.features.names, distribution.expectations(forest.features), strict=True))
    assert expectations["f1"] == pytest.approx(-2.5439764, abs=1e-6)
    assert expectations["f2"] == pytest.approx(-2.6357866, abs=1e-6)


def copies():
    """Every example file with the format that it has."""
    files = [(f"cdec_json/{name}", "cdec") for name in ("0.json.gz", *(n for n in CDEC if n.startswith("hg_")))]
    files += [
        ("cdec_json/perro.json.gz", "cdec"),
        ("cdec_json/small.json.gz", "cdec"),
        ("cdec_json/urdu.json.gz", "cdec"),
    ]
    files += [("moses_hg/0.constructed.hg", "moses"), ("moses_hg/1.constructed.hg", "moses")]
    files += [
        ("../moses-mert.hgdecode-denseonly/data/hg.gz", "moses"),
        ("../moses-mert.hgdecode-sparse/data/hg.gz", "moses"),
    ]
    files += [("lazy_target_hg/0.hg", "lazy")]
    files += [("joshua_disk_hg/example.nbest.javalm.hgmert.1.withMatches.hg.items", "joshua")]
    files += [("travatar_json/test-tree-io.json", "travatar"), ("egret/test-tree-io.egret", "egret")]
    files += [("plf/cdec_system_test_lattice.txt", "plf"), ("plf/compound_split_de_first3.plf", "plf")]
    files += [("htk_slf/theanolm_lattice.slf", "slf")]
    files += [(f"openfst_text/{name}.txt", "openfst") for name in ("acyclic", "cyclic", "symbols")]
    files += [
        (f"moses_nbest/{name}.nbest", "nbest")
        for name in ("mert_example_first300", "promix_test", "run1_new_style_first200")
    ]
    return files


@pytest.mark.parametrize(("name", "format"), copies())
def test_what_is_written_is_read_as_it_was(name, format, tmp_path):
    forests = read_forests(FORMATS / name)
    for target in {format, "plait"}:
        copy = tmp_path / f"copy.{target}.items.gz"
        write_forests(copy, forests, format=target)
        again = read_forests(copy, target)
        assert list(map(content, again)) == list(map(content, forests))


@pytest.mark.parametrize(
    ("name", "nodes", "edges", "axioms", "derivations"),
    [
        ("moses_hg/0.constructed.hg", 7, 13, 0, None),
        ("moses_hg/1.constructed.hg", 5, 7, 0, 4),
        ("lazy_target_hg/0.hg", 7, 13, 0, None),
        ("htk_slf/theanolm_lattice.slf", 24, 40, 1, 32),
        ("travatar_json/test-tree-io.json", 10, 12, 2, None),
        ("openfst_text/acyclic.txt", 3, 5, 1, 4),
        ("openfst_text/cyclic.txt", 2, 4, 1, math.inf),
        ("../moses-mert.hgdecode-denseonly/data/hg.gz", 2239, 5342, 0, None),
        ("../moses-mert.hgdecode-sparse/data/hg.gz", 1248, 4032, 0, None),
    ],
)
def test_sizes(name, nodes, edges, axioms, derivations):
    (forest,) = read_forests(FORMATS / name)
    assert (forest.nodes, forest.edges, len(forest.axioms)) == (nodes, edges, axioms)
    if derivations is not None:
        assert forest.derivations == derivations


def moses_weights(folder):
    """Weights of dense and sparse features, by their names in the hypergraph."""
    weights = {}
    groups = {}
    for line in (folder / "data" / "dense.weights").read_text().split("\n"):
        if line.strip():
            name, value = line.split("= ")
            groups.setdefault(name, []).append(float(value))
    for name, values in groups.items():
        weights |= {f"{name}_{n}" if len(values) > 1 else name: value for n, value in enumerate(values, 1)}
    sparse = folder / "data" / "sparse.weights"
    for line in sparse.read_text().splitlines() if sparse.exists() else []:
        name, value = line.rsplit(" ", 1)
        weights[name] = float(value)
    return weights


@pytest.mark.parametrize("name", ["denseonly", "sparse"])
def test_the_best_path_of_moses_is_the_expected_one(name):
    folder = ROOT / f"moses-mert.hgdecode-{name}"
    (forest,) = read_forests(folder / "data" / "hg.gz")
    weights = moses_weights(folder)
    scores = forest.scores({name: weights.get(name, 0.0) for name in forest.features.names})
    _, chosen = viterbi(forest.graph, scores)
    truth = dict(
        line.split("=", 1) for line in (folder / "truth" / "results.txt").read_text().splitlines() if "=" in line
    )
    words, edges = spelled(forest, chosen, forest.graph.root)
    assert " ".join(words) == truth["STDOUT_1"].strip()
    sums = np.zeros(len(forest.features.names))
    starts = forest.features.starts
    for edge in edges:
        row = slice(int(starts[edge]), int(starts[edge + 1]))
        np.add.at(sums, forest.features.ids[row], forest.features.values[row])
    found = dict(zip(forest.features.names, sums, strict=True))
    for line in truth.values():
        pair = re.fullmatch(r"(\S+)=(-?[\d.e+-]+)", line)
        if pair and pair[1] in found:
            assert found[pair[1]] == pytest.approx(float(pair[2]), rel=1e-4, abs=1e-4)


def viterbi(graph, scores):
    """The best weight of each node and the edge that it comes by, by the plainest loop."""
    best, chosen = np.full(graph.nodes, -np.inf), [None] * graph.nodes
    into = [[] for _ in range(graph.nodes)]
    for edge, head in enumerate(graph.heads.tolist()):
        into[head].append(edge)
    for node in graph.node_order().tolist():
        for edge in into[node]:
            weight = scores[edge] + sum(best[tail] for tail in graph.tail(edge))
            if weight > best[node]:
                best[node], chosen[node] = weight, edge
    return best, chosen


def spelled(forest, chosen, node):
    """The words of the best derivation, and its edges; recursion, for a search graph of one sentence."""
    edge = chosen[node]
    words, edges = [], [edge]
    tail = forest.graph.tail(edge)
    for item in forest.yield_of(edge):
        if isinstance(item, str):
            words.append(item)
        else:
            below, more = spelled(forest, chosen, tail[item])
            words += below
            edges += more
    return words, edges


@pytest.fixture(scope="module")
def joshua():
    return FORMATS / "joshua_disk_hg" / "example.nbest.javalm.hgmert.1.withMatches.hg.items"


def test_forests_of_joshua_have_the_quantities_of_their_reference(joshua):
    reference = [
        (283, 565, 9.158942, -125.2147905850, 8.6198383748, 0.6418601847),
        (2820, 15212, 44.620571, -152.2173589645, 39.9986534186, 0.7123248736),
        (834, 3488, 22.813847, -134.6561906058, 21.3932921014, 0.9108175952),
        (917, 3219, 21.330851, -138.4004710351, 18.3766402117, 0.1698679233),
        (1672, 8290, 28.918712, -51.6629130259, 25.4820228411, 0.0849149019),
    ]
    forests = read_forests(joshua)
    assert [forest.properties["id"] for forest in forests] == ["0", "1", "2", "3", "4"]
    for forest, (nodes, edges, logarithm, log_z, entropy, risk) in zip(forests, reference, strict=True):
        assert (forest.nodes, forest.edges) == (nodes, edges)
        assert math.log(forest.derivations) == pytest.approx(logarithm, abs=1e-6)
        distribution = Distribution(forest.graph, -forest.scores(JOSHUA_WEIGHTS))
        assert distribution.log_z == pytest.approx(log_z, abs=1e-9)
        assert distribution.entropy == pytest.approx(entropy, abs=1e-8)
        assert distribution.expectation(forest.scores([0, 0, 0, 0, 0, 1])) == pytest.approx(risk, abs=1e-9)


def test_gradients_of_the_first_forest_of_joshua(joshua):
    forest = read_forests(joshua)[0]
    scores = -forest.scores(JOSHUA_WEIGHTS)
    loss = forest.scores([0, 0, 0, 0, 0, 1])
    of_risk = -grad_risk(forest.graph, scores, loss, forest.features)[:5]
    of_entropy = -grad_entropy(forest.graph, scores, forest.features)[:5]
    np.testing.assert_allclose(of_risk, [-0.00072165, 0.00249034, -0.00299659, -0.01042319, -0.00201433], atol=1e-8)
    np.testing.assert_allclose(of_entropy, [0.05537658, -0.95890380, 0.00042912, 0.01415156, 0.00348142], atol=1e-8)


def test_stored_best_weights_of_joshua_are_costs_of_the_model(joshua):
    forests = read_forests(joshua, sign="costs", model_weights=JOSHUA_WEIGHTS)
    for forest in forests:
        best, _ = viterbi(forest.graph, forest.weights)
        stored = -min(
            float(text)
            for text, head in zip(forest.edge_texts("best"), forest.graph.heads, strict=True)
            if head == forest.graph.root
        )
        assert best[forest.graph.root] == pytest.approx(stored, abs=1e-9)
    with pytest.raises(TextError, match="check the weights and the sign"):
        read_forests(joshua, sign="log-probabilities", model_weights=JOSHUA_WEIGHTS)


def test_the_lattice_of_the_speech_recogniser():
    (lattice,) = read_forests(FORMATS / "htk_slf" / "theanolm_lattice.slf")
    assert lattice.properties["id"] == "utterance 123"
    distribution = Distribution(lattice.graph, lattice.scores({"acoustic": 1.0, "language": 1.0}))
    assert distribution.log_z == pytest.approx(-20218.249994, abs=1e-6)


def test_the_derivations_of_plf_lattices():
    first, second = read_forests(FORMATS / "plf" / "cdec_system_test_lattice.txt")
    assert (first.nodes, first.edges, first.derivations) == (3, 5, 3)
    assert (second.nodes, second.edges, second.derivations) == (2, 4, 3)
    assert second.yield_of(1) == ("D'", 0)
    assert content(second)["features"] == [
        [("LatticeCost_0", 0.5)],
        [("LatticeCost_0", 0.1), ("UsesDPrime", 1.0)],
        [],
        [],
    ]
    compounds = read_forests(FORMATS / "plf" / "compound_split_de_first3.plf")
    assert [forest.derivations for forest in compounds] == [1, 16, 8]


def test_symbols_of_openfst():
    table = FORMATS / "openfst_text" / "syms.txt"
    (named,) = read_forests(FORMATS / "openfst_text" / "symbols.txt", input_symbols=table, output_symbols=table)
    assert [named.yield_of(edge) for edge in range(4)] == [("a", 0), ("b", 0), ("c", 0), (0,)]
    assert named.weights.tolist() == [-0.5, -1.5, 0.0, -math.inf, 0.0]
    (numbered,) = read_forests(FORMATS / "openfst_text" / "acyclic.txt", output_symbols=table)
    assert [numbered.yield_of(edge) for edge in range(4)] == [("a", 0), ("b", 0), ("c", 0), (0,)]


def test_forests_of_parsers():
    first, second = read_forests(FORMATS / "egret" / "test-tree-io.egret")
    assert (first.nodes, first.edges, first.derivations) == (11, 13, 3)
    assert (first.properties["id"], first.properties["words"]) == ("1", "story of man")
    assert second.derivations == 0
    (forest,) = read_forests(FORMATS / "travatar_json" / "test-tree-io.json")
    assert forest.graph.root == 0
    assert forest.node_texts("category")[6] == "running"
    assert forest.weights[0] == 1.5


def test_lists_of_moses_in_both_styles():
    old = read_forests(FORMATS / "moses_nbest" / "mert_example_first300.nbest")
    assert sum(forest.edges for forest in old) == 300
    assert old[0].properties["id"] == "0"
    first = dict(content(old[0])["features"][0])
    assert first["d_2"] == -7.66174
    assert first["w"] == -9
    assert old[0].weights[0] == -14.6262
    assert all(forest.derivations == forest.edges for forest in old)
