"""Real corpora: every line becomes a pair, and every token what a count of the bytes says."""

import os
from pathlib import Path

import pytest

from plait.bitext import Bitext

pytestmark = pytest.mark.data


@pytest.fixture(scope="module")
def corpora():
    folder = Path(os.environ.get("PLAIT_DATA", "")) / "align"
    if "PLAIT_DATA" not in os.environ or not folder.is_dir():
        pytest.skip("PLAIT_DATA names no folder with align/")
    return sorted(path.parent for path in folder.glob("*/train.src"))


def test_lines_and_tokens_are_those_of_the_bytes(corpora):
    assert corpora
    for folder in corpora:
        data = [(folder / name).read_bytes() for name in ("train.src", "train.tgt")]
        bitext = Bitext.read(folder / "train.src", folder / "train.tgt")
        assert len(bitext) == data[0].count(b"\n"), folder
        # None of the ASCII white space but space, tab and line end stands in these files.
        counts = [len(side.split()) for side in data]
        assert [bitext.counts.source_tokens, bitext.counts.target_tokens] == counts, folder
        assert [bitext.counts.source_types, bitext.counts.target_types] == [len(set(d.split())) for d in data]
        for n in (0, len(bitext) // 2, len(bitext) - 1):
            assert bitext.target(n) == data[1].split(b"\n")[n].decode().split(" "), folder
