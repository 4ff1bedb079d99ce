"""What holds for every test: signals are heard, and the core does not panic, not even where that is caught."""

from __future__ import annotations

import signal
from collections.abc import Generator

import pytest

PANIC = "panicked at"


def pytest_configure() -> None:
    """Let children of tests hear signals, also where tests run under nohup or in the background of a script."""
    for name, handler in (("SIGINT", signal.default_int_handler), ("SIGHUP", signal.SIG_DFL)):
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) == signal.SIG_IGN:
            signal.signal(number, handler)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Fail a test that passed, but left the message of a panic on standard error."""
    report = yield
    if report.passed and any(PANIC in text for name, text in report.sections if "stderr" in name):
        report.outcome = "failed"
        report.longrepr = "the core panicked during this test; see standard error"
    return report
