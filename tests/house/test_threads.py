"""How many threads are used when nobody says."""

import os

import pytest

from plait.errors import ConfigError
from plait.threads import available_threads, resolve_threads


def test_the_environment_caps_the_threads_but_never_raises_them(monkeypatch):
    monkeypatch.delenv("PLAIT_NUM_THREADS", raising=False)
    every = available_threads()
    monkeypatch.setenv("PLAIT_NUM_THREADS", "1")
    assert available_threads() == 1
    monkeypatch.setenv("PLAIT_NUM_THREADS", "100000")
    assert available_threads() == every


@pytest.mark.parametrize("text", ["0", "-2", "two", "1.5", "٣"])
def test_a_cap_that_is_no_number_is_refused_by_name(monkeypatch, text):
    monkeypatch.setenv("PLAIT_NUM_THREADS", text)
    with pytest.raises(ConfigError, match="PLAIT_NUM_THREADS"):
        available_threads()


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="the system has no affinity masks")
def test_the_affinity_mask_is_respected(monkeypatch):
    monkeypatch.delenv("PLAIT_NUM_THREADS", raising=False)
    before = os.sched_getaffinity(0)
    try:
        os.sched_setaffinity(0, {min(before)})
        assert available_threads() == 1
    finally:
        os.sched_setaffinity(0, before)


def test_a_wish_is_granted_and_nonsense_refused(monkeypatch):
    monkeypatch.setenv("PLAIT_NUM_THREADS", "1")
    assert resolve_threads(None) == 1
    assert resolve_threads(64) == 64
    with pytest.raises(ConfigError, match="threads"):
        resolve_threads(0)
