"""What was reported against other aligners, and the tests that show what plait does instead.

The numbers are those of our list of reports, where those of a kind stand together. 11, 13, 26 and 39 are none.
"""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]
TEXT, SIZE = "faults/test_aligner_bugs_text.py", "faults/test_aligner_bugs_size.py"
MODELS, HMM = "faults/test_aligner_bugs_models.py", "faults/test_aligner_bugs_hmm.py"
LONG = "faults/test_long_sentences.py"

CASES: dict[int, tuple[str, tuple[str, ...]]] = {
    1: (
        "an empty side stops the run",
        (f"{TEXT}::test_an_empty_side_gives_an_empty_line_and_touches_no_other",),
    ),
    2: (
        "one empty line makes all statistics NaN and all lines empty",
        (
            f"{TEXT}::test_an_empty_side_gives_an_empty_line_and_touches_no_other",
            f"{TEXT}::test_an_empty_side_leaves_all_scores_finite",
            f"{LONG}::test_a_pair_over_the_limit_changes_nothing_for_others_and_is_told",
        ),
    ),
    3: (
        "a separator without spaces gives a training on nothing",
        (f"{TEXT}::test_a_separator_without_spaces_is_an_error_with_its_line",),
    ),
    4: (
        "bars inside of a sentence become words of the other side",
        (f"{TEXT}::test_bars_inside_of_a_sentence_are_an_error_in_joint_lines_and_a_word_in_two_files",),
    ),
    5: ("a tab moves words to the other side", (f"{TEXT}::test_a_tab_moves_no_word_to_the_other_side",)),
    6: ("white space of Unicode parts words here and there", (f"{TEXT}::test_only_ascii_space_and_tab_part_words",)),
    7: ("a lone carriage return shifts all lines", (f"{TEXT}::test_a_lone_carriage_return_ends_no_line",)),
    8: ("carriage returns stay on last words", (f"{TEXT}::test_crlf_files_give_the_bytes_of_lf_files",)),
    9: ("files of different length are cut silently", (f"{TEXT}::test_unequal_files_are_an_error_that_counts_both",)),
    10: (
        "bad UTF-8 is a traceback without a line, or depends on the locale",
        (
            f"{TEXT}::test_bytes_that_are_not_utf8_are_an_error_with_line_and_column_in_any_locale",
            "faults/test_align_faults.py::test_the_locale_does_not_matter",
        ),
    ),
    12: ("NUL bytes and very long words", (f"{TEXT}::test_nul_bytes_and_words_of_100_000_bytes_are_words",)),
    14: (
        "lower-casing changes words, and differs between text and priors",
        (
            f"{TEXT}::test_lower_casing_never_changes_the_number_of_words",
            "unit/test_align_priors.py::test_words_of_a_priors_file_are_folded_as_the_text_is",
        ),
    ),
    15: ("no line, one line, one word", (f"{TEXT}::test_tiny_corpora", "unit/test_align_degenerate.py::*")),
    16: (
        "no standard input, pipes or compressed files",
        (f"{TEXT}::test_pipes_standard_input_and_compressed_files",),
    ),
    17: (
        "sentences of 1,024 words are dropped without a word",
        (
            f"{SIZE}::test_words_behind_the_limits_of_others_get_links",
            f"{LONG}::test_on_the_command_line_it_is_an_empty_line_and_a_warning",
        ),
    ),
    18: ("sentences are cut at 100 words", (f"{SIZE}::test_words_behind_the_limits_of_others_get_links",)),
    19: ("sentences over 200 words get no links", (f"{SIZE}::test_words_behind_the_limits_of_others_get_links",)),
    20: (
        "records are fewer than lines",
        (
            f"{SIZE}::test_giza_records_are_as_many_as_lines",
            f"{HMM}::test_a_text_of_any_size_goes_through_in_chunks_with_the_model_of_a_sample",
        ),
    ),
    21: (
        "lengths are 16-bit numbers with a sign",
        (
            f"{SIZE}::test_40_000_words_on_one_side_are_no_negative_length",
            f"{LONG}::test_one_word_against_65_534",
        ),
    ),
    22: (
        "symmetrisation crashes on long lines, or gives links past the end",
        (
            f"{SIZE}::test_symal_takes_sentences_of_any_length",
            f"{SIZE}::test_symmetrised_links_lie_between_intersection_and_union_and_inside_of_the_pair",
        ),
    ),
    23: (
        "memory of all pairs of types that meet",
        (
            f"{SIZE}::test_memory_does_not_grow_with_the_pairs_of_types_that_meet",
            f"{LONG}::test_2000_words_on_each_side_take_bounded_memory",
            f"{LONG}::test_memory_grows_with_cells_and_no_faster",
        ),
    ),
    24: (
        "a large text does not fit, and chunks are made by hand",
        (f"{HMM}::test_a_text_of_any_size_goes_through_in_chunks_with_the_model_of_a_sample",),
    ),
    25: (
        "symmetrisation runs out of memory",
        (
            "cli/test_links_commands.py::test_symmetrize_works_in_blocks",
            "faults/test_links_faults.py::test_a_huge_position_costs_no_memory",
        ),
    ),
    27: ("counts stop at 2^24", (f"{SIZE}::test_counts_go_on_past_2_to_the_24",)),
    28: (
        "far jumps are counted where their sum is kept",
        (
            f"{HMM}::test_far_jumps_are_jumps_and_no_part_of_their_sum",
            f"{HMM}::test_priors_have_a_line_for_each_far_jump",
        ),
    ),
    29: ("many threads crash", (f"{SIZE}::test_more_threads_than_sentences_change_nothing",)),
    30: (
        "large tables and dirty text crash",
        (
            f"{HMM}::test_a_big_model_comes_back_from_its_file_to_the_bit",
            f"{HMM}::test_dirty_text_goes_through_training_files_and_new_text",
        ),
    ),
    31: (
        "more processors do not help",
        ("unit/test_hmm_determinism.py::test_threads_do_not_matter", "unit/test_parallel_feed.py::*"),
    ),
    32: ("idle threads spin", (f"{SIZE}::test_idle_threads_do_not_spin",)),
    33: (
        "no way to align new text, or one that depends on its order",
        (
            f"{MODELS}::test_new_text_depends_neither_on_its_order_nor_on_its_company",
            "cli/test_align_saved.py::test_a_saved_model_aligns_new_text",
        ),
    ),
    34: (
        "seconds for each sentence",
        (
            f"{MODELS}::test_one_pair_is_aligned_in_no_time",
            f"{HMM}::test_a_loaded_model_aligns_a_pair_at_once_however_large_it_is",
        ),
    ),
    35: ("priors of parts cannot be added", (f"{MODELS}::test_priors_of_shards_add_up",)),
    36: (
        "links depend on the chunk",
        (
            f"{MODELS}::test_new_text_depends_neither_on_its_order_nor_on_its_company",
            f"{HMM}::test_a_text_of_any_size_goes_through_in_chunks_with_the_model_of_a_sample",
        ),
    ),
    37: (
        "priors do not say how their text was read",
        (
            f"{HMM}::test_a_model_says_how_it_was_made_and_refuses_what_does_not_fit",
            "cli/test_align_saved.py::test_the_text_is_folded_as_the_model_needs_it",
            "faults/test_model_faults.py::test_a_newer_format_is_refused_with_the_versions",
        ),
    ),
    38: ("a bad line of priors is not named", (f"{MODELS}::test_a_damaged_line_of_priors_is_named",)),
    40: ("training does not give the links of its text", (f"{MODELS}::test_training_returns_the_links_of_its_text",)),
    41: (
        "no scores, or NaN",
        (
            f"{MODELS}::test_scores_are_finite_and_one_for_each_line_in_both_directions",
            "cli/test_align_saved.py::test_scores_are_a_line_for_each_pair",
        ),
    ),
    42: ("scores depend on the size of the text", (f"{MODELS}::test_scores_do_not_grow_with_the_corpus",)),
    43: ("precision and recall cannot be balanced", (f"{MODELS}::test_a_threshold_trades_precision_for_recall",)),
    44: ("symmetrisation needs another tool", (f"{MODELS}::test_symmetrisation_needs_no_other_tool",)),
    45: (
        "no lexical table, or one of NULL alone",
        (
            f"{SIZE}::test_a_lexicon_has_a_row_of_null_and_rows_of_words",
            "cli/test_lexicon_command.py::test_moses_tables_compressed",
            "cli/test_lexicon_command.py::test_a_shortlist_is_pruned_in_its_direction",
        ),
    ),
    46: (
        "links out of range crash what uses them",
        (
            f"{MODELS}::test_no_link_points_outside_of_its_pair",
            f"{HMM}::test_links_outside_of_their_sentences_are_found_before_anything_is_made_of_them",
        ),
    ),
    47: (
        "lines that were left out look like lines without links",
        (
            f"{MODELS}::test_skipped_pairs_are_told_from_pairs_without_links",
            f"{HMM}::test_what_was_left_out_is_told_from_what_has_no_links_line_by_line",
        ),
    ),
    48: (
        "runs do not repeat",
        (
            f"{MODELS}::test_runs_repeat_bit_for_bit_on_any_number_of_threads",
            "unit/test_hmm_determinism.py::*",
            "unit/test_align_determinism.py::*",
        ),
    ),
    49: (
        "no progress, and no end by Ctrl-C",
        (
            f"{MODELS}::test_long_work_tells_how_far_it_is",
            "faults/test_align_signals.py::test_ctrl_c_in_the_middle_of_training",
            f"{LONG}::test_ctrl_c_is_answered_inside_of_a_long_pair",
        ),
    ),
    51: ("a program is not found", (f"{SIZE}::test_no_command_runs_another_program",)),
    53: ("the licence", ("house/test_licences.py::*",)),
    54: (
        "neural aligners fail past 510 pieces of words",
        (f"{SIZE}::test_words_behind_the_limits_of_others_get_links",),
    ),
}
"""Number: what was reported, and where plait's behaviour is tested. 50 and 52 are about building: see the wheels."""


@pytest.mark.parametrize("case", CASES, ids=lambda n: f"{n}: {CASES[n][0]}")
def test_each_report_has_its_tests(case: int) -> None:
    for name in CASES[case][1]:
        file, _, function = name.partition("::")
        tree = ast.parse((TESTS / file).read_text(encoding="utf-8"))
        found = {node.name for node in tree.body if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")}
        assert found if function == "*" else function in found, name
