from __future__ import annotations

import os
import pty
import termios
from collections.abc import Iterator

import pytest

from freefloat.errors import InputError
from freefloat.serve.terminal_keys import Keys, single_keys


@pytest.fixture
def terminal() -> Iterator[tuple[int, int]]:
    ends = pty.openpty()
    yield ends
    for end in ends:
        os.close(end)


def test_keys_have_names_and_half_a_sequence_waits(terminal: tuple[int, int]) -> None:
    hand, screen = terminal
    keys = Keys(screen)
    with single_keys(screen):
        assert keys.pressed() == []
        os.write(hand, b"p \r\x7f\t:\x1b[A\x1b[B\x1bOC\x1b[D\x1b[Z\x1b[15~\xc3\xa4")
        assert keys.pressed() == ["p", " ", "enter", "backspace", "tab", ":", "up", "down", "right", "left", "tab", "ä"]
        os.write(hand, b"\x1b[")
        assert keys.pressed() == []
        os.write(hand, b"Ax")
        assert keys.pressed() == ["up", "x"]
        os.write(hand, b"\x1b")
        assert keys.pressed() == ["escape"]
        os.write(hand, b"\x1b[" + b"9" * 30)
        assert keys.pressed() == []
        os.write(hand, b"q")
        assert keys.pressed() == ["q"], "a sequence without an end does not swallow what follows for ever"


@pytest.mark.parametrize("error", [None, KeyboardInterrupt, RuntimeError])
def test_the_terminal_is_as_before_whatever_happens(terminal: tuple[int, int], error: type | None) -> None:
    _, screen = terminal
    before = termios.tcgetattr(screen)
    try:
        with single_keys(screen):
            assert not termios.tcgetattr(screen)[3] & (termios.ECHO | termios.ICANON)
            assert termios.tcgetattr(screen)[3] & termios.ISIG, "Ctrl-C interrupts"
            if error:
                raise error
    except (KeyboardInterrupt, RuntimeError):
        pass
    assert termios.tcgetattr(screen) == before


def test_what_is_no_terminal_is_told() -> None:
    reading, writing = os.pipe()
    with pytest.raises(InputError, match="console: no terminal; allowed: a terminal, or --once"), single_keys(reading):
        pass
    os.close(writing)
    assert Keys(reading).pressed() is None, "its end is the end"
    os.close(reading)
