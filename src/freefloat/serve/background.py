"""Work that takes long, such as a picture, in a thread of its own; what it gives comes back in the thread that asks."""

from __future__ import annotations

import contextlib
import queue
import socket
import threading
from collections.abc import Callable
from typing import Any

from freefloat.errors import FreefloatError, InputError

Done = Callable[[Any], None]  # takes what the work gives, or the FreefloatError that it raised
MOST = 8  # pieces of work that may wait


class Background:
    """One thread, one piece of work after the other. A selector on it tells when `finish` has something to do."""

    def __init__(self) -> None:
        self._todo: queue.Queue[tuple[Callable[[], Any], Done] | None] = queue.Queue(MOST)
        self._done: queue.SimpleQueue[tuple[Done, Any]] = queue.SimpleQueue()
        self._wake, self._woken = socket.socketpair()
        self._wake.setblocking(False)
        self._woken.setblocking(False)
        self._thread: threading.Thread | None = None

    def fileno(self) -> int:
        """Readable when work is done."""
        return self._woken.fileno()

    def start(self, work: Callable[[], Any], done: Done) -> None:
        """Have work done; `done` is called by `finish` with what it gives."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="background", daemon=True)
            self._thread.start()
        try:
            self._todo.put_nowait((work, done))
        except queue.Full:
            raise InputError(f"{MOST} pictures are waiting to be made; allowed: {MOST}") from None

    def finish(self) -> None:
        """Hand over what has been done."""
        with contextlib.suppress(BlockingIOError):
            self._woken.recv(4096)
        while not self._done.empty():
            done, result = self._done.get()
            done(result)

    def close(self) -> None:
        """End the thread, once its piece of work is done."""
        if self._thread is not None:
            with contextlib.suppress(queue.Full):
                self._todo.put_nowait(None)
        self._woken.close()

    def _run(self) -> None:
        while (item := self._todo.get()) is not None:
            work, done = item
            try:
                result = work()
            except FreefloatError as error:
                result = error
            except Exception as error:
                result = InputError(f"{type(error).__name__}: {error}")
            self._done.put((done, result))
            with contextlib.suppress(OSError):  # full: it is awake anyway; closed: nobody waits
                self._wake.send(b".")
