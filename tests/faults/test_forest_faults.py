"""Bad files of forests: cut short, nested without end, dangling, too large for what they say; errors have a place."""

from __future__ import annotations

import time

import numpy as np
import pytest

from plait.errors import ConfigError, DataError, ModelFileError, PlaitError, ResourceError, TextError
from plait.hypergraph import Forest, Hypergraph, SparseFeatures, read_forests, write_forests
from plait.models import load, save

CDEC = (
    '{"rules":[1,"[X] ||| le ||| the",2,"[X] ||| a [X,1] ||| [1] of"],"features":["f","g"],'
    '"edges":[{"tail":[],"spans":[0,1,-1,-1],"feats":[0,-0.5],"rule":1}],"node":{"in_edges":[0],"cat":"X"},'
    '"edges":[{"tail":[0],"feats":[1,2],"rule":2},{"tail":[0],"feats":["h",3],"rule":2}],'
    '"node":{"in_edges":[1,2],"cat":"S"}}'
)
MOSES = (
    "# target ||| features ||| source-covered\n2 3\n# node 0\n1\n<s> |||  ||| 0\n2\n[0] a ||| f=1.5 ||| 1\n"
    "[0] b ||| ||| 1\n"
)
JOSHUA = (
    "#SENT: 0 2 2 3\n#I 1 0 1 [X] 2 ST a -S- a\n1.5000 0 8\n0.5000 1.0000\n2.5000 0 0 [X] word\n0.5000 1.0000\n"
    "#I 2 0 2 [S] 1 ST a\n1.5000 1 1 -1\n0.0000 0.0000\n"
)
SLF = "VERSION=1.0\nN=2 L=2\nI=0 t=0.0\nI=1 t=0.5\nJ=0 S=0 E=1 W=the a=-1.5\nJ=1 S=0 E=1 W=!NULL a=-2.5\n"
PLF = "((('A',0.5,1),('AB',{'x':0.25},2),),(('B\\'',1,1),),)\n"
OPENFST = "0\t1\ta\tb\t0.5\n1\t2\t<eps>\tc\n2\t1.5\n"
NBEST = "0 ||| a b ||| LM0= -1.5 TM0= 1 2 ||| -3.5\n0 ||| a c ||| LM0= -1.5 TM0= 1 2 ||| -4.5\n"
TRAVATAR = (
    '{"nodes":[{"id":0,"sym":"S","span":[0,2]},{"id":1,"sym":"chats"}],"edges":[{"head":0,"tails":[1,1],'
    '"features":{"f":2.5},"score":-0.5,"trg":[{"words":[-2,"and",-1]}]}],"words":["chats"]}'
)
EGRET = "sentence 1 :\nstory of\nNN[0,0] => story ||| -0.5\nPP[0,1] => NN[0,0] of ||| -3\n\n"
SMALL = {
    "travatar": TRAVATAR,
    "egret": EGRET,
    "cdec": CDEC,
    "moses": MOSES,
    "joshua": JOSHUA,
    "slf": SLF,
    "plf": PLF,
    "openfst": OPENFST,
    "nbest": NBEST,
}
COUNTED = ("cdec", "moses", "joshua", "slf", "travatar")


def read(tmp_path, text, format, **options):
    path = tmp_path / "file"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_forests(path, format, **options)


def refusal(tmp_path, text, format):
    """The error of reading, or None."""
    try:
        read(tmp_path, text, format)
    except TextError as problem:
        return problem
    return None


@pytest.mark.parametrize("format", SMALL)
def test_a_file_that_is_cut_anywhere_is_read_or_refused_with_a_place(format, tmp_path):
    whole = SMALL[format].encode()
    assert refusal(tmp_path, whole, format) is None
    refusals = [refusal(tmp_path, whole[:length], format) for length in range(len(whole))]
    for problem in filter(None, refusals):
        assert problem.path == str(tmp_path / "file")
        assert 1 <= problem.line <= whole.count(b"\n") + 2
        assert "; " in problem.problem, problem
    sound = [length for length, problem in enumerate(refusals) if problem is None]
    if format in COUNTED:
        # What is cut says how much it holds, or closes: only the end of the last line can be missing.
        assert min(sound, default=len(whole)) > len(whole) - 20, sound[:3]


@pytest.mark.parametrize("suffix", ["", ".gz"])
def test_our_own_file_that_is_cut_anywhere_is_refused(suffix, tmp_path):
    path = tmp_path / ("forest.plait" + suffix)
    write_forests(path, read(tmp_path, CDEC, "cdec"))
    whole = path.read_bytes()
    for length in range(0, len(whole), 7):
        path.write_bytes(whole[:length])
        with pytest.raises(PlaitError):
            read_forests(path, "plait")


@pytest.mark.parametrize(
    ("format", "text", "place", "what"),
    [
        ("cdec", "[" * 1_000_000, (1, 1), "forest as a JSON object"),
        ("cdec", '{"edges":[' + "[" * 1_000_000, (1, 11), "an edge as an object"),
        ("cdec", '{"edges":[{"tail":[' + "[" * 1_000_000, (1, 20), "invalid type"),
        ("cdec", '{"edges":[{"tail":[7]}],"node":{"in_edges":[0]}}', None, "0 nodes that stand before"),
        ("cdec", '{"edges":[{"tail":[]}],"node":{"in_edges":[0,1]}}', None, "1 edges before the node"),
        ("cdec", '{"edges":[{"tail":[]}],"node":{"in_edges":[0,0]}}', None, "in_edges of two nodes"),
        ("cdec", '{"edges":[{"tail":[]}]}', None, "in no node's in_edges"),
        ("cdec", '{"edges":[{"tail":[],"tail":[]}],"node":{"in_edges":[0]}}', None, "a key twice"),
        ("cdec", '{"edges":[{"feats":["f",1,"f",2]}],"node":{"in_edges":[0]}}', None, "a feature twice"),
        ("cdec", '{"edges":[{"feats":["f"]}],"node":{"in_edges":[0]}}', None, "a feature without a value"),
        ("cdec", '{"edges":[{"feats":[0,1]}],"node":{"in_edges":[0]}}', None, "one of the 0 of the list"),
        ("cdec", '{"edges":[{"feats":["f",1e999]}],"node":{"in_edges":[0]}}', None, "number out of range"),
        ("cdec", '{"edges":[{"feats":["f",NaN]}],"node":{"in_edges":[0]}}', None, "expected value|expected ident"),
        ("cdec", '{"edges":[{"rule":3}],"node":{"in_edges":[0]}}', None, "before its use"),
        ("cdec", '{"rules":[1,"[X] ||| a ||| [2]"],"edges":[{"rule":1}],"node":{"in_edges":[0]}}', None, "a tail of 2"),
        ("cdec", '{"rules":[1,"a",1,"b"]}', None, "with another text"),
        ("cdec", '{"edges":[{"spans":[1,2]}],"node":{"in_edges":[0]}}', None, "four numbers"),
        ("cdec", '{}"x', (1, 3), "something behind the end"),
        ("cdec", CDEC + "\n" + '{"edges":[{"tail":[7]}]}', (2, 22), "0 nodes that stand before"),
        ("cdec", CDEC + " x", (1, len(CDEC) + 2), "something behind the end"),
        ("travatar", TRAVATAR + "\n\n" + TRAVATAR.replace("[1,1]", "[1,7]"), (3, 1), "nodes below 2"),
        ("cdec", "", (1, 1), "EOF"),
        ("moses", "2 1\n0\n1\n[1] a ||| f=1\n", (4, 1), "needs vertices below it"),
        ("moses", "1 1\n1\na ||| f=inf\n", (3, 9), "finite"),
        ("moses", "1 1\n1\na ||| f\n", (3, 7), "Name=value"),
        ("moses", "1 1\n1\na\n", (3, 2), "missing"),
        ("moses", "1 1\n1\na ||| f=1 f=1\n", (3, 11), "twice"),
        (
            "moses",
            "99999999999999 99999999999999\n99999999999999\na |||\n",
            (4, 1),
            "announces 99999999999999 vertices",
        ),
        ("moses", "1 1\n1\na |||\n0\n", (4, 1), "1 vertices and no more"),
        ("moses", "1 1\n1\ncaf\xe9 |||\n".encode("latin-1"), (3, 4), "UTF-8"),
        ("joshua", "#SENT: 0 1 1 1\n#I 1 0 1 [X] 1 ST s\n1 1 1 5\n", (3, 5), "needs nodes from 1 to 0"),
        ("joshua", "#SENT: 0 1 2 1\n#I 2 0 1 [X] 1 ST s\n", (2, 4), "numbered from 1 to 2"),
        ("joshua", "hello\n", (1, 1), "#SENT:"),
        ("joshua", "#SENT: 0 1 1 1\n#I 1 0 1 [X] 1 ST s\nnan 0 5\n", (3, 1), "finite"),
        ("slf", "N=1 L=1\nI=0\nJ=0 S=0 E=5 W=a\n", (3, 1), "there are 1 nodes"),
        ("slf", "N=4294967295 L=99999999999999999\nI=0\n", (3, 1), "announces 4294967295 nodes"),
        ("slf", "N=4294967295 L=1\nI=4294967294 t=1\nJ=0 S=4294967293 E=0 W=a\n", (4, 1), "announces 4294967295 nodes"),
        ("slf", "base=10\nN=2 L=1\nI=0\nI=1\nJ=0 S=0 E=1 W=a a=1e308\n", (5, 1), "finite"),
        ("slf", "N=2 L=1\nI=0\nI=1\nJ=0 S=0 E=1 W=a a=nan\n", (4, 19), "finite"),
        ("slf", "N=2 L=2\nI=0\nI=1\nJ=0 S=0 E=1 W=a\nJ=1 S=1 E=0 W=b\n", (6, 1), "exactly one node"),
        ("slf", 'UTTERANCE="x\n', (1, 11), "no closing quote"),
        ("plf", "(" * 1_000_000, (1, 4), "expected a string"),
        ("plf", "((('a',9),),)", (1, 8), "beyond the 1 columns"),
        ("plf", "((('a',0),),)", (1, 8), "at least 1"),
        ("plf", "((('a',nan,1),),)", (1, 8), "finite"),
        ("plf", "((('a',1),),) x", (1, 15), "should end here"),
        ("plf", "((('a,1),),)", (1, 4), "no closing quote"),
        ("plf", "((('a',{'f':1,'f':2},1),),)", (1, 15), "twice"),
        ("openfst", "0 1 a a nan\n", (1, 9), "number or Infinity"),
        ("openfst", "0 1 a\n", (1, 6), "acceptor"),
        ("openfst", "0 1 a b 1 2\n", (1, 11), "should end here"),
        ("openfst", "a b c d\n", (1, 1), "whole number"),
        ("openfst", "0\n0\n", (2, 1), "second time"),
        ("travatar", '{"nodes":[{"id":1,"sym":"a"}],"edges":[]}', (1, 1), "each once"),
        ("travatar", '{"nodes":[],"nodes":[],"edges":[]}', None, "duplicate field"),
        ("travatar", '{"nodes":[{"id":0,"sym":"a"}],"edges":[{"head":0,"tails":[7]}]}', (1, 1), "nodes below 1"),
        ("travatar", "[" * 1_000_000, None, "invalid type|EOF|length"),
        ("egret", "sentence 1 :\na\nB[0,1] => A[0,0] ||| -1\n", (3, 11), "before it is used"),
        ("egret", "sentence 1 :\na\nA[0,0] => a ||| nan\n", (3, 17), "finite"),
        ("egret", "hello\n", (1, 1), "sentence N :"),
        ("nbest", "0 ||| a\n", (1, 8), "missing"),
        ("nbest", "0 ||| a ||| f= nan ||| 1\n", (1, 16), "finite"),
        ("nbest", "0 ||| a ||| 1 2 ||| 1\n", (1, 13), "behind a label"),
        ("nbest", "0 ||| a ||| ||| 1\n1 ||| a ||| ||| 1\n0 ||| a ||| ||| 1\n", (3, 1), "sort the list"),
    ],
)
def test_what_is_wrong_is_told_with_its_place(format, text, place, what, tmp_path):
    with pytest.raises(TextError, match=what) as caught:
        read(tmp_path, text, format)
    assert place is None or (caught.value.line, caught.value.column) == place
    assert len(str(caught.value)) < 600


def test_nesting_without_end_where_it_is_passed_over_does_no_harm(tmp_path):
    (forest,) = read(tmp_path, '{"x":' + "[" * 1_000_000 + "]" * 1_000_000 + "}", "cdec")
    assert forest.derivations == 0


def test_an_empty_file_is_told_to_be_empty(tmp_path):
    (tmp_path / "forests").write_bytes(b"")
    with pytest.raises(DataError, match="forests: the file is empty"):
        list(read_forests(tmp_path / "forests"))


def test_a_stray_quote_behind_the_forest_is_separable(tmp_path):
    (forest,) = read(tmp_path, CDEC + '"\n', "cdec")
    assert forest.edges == 3


def test_nulls_stand_for_nothing(tmp_path):
    text = '{"rules":null,"edges":[{"tail":null,"feats":null,"rule":null}],"node":{"in_edges":[0],"cat":null}}'
    (forest,) = read(tmp_path, text, "cdec")
    assert (forest.nodes, forest.edges, forest.derivations) == (1, 1, 1)
    (empty,) = read(tmp_path, "{}", "cdec")
    assert (empty.nodes, empty.edges, empty.derivations) == (1, 0, 0)


def test_the_rules_file_is_named_in_errors(tmp_path):
    items, rules = tmp_path / "x.items", tmp_path / "x.rules"
    items.write_text(JOSHUA)
    rules.write_text("8 pt -LZF- [X] ||| a ||| b ||| 1\nno rule\n")
    with pytest.raises(TextError, match=r"x\.rules:2:1: the number of the rule must be a whole number"):
        read_forests(items)
    rules.write_text("9 pt -LZF- [X] ||| a ||| b ||| 1")
    with pytest.raises(TextError, match=r"x\.items:3:10: the rule is not in the file of rules"):
        read_forests(items)
    rules.write_text("9 pt no rule")
    with pytest.raises(TextError, match=r"x\.rules:1:6: a rule is written"):
        read_forests(items)


def test_a_forest_of_a_million_edges(tmp_path):
    steps, width = 250_000, 4
    nodes = steps + 1
    heads = np.repeat(np.arange(steps), width)
    tails = heads + 1
    graph = Hypergraph(
        np.append(heads, steps), np.append(np.arange(steps * width + 1), steps * width), tails, nodes=nodes, root=0
    )
    edges = steps * width
    items = np.stack([np.arange(edges) % 7, np.full(edges, -1)], axis=1).astype(np.int32).ravel()
    starts = np.append(np.arange(edges + 1, dtype=np.uint64), np.uint64(edges))
    lattice = Forest(
        graph=graph,
        features=SparseFeatures(starts, np.zeros(edges, np.uint32), np.arange(edges) * 0.25, ("f",)),
        words=tuple("abcdefg"),
        item_starts=np.append(np.arange(edges + 1, dtype=np.uint64) * 2, np.uint64(2 * edges)),
        items=items,
        axioms=np.array([edges], np.uint32),
    )
    for format in ("cdec", "plf", "plait"):
        path = tmp_path / f"lattice.{format}"
        started = time.process_time()
        write_forests(path, lattice, format=format)
        (again,) = read_forests(path, format)
        seconds = time.process_time() - started
        assert (again.nodes, again.edges) == (nodes, edges + 1)
        assert np.array_equal(np.sort(again.features.values), lattice.features.values)
        assert seconds < 20, f"{format}: {seconds}"


def test_a_damaged_file_of_ours_is_refused(tmp_path):
    path = tmp_path / "forest.plait"
    write_forests(path, read(tmp_path, CDEC, "cdec"))
    file = load(path)
    for name, change in (
        ("0.items", lambda a: a + 100),
        ("0.heads", lambda a: a + 100),
        ("0.tail_starts", lambda a: a[:-1]),
        ("0.feature_ids", lambda a: a + 9),
        ("0.feature_values", lambda a: a * np.nan),
        ("0.feature_starts", lambda a: a[::-1].copy()),
        ("0.edge.0", lambda a: a[:-1]),
        ("0.edge.0", lambda a: a.astype(np.float32)),
        ("words", lambda a: a[:-1]),
    ):
        arrays = dict(file.arrays)
        arrays[name] = change(arrays[name])
        save(path, "forest", arrays, file.metadata, force=True)
        with pytest.raises(ModelFileError, match=r"forest\.plait|again"):
            read_forests(path)
    arrays = {name: array for name, array in file.arrays.items() if name != "0.items"}
    save(path, "forest", arrays, file.metadata, force=True)
    with pytest.raises(ModelFileError):
        read_forests(path)
    save(path, "forest", dict(file.arrays), {"forests": [1]}, force=True)
    with pytest.raises(ModelFileError):
        read_forests(path)
    metadata = {"forests": [{**file.metadata["forests"][0], "nodes": 4_000_000_000}]}
    save(path, "forest", dict(file.arrays), metadata, force=True)
    with pytest.raises(ModelFileError, match="4000000000 nodes"):
        read_forests(path)


def test_what_a_format_cannot_hold_is_refused_and_nothing_is_written(tmp_path):
    two_tails = read(
        tmp_path,
        '{"edges":[{"tail":[]}],"node":{"in_edges":[0]},"edges":[{"tail":[0,0]}],"node":{"in_edges":[1]}}',
        "cdec",
    )
    cyclic = read(tmp_path, "0 0 a a 0.5\n0 1\n", "openfst")
    weighted = read(tmp_path, NBEST, "nbest")
    spaced = read(tmp_path, 'N=2 L=1\nI=0\nI=1\nJ=0 S=0 E=1 W="a b"\n', "slf")
    for forests, format, what in (
        (two_tails, "plf", "a tail of 2 nodes"),
        (two_tails, "openfst", "a tail of 2 nodes"),
        (two_tails, "nbest", "weights first"),
        ([forest.with_weights(None) for forest in cyclic], "cdec", "cycle"),
        ([forest.with_weights(None) for forest in cyclic], "plf", "cycle"),
        (cyclic, "lazy", "weights"),
        (weighted, "cdec", "make them a feature"),
        (spaced, "lazy", "white space"),
        ([*weighted, *spaced], "moses", "hold one forest"),
        ([], "cdec", "hold a forest or more"),
    ):
        with pytest.raises((DataError, ConfigError), match=what):
            write_forests(tmp_path / "out", forests, format=format)
        assert not (tmp_path / "out").exists()


def test_full_disks_and_files_that_exist(tmp_path):
    forests = read(tmp_path, CDEC, "cdec")
    (tmp_path / "old.plait").write_text("old")
    with pytest.raises(ConfigError, match="exists"):
        write_forests(tmp_path / "old.plait", forests)
    assert (tmp_path / "old.plait").read_text() == "old"
    with pytest.raises(ResourceError):
        write_forests("/dev/full", forests, format="cdec")
