"""Model files of every version of the format stay readable: those kept here were written once and do not change."""

from pathlib import Path

import numpy as np
import pytest

import plait
from plait import models
from plait.lexicon import Lexicon, Translation, of_model

FOLDER = Path(__file__).parent / "models"
ARRAYS = {
    "counts": np.array([[1.5, -2.0], [np.inf, 0.25]], dtype=np.float32),
    "is_word": np.array([True, False, True]),
    "none": np.zeros((0, 3), dtype=np.int32),
    "offsets": np.array([0, 2, 2**63], dtype=np.uint64),
    "scalar": np.array(-7, dtype=np.int64),
}
METADATA = {"config": {"preset": "default", "tau": 0.5}, "seed": 1, "words": ["é", None, True]}


@pytest.mark.parametrize("version", range(1, models.FORMAT_VERSION + 1))
def test_a_kept_model_is_read(version):
    found = models.load(FOLDER / f"numbers_v{version}.plait", "numbers")
    assert (found.format_version, found.plait_version, found.metadata) == (version, "0.1.0", METADATA)
    assert set(found.arrays) == set(ARRAYS)
    for name, array in ARRAYS.items():
        assert (found.arrays[name].dtype, found.arrays[name].shape) == (array.dtype, array.shape)
        assert np.array_equal(found.arrays[name], array)


def test_the_newest_kept_model_is_written_so_by_this_version(tmp_path):
    kept = FOLDER / f"numbers_v{models.FORMAT_VERSION}.plait"
    models.save(tmp_path / "m", "numbers", ARRAYS, METADATA)
    found = (tmp_path / "m").read_bytes()
    if plait.__version__ == models.load(kept).plait_version:
        assert found == kept.read_bytes()
    assert models.load(tmp_path / "m").arrays.keys() == models.load(kept).arrays.keys()


def test_a_kept_lexicon_is_read():
    lexicon = of_model(FOLDER / "lexicon_v1.plait")
    assert len(lexicon) == 4
    assert lexicon.translations("the") == [Translation("das", 2 / 3, 2.0)]
    assert lexicon.translations(None) == [Translation("Straße", 1.0, 1.0)]
    assert Lexicon.load(FOLDER / "lexicon_v1.plait").source_vocabulary == ["the", "house", "!"]


def test_a_kept_aligner_is_read():
    model = plait.align.load(FOLDER / "aligner_v1.plait")
    assert model.folding == (True, 0, 0)
    assert model.config.model == "hmm"
    assert model.translations("house", top=1)[0].word == "haus"
    new = plait.Bitext.from_lists(["An old book"], ["Ein altes Buch"], lowercase=True)
    assert model.align(new).to_pharaoh() == b"0-0 1-1 2-2\n"
    assert of_model(FOLDER / "aligner_v1.plait").translations("book", top=1)[0].word == "buch"
