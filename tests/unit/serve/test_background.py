from __future__ import annotations

import select
import threading
from typing import Any

import pytest

from freefloat.errors import InputError
from freefloat.serve.background import MOST, Background


def test_work_is_done_apart_and_handed_over_where_it_is_asked_for() -> None:
    background, told, threads = Background(), [], []

    def work() -> int:
        threads.append(threading.current_thread())
        return 7

    def fail() -> None:
        raise InputError("no")

    def crash() -> None:
        raise RuntimeError("oh")

    for each in (work, fail, crash):
        background.start(each, told.append)
    while len(told) < 3:
        assert select.select([background], [], [], 10.0)[0]
        background.finish()
    assert told[0] == 7
    assert [str(error) for error in told[1:]] == ["no", "RuntimeError: oh"]
    assert threads[0] is not threading.current_thread()
    background.close()


def test_more_than_can_wait_is_refused() -> None:
    background, go = Background(), threading.Event()

    def done(result: Any) -> None:
        return None

    def fill() -> None:
        for _ in range(MOST + 2):
            background.start(lambda: go.wait(10.0), done)

    with pytest.raises(InputError, match=f"allowed: {MOST}"):
        fill()
    go.set()
    background.close()
