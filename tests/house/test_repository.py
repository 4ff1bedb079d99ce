"""The files of the repository hold for every machine: no path of the one they were written on."""

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
# Built from parts, so that this file passes its own test.
MACHINE_PATH = re.compile(r"(?<![\w.~])/(?:" + "|".join(("work", "tmp", "root", "home", "Users")) + r")/\w+")


def tracked():
    """The files under version control; all but build products where there is no git."""
    try:
        listing = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("not a git checkout")
    return [ROOT / name for name in listing.decode().split("\0") if name]


def test_no_file_names_a_path_of_one_machine():
    found = []
    for path in tracked():
        if not path.is_file():
            continue
        for number, line in enumerate(path.read_bytes().decode("utf-8", "replace").split("\n"), 1):
            if MACHINE_PATH.search(line):
                found.append(f"{path.relative_to(ROOT)}:{number}: {line.strip()[:80]}")
    assert found == []


@pytest.mark.parametrize("name", ["dev", "docs"])
def test_a_lock_names_exact_versions_with_hashes_and_no_index(name):
    text = (ROOT / "requirements" / f"{name}.lock").read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if line and not line.lstrip().startswith("#")]
    entries = "\n".join(lines).replace("\\\n", " ").splitlines()
    assert entries
    for entry in entries:
        assert re.match(r"[a-z0-9.\[\]_-]+==[^ ]+ .*--hash=sha256:[0-9a-f]{64}", entry), entry[:80]
    assert "://" not in text
    assert "--index" not in text


def test_the_locked_maturin_is_the_one_that_builds_the_wheel():
    required = re.search(r'requires = \["(maturin==[\d.]+)"\]', (ROOT / "pyproject.toml").read_text())
    assert required
    assert f"\n{required[1]} " in (ROOT / "requirements" / "dev.lock").read_text()
