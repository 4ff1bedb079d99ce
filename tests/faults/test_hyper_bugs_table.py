"""What was reported against other libraries of hypergraphs and lattices, and the tests that show what plait does.

The numbers are those of our list of reports. 2, 17, 29 and 34 are none; no report is without a test.
"""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]
SUMS, GRADIENTS = "faults/test_hyper_bugs_sums.py", "faults/test_hyper_bugs_gradients.py"
NUMBERS, LISTS = "faults/test_hyper_bugs_numbers.py", "faults/test_hyper_bugs_lists.py"
QUANTITIES, SEARCHES = "property/test_hypergraph_quantities.py", "property/test_hypergraph_search_twin.py"
GENERIC, CLOSURES = "property/test_hypergraph_semirings.py", "property/test_hypergraph_closures.py"
LAWS, KIT, SEMIRING = "property/test_semiring_laws.py", "unit/test_semiring_kit.py", "unit/test_semiring.py"
USERS, FORESTS, SEARCH = "unit/test_user_semirings.py", "unit/test_forests.py", "unit/test_hypergraph_search.py"
SHARED, COMMANDS = "golden/test_shared_forests.py", "cli/test_forest_commands.py"

CASES: dict[int, tuple[str, tuple[str, ...]]] = {
    1: (
        "a node that stands twice in a tail has the outside weight of one place, or of too many",
        (
            f"{SUMS}::test_both_places_of_a_repeated_node_count",
            f"{SUMS}::test_a_node_as_often_as_one_likes",
            f"{USERS}::test_a_node_twice_in_a_tail",
            f"{QUANTITIES}::test_sums_over_derivations",
            f"{GENERIC}::test_exact_semirings_are_exact",
        ),
    ),
    3: (
        "a cycle is left out of the sum without a word",
        (
            f"{SUMS}::test_a_cycle_is_summed_or_named",
            f"{CLOSURES}::test_sums_around_cycles",
            f"{SEARCH}::test_what_no_search_takes",
        ),
    ),
    4: (
        "a deep lattice overflows the stack",
        (
            f"{SUMS}::test_a_million_nodes_deep_is_no_recursion",
            f"{SUMS}::test_a_million_nodes_deep_can_be_copied_sent_and_dropped",
            f"{SUMS}::test_forests_and_distributions_can_be_copied_and_sent",
            f"{SEARCH}::test_a_chain_of_a_million_positions",
            "faults/test_forest_faults.py::test_nesting_without_end_where_it_is_passed_over_does_no_harm",
        ),
    ),
    5: (
        "posteriors of a long lattice do not add up in single precision",
        (f"{QUANTITIES}::test_posteriors_of_a_million_arcs_add_up_at_every_step",),
    ),
    6: (
        "the total weight of a long chain underflows",
        (
            f"{SUMS}::test_500_000_steps_of_a_thousandth_do_not_underflow",
            f"{QUANTITIES}::test_nothing_underflows_or_overflows",
        ),
    ),
    7: (
        "posteriors fail after an intersection, or where arcs are not sorted",
        (
            f"{SUMS}::test_edges_in_any_order_are_sorted_inside",
            f"{SUMS}::test_posteriors_after_an_intersection",
            f"{SUMS}::test_a_loop_of_epsilons_is_named",
            f"{SEARCHES}::test_the_intersection_with_an_automaton",
        ),
    ),
    8: (
        "probabilities above 1 where scores are large",
        (
            f"{SUMS}::test_no_probability_is_above_one_however_large_the_scores",
            f"{QUANTITIES}::test_scores_that_are_shifted_at_every_edge_of_a_lattice",
        ),
    ),
    9: (
        "users take a probability for a logarithm",
        (f"{SUMS}::test_names_say_what_is_a_logarithm_and_what_a_probability",),
    ),
    10: (
        "a forest that is pruned away is not empty, or panics",
        (
            f"{SUMS}::test_what_is_left_of_a_forest_without_its_leaves_is_empty",
            f"{SEARCH}::test_no_derivation_is_no_error",
            f"{QUANTITIES}::test_a_node_without_derivations_has_an_outside_weight_but_no_posterior",
        ),
    ),
    11: (
        "the gradient of a sum of nothing is NaN",
        (f"{GRADIENTS}::test_nodes_without_a_live_derivation_add_nothing_to_any_gradient",),
    ),
    12: (
        "the entropy is NaN where a weight is zero",
        (
            f"{GRADIENTS}::test_zero_times_the_logarithm_of_zero_is_zero",
            f"{GRADIENTS}::test_a_single_derivation_has_no_entropy_at_all",
            f"{QUANTITIES}::test_entropies",
        ),
    ),
    13: (
        "zero is a number that scores can reach",
        (
            f"{GRADIENTS}::test_zero_is_no_number_that_a_weight_could_reach",
            f"{GRADIENTS}::test_scores_below_the_zeros_of_others_are_scores",
            f"{LAWS}::test_a_semiring_keeps_its_laws",
        ),
    ),
    14: (
        "a gradient leaves out the factor that comes from above, or there is none for weights of edges",
        (
            f"{GRADIENTS}::test_a_gradient_takes_the_factor_of_what_stands_above_it",
            # Parameters are changed in place between steps.
            f"{SUMS}::test_what_becomes_of_an_array_of_weights_changes_no_distribution",
            f"{QUANTITIES}::test_gradients_equal_central_differences",
        ),
    ),
    15: (
        "second derivatives are wrong",
        (
            f"{GRADIENTS}::test_the_hessian_of_log_z_is_the_covariance_of_features",
            f"{QUANTITIES}::test_moments",
        ),
    ),
    16: (
        "NaN past the limit of exp",
        (
            f"{GRADIENTS}::test_scores_past_the_limit_of_exp_give_finite_numbers",
            f"{QUANTITIES}::test_weights_of_any_size_and_tails_of_any_length",
            f"{SEMIRING}::test_overflow_and_underflow_do_not_make_numbers_that_are_none",
        ),
    ),
    18: (
        "zero has two signs, and 1 - 1 is not 0",
        (
            f"{NUMBERS}::test_zero_has_one_form_and_differences_of_equals_are_zero",
            f"{NUMBERS}::test_differences_of_equals_are_zero_in_sums_over_derivations",
            f"{LAWS}::test_signed_logarithms_are_numbers",
        ),
    ),
    19: (
        "weights are equal up to a tolerance, and fixpoints stop early",
        (f"{NUMBERS}::test_equality_is_exact", f"{KIT}::test_equality_with_a_tolerance_is_none"),
    ),
    20: (
        "closures of zero and of negative numbers are wrong",
        (
            f"{NUMBERS}::test_a_loop_of_weight_zero_is_no_loop",
            f"{NUMBERS}::test_loops_of_negative_weight",
            f"{SEMIRING}::test_closures_have_their_values",
        ),
    ),
    21: (
        "a sum that diverges is a finite number, or never ends, and near 1 digits are lost",
        (
            f"{NUMBERS}::test_a_sum_that_diverges_is_an_error_at_once",
            f"{NUMBERS}::test_equality_is_exact",
            f"{SEMIRING}::test_a_closure_that_diverges_is_an_error",
            f"{CLOSURES}::test_chains_of_markov_never_end",
            f"{USERS}::TestCycles::test_that_diverge",
        ),
    ),
    22: (
        "endlessly ambiguous input hangs",
        (
            f"{NUMBERS}::test_endless_derivations_end_nothing_but_an_error",
            f"{FORESTS}::test_a_cycle_has_no_end_of_derivations",
            f"{CLOSURES}::test_the_sums_of_truth_counts_and_costs",
            f"{USERS}::TestCycles::test_in_python",
        ),
    ),
    23: (
        "the k best have derivations twice",
        (
            f"{LISTS}::test_four_derivations_are_four_however_many_are_asked_for",
            f"{SEARCHES}::test_the_k_best_are_exact_distinct_and_in_order",
        ),
    ),
    24: (
        "more derivations than there are, or wrong ones behind the first",
        (
            f"{LISTS}::test_four_derivations_are_four_however_many_are_asked_for",
            f"{LISTS}::test_every_derivation_of_the_list_has_its_own_weight",
            f"{SEARCHES}::test_the_k_best_are_exact_distinct_and_in_order",
        ),
    ),
    25: (
        "lists of distinct strings are too short or repeat strings",
        (
            f"{LISTS}::test_distinct_strings_are_searched_until_there_are_enough_or_no_more",
            f"{LISTS}::test_epsilons_make_no_string_another",
            f"{SEARCHES}::test_every_yield_once_with_its_best_derivation",
            "golden/test_shared_forest_searches.py::test_all_yields_of_a_real_forest",
        ),
    ),
    26: (
        "the best derivation costs as much as the two best",
        (f"{LISTS}::test_the_first_derivation_looks_at_no_other",),
    ),
    27: (
        "all trees are built before the first comes",
        (
            f"{LISTS}::test_the_trees_of_forty_words_are_counted_and_none_is_made_but_the_first",
            f"{SEARCH}::test_an_exponential_derivation_is_refused_or_interrupted",
        ),
    ),
    28: (
        "identities are swapped",
        (
            f"{NUMBERS}::test_swapped_identities_are_found",
            f"{LAWS}::test_a_semiring_keeps_its_laws",
            f"{KIT}::test_each_broken_law_is_found_and_named",
        ),
    ),
    30: (
        "weights lose digits on their way through text",
        (
            f"{LISTS}::test_weights_go_through_files_to_the_last_bit",
            f"{FORESTS}::test_any_forest_comes_back",
            f"{USERS}::test_arrays_lose_nothing",
        ),
    ),
    31: (
        "what underflows counts as impossible",
        (
            f"{NUMBERS}::test_whether_there_is_a_derivation_is_no_matter_of_its_weight",
            f"{KIT}::test_the_support_of_what_underflows_is_no_homomorphism",
        ),
    ),
    32: (
        "the second-order expectation semiring is empty",
        (
            f"{GENERIC}::test_second_order_by_lifting_is_second_order",
            f"{GENERIC}::test_inside_outside_is_inside_in_the_expectation_semiring",
            f"{LAWS}::test_second_order_is_first_order_twice",
        ),
    ),
    33: (
        "JSON with repeated keys loses all edges but the last ones",
        (
            f"{FORESTS}::test_repeated_keys_are_read_in_order",
            f"{SHARED}::test_the_number_of_derivations_of_the_large_forest_is_exact",
            f"{SHARED}::test_forests_of_cdec_are_those_of_their_plain_copies",
        ),
    ),
    35: (
        "tail nodes of reordered rules are swapped",
        (
            f"{LISTS}::test_the_kth_place_of_a_target_string_is_the_kth_tail_node",
            f"{FORESTS}::test_forests_of_parsers",
        ),
    ),
    36: (
        "equal edges and repeated nodes are dropped, or loop for ever",
        (f"{LISTS}::test_edges_are_a_multiset_and_so_are_tails", f"{SUMS}::test_a_node_as_often_as_one_likes"),
    ),
    37: (
        "a file does not say whether its weights are costs or log-probabilities",
        (
            f"{FORESTS}::test_stored_best_weights_of_joshua_are_weights_once_the_sign_is_known",
            f"{SHARED}::test_stored_best_weights_of_joshua_are_costs_of_the_model",
        ),
    ),
    38: (
        "reading a lattice takes quadratic time",
        (
            f"{LISTS}::test_reading_takes_time_in_proportion_to_what_is_read",
            f"{LISTS}::test_reading_many_forests_takes_time_in_proportion_to_their_number",
        ),
    ),
    39: (
        "there is no one call for the total weight",
        (
            f"{LISTS}::test_the_total_weight_is_one_call",
            f"{COMMANDS}::test_expect_gives_the_quantities_of_minimum_risk_training",
        ),
    ),
    40: (
        "closures of logarithms and costs are those of other numbers",
        (
            f"{NUMBERS}::test_the_closure_of_a_cost_is_that_of_its_weight",
            f"{NUMBERS}::test_a_loop_of_weight_zero_is_no_loop",
            f"{SEMIRING}::test_closures_have_their_values",
        ),
    ),
}
"""Number: what was reported, and where plait's behaviour is tested. All of them apply to plait."""

NONE = {2, 17, 29, 34}


def functions_of(path: Path) -> set[str]:
    """The names of the tests of a file, those of classes behind the name of the class."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    functions = [("", node) for node in tree.body]
    classes = [node for node in tree.body if isinstance(node, ast.ClassDef)]
    functions += [(f"{owner.name}::", node) for owner in classes for node in owner.body]
    return {
        prefix + node.name
        for prefix, node in functions
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
    }


@pytest.mark.parametrize("case", CASES, ids=lambda n: f"{n}: {CASES[n][0]}")
def test_each_report_has_its_tests(case: int) -> None:
    for name in CASES[case][1]:
        file, _, function = name.partition("::")
        assert function in functions_of(TESTS / file), name


def test_no_report_is_left_out() -> None:
    assert set(CASES) | NONE == set(range(1, 41))
    assert not set(CASES) & NONE


@pytest.mark.parametrize("file", [SUMS, GRADIENTS, NUMBERS, LISTS])
def test_each_test_of_a_report_has_its_place(file: str) -> None:
    named = {name for _, tests in CASES.values() for name in tests}
    assert {f"{file}::{function}" for function in functions_of(TESTS / file)} <= named
