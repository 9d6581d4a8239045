"""Whatever stands in `--vary` and `--success`, it is read or refused in one line: never a traceback."""

from __future__ import annotations

import random

import pytest

from freefloat.campaign.criteria import Criterion
from freefloat.campaign.variation import parse_variation
from freefloat.errors import InputError

FEW, ALL = 400, 10_000
VARY = ["bus.mass", "=", "uniform(", "normal(", "truncated(", "loguniform(", "choice(", "grid(", ")", ",", " to ", "3"]
VARY += ["300 kg", "-1e999", "0", "nan", "5 mm", "'", '"', "[", "]", "{a: b}", "!!x", "&a", "*a", "\n", "\0", "µm", "é"]
SUCCESS = ["captured", "on_time_s.0", "a.b", "1", "9e9", "1e999", ".5", "<", "<=", "==", "!=", "=", "and", "or", "not"]
SUCCESS += ["(", ")", "+", "-", "*", "/", "abs(", "min(", "sqrt(", ",", "'", "\n", "\0", "²", "__import__", "[0]", "~"]
METRICS = {"captured": 1.0, "on_time_s.0": 0.0, "a.b": float("inf")}


def text(words: list[str], seed: int) -> str:
    rng = random.Random(seed)
    pieces = rng.choices(words, k=rng.randint(0, 14))
    if seed % 3 == 0:  # nearly right
        pieces = [words[0], words[1], words[2], *pieces] if words is VARY else ["captured", "<", "3", "and", *pieces]
    if seed % 7 == 0:
        pieces.append("".join(chr(rng.randint(1, 0x2FFF)) for _ in range(5)))
    return rng.choice(["", " "]).join(pieces)


def refusal(read: object, given: str) -> str:
    try:
        read(given)  # pyright: ignore
    except InputError as error:
        return str(error)
    return ""


def check(count: int) -> None:
    read = {"vary": 0, "success": 0}
    for seed in range(count):
        told = refusal(parse_variation, text(VARY, seed))
        read["vary"] += not told
        assert "\n" not in told
        told = refusal(lambda given: Criterion.parse(given)(METRICS), text(SUCCESS, seed))
        read["success"] += not told
        assert "\n" not in told
    assert min(read.values()) > 0  # some are right, so that reading is tried too


def test_some_generated_texts_are_read_or_refused_in_one_line() -> None:
    check(FEW)


@pytest.mark.slow
def test_ten_thousand_generated_texts_are_read_or_refused_in_one_line() -> None:
    check(ALL)
