"""What holds for every test: no panic of the core, not even one that was caught."""

from __future__ import annotations

from collections.abc import Generator

import pytest

PANIC = "panicked at"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Fail a test that passed, but left the message of a panic on standard error."""
    report = yield
    if report.passed and any(PANIC in text for name, text in report.sections if "stderr" in name):
        report.outcome = "failed"
        report.longrepr = "the core panicked during this test; see standard error"
    return report
