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


RIGHT = {
    "vary": ("bus.mass=uniform(300 kg, 500 kg)", "a.0.b=truncated(0, 1 mm, -3 mm, 3 mm)", "c=grid(0 to 9, 10)"),
    "success": ("captured == 1 and a.b < 900", "not (on_time_s.0 >= 3) or abs(-a.b) > 2", "0 < captured <= 1"),
}
WORDS = {"vary": VARY, "success": SUCCESS}


def text(kind: str, seed: int) -> str:
    """Words at random, or a right text with up to three words put in and signs taken out."""
    rng = random.Random(seed)
    if seed % 3 == 0:
        return rng.choice(["", " "]).join(rng.choices(WORDS[kind], k=rng.randint(0, 14)))
    made = rng.choice(RIGHT[kind])
    for _ in range(rng.randint(0, 3)):
        at = rng.randint(0, len(made))
        put = rng.choice([*WORDS[kind], chr(rng.randint(1, 0x2FFF)), "", ""])
        made = made[:at] + put + made[at + (not put) :]
    return made


def refusal(read: object, given: str) -> str:
    try:
        read(given)  # pyright: ignore
    except InputError as error:
        return str(error)
    return ""


def check(count: int) -> None:
    read = {"vary": 0, "success": 0}
    for seed in range(count):
        told = refusal(parse_variation, text("vary", seed))
        read["vary"] += not told
        assert "\n" not in told
        told = refusal(lambda given: Criterion.parse(given)(METRICS), text("success", seed))
        read["success"] += not told
        assert "\n" not in told
    assert min(read.values()) > 0.1 * count  # many are right, so that reading is tried too


def test_some_generated_texts_are_read_or_refused_in_one_line() -> None:
    check(FEW)


@pytest.mark.slow
def test_ten_thousand_generated_texts_are_read_or_refused_in_one_line() -> None:
    check(ALL)
