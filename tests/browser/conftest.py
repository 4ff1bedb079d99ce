"""One browser for all tests that need one; they are skipped where there is none."""

from __future__ import annotations

import pytest
from chromium import Chromium, find_browser


@pytest.fixture(scope="session")
def browser(tmp_path_factory):
    program = find_browser()
    if program is None:
        pytest.skip("no Chromium at hand; CHROMIUM may name one")
    chromium = Chromium(program, tmp_path_factory.mktemp("profile"))
    yield chromium
    chromium.close()
