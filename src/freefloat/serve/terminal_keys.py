"""Keys of a terminal one by one, without waiting for enter; the terminal is as before afterwards, whatever happens."""

from __future__ import annotations

import codecs
import os
import select
from collections.abc import Iterator
from contextlib import contextmanager

from freefloat.errors import InputError

SEQUENCES = {"A": "up", "B": "down", "C": "right", "D": "left", "Z": "tab"}  # after ESC [ or ESC O
NAMES = {"\r": "enter", "\n": "enter", "\x7f": "backspace", "\x08": "backspace", "\t": "tab"}
ESCAPE = "\x1b"


@contextmanager
def single_keys(descriptor: int) -> Iterator[None]:
    """The terminal hands over each key at once and shows none of them; Ctrl-C goes on to interrupt."""
    try:
        import termios
        import tty
    except ImportError:  # not on this system
        raise InputError("console: no terminal of this system is known; allowed: Linux, macOS") from None
    try:
        before = termios.tcgetattr(descriptor)
    except termios.error:
        raise InputError("console: no terminal; allowed: a terminal, or --once to print it once") from None
    try:
        tty.setcbreak(descriptor, termios.TCSADRAIN)
        yield
    finally:
        termios.tcsetattr(descriptor, termios.TCSADRAIN, before)


class Keys:
    """Names of the keys that have been pressed; half a character or sequence is completed by later bytes."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._text = ""
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")

    def fileno(self) -> int:
        """Readable when keys have been pressed."""
        return self._descriptor

    def pressed(self) -> list[str] | None:
        """What has come until now; None: the terminal has gone."""
        data = b""
        while select.select([self._descriptor], [], [], 0.0)[0]:
            try:
                piece = os.read(self._descriptor, 1024)
            except OSError:
                return None
            if not piece:
                return None
            data += piece
            if len(data) > 1 << 16:
                break
        self._text += self._decoder.decode(data)
        return list(self._names())

    def _names(self) -> Iterator[str]:
        while self._text:
            if self._text[0] != ESCAPE:
                yield NAMES.get(self._text[0], self._text[0])
                self._text = self._text[1:]
            elif self._text[1:2] in ("[", "O"):
                end = next((n for n, c in enumerate(self._text[2:], 2) if "@" <= c <= "~"), None)
                if end is None:
                    if len(self._text) < 16:
                        return
                    end = len(self._text) - 1
                name = SEQUENCES.get(self._text[end])
                self._text = self._text[end + 1 :]
                if name:
                    yield name
            else:
                self._text = self._text[1:]
                yield "escape"
