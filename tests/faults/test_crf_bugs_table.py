"""What was reported against other libraries of random fields, and the tests that show what plait does instead.

The numbers are those of our list of reports, where those of a kind stand together. 6, 13, 15, 29 and 40 are none. A
text in place of tests is the reason why there is none.
"""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]
BUGS, USE = "faults/test_crf_bugs.py", "faults/test_crf_bugs_use.py"
UNIT, TWIN = "unit/test_crf.py", "property/test_crf_twin.py"
TRAINERS = "unit/test_crf_trainers.py"
CRFSUITE, CLI = "unit/test_crf_crfsuite.py", "cli/test_crf_commands.py"

PAIRS, CHANNEL = "unit/test_transliteration_pairs.py", "unit/test_joint_source_channel.py"
TWO_STEP, TRANSLIT_CLI = "unit/test_two_step.py", "cli/test_translit_commands.py"
TRANSLIT_BUGS = "faults/test_transliteration_bugs.py"

CASES: dict[int, tuple[str, tuple[str, ...] | str]] = {
    1: (
        "a tagger that is not opened, or an empty model, crashes",
        (f"{BUGS}::test_1_a_model_that_is_not_trained_says_so", f"{BUGS}::test_1_training_on_nothing_is_refused"),
    ),
    2: (
        "a model that is cut or damaged crashes",
        (
            f"{BUGS}::test_2_a_model_that_was_cut_or_changed_is_refused",
            f"{CRFSUITE}::test_a_model_that_was_cut_is_refused",
            f"{CRFSUITE}::test_a_changed_byte_is_told_or_changes_nothing",
            f"{CRFSUITE}::test_damage_is_named",
        ),
    ),
    3: ("one sequence and two labels crash", (f"{BUGS}::test_3_the_smallest_sets_train",)),
    4: (
        "without weights the label is whatever was in memory",
        (
            f"{BUGS}::test_4_without_weights_the_first_label_is_chosen",
            f"{TWIN}::test_ties_are_in_the_order_of_labels_the_last_one_counting_most",
        ),
    ),
    5: ("all pairs overflow 32 bits", (f"{BUGS}::test_5_pairs_that_do_not_occur_have_no_weight",)),
    7: (
        "one of the trainers crashes with many weights",
        (f"{BUGS}::test_7_every_trainer_takes_the_sizes_that_l_bfgs_takes",),
    ),
    8: (
        "training further crashes or does nothing",
        (
            f"{BUGS}::test_8_data_sets_can_be_added_to_a_model",
            f"{BUGS}::test_8_data_sets_can_be_added_to_a_model_by_any_trainer",
            f"{UNIT}::test_a_model_goes_on_from_another_and_learns_new_names",
        ),
    ),
    9: (
        "a path that cannot be written is told after training",
        (f"{BUGS}::test_9_an_output_that_cannot_be_written_is_told_before_training",),
    ),
    10: (
        "a model of another version is said to be broken",
        (
            f"{BUGS}::test_10_a_model_of_a_later_format_names_both_versions",
            "faults/test_model_faults.py::test_a_newer_format_is_refused_with_the_versions",
        ),
    ),
    11: ("line ends crash", (f"{BUGS}::test_11_line_ends_of_all_sorts_are_read",)),
    12: (
        "an unsafe callback crashes",
        (
            f"{USE}::test_12_the_compiler_refuses_unsafe_code",
            f"{BUGS}::test_12_an_estimator_trains_again_and_its_old_models_stay_valid",
        ),
    ),
    14: (
        "values that are not finite vanish, large ones empty the model",
        (
            f"{BUGS}::test_14_values_that_are_not_finite_are_refused_with_their_place",
            f"{BUGS}::test_14_values_that_cannot_be_added_up_are_refused",
            f"{BUGS}::test_14_large_and_small_values_train",
        ),
    ),
    16: (
        "runs do not repeat",
        (
            f"{BUGS}::test_16_two_runs_are_the_same_to_the_bit",
            f"{BUGS}::test_16_two_processes_make_the_same_file",
            f"{TRAINERS}::test_the_same_seed_gives_the_same_bits_for_any_number_of_threads",
        ),
    ),
    17: (
        "results differ between systems",
        (f"{BUGS}::test_17_the_weights_are_those_of_other_machines",),
    ),
    18: (
        "training ends too early by its error rate",
        (f"{BUGS}::test_18_why_training_ended_is_told", f"{BUGS}::test_18_a_history_comes_with_the_reason"),
    ),
    19: (
        "no n best labellings, or wrong ones",
        (
            f"{BUGS}::test_19_all_labellings_are_listed_when_more_are_asked_for",
            f"{TWIN}::test_probabilities_are_those_of_enumeration",
            "golden/test_golden_crfpp.py::test_lists_are_those_of_crf_test",
        ),
    ),
    20: (
        "marginals of some labels only, taken for the best labelling, or 0 without a word",
        (
            f"{BUGS}::test_20_pair_marginals_add_up_to_marginals",
            f"{BUGS}::test_20_the_best_labelling_need_not_have_the_best_labels",
            f"{BUGS}::test_1_a_model_that_is_not_trained_says_so",
        ),
    ),
    21: (
        "training cannot go on",
        (
            f"{USE}::test_21_no_more_iterations_leave_a_model_as_it_is",
            f"{UNIT}::test_a_model_goes_on_from_another_and_learns_new_names",
            f"{CLI}::test_training_goes_on_from_a_model",
            f"{TRAINERS}::test_no_iteration_from_a_model_is_that_model",
            f"{TRAINERS}::test_any_start_leads_to_the_same_minimum",
            "faults/test_crf_checkpoints.py::*",
        ),
    ),
    22: ("one thread", (f"{TWIN}::test_the_bits_do_not_depend_on_the_number_of_threads",)),
    23: (
        "training stops other threads, labelling in threads crashes",
        (f"{UNIT}::test_other_threads_run_during_training", f"{BUGS}::test_23_one_model_labels_in_many_threads"),
    ),
    24: (
        "models cannot be pickled",
        (
            f"{BUGS}::test_24_a_model_goes_through_a_pickle_to_another_process",
            f"{UNIT}::test_models_are_pickled_and_copied",
        ),
    ),
    25: ("temporary files are left", (f"{BUGS}::test_25_no_files_are_left",)),
    26: (
        "memory of dictionaries, and of pairs that do not occur",
        (
            f"{BUGS}::test_26_generators_are_read_once",
            f"{BUGS}::test_5_pairs_that_do_not_occur_have_no_weight",
            f"{UNIT}::test_arrays_are_sequences",
        ),
    ),
    27: (
        "no weights of sequences",
        (f"{USE}::test_27_a_sequence_that_is_there_twice_weighs_twice", "unit/test_crf_weights.py::*"),
    ),
    28: (
        "labels cannot be restricted",
        (
            f"{UNIT}::test_labels_that_are_not_allowed_are_not_chosen",
            f"{TWIN}::test_probabilities_over_allowed_labels_are_those_of_enumeration",
        ),
    ),
    30: (
        "weights do not explain a probability",
        (f"{USE}::test_30_weights_and_log_z_explain_a_probability", "unit/test_crf_explain.py::*"),
    ),
    31: (
        "input of the wrong shape is a riddle",
        (
            f"{BUGS}::test_31_input_of_the_wrong_shape_is_named_with_its_place",
            f"{BUGS}::test_31_tuples_are_lists",
            f"{USE}::test_31_arrays_and_texts_are_no_sequences",
        ),
    ),
    32: ("no training in Rust", (f"{UNIT}::test_the_minimum_is_one_and_the_search_ends_there",)),
    33: ("no wheel for each new Python", (f"{USE}::test_33_one_wheel_serves_every_python_from_3_11",)),
    34: (
        "scikit-learn changes and the classifier breaks",
        (
            f"{USE}::test_34_scikit_learn_clones_and_cross_validates",
            f"{UNIT}::test_options_are_those_of_scikit_learn",
            "unit/test_crf_sklearn.py::*",
        ),
    ),
    35: ("a header is missing", "about building a C++ program on Windows; there is no C++ here"),
    36: ("models are pickles that depend on NumPy", (f"{USE}::test_36_a_model_file_is_no_pickle",)),
    37: ("builds that are dead", "of programs on a framework that plait does not use"),
    38: ("alignment runs out of memory", (f"{TRANSLIT_BUGS}::test_38_memory_of_alignment_is_linear",)),
    39: (
        "alignment fails without a reason",
        (
            f"{PAIRS}::test_pairs_without_alignment_are_listed_with_reasons",
            f"{PAIRS}::test_a_pair_that_is_too_long_is_left_out",
        ),
    ),
    41: (
        "no pronunciation for a word",
        (
            f"{CHANNEL}::test_a_word_always_has_a_target",
            f"{TWO_STEP}::test_symbols_that_training_did_not_have_still_give_a_list",
            f"{TRANSLIT_CLI}::test_unknown_symbols_are_told_and_bad_input_named",
        ),
    ),
    42: (
        "n best are slow",
        (
            f"{TRANSLIT_BUGS}::test_42_long_words_have_ten_best",
            f"{CHANNEL}::test_a_long_word_is_decoded",
            f"{TWO_STEP}::test_a_long_word_is_decoded",
        ),
    ),
    43: (
        "as many variants as a probability needs",
        (f"{CHANNEL}::test_a_mass_ends_lists", f"{TWO_STEP}::test_lists_end_with_the_mass_that_is_asked_for"),
    ),
    44: (
        "an illegal option ends with status 0",
        (
            f"{TRANSLIT_CLI}::test_results_of_news_and_a_share_of_the_mass",
            f"{CHANNEL}::test_illegal_values_are_errors",
        ),
    ),
    45: (
        "words are dropped silently",
        (
            f"{CHANNEL}::test_pairs_without_alignment_are_left_out_or_all_is_refused",
            f"{TWO_STEP}::test_pairs_that_cannot_be_cut_are_told",
        ),
    ),
    46: (
        "no probabilities of phonemes",
        (
            f"{CHANNEL}::test_lists_are_sorted_and_distinct_with_probabilities",
            f"{CHANNEL}::test_probabilities_are_those_of_pairs",
        ),
    ),
    47: (
        "no way to call it from Python",
        (
            f"{CHANNEL}::test_it_knows_its_training_pairs_by_rule",
            f"{TWO_STEP}::test_new_words_are_put_together_from_chunks",
        ),
    ),
    48: (
        "empty sequences, NaN, the sign of the loss",
        (
            f"{USE}::test_48_empty_sequences_and_those_of_one_position_are_answered",
            f"{TWIN}::test_the_gradient_equals_central_differences",
        ),
    ),
}
"""Number: what was reported, and where plait's behaviour is tested, or why it is not."""

NONE = {6, 13, 15, 29, 40}


def test_every_number_is_here() -> None:
    assert set(CASES) | NONE == set(range(1, 49))
    assert not set(CASES) & NONE


@pytest.mark.parametrize("case", CASES, ids=lambda n: f"{n}: {CASES[n][0]}")
def test_each_report_has_its_tests_or_a_reason(case: int) -> None:
    tests = CASES[case][1]
    if isinstance(tests, str):
        assert len(tests) > 20
        return
    for name in tests:
        file, _, function = name.partition("::")
        tree = ast.parse((TESTS / file).read_text(encoding="utf-8"))
        found = {node.name for node in tree.body if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")}
        assert found if function == "*" else function in found, name
