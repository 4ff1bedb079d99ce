"""Forests: what files say becomes arrays, and arrays become files; conversion keeps derivations and words."""

from __future__ import annotations

import itertools
import math
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from forest_comparison import content
from plait import _core
from plait.errors import ConfigError, DataError
from plait.hypergraph import (
    FORMATS,
    Distribution,
    Forest,
    Hypergraph,
    SparseFeatures,
    kbest,
    prune,
    read_forests,
    restrict,
    write_forests,
)
from plait.hypergraph.forest_formats import format_of_content


def read(tmp_path, text, format=None, name="file", **options):
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return read_forests(path, format, **options)


def strings(forest):
    """The words of each derivation, sorted; for forests of few derivations."""
    count = forest.derivations
    found = kbest(forest.graph, np.zeros(forest.edges), count)
    assert len(found) == count
    return sorted(" ".join(forest.words[word] for word in words) for words in forest.yields.of_all(forest.graph, found))


CDEC = (
    '{"rules":[7,"[X] ||| la ||| the",9,"[X] ||| [X,1] maison ||| house [1]"],"features":["f","g"],'
    '"edges":[{"tail":[],"spans":[0,1,-1,-1],"feats":[0,-0.5],"rule":7},{"tail":[],"feats":["h",2],"rule":7}],'
    '"node":{"in_edges":[0,1],"cat":"X"},"edges":[{"tail":[0],"feats":[],"rule":9}],"node":{"in_edges":[2],"cat":"S"}}'
)


def test_repeated_keys_are_read_in_order(tmp_path):
    (forest,) = read(tmp_path, CDEC)
    assert (forest.nodes, forest.edges, forest.graph.root, forest.derivations) == (2, 3, 1, 2)
    assert forest.features.names == ("f", "g", "h")
    assert [forest.yield_of(edge) for edge in range(3)] == [("the",), ("the",), ("house", 0)]
    assert forest.node_texts("category") == ["X", "S"]
    assert forest.edge_texts("rule")[2] == "[X] ||| [X,1] maison ||| house [1]"
    assert forest.edge_columns["spans"].tolist()[0] == [0, 1, -1, -1]
    assert forest.scores([1.0, 0.0, 10.0]).tolist() == [-0.5, 20.0, 0.0]
    assert forest.scores({"h": 1.0}).tolist() == [0.0, 2.0, 0.0]


def test_a_file_of_several_forests_shares_words_and_names(tmp_path):
    first, second = read(tmp_path, CDEC + "\n" + CDEC.replace("house", "home"))
    assert first.words is second.words
    assert first.features.names is second.features.names
    assert strings(first) == ["house the", "house the"]
    assert strings(second) == ["home the", "home the"]


TRAVATAR = (
    '{"nodes": [{"id": 0, "sym": "S", "span": [0, 2]}, {"id": 1, "sym": "chats", "span": [0, 1]}, '
    '{"id": 2, "sym": "noirs", "span": [1, 2]}], "edges": [{"id": 0, "head": 0, "tails": [1, 2], '
    '"features": {"f": 2.5}, "score": -0.5}, {"id": 1, "head": 0, "tails": [1, 2], '
    '"trg": [{"label": -1, "words": [-2, "and", -1]}]}], "words": ["chats", "noirs"]}\n'
)
EGRET = (
    "sentence 1 :\nstory of man\nNN[0,0] => story ||| -0.5\nNP^g[0,0] => NN[0,0] ||| -1.5\nIN[1,1] => of ||| -2\n"
    "PP[0,1] => NN[0,0] IN[1,1] ||| -3\nPP[0,1] => NP^g[0,0] of ||| -4\n\n"
)


def test_forests_of_parsers(tmp_path):
    (forest,) = read(tmp_path, TRAVATAR)
    assert (forest.nodes, forest.edges, forest.graph.root, forest.axioms.tolist()) == (3, 4, 0, [2, 3])
    assert strings(forest) == ["chats noirs", "noirs and chats"]
    assert forest.weights.tolist() == [-0.5, 0.0, 0.0, 0.0]
    assert forest.scores({"f": 2.0}).tolist() == [5.0, 0.0, 0.0, 0.0]
    (parses,) = read(tmp_path, EGRET)
    assert strings(parses) == ["story of", "story of"]
    assert parses.node_texts("category") == ["NN", "NP^g", "IN", "PP"]
    assert parses.node_columns["span"].tolist() == [[0, 1], [0, 1], [1, 2], [0, 2]]
    assert parses.weights.tolist() == [-0.5, -1.5, -2, -3, -4]
    for format, text, whole in (("travatar", TRAVATAR, forest), ("egret", EGRET, parses)):
        write_forests(tmp_path / "copy", whole, format=format, force=True)
        assert (tmp_path / "copy").read_text() == text
        assert content(read_forests(tmp_path / "copy")[0]) == content(whole)
    write_forests(tmp_path / "copy", parses, format="travatar", force=True)
    assert strings(read_forests(tmp_path / "copy")[0]) == strings(parses)


LATTICE = "((('a',-1,1),('b',-2,2),),(('c',-3,1),('*EPS*',-4,1),),)\n"


@pytest.mark.parametrize("format", ["cdec", "moses", "lazy", "plait", "plf"])
def test_a_lattice_keeps_its_strings_in_every_format_of_features(format, tmp_path):
    (lattice,) = read(tmp_path, LATTICE)
    assert strings(lattice) == ["a", "a c", "b"]
    write_forests(tmp_path / "copy", lattice, format=format)
    (copy,) = read_forests(tmp_path / "copy", format)
    assert strings(copy) == strings(lattice)
    for forest in (lattice, copy):
        z = Distribution(forest.graph, forest.scores([1.0])).log_z
        assert z == pytest.approx(math.log(math.exp(-4) + math.exp(-5) + math.exp(-2)), abs=1e-12)


def test_a_search_graph_is_turned_around_into_a_lattice(tmp_path):
    (graph,) = read(tmp_path, "3 4\n1\n<s> |||\n2\n[0] big red ||| f=1\n[0] tall ||| f=2\n1\n[1] house </s> ||| f=4\n")
    assert strings(graph) == ["<s> big red house </s>", "<s> tall house </s>"]
    weighted = graph.with_weights(-graph.scores([1.0]))
    write_forests(tmp_path / "lattice.fst", weighted)
    (lattice,) = read_forests(tmp_path / "lattice.fst")
    assert strings(lattice) == strings(graph)
    assert Distribution(lattice.graph, lattice.weights).log_z == pytest.approx(
        Distribution(graph.graph, weighted.weights).log_z, abs=1e-12
    )


def test_the_first_line_of_a_transducer_names_the_start(tmp_path):
    (forest,) = read(tmp_path, "5 6 a x 0.5\n5 7 b <eps>\n6 7 c y Infinity\n7 0.25\n", "openfst")
    assert (forest.nodes, forest.graph.root, forest.axioms.tolist()) == (3, 0, [3])
    assert forest.weights.tolist() == [-0.5, 0.0, -math.inf, -0.25]
    assert [forest.yield_of(edge) for edge in range(4)] == [("x", 0), (0,), ("y", 0), ()]
    assert forest.edge_texts("input") == ["a", "b", "c", None]


def test_a_cycle_has_no_end_of_derivations(tmp_path):
    (forest,) = read(tmp_path, "0 0 1 1 0.7\n0 1 2 2 0.3\n1 0.1\n", "openfst")
    assert not forest.graph.is_acyclic
    assert forest.derivations == math.inf
    assert forest.derivations_text == "infinity"
    write_forests(tmp_path / "copy.fst", forest)
    assert content(read_forests(tmp_path / "copy.fst")[0]) == content(forest)


def test_words_on_nodes_and_other_bases(tmp_path):
    text = "base=10\nN=3 L=2\nI=0 W=<s>\nI=1 W=a\nI=2 W=!NULL\nJ=0 S=0 E=1 a=-1\nJ=1 S=1 E=2 a=-2\n"
    (forest,) = read(tmp_path, text)
    assert strings(forest) == ["<s> a"]
    assert forest.scores([1.0])[:2] == pytest.approx([-math.log(10), -2 * math.log(10)])
    (likelihoods,) = read(tmp_path, "base=0\nN=2 L=1\nI=0\nI=1\nJ=0 S=0 E=1 W=a a=0.25\n")
    assert likelihoods.scores([1.0])[0] == math.log(0.25)


@pytest.mark.parametrize("sign", ["costs", "log-probabilities"])
def test_stored_best_weights_of_joshua_are_weights_once_the_sign_is_known(sign, tmp_path):
    factor = -1.0 if sign == "costs" else 1.0
    text = (
        "#SENT: 0 3 3 4\n#I 1 0 1 [X] 2 ST a -S- a\n{:.4f} 0 8\n0.5000 1.0000\n{:.4f} 0 9\n0.7500 2.0000\n"
        "#I 2 0 2 [X] 1 ST b\n{:.4f} 1 1 7\n1.0000 0.0000\n#I 3 0 2 [S] 1 ST b\n{:.4f} 1 2 -1\n0.0000 0.0000\n"
    ).format(*(factor * ln for ln in (-1.5, -2.75, -2.5, -2.5)))
    (bare,) = read(tmp_path, text, name="x.items")
    assert bare.weights is None
    (forest,) = read(tmp_path, text, name="x.items", sign=sign)
    assert forest.weights.tolist() == [-1.5, -2.75, -1.0, 0.0]
    assert forest.node_texts("category") == ["X", "X", "S"]
    assert forest.edge_columns["rule_number"].ravel().tolist() == [8, 9, 7, -1]
    weights = [-factor, -factor]
    (checked,) = read(tmp_path, text, name="x.items", sign=sign, model_weights=weights)
    assert content(checked) == content(forest)
    other = "costs" if factor == 1 else "log-probabilities"
    with pytest.raises(DataError, match=r"x\.items:9:1.*check the weights and the sign"):
        read(tmp_path, text, name="x.items", sign=other, model_weights=weights)
    with pytest.raises(ConfigError, match="sign"):
        read(tmp_path, text, name="x.items", model_weights=[1.0, 1.0])


def test_forests_without_stored_weights_become_joshuas(tmp_path):
    (forest,) = read(tmp_path, CDEC)
    weighted = forest.with_weights(forest.scores([1.0, 1.0, -1.0]))
    for sign in ("costs", "log-probabilities"):
        write_forests(tmp_path / "x.items.gz", weighted, sign=sign, force=True)
        assert (tmp_path / "x.rules.gz").exists()
        (again,) = read_forests(tmp_path / "x.items.gz", sign=sign)
        assert again.weights == pytest.approx(weighted.weights, abs=1e-12)
        assert strings(again) == strings(forest)
        assert again.features.names == ("value_0", "value_1", "value_2")


def test_lists_of_translations(tmp_path):
    text = "0||| a b  ||| d: 0 -1.5 lm: -3 ||| -14.5\n0 ||| a c ||| d: 1 2 lm: 4 ||| -15 ||| 0-0 ||| x\n"
    text += "7 ||| z ||| ||| 0\n"
    first, second = read(tmp_path, text)
    assert first.properties["id"] == "0"
    assert first.features.names == ("d_1", "d_2", "lm")
    assert first.edge_texts("more") == [None, "0-0 ||| x"]
    assert second.derivations == 1
    write_forests(tmp_path / "copy", [first, second], format="nbest")
    assert (tmp_path / "copy").read_text().splitlines()[1] == "0 ||| a c ||| d: 1 2 lm: 4 ||| -15 ||| 0-0 ||| x"
    assert list(map(content, read_forests(tmp_path / "copy"))) == [content(first), content(second)]


def test_a_list_does_not_mix_the_translations_of_two_sentences(tmp_path):
    # The second sentence has no id that is one word, and its number is the id of the first.
    first, second = read(tmp_path, "1 ||| a ||| ||| 0\n\r2 ||| b ||| ||| 0\n")
    with pytest.raises(DataError, match=r"sentence 1.*give each its own.*the id 1 again"):
        write_forests(tmp_path / "list", [first, second], format="nbest")
    assert not (tmp_path / "list").exists()


def test_spaces_that_are_no_separators_are_part_of_names(tmp_path):
    (forest,) = read(tmp_path, "sentence \u00a05 :\n\rthe cat\nNP[0,1] => the cat ||| -1\n\n")
    assert forest.properties["id"] == "\u00a05"
    write_forests(tmp_path / "once", [forest], format="egret")
    write_forests(tmp_path / "twice", read_forests(tmp_path / "once"), format="egret")
    assert (tmp_path / "once").read_bytes() == (tmp_path / "twice").read_bytes()


def test_weights_become_a_feature_and_back(tmp_path):
    (forest, _) = read(tmp_path, "0 ||| a ||| f= 1 ||| -2\n0 ||| b ||| g= 3 ||| -4\n1 ||| a ||| f= 1 ||| 0\n")
    scored = forest.with_weights_as("score")
    assert scored.weights is None
    assert content(scored)["features"] == [[("f", 1.0), ("score", -2.0)], [("g", 3.0), ("score", -4.0)]]
    assert scored.scores({"score": 1.0}).tolist() == [-2.0, -4.0]
    with pytest.raises(ConfigError, match="no feature"):
        forest.with_weights_as("f")
    with pytest.raises(ConfigError, match="no weights"):
        scored.with_weights_as("again")
    with pytest.raises(DataError, match="finite"):
        forest.with_weights([-math.inf, 0.0]).with_weights_as("score")


def test_a_part_of_a_forest_keeps_what_belongs_to_it(tmp_path):
    (forest,) = read(tmp_path, CDEC)
    small = forest.part(restrict(forest.graph, np.array([False, True, True])))
    assert content(small)["edges"] == [(0, ()), (1, (0,))]
    assert content(small)["features"] == [[("h", 2.0)], []]
    assert small.edge_texts("rule") == forest.edge_texts("rule")[1:]
    assert strings(small) == ["house the"]
    (lattice,) = read(tmp_path, LATTICE)
    best = lattice.part(prune(lattice.graph, lattice.scores([1.0]), beam=0.5))
    assert strings(best) == ["b"]
    assert best.edges == 2
    assert best.axioms.tolist() == [1]


def test_forests_of_several_files_are_written_to_one(tmp_path):
    (first,) = read(tmp_path, CDEC)
    (second,) = read(tmp_path, LATTICE)
    for format in ("plait", "cdec"):
        write_forests(tmp_path / format, [first, second], format=format)
        again = read_forests(tmp_path / format, format)
        assert again[0].words is again[1].words
        assert [strings(forest) for forest in again] == [strings(first), strings(second)]
        assert content(again[0]) == content(first)


@pytest.mark.parametrize(
    ("start", "name", "format"),
    [
        ('{"rules":[]}', "x", "cdec"),
        ("# target ||| features ||| source-covered\n", "x", "moses"),
        ("2 1\n1\na |||\n", "x", "moses"),
        ("1 0\n0\n", "x.hg", "moses"),
        ("1 0\n0\n", "x.fst.gz", "openfst"),
        ("((('a',1),),)", "x", "plf"),
        ("()\n", "x", "plf"),
        ("#SENT: 0 1 1 1\n", "x", "joshua"),
        ("# comment\nVERSION=1.0\nN=1 L=0\n", "x", "slf"),
        ("0 1 a b 0.5\n1\n", "x", "openfst"),
        ("0||| a ||| f: 1 ||| 2\n", "x", "nbest"),
        ("", "x.plf", "plf"),
        ('{"nodes": [{"id": 0', "x.json", "travatar"),
        ("sentence 1 :\na\n", "x", "egret"),
    ],
)
def test_the_start_of_a_file_tells_its_format(start, name, format):
    assert format_of_content(start.encode(), name) == format


@pytest.mark.parametrize(("start", "what"), [("1 0\n0\n", "may be moses or openfst"), ("hello\n", "no format")])
def test_a_format_that_cannot_be_told_is_asked_for(start, what):
    with pytest.raises(DataError, match=what) as caught:
        format_of_content(start.encode(), "x.txt")
    assert "one of plait, cdec" in str(caught.value)


def test_an_empty_file_is_said_to_be_empty():
    with pytest.raises(DataError, match=r"x\.txt: the file is empty; give one with forests"):
        format_of_content(b"", "x.txt")


def test_unknown_names_are_refused(tmp_path):
    (forest,) = read(tmp_path, CDEC)
    with pytest.raises(ConfigError, match="format"):
        read_forests(tmp_path / "file", "xml")
    with pytest.raises(ConfigError, match="tells none"):
        write_forests(tmp_path / "x.xml", forest)
    with pytest.raises(ConfigError, match="format"):
        write_forests(tmp_path / "x", forest, format="xml")
    with pytest.raises(ConfigError, match="for features of the forest"):
        forest.scores({"nothing": 1.0})
    with pytest.raises(ConfigError, match="at most one"):
        forest.scores([1.0] * 4)


@pytest.mark.parametrize(
    ("change", "what"),
    [
        ({"items": np.array([9], np.int32), "item_starts": np.array([0, 1, 1], np.uint64)}, "below 2"),
        ({"items": np.array([-1], np.int32), "item_starts": np.array([0, 1, 1], np.uint64)}, "tail nodes"),
        ({"item_starts": np.array([0, 0], np.uint64)}, "starts of yields"),
        ({"weights": np.zeros(3)}, "weights"),
        ({"weights": np.array([np.nan, 0])}, "below infinity"),
        ({"axioms": np.array([5], np.uint32)}, "below 2"),
        ({"axioms": np.array([1, 0], np.uint32)}, "rise"),
        ({"edge_columns": {"x": np.zeros(3, np.uint32)}}, "2 rows"),
        ({"node_columns": {"x": np.zeros(2, np.uint32)}}, "below 0"),
    ],
)
def test_arrays_that_do_not_fit_are_refused(change, what):
    graph = Hypergraph.from_edges([(0, []), (1, [0])])
    none = np.zeros(3, np.uint64)
    parts = {
        "graph": graph,
        "features": SparseFeatures(none, np.empty(0, np.uint32), np.empty(0), ()),
        "words": ("a", "b"),
        "item_starts": none,
        "items": np.empty(0, np.int32),
    }
    assert Forest(**parts).derivations == 1
    with pytest.raises(DataError, match=what):
        Forest(**{**parts, **change})


def test_a_drawing_has_every_node_and_edge(tmp_path):
    (forest,) = read(tmp_path, CDEC)
    dot = forest.to_dot()
    assert dot.count("shape=box") == 3
    assert 'label="house [1]"' in dot
    assert 'n1 [label="S 1" peripheries=2];' in dot
    assert dot.startswith("digraph forest {")
    with pytest.raises(ConfigError, match="3 edges"):
        forest.to_dot(max_edges=2)
    assert "<td>2</td>" in forest._repr_html_()


@st.composite
def forests(draw):
    """Any small forest that formats of forests can hold: tails before heads, the root last."""
    nodes = draw(st.integers(1, 5))
    words = ("a", "ß", "[1", "|x|", "中")
    edges = []
    for head in range(nodes):
        count = draw(st.integers(1, 3))
        for _ in range(count):
            tail = draw(st.lists(st.integers(0, head - 1), max_size=3)) if head else []
            order = draw(st.permutations(range(len(tail))))
            items = [-1 - k for k in order]
            for _ in range(draw(st.integers(0, 2))):
                items.insert(draw(st.integers(0, len(items))), draw(st.integers(0, len(words) - 1)))
            features = draw(
                st.dictionaries(st.integers(0, 2), st.floats(allow_nan=False, allow_infinity=False, width=64))
            )
            edges.append((head, tail, items, features))
    graph = Hypergraph.from_edges([(head, tail) for head, tail, _, _ in edges], nodes=nodes, root=nodes - 1)
    rows = [list(row.items()) for *_, row in edges]
    starts = np.cumsum([0, *map(len, rows)], dtype=np.uint64)
    flat = list(itertools.chain.from_iterable(rows))
    return Forest(
        graph=graph,
        features=SparseFeatures(
            starts,
            np.array([id_ for id_, _ in flat], np.uint32),
            np.array([value for _, value in flat], np.float64),
            ("f", "g=h", "LM0"),
        ),
        words=words,
        item_starts=np.cumsum([0, *(len(items) for _, _, items, _ in edges)], dtype=np.uint64),
        items=np.array([item for _, _, items, _ in edges for item in items], np.int32),
    )


@given(forest=forests(), format=st.sampled_from(["plait", "cdec", "lazy", "moses"]))
def test_any_forest_comes_back(forest, format, tmp_path_factory):
    path = tmp_path_factory.mktemp("forest") / "forest"
    write_forests(path, forest, format=format)
    (again,) = read_forests(path, format)
    found, expected = content(again), content(forest)
    assert found["edges"] == expected["edges"] or format in ("lazy", "moses")
    assert found["features"] == expected["features"]
    assert found["yields"] == expected["yields"] or format in ("lazy", "moses")
    assert (again.nodes, again.derivations) == (forest.nodes, forest.derivations)
    if forest.derivations <= 50:
        assert strings(again) == strings(forest)


def test_all_formats_are_named_in_messages():
    assert set(FORMATS) == {*_core_formats(), "plait"}


def _core_formats():
    """The names in the message of the core."""
    with pytest.raises(ConfigError) as caught:
        _core.ForestReader("none")
    return re.search(r"one of ([\w, ]+);", str(caught.value))[1].split(", ")
