"""Loading a model runs no code and opens no other file, whatever stands in it."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from test_forged_models import KINDS

from plait import models

ODD = [
    "__reduce__",
    "../../etc/passwd",
    "/etc/passwd",
    "$(touch x)",
    "cos\nsystem\n(S'true'\ntR.",
    "{0.__class__}",
    "%s%n",
]

# Python tells of these, and they reach nothing outside of it.
HARMLESS = {"builtins.id", "object.__getattr__", "sys._getframe", "array.__new__"}

# A first load brings in what is imported late; the second is watched.
WATCHED = """
import json, sys
sys.path.insert(0, {tests!r})
sys.path.insert(0, {faults!r})
from test_forged_models import KINDS
from plait.errors import PlaitError

use = KINDS[{kind!r}][1]
use({sound!r})
events = []
sys.addaudithook(lambda name, args: events.append((name, str(args[0]) if args else "")))
try:
    use({odd!r})
except PlaitError:
    pass
print(json.dumps(events))
"""


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kind", KINDS)
def test_only_the_named_file_is_opened_and_nothing_runs(kind: str, tmp_path: Path) -> None:
    sound, odd = tmp_path / "sound.plait", tmp_path / "odd.plait"
    KINDS[kind][0](sound)
    file = models.load(sound)
    strings = {f"odd {number}": text for number, text in enumerate(ODD)}
    models.save(odd, file.kind, file.arrays, {**file.metadata, **strings, "__class__": "os.system", "template": ODD[1]})
    here = Path(__file__).parent
    places = {"tests": str(here.parent), "faults": str(here)}
    script = WATCHED.format(kind=kind, sound=str(sound), odd=str(odd), **places)
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=100)
    assert done.returncode == 0, done.stderr
    events = json.loads(done.stdout)
    assert ["open", str(odd)] in events
    assert {name for name, _ in events} <= {"open", *HARMLESS}
    assert {place for name, place in events if name == "open"} == {str(odd)}


def test_no_source_of_the_package_imports_what_runs_code_from_data() -> None:
    source = Path(models.__file__).parent
    forbidden = re.compile(r"^\s*(import|from)\s+(pickle|shelve|marshal|dill|joblib)\b|\beval\(|\bexec\(", re.MULTILINE)
    found = {str(path): forbidden.search(path.read_text(encoding="utf-8")) for path in source.rglob("*.py")}
    assert [path for path, use in found.items() if use] == []
