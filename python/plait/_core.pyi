"""Stub of the compiled border; kept by hand, checked by mypy's stubtest."""

from collections.abc import Callable, Sequence
from typing import Any, Literal, final

import numpy as np
import numpy.typing as npt

from plait.phrases.options import TableOptions
from plait.phrases.rules import RuleOptions

__version__: str

# --- text (rust/bindings/src/text.rs) ---

MAX_LENGTH: int

@final
class BitextBuilder:
    def __new__(
        cls,
        *,
        lowercase: bool = False,
        stem_source: int = 0,
        stem_target: int = 0,
        max_length: int = ...,
        on_error: Literal["strict", "skip", "replace"] = "strict",
        keep_text: bool = False,
    ) -> BitextBuilder: ...
    def feed_source(self, block: bytes) -> None: ...
    def feed_target(self, block: bytes) -> None: ...
    def feed_joint(self, block: bytes) -> None: ...
    def feed_tsv(self, block: bytes, source_column: int, target_column: int) -> None: ...
    def end_source(self) -> None: ...
    def end_target(self) -> None: ...
    def end_joint(self) -> None: ...
    def skip_pair(self) -> None: ...
    def finish(self) -> Bitext: ...

@final
class Bitext:
    @staticmethod
    def concatenate(a: Bitext, b: Bitext) -> Bitext: ...
    def __len__(self) -> int: ...
    def counts(self) -> dict[str, int]: ...
    def co_occurrence(self, threads: int) -> tuple[int, int]: ...
    def source(self, n: int) -> list[str]: ...
    def target(self, n: int) -> list[str]: ...
    def source_ids(self) -> npt.NDArray[np.uint32]: ...
    def target_ids(self) -> npt.NDArray[np.uint32]: ...
    def source_offsets(self) -> npt.NDArray[np.uint64]: ...
    def target_offsets(self) -> npt.NDArray[np.uint64]: ...
    def source_vocabulary(self) -> list[str]: ...
    def target_vocabulary(self) -> list[str]: ...
    def source_frequencies(self) -> npt.NDArray[np.uint64]: ...
    def target_frequencies(self) -> npt.NDArray[np.uint64]: ...
    def usable(self) -> npt.NDArray[np.bool_]: ...

# --- tables (rust/bindings/src/table.rs) ---

@final
class Words:
    def __new__(cls, words: Sequence[str]) -> Words: ...
    def __len__(self) -> int: ...

# Fixed text; words by id; whole numbers; numbers with "fixed7", "general", "shortest" or "shortest-single".
Field = (
    str
    | tuple[Words, npt.NDArray[np.uint32]]
    | npt.NDArray[np.int64]
    | tuple[npt.NDArray[np.float64], Literal["fixed7", "general", "shortest", "shortest-single"]]
)

def write_rows(fields: Sequence[Field], *, threads: int = 1) -> bytes: ...
def fold_words(words: Sequence[str], *, lowercase: bool = False, stem: int = 0) -> list[str]: ...

# Columns of a record: (name, kind); kind is "number", "integer", "count", or "word N" and "word-or-empty N" with the
# number N of a vocabulary.
@final
class TableReader:
    def __new__(
        cls,
        separator: Literal["tab", "space"],
        records: Sequence[tuple[str | None, Sequence[tuple[str, str]]]],
        *,
        remedy: str,
        header: str | None = None,
    ) -> TableReader: ...
    def feed(self, block: bytes) -> None: ...
    def finish(self) -> tuple[list[list[str]], list[list[npt.NDArray[np.generic]]]]: ...

# --- links (rust/bindings/src/links.rs) ---

# Links: int32[n, 2] positions sorted within each pair, uint64[m + 1] offsets, float32[n] probabilities or None.
_Links = tuple[npt.NDArray[np.int32], npt.NDArray[np.uint64], npt.NDArray[np.float32] | None]

def parse_pharaoh(
    block: bytes, *, first_line: int = 1, allow_possible: bool = False, base: int = 0, threads: int = 1
) -> tuple[_Links, npt.NDArray[np.bool_]]: ...
def write_pharaoh(links: _Links, *, with_probabilities: bool = False, threads: int = 1) -> bytes: ...
def write_jsonl(links: _Links, *, threads: int = 1) -> bytes: ...
def check_links(
    links: _Links,
    source_lengths: npt.NDArray[np.uint32] | None = None,
    target_lengths: npt.NDArray[np.uint32] | None = None,
) -> None: ...
def symmetrize_links(
    forward: _Links, reverse: _Links, method: str, *, variant: str = "symal", threads: int = 1
) -> _Links: ...
def symmetrize_soft(forward: _Links, reverse: _Links, threshold: float, *, threads: int = 1) -> _Links: ...
def combine_vote(alignments: Sequence[_Links], threshold: float, *, threads: int = 1) -> _Links: ...
def combine_average(alignments: Sequence[_Links], threshold: float, *, threads: int = 1) -> _Links: ...
def concatenate_links(alignments: Sequence[_Links]) -> _Links: ...
def transpose_links(links: _Links) -> _Links: ...
def phrase_figures(
    source_ids: npt.NDArray[np.uint32],
    source_offsets: npt.NDArray[np.uint64],
    target_ids: npt.NDArray[np.uint32],
    target_offsets: npt.NDArray[np.uint64],
    links: _Links,
    *,
    max_length: int = 7,
    threads: int = 1,
) -> tuple[int, int, int, int]: ...

# --- align (rust/bindings/src/align.rs) ---

# Links, and posteriors or None.
Readout = tuple[_Links, _Links | None]

@final
class Ibm:
    def take_readout(self, direction: int) -> Readout: ...
    def history(self, direction: int) -> list[float]: ...
    def lexicon_size(self, direction: int) -> int: ...
    def align_new(
        self, bitext: Bitext, *, threads: int, progress: Callable[..., None] | None = None
    ) -> list[Readout]: ...

def train_ibm(
    bitext: Bitext,
    *,
    model: int,
    tail: str,
    inference: str,
    iterations: int,
    warm_up: int,
    burn_in: int,
    samples: int,
    lag: int,
    initial: str,
    initial_iterations: int,
    sampler: str,
    blocks: int,
    theta: float,
    phi: float,
    p0: float | None,
    seed: int,
    wants_objective: bool,
    wants_posteriors: bool,
    threads: int,
    progress: Callable[..., None] | None = None,
) -> Ibm: ...

# --- hmm (rust/bindings/src/hmm.rs) ---

PriorCounts = tuple[
    list[str],
    list[str],
    npt.NDArray[np.uint32],
    npt.NDArray[np.uint32],
    npt.NDArray[np.float64],
]
Evidence = tuple[npt.NDArray[np.float32], npt.NDArray[np.float32], npt.NDArray[np.float32] | None]
MAX_CELLS: int

@final
class Hmm:
    def take_readout(self, direction: int) -> Readout: ...
    def history(self, direction: int) -> list[float]: ...
    def left_out(self) -> tuple[int, int]: ...
    def arrays(self) -> dict[str, npt.NDArray[Any]]: ...
    @staticmethod
    def from_arrays(settings: dict[str, Any], arrays: dict[str, npt.NDArray[Any]]) -> Hmm: ...
    def explain(self, bitext: Bitext, n: int, *, threads: int) -> list[Evidence] | None: ...
    def align_new(
        self, bitext: Bitext, *, threads: int, progress: Callable[..., None] | None = None
    ) -> tuple[list[Readout], tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]]: ...

def train_hmm(
    bitext: Bitext,
    settings: dict[str, Any],
    *,
    wants_posteriors: bool,
    threads: int,
    source_classes: npt.NDArray[np.uint16] | list[int] | None = None,
    target_classes: npt.NDArray[np.uint16] | list[int] | None = None,
    prior: PriorCounts | None = None,
    progress: Callable[..., None] | None = None,
) -> Hmm: ...

# --- classes (rust/bindings/src/classes.rs) ---

MAX_CLASSES: int
MAX_RUNS: int

def cluster_words(
    bitext: Bitext,
    side: str,
    *,
    classes: int,
    iterations: int,
    runs: int,
    seed: int,
    threads: int,
    progress: Callable[..., None] | None = None,
) -> tuple[npt.NDArray[np.uint16], int, list[float], int]: ...

# --- reordering models (rust/bindings/src/reorder.rs, reorder_counts.rs, reorder_examples.rs, reorder_tally.rs) ---

# Offsets, features, values, number of features.
_Rows = tuple[npt.NDArray[np.uint64], npt.NDArray[np.uint32], npt.NDArray[np.float64] | None, int]

def check_rows(rows: _Rows) -> None: ...
def train_dual(
    rows: _Rows,
    labels: npt.NDArray[np.uint32],
    classes: int,
    *,
    sigma2: float,
    epsilon: float,
    shrink: bool,
    unshrink: bool,
    tolerance: float,
    passes: int,
    trials: int,
    start: float | None,
    method: str,
    bias: bool,
    seed: int,
    further: tuple[npt.NDArray[np.uint32], int] | None = None,
    keeps_dual: bool = False,
    progress: Callable[..., None] | None = None,
) -> dict[str, Any]: ...
def train_primal(
    rows: _Rows,
    labels: npt.NDArray[np.uint32],
    classes: int,
    weights: npt.NDArray[np.float64] | None,
    *,
    seen: int,
    total: int,
    sigma2: float,
    rate: float,
    epochs: int,
    bias: bool,
    seed: int,
    progress: Callable[..., None] | None = None,
) -> tuple[npt.NDArray[np.float64], int, list[float]]: ...
def linear_scores(
    rows: _Rows,
    weights: npt.NDArray[np.float64],
    classes: int,
    *,
    bias: bool,
    normalized: bool,
    threads: int,
) -> npt.NDArray[np.float64]: ...

_Places = npt.NDArray[np.uint64] | npt.NDArray[np.uint32] | npt.NDArray[np.int64] | npt.NDArray[np.int32]
_Values = npt.NDArray[np.float64] | npt.NDArray[np.float32] | npt.NDArray[np.int64]
_Entries = tuple[_Places, _Places, _Values | None, int]

def number_classes(
    classes: npt.NDArray[np.uint32] | npt.NDArray[np.int32] | npt.NDArray[np.int64],
) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.uint32]]: ...
def number_words(
    characters: npt.NDArray[np.uint32], width: int
) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.uint32]]: ...

@final
class FeatureCounts:
    def __new__(cls, columns: int, classes: int, *, values: bool) -> FeatureCounts: ...
    @staticmethod
    def from_arrays(examples: npt.NDArray[np.uint64], sums: npt.NDArray[np.float64]) -> FeatureCounts: ...
    def counted(self, entries: _Entries, labels: npt.NDArray[np.uint32]) -> FeatureCounts: ...
    def merged(self, other: FeatureCounts) -> FeatureCounts: ...
    def selected(self, kept: npt.NDArray[np.int64], *, values: bool) -> FeatureCounts: ...
    @property
    def examples(self) -> npt.NDArray[np.uint64]: ...
    @property
    def sums(self) -> npt.NDArray[np.float64]: ...
    def information(self) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64], float]: ...
    def check_prior(self, alpha: npt.NDArray[np.float64], inference: str) -> None: ...
    def logs(
        self, alpha: npt.NDArray[np.float64], inference: str
    ) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]: ...
    def scores(
        self,
        rows: _Rows,
        *,
        alpha: npt.NDArray[np.float64],
        inference: str,
        normalized: bool,
        threads: int,
    ) -> npt.NDArray[np.float64]: ...

def example_lines(
    bitext: Bitext,
    links: tuple[npt.NDArray[np.int32], npt.NDArray[np.uint64], npt.NDArray[np.float32] | None],
    start: int,
    stop: int,
    *,
    max_length: int,
    compat: str,
    model: str,
    classes: str,
    direction: str,
    window: int,
    marks_sides: bool,
    threads: int,
) -> bytes: ...

@final
class ExampleReader:
    def __new__(
        cls,
        *,
        least_count: int,
        identity: bool,
        pairs: bool,
        vocabulary: list[str] | None = None,
        classes: list[str] | None = None,
    ) -> ExampleReader: ...
    def feed(self, block: bytes) -> None: ...
    def finish(self) -> dict[str, Any]: ...

@final
class ExampleTally:
    def __new__(cls, *, least_count: int, identity: bool, pairs: bool, values: bool) -> ExampleTally: ...
    def feed(self, block: bytes) -> None: ...
    def finish(self) -> dict[str, Any]: ...

# --- random fields (rust/bindings/src/crf.rs, crf_files.rs, crf_model.rs, crf_phases.rs, crf_train.rs) ---

CRF_NO_LABEL: int

_Shown = npt.NDArray[Any] | memoryview[Any]
_Pairs = tuple[npt.NDArray[np.uint64], npt.NDArray[np.uint32], npt.NDArray[np.float64]]
_Claims = npt.NDArray[np.bool_] | None
_Lost = tuple[float, float, int, int, int]

@final
class CrfNames:
    def __new__(cls, attributes: Sequence[str], labels: Sequence[str]) -> CrfNames: ...

@final
class CrfData:
    def __len__(self) -> int: ...
    @property
    def positions(self) -> int: ...
    @property
    def occurrences(self) -> int: ...
    @property
    def unknown(self) -> int: ...
    @property
    def is_labelled(self) -> bool: ...
    @property
    def names(self) -> CrfNames: ...
    def rows(self) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.uint32], npt.NDArray[np.float64] | None]: ...
    def label_names(self) -> list[str]: ...
    def attribute_count(self) -> int: ...
    def starts(self) -> memoryview[int]: ...
    def with_weights(self, weights: _Shown) -> CrfData: ...
    def weights(self) -> npt.NDArray[np.float64] | None: ...
    def with_allowed(self, allowed: npt.NDArray[np.bool_], labels: Sequence[str]) -> CrfData: ...
    @property
    def is_partial(self) -> bool: ...
    def labels(self) -> memoryview[int]: ...

@final
class CrfReader:
    @staticmethod
    def attributes(names: CrfNames | None = None, is_fixed: bool = False) -> CrfReader: ...
    @staticmethod
    def columns(
        template: str | None = None,
        width: int | None = None,
        names: CrfNames | None = None,
        is_fixed: bool = False,
        takes_more: bool = False,
    ) -> CrfReader: ...
    def feed(self, block: bytes) -> None: ...
    def finish(self) -> tuple[CrfData, str | None, int | None]: ...

def crf_data_from_items(
    items: object, labels: object = None, names: CrfNames | None = None, is_fixed: bool = False
) -> CrfData: ...
def crf_data_from_arrays(
    starts: npt.NDArray[np.uint64],
    rows: npt.NDArray[np.uint64],
    attributes: npt.NDArray[np.uint32],
    values: npt.NDArray[np.float64] | None,
    labels: npt.NDArray[np.uint32],
    names: CrfNames,
) -> CrfData: ...

@final
class CrfModel:
    def __new__(
        cls,
        attributes: tuple[_Shown, _Shown],
        labels: tuple[_Shown, _Shown],
        state_starts: _Shown,
        state_labels: _Shown,
        transition_starts: _Shown,
        next_labels: _Shown,
        weights: _Shown,
        triples: tuple[_Shown, _Shown, _Shown] | None = None,
    ) -> CrfModel: ...
    @property
    def names(self) -> CrfNames: ...
    @property
    def feature_count(self) -> int: ...
    def label_names(self) -> list[str]: ...
    def attribute_names(self) -> list[str]: ...
    def stored(self, *, single: bool = False) -> dict[str, memoryview[Any]]: ...
    def states(self) -> _Pairs: ...
    def transitions(self) -> _Pairs: ...
    def triples(
        self,
    ) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.uint32], npt.NDArray[np.uint32], npt.NDArray[np.float64]]: ...
    def best(
        self, data: CrfData, allowed: _Claims = None, *, threads: int
    ) -> tuple[memoryview[int], memoryview[float]]: ...
    def nbest(
        self, data: CrfData, n: int, allowed: _Claims = None, *, threads: int
    ) -> tuple[memoryview[int], memoryview[int], memoryview[float], memoryview[float]]: ...
    def posteriors(
        self, data: CrfData, allowed: _Claims = None, *, threads: int
    ) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]: ...
    def pair_posteriors(self, data: CrfData, number: int, allowed: _Claims = None) -> npt.NDArray[np.float64]: ...
    def log_z(self, data: CrfData, allowed: _Claims = None, *, threads: int) -> npt.NDArray[np.float64]: ...
    def scores_of(
        self, data: CrfData, labels: _Shown, allowed: _Claims = None, *, threads: int
    ) -> npt.NDArray[np.float64]: ...

def crf_read_crfsuite(bytes: bytes) -> CrfModel: ...
def crf_write_crfsuite(model: CrfModel) -> bytes: ...
def crf_read_crfpp(bytes: bytes) -> tuple[CrfModel, str, int]: ...
def crf_train(
    data: CrfData,
    start: CrfModel | None = None,
    *,
    algorithm: str = "lbfgs",
    states: str,
    transitions: str,
    min_count: float,
    l1: float,
    l2: float,
    max_iterations: int,
    epsilon: float,
    delta: float,
    period: int,
    memory: int,
    batch: int = 16,
    rate: float | None = None,
    seed: int = 1,
    warm_passes: int = 0,
    posterior_beam: float = 0.0,
    candidates: str | None = None,
    candidate_labels: _Claims = None,
    warm_start_candidates: int = 0,
    threads: int,
    held_out: CrfData | None = None,
    dev_score: str = "accuracy",
    dev_every: int = 1,
    patience: int | None = None,
    resume: dict[str, memoryview[float]] | None = None,
    keep: Callable[[dict[str, memoryview[float]]], object] | None = None,
    keep_seconds: float = 60.0,
    progress: Callable[..., None] | None = None,
) -> tuple[
    CrfModel,
    list[float],
    float | None,
    float | None,
    str,
    list[float],
    list[tuple[str, int, int, float, _Lost]],
]: ...
def crf_fingerprint(data: CrfData) -> str: ...
def crf_gradient(
    model: CrfModel, data: CrfData, *, repeat: int = 1, threads: int
) -> tuple[float, npt.NDArray[np.float64], float]: ...
def crf_candidates(model: CrfModel, data: CrfData, prefix: str) -> npt.NDArray[np.bool_]: ...
def crf_gradient_over(
    model: CrfModel,
    data: CrfData,
    *,
    beam: float = 0.0,
    candidates: _Claims = None,
    with_others: bool = False,
    repeat: int = 1,
    threads: int,
) -> tuple[float, npt.NDArray[np.float64], _Lost]: ...

# --- hypergraphs (rust/bindings/src/hypergraph.rs, distribution.rs) ---

_Vector = npt.NDArray[np.float64]
_Features = (
    npt.NDArray[np.float64] | tuple[npt.NDArray[np.uint64], npt.NDArray[np.uint32], npt.NDArray[np.float64], int]
)

@final
class Hypergraph:
    def __new__(
        cls,
        heads: npt.NDArray[np.uint32],
        tail_starts: npt.NDArray[np.uint64],
        tails: npt.NDArray[np.uint32],
        *,
        nodes: int,
        root: int | None = None,
    ) -> Hypergraph: ...
    @property
    def nodes(self) -> int: ...
    @property
    def edges(self) -> int: ...
    @property
    def tail_nodes(self) -> int: ...
    @property
    def arity(self) -> int: ...
    @property
    def root(self) -> int: ...
    @property
    def is_acyclic(self) -> bool: ...
    def derivations(self) -> tuple[bytes, str] | None: ...
    def cycle(self) -> list[int] | None: ...
    def useful_nodes(self) -> npt.NDArray[np.bool_]: ...
    def node_order(self) -> npt.NDArray[np.uint32]: ...
    def arrays(self) -> tuple[npt.NDArray[np.uint32], npt.NDArray[np.uint64], npt.NDArray[np.uint32]]: ...

@final
class Distribution:
    def __new__(cls, graph: Hypergraph, weights: _Vector, is_log: bool) -> Distribution: ...
    @property
    def log_z(self) -> float: ...
    def inside(self) -> _Vector: ...
    def local(self) -> _Vector: ...
    def outside(self, weights: _Vector, is_log: bool) -> _Vector: ...
    def posteriors(self) -> tuple[_Vector, _Vector]: ...
    def entropy(self) -> float: ...
    def surprisals(self) -> _Vector: ...
    def divergence(self, other: Distribution) -> float: ...
    def expectations(self, features: _Features) -> _Vector: ...
    def deviations(self, values: _Vector) -> tuple[float, _Vector]: ...
    def covariance(self, rows: _Features, columns: _Features, threads: int) -> npt.NDArray[np.float64]: ...

def distributions(
    graphs: Sequence[Hypergraph], weights: Sequence[_Vector], is_log: bool, threads: int
) -> list[Distribution]: ...

# --- forests in files (rust/bindings/src/forests.rs) ---

@final
class ForestReader:
    def __new__(
        cls,
        format: str,
        *,
        sign: str | None = None,
        weights: Sequence[float] = ...,
        acceptor: bool = False,
    ) -> ForestReader: ...
    def begin(self, part: str) -> None: ...
    def feed(self, block: bytes) -> None: ...
    def finish(self) -> tuple[list[str], list[str], list[str], list[dict[str, Any]]]: ...

def write_forests(
    format: str,
    features: Sequence[str],
    words: Sequence[str],
    texts: Sequence[str],
    forests: Sequence[dict[str, Any]],
    *,
    sign: str | None = None,
    acceptor: bool = False,
    has_symbols: bool = False,
) -> tuple[bytes, bytes, bytes]: ...

# --- searches (rust/bindings/src/hypergraph_search.rs, hypergraph_intersect.rs) ---

_Starts = npt.NDArray[np.uint64]
_Numbers = npt.NDArray[np.uint32]
_Words = npt.NDArray[np.int32]
_Yields = tuple[_Starts, _Words]

def hypergraph_viterbi(graph: Hypergraph, weights: _Vector) -> tuple[_Numbers, float] | None: ...
def hypergraph_max_marginals(graph: Hypergraph, weights: _Vector) -> tuple[_Vector, _Vector]: ...

@final
class KBest:
    def __new__(cls, graph: Hypergraph, weights: _Vector, yields: _Yields | None, limit: int) -> KBest: ...
    def take(self, count: int) -> tuple[_Starts, _Numbers, _Vector]: ...

def hypergraph_sample(
    graph: Hypergraph, local: _Vector, count: int, seed: int, threads: int
) -> tuple[_Starts, _Numbers]: ...
def hypergraph_yields(
    graph: Hypergraph, item_starts: _Starts, items: _Words, starts: _Starts, edges: _Numbers
) -> _Yields: ...
def hypergraph_prune(
    graph: Hypergraph,
    weights: _Vector,
    *,
    beam: float | None,
    posterior: tuple[_Vector, float] | None,
    edges: int | None,
    density: float | None,
) -> tuple[Hypergraph, _Numbers, _Numbers]: ...
def hypergraph_restrict(graph: Hypergraph, is_kept: npt.NDArray[np.bool_]) -> tuple[Hypergraph, _Numbers, _Numbers]: ...
def hypergraph_intersect(
    graph: Hypergraph,
    yields: _Yields,
    start: int,
    arcs: tuple[_Numbers, _Words, _Numbers, _Vector],
    ends: _Vector,
    limit: int,
) -> tuple[Hypergraph, _Numbers, _Numbers, _Vector, _Numbers]: ...
def hypergraph_ngrams(
    graph: Hypergraph, yields: _Yields, order: int, *, begin: int | None, end: int | None, limit: int
) -> tuple[Hypergraph, _Numbers, _Numbers, _Starts, _Numbers, _Yields, _Yields]: ...
def hypergraph_presence(
    graph: Hypergraph,
    local: _Vector,
    starts: npt.NDArray[np.uint64],
    edges: npt.NDArray[np.uint32],
    *,
    threads: int,
) -> _Vector: ...
def hypergraph_match_ngrams(
    cases: Sequence[tuple[Hypergraph, _Yields, _Yields]],
    *,
    begin: int | None,
    end: int | None,
    limit: int,
    threads: int,
) -> list[tuple[Hypergraph, _Numbers, _Numbers, _Starts, _Numbers]]: ...
def hypergraph_chain(steps: int, states: int, is_allowed: npt.NDArray[np.bool_] | None) -> Hypergraph: ...
def hypergraph_cky(words: int, nonterminals: int, rules: list[list[int]], start: int) -> Hypergraph: ...

# --- any semiring (rust/bindings/src/generic.rs, user_semiring.rs) ---

def native_inside(graph: Hypergraph, semiring: str, weights: Any) -> Any: ...
def native_outside(graph: Hypergraph, semiring: str, weights: Any, inside: Any) -> Any: ...
def native_edge_outside(graph: Hypergraph, semiring: str, inside: Any, outside: Any) -> Any: ...
def feature_sums(weights: _Vector, features: _Features) -> _Vector: ...
def node_levels(graph: Hypergraph) -> npt.NDArray[np.uint32]: ...
def user_inside(graph: Hypergraph, weights: list[Any], semiring: Any, is_closed: bool) -> list[Any]: ...
def user_outside(
    graph: Hypergraph, weights: list[Any], below: list[Any], semiring: Any, is_closed: bool
) -> list[Any]: ...
def user_edge_outside(graph: Hypergraph, below: list[Any], above: list[Any], semiring: Any) -> list[Any]: ...

# --- BLEU (rust/bindings/src/minrisk_bleu.rs) ---

def bleu_statistics(
    hypotheses: Sequence[str],
    references: Sequence[Sequence[str | None]],
    segments: Sequence[int],
    *,
    order: int,
    reference_length: str,
    threads: int,
) -> npt.NDArray[np.int64]: ...
def bleu_scores(
    statistics: npt.NDArray[np.float64], *, smoothing: str, value: float, is_effective: bool
) -> _Vector: ...

# --- minimum-risk training (rust/bindings/src/minrisk_objective.rs) ---

_RiskBlock = tuple[int, int, _Vector, npt.NDArray[np.uint32], npt.NDArray[np.uint16]]
_RiskFound = tuple[int, int, float, float, float, tuple[float, float], list[_Vector]]

@final
class RiskBlockBuilder:
    def __new__(cls) -> RiskBlockBuilder: ...
    def add(
        self, graph: Hypergraph, features: _Features, losses: _Vector, base: _Vector | None = None
    ) -> tuple[bool, int]: ...
    def take(self) -> tuple[int, _Vector, npt.NDArray[np.uint32], npt.NDArray[np.uint16]]: ...

@final
class RiskObjective:
    def __new__(
        cls, weights: _Vector, *, gamma: float, temperature: float, gradients: Literal["none", "joint", "separate"]
    ) -> RiskObjective: ...
    def evaluate(self, block: _RiskBlock) -> RiskPart: ...
    def cancel(self) -> None: ...
    def totals(self) -> RiskTotals: ...

@final
class RiskPart: ...

@final
class RiskTotals:
    @property
    def forests(self) -> int: ...
    def add(self, part: RiskPart) -> None: ...
    def found(self) -> _RiskFound: ...

def check_risk_block(block: _RiskBlock, features: int) -> None: ...

# --- minimum error rate training (rust/bindings/src/minrisk_mert.rs, minrisk_statistics.rs, hypergraph_envelope.rs) ---

_MertStart = tuple[_Vector, float, _Vector, npt.NDArray[np.int64], float, list[tuple[int, float, float]], bool]

@final
class MertProblem:
    @staticmethod
    def lists(starts: _Starts, features: npt.NDArray[np.float64], statistics: npt.NDArray[np.int64]) -> MertProblem: ...
    @staticmethod
    def forests(
        forests: Sequence[dict[str, Any]], *, features: int, order: int, reference_length: str
    ) -> MertProblem: ...
    def evaluate(self, weights: _Vector, threads: int) -> npt.NDArray[np.int64]: ...
    def line(
        self, weights: _Vector, direction: _Vector, smoothing: tuple[str, float], threads: int
    ) -> tuple[_Vector, npt.NDArray[np.int64], tuple[float, float, float] | None]: ...
    def optimize(
        self,
        weights: _Vector,
        *,
        restarts: int,
        random_directions: int,
        bounds: npt.NDArray[np.float64],
        frozen: npt.NDArray[np.bool_],
        seed: int,
        steps: int,
        least_gain: float,
        smoothing: tuple[str, float],
        threads: int,
        progress: Callable[[str, int, int, Sequence[tuple[str, float]]], None] | None = None,
    ) -> tuple[int, list[_MertStart]]: ...

@final
class StatisticsReader:
    def __new__(cls, scores: bool) -> StatisticsReader: ...
    def feed(self, block: bytes) -> None: ...
    def finish(self) -> tuple[_Starts, _Starts, list[str], npt.NDArray[Any]]: ...

def write_feature_statistics(
    segments: Sequence[int], starts: Sequence[int], names: Sequence[str], features: npt.NDArray[np.float64]
) -> bytes: ...
def write_score_statistics(
    segments: Sequence[int], starts: Sequence[int], statistics: npt.NDArray[np.int64]
) -> bytes: ...
def distinct_rows(starts: _Starts, features: npt.NDArray[np.float64]) -> tuple[_Starts, _Starts]: ...
def hypergraph_envelope(
    graph: Hypergraph, slopes: _Vector, intercepts: _Vector
) -> tuple[_Vector, _Vector, _Starts, _Numbers]: ...

# --- phrase pairs (rust/bindings/src/phrase.rs) ---

@final
class PhraseLineWriter:
    def __new__(
        cls,
        names: tuple[str, str, str, str],
        *,
        max_length: int = 7,
        compat: str | None = None,
        models: Sequence[str] = ...,
        phrases: bool = True,
        single_words: bool = False,
        sentence_ids: int | None = None,
        threads: int = 1,
    ) -> PhraseLineWriter: ...
    def run(
        self,
        target: bytes,
        source: bytes,
        alignment: bytes,
        weights: bytes | None = None,
        *,
        first_line: int = 1,
    ) -> tuple[int, list[list[tuple[npt.NDArray[np.uint8], int]]]]: ...

def extract_rule_lines(
    target: bytes,
    source: bytes,
    alignment: bytes,
    weights: bytes | None = None,
    *,
    names: tuple[str, str, str, str],
    options: RuleOptions,
    first_line: int = 1,
    threads: int = 1,
) -> tuple[list[tuple[bytes, bytes]], int]: ...
def extract_phrases(
    source_lengths: npt.NDArray[np.uint32],
    target_lengths: npt.NDArray[np.uint32],
    links: _Links,
    *,
    max_length: int = 7,
    compat: str | None = None,
    threads: int = 1,
    progress: Callable[..., object] | None = None,
) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.uint16], npt.NDArray[np.uint8], npt.NDArray[np.uint8]]: ...

# --- phrase tables (rust/bindings/src/phrase_tables.rs) ---

@final
class PhraseTableBuilder:
    def __new__(cls, folder: str, options: TableOptions, *, memory: int, threads: int = 1) -> PhraseTableBuilder: ...
    def feed(self, block: bytes) -> None: ...
    def feed_lexical(self, block: bytes, inverse: bool) -> None: ...
    def finish(self, progress: Callable[..., object] | None = None) -> None: ...
    def take(self) -> bytes | None: ...
    def counts(self) -> list[int] | None: ...
    def close(self) -> tuple[int, int]: ...

@final
class PhraseTableConsolidator:
    def __new__(
        cls, options: TableOptions, *, counts: Sequence[int] = ..., threads: int = 1
    ) -> PhraseTableConsolidator: ...
    def lines(self, direct: bytes, inverse: bytes, *, names: tuple[str, str], first_line: int) -> tuple[bytes, int]: ...

@final
class ReorderingTableBuilder:
    def __new__(
        cls,
        folder: str,
        models: Sequence[str],
        *,
        memory: int,
        smoothing: float = 0.5,
        proportional: bool = False,
        compat: str | None = None,
        threads: int = 1,
    ) -> ReorderingTableBuilder: ...
    def feed(self, block: bytes) -> None: ...
    def finish(self, progress: Callable[..., object] | None = None) -> None: ...
    def take(self) -> list[bytes] | None: ...
    def close(self) -> int: ...

# --- transliteration by two fields (rust/bindings/src/translit_two_step.rs) ---

_FieldArrays = tuple[
    npt.NDArray[np.uint64],
    npt.NDArray[np.uint64],
    npt.NDArray[np.uint32],
    npt.NDArray[np.uint64],
    npt.NDArray[np.uint32],
    npt.NDArray[np.float64],
]
_Ended = tuple[npt.NDArray[np.float64], float, str]

def two_step_train(
    word_starts: npt.NDArray[np.uint64],
    symbols: npt.NDArray[np.uint32],
    chunk_starts: npt.NDArray[np.uint64],
    lengths: npt.NDArray[np.uint32],
    labels: npt.NDArray[np.uint32],
    label_starts: npt.NDArray[np.uint64],
    label_symbols: npt.NDArray[np.uint32],
    *,
    window: int,
    letters: int,
    l2_segmenter: float,
    l2_converter: float,
    rivals: str,
    max_iterations: int,
    epsilon: float,
    delta: float,
    period: int,
    threads: int,
    start: TwoStepModel | None = None,
    progress: Callable[..., None] | None = None,
) -> tuple[TwoStepModel, _Ended, _Ended]: ...

@final
class TwoStepModel:
    def __new__(
        cls,
        widths: tuple[int, int],
        grams: tuple[npt.NDArray[np.uint32], npt.NDArray[np.uint32]],
        segmenter: _FieldArrays,
        converter: _FieldArrays,
        candidates: tuple[npt.NDArray[np.uint32], npt.NDArray[np.uint64], npt.NDArray[np.uint32]],
        labels: tuple[npt.NDArray[np.uint64], npt.NDArray[np.uint32]],
    ) -> TwoStepModel: ...
    def arrays(self) -> dict[str, npt.NDArray[Any]]: ...
    def is_ambiguous(self) -> bool: ...
    def decode(
        self,
        word_starts: npt.NDArray[np.uint64],
        symbols: npt.NDArray[np.uint32],
        *,
        segmentations: int,
        conversions: int,
        stop: str,
        certain: int,
        all_labels: bool,
        first: int,
        threads: int,
        progress: Callable[..., None] | None = None,
    ) -> tuple[
        npt.NDArray[np.uint64],
        npt.NDArray[np.uint64],
        npt.NDArray[np.uint32],
        npt.NDArray[np.float64],
        npt.NDArray[np.uint32],
        npt.NDArray[np.float64],
        npt.NDArray[np.bool_],
    ]: ...
    def probabilities(
        self,
        source_starts: npt.NDArray[np.uint64],
        sources: npt.NDArray[np.uint32],
        target_starts: npt.NDArray[np.uint64],
        targets: npt.NDArray[np.uint32],
        *,
        tolerance: float,
        segmentations: int,
        all_labels: bool,
        threads: int,
    ) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]: ...
    def analysis(
        self, symbols: npt.NDArray[np.uint32], ends: Sequence[int], labels: Sequence[int], *, all_labels: bool
    ) -> tuple[float, float]: ...

# --- chunk alignment (rust/bindings/src/translit_align.rs) ---

NgramArrays = tuple[
    tuple[npt.NDArray[np.float64], npt.NDArray[np.uint32], npt.NDArray[np.bool_]],
    int,
    npt.NDArray[np.uint32],
    tuple[npt.NDArray[np.uint32], npt.NDArray[np.uint32], npt.NDArray[np.float64]],
    tuple[npt.NDArray[np.uint32], npt.NDArray[np.float64], npt.NDArray[np.uint32]],
]

_RaggedIds = tuple[npt.NDArray[np.uint64], npt.NDArray[np.uint32]]

def align_words(
    sources: _RaggedIds,
    targets: _RaggedIds,
    *,
    max_source: int,
    max_target: int,
    many_to_many: bool,
    deletions: bool,
    insertions: bool,
    method: str,
    iterations: int,
    soft_iterations: int,
    sparsity: float,
    length_penalty: float,
    tolerance: float,
    threads: int,
    progress: Callable[..., object] | None = None,
) -> tuple[_RaggedIds, _RaggedIds, _RaggedIds, npt.NDArray[np.float64], list[tuple[int, str]], list[float]]: ...

# --- the joint source-channel model (rust/bindings/src/translit_channel.rs) ---

def pool_candidates(
    two_step: TwoStepModel,
    joint: JointModel,
    two_step_sources: _RaggedIds,
    joint_sources: _RaggedIds,
    common: npt.NDArray[np.uint32],
    *,
    segmentations: int,
    conversions: int,
    all_labels: bool,
    n: int,
    looked_at: int,
    steps: int,
    threads: int,
    progress: Callable[..., None] | None = None,
) -> tuple[
    npt.NDArray[np.uint64],
    npt.NDArray[np.uint64],
    npt.NDArray[np.uint32],
    npt.NDArray[np.float64],
    npt.NDArray[np.float64],
    npt.NDArray[np.bool_],
    npt.NDArray[np.bool_],
]: ...

@final
class JointModel:
    def __new__(
        cls,
        unit_sources: _RaggedIds,
        unit_targets: _RaggedIds,
        sequences: _RaggedIds,
        *,
        order: int,
        prune: Sequence[int],
        threads: int,
        ngrams: NgramArrays | None = None,
        progress: Callable[..., object] | None = None,
    ) -> JointModel: ...
    def ngrams(self) -> NgramArrays: ...
    @property
    def size(self) -> tuple[int, int, int]: ...
    def nbest(
        self,
        sources: _RaggedIds,
        *,
        n: int,
        candidates: int,
        steps: int,
        unknown: str,
        threads: int,
        progress: Callable[..., object] | None = None,
    ) -> tuple[list[int], _RaggedIds, npt.NDArray[np.float64], npt.NDArray[np.float64], list[bool]]: ...
    def score(
        self, sources: _RaggedIds, targets: _RaggedIds, *, unknown: str, threads: int
    ) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]: ...

# --- n-gram models (rust/bindings/src/ngram.rs) ---

@final
class NgramCorpus:
    def __len__(self) -> int: ...
    @property
    def tokens(self) -> int: ...
    def starts(self) -> npt.NDArray[np.uint64]: ...

@final
class NgramReader:
    def __new__(cls, model: NgramModel | None = None) -> NgramReader: ...
    def feed(self, block: bytes) -> None: ...
    def push(self, words: Sequence[str]) -> None: ...
    def finish(self) -> NgramCorpus: ...

@final
class NgramArpaReader:
    def __new__(cls) -> NgramArpaReader: ...
    def feed(self, block: bytes) -> None: ...
    def finish(self) -> NgramModel: ...

@final
class NgramModel:
    def __new__(
        cls,
        words: Sequence[str],
        unigrams: tuple[npt.NDArray[np.float64], npt.NDArray[np.uint32], npt.NDArray[np.bool_]],
        start: int,
        lengths: npt.NDArray[np.uint32],
        contexts: tuple[npt.NDArray[np.uint32], npt.NDArray[np.uint32], npt.NDArray[np.float64]],
        steps: tuple[npt.NDArray[np.uint32], npt.NDArray[np.float64], npt.NDArray[np.uint32]],
    ) -> NgramModel: ...
    @staticmethod
    def estimate(
        corpus: NgramCorpus,
        *,
        order: int,
        closed: bool,
        fallback: tuple[float, float, float],
        prune: Sequence[int],
        threads: int,
        progress: Callable[..., object] | None = None,
    ) -> NgramModel: ...
    @property
    def order(self) -> int: ...
    @property
    def states(self) -> int: ...
    @property
    def start(self) -> int: ...
    def counts(self) -> list[int]: ...
    def words(self) -> list[str]: ...
    def reports(
        self,
    ) -> list[tuple[int, list[int], list[float], tuple[int, float | None] | None]]: ...
    def knows(self, word: str) -> bool: ...
    def step(self, state: int, word: str) -> tuple[float, int]: ...
    def end(self, state: int) -> float: ...
    def score(self, corpus: NgramCorpus, threads: int) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.bool_]]: ...
    def arrays(self) -> NgramArrays: ...
    def write_arpa(self, write: Callable[[bytes], object], single: bool) -> None: ...
