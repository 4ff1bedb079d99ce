"""Two readers on two threads end as one after the other would."""

import threading
import time

import pytest

from plait.io.parallel_feed import feed_two


def test_both_run_at_the_same_time():
    met = threading.Barrier(2, timeout=10)
    feed_two(lambda _: met.wait() and None, lambda _: met.wait() and None)


def test_the_second_is_told_when_nobody_waits_for_it():
    told = []

    def first(_):
        raise KeyboardInterrupt

    def second(nobody_waits):
        told.append(nobody_waits.wait(10))

    with pytest.raises(KeyboardInterrupt):
        feed_two(first, second)
    for thread in threading.enumerate():
        if thread.name.startswith("plait"):
            thread.join(10)
    assert told == [True]


def test_the_second_is_waited_for():
    done = []

    def second(_):
        time.sleep(0.3)
        done.append(True)

    feed_two(lambda _: None, second)
    assert done == [True]


@pytest.mark.parametrize("first_is_later", [True, False])
def test_the_error_of_the_first_wins(first_is_later):
    def fail(problem, delay):
        time.sleep(delay)
        raise problem

    delays = (0.2, 0.0) if first_is_later else (0.0, 0.2)
    with pytest.raises(ValueError, match="first"):
        feed_two(lambda _: fail(ValueError("first"), delays[0]), lambda _: fail(KeyError("second"), delays[1]))
    with pytest.raises(KeyError, match="second"):
        feed_two(lambda _: None, lambda _: fail(KeyError("second"), 0.0))
