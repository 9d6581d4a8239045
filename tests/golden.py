"""The golden set: metrics of every packaged scenario and of the variants that tests and docs run, outside the suite.

    python tests/golden.py record FILE [CASE ...]      before a refactoring; with cases, the others in FILE stay
    python tests/golden.py compare FILE [CASE ...]     afterwards: the same bytes, or each change; exit 1 on a change

Besides the metrics, FILE holds a digest of every recorded signal. Bytes are the same on one machine only; elsewhere the
metrics of `tests/golden.json` agree to about 1e-9, and the digests do not.
"""

from __future__ import annotations

import hashlib
import json
import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

FAST = {"joint_speed": 0.349}

# case -> (scenario, settings, run options)
CASES: dict[str, tuple[str, dict[str, Any], dict[str, Any]]] = {
    **{
        name: (name, {}, {})
        for name in (
            "arm-on-satellite",
            "atmos-line",
            "bounce",
            "delay-map",
            "dock-probe-cone",
            "formation-flight",
            "free-floating-arm",
            "gravity-gradient-boom",
            "pick-and-place",
            "planar-two-link",
            "reacsa-circle",
            "reacsa-line",
            "reacsa-s",
            "reacsa-semicircle",
            "reacsa-stabilise",
            "reacsa-to-origin",
            "rebuild",
            "slew-by-thrusters",
            "spider-joint-ripple",
            "stack-reconfiguration",
            "tumbling-satellite",
        )
    },
    "leo-satellite": ("leo-satellite", {}, {"duration": 1200.0}),
    "geo-satellite": ("geo-satellite", {}, {"duration": 1200.0}),
    "leo-satellite-sun": (
        "leo-satellite",
        {"orbit.start.orbit": "sso-700", "pointing.kind": "sun"},
        {"duration": 600.0},
    ),
    "free-floating-arm-light": ("free-floating-arm", {"bus.mass": 250, "arm.move_time": "20 s"}, {}),
    "free-floating-arm-heavy": ("free-floating-arm", {"bus.mass": "400 kg"}, {"seed": 1}),
    "planar-two-link-pd": ("planar-two-link", {"control.kind": "pd"}, {"duration": 2.0, "seed": 7}),
    "arm-on-satellite-off": ("arm-on-satellite", {"attitude": "off"}, {}),
    "arm-on-satellite-feedback": ("arm-on-satellite", {"attitude": "feedback"}, {}),
    "pick-and-place-fast": ("pick-and-place", FAST, {"duration": 138.0}),
    "pick-and-place-constraint": ("pick-and-place", {"coupling": "constraint", "eta": 20.0}, {"duration": 70.0}),
    "pick-and-place-other": ("pick-and-place", {"place": [1, 0, 3]}, {"duration": 120.0}),
    "pick-and-place-no-close": ("pick-and-place", {"fault": "no-close", **FAST}, {"duration": 60.0}),
    "pick-and-place-misplaced": ("pick-and-place", {"fault": "misplaced"}, {"duration": 20.0}),
    "pick-and-place-collision": ("pick-and-place", {"fault": "collision"}, {"duration": 60.0}),
    "pick-and-place-overload": ("pick-and-place", {"fault": "overload", **FAST}, {"duration": 60.0}),
    "reacsa-line-paper": ("reacsa-line", {"controller": "paper"}, {}),
    "reacsa-line-best-seed": ("reacsa-line", {"controller": "best", "floor.seed": 1}, {"seed": 3}),
    "reacsa-line-mpc": ("reacsa-line", {"controller": "mpc"}, {}),
    "reacsa-line-flat": ("reacsa-line", {"floor.kind": "flat"}, {}),
    "reacsa-line-rough": ("reacsa-line", {"floor.seed": 3, "floor.peak_to_peak": "1.6 mm"}, {}),
    "reacsa-line-single": ("reacsa-line", {"floor.contact": "single"}, {}),
    "reacsa-stabilise-single": ("reacsa-stabilise", {"floor.contact": "single", "push.at": 30.0}, {"seed": 1}),
    "reacsa-circle-paper": ("reacsa-circle", {"controller": "paper"}, {}),
}


def run(case: str) -> tuple[str, dict[str, Any]]:
    """Metrics and digests of one case."""
    import warnings

    import freefloat as ff

    warnings.simplefilter("ignore")
    name, settings, options = CASES[case]
    result = ff.run(name, settings, **options)
    signals = {s: hashlib.sha256(result[s].tobytes()).hexdigest()[:12] for s in result.signals}
    return case, {"metrics": result.metrics, "signals": signals}


def differences(before: dict[str, Any], now: dict[str, Any]) -> list[str]:
    """What is not the same, in words."""
    told: list[str] = []
    old, new = before["metrics"], now["metrics"]
    for name in {**old, **new}:
        if name not in old or name not in new:
            told.append(f"{name}: {'gone' if name in old else 'new'}")
        elif old[name] != new[name] and not (old[name] != old[name] and new[name] != new[name]):
            size = abs(new[name] - old[name]) / max(abs(old[name]), 1e-300)
            told.append(f"{name}: {old[name]!r} -> {new[name]!r} ({size:.1e} of it)")
    moved = [s for s, d in before["signals"].items() if now["signals"].get(s) != d]
    if moved:
        told.append(f"{len(moved)} of {len(before['signals'])} signals: {', '.join(moved[:6])}")
    return told


def main(what: str, path: Path, only: list[str]) -> int:
    """Record or compare; returns the number of cases that changed."""
    with ProcessPoolExecutor(2) as pool:
        found = dict(pool.map(run, only or CASES))
    if what == "record":
        if only and path.exists():  # the others stay
            found = {**json.loads(path.read_text()), **found}
        path.write_text(json.dumps(found, indent=0, sort_keys=True) + "\n")
        return 0
    golden = json.loads(path.read_text())
    changed = {case: told for case in found if (told := differences(golden[case], found[case]))}
    for case, told in changed.items():
        print(f"{case}:", *told, sep="\n  ")
    print(f"{len(found) - len(changed)} of {len(found)} cases have the same bytes")
    return len(changed)


if __name__ == "__main__":
    sys.exit(min(1, main(sys.argv[1], Path(sys.argv[2]), sys.argv[3:])))
