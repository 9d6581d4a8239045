"""What a scenario's fields are together, or a list's length, is refused with file, line and field."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from freefloat.errors import InputError
from freefloat.scenario.files import load
from freefloat.scenario.origin import told_of

# kind, fields from line 3 on, the field that is told, its line, and what is said of it
CASES = [
    ("free-floating-arm", "arm:\n  start: [0, 0]", "arm.start", 4, "2 numbers for the 7 joints"),
    ("free-floating-arm", "arm:\n  drives: [full, full]\n", "arm.drives", 4, "2 levels for 7 joints"),
    ("planar-two-link", "robot:\n  drives: full\n  drive: [walker]", "robot.drive", 5, "1 drives for 2 joints"),
    ("pick-and-place", "walk: [1, 2, 2]\nfoot: [0, 0]", "foot", 4, "has 2 values; allowed: a list of 3"),
    ("pick-and-place", "foot: [1, 1, 2]\npick: [9, 9, 9]", "pick", 4, "cell (9, 9, 9) is not in the cubic grid"),
    ("pick-and-place", "foot: [1, 1, 2]\npick: [1, 1, 2]", "pick", 4, "the robot stands on it"),
    ("pick-and-place", "seed: 1\nplace: [0, 1, 2]", "place", 4, "is occupied by module"),
    ("pick-and-place", "seed: 1\nwalk: [1, 1, 2]", "walk", 4, "end A stands there"),
    ("stack-reconfiguration", "moves:\n- [[0, 1], [1, 1]]\n- [[0], [1, 1]]", "moves.1.0", 5, "has 1 values"),
    ("stack-reconfiguration", "moves:\n- [[0, 1], [0, 1]]", "moves.0", 4, "to itself"),
    ("stack-reconfiguration", "moves:\n- - [0, 1]\n  - [9, 9]", "moves.0.1", 5, "is not in the cubic grid"),
    ("rebuild", "moves:\n- {module: 99, to: [0, 0, 0]}", "moves.0.module", 4, "there is no module 99"),
    ("rebuild", "hand: nothing\nmoves: []", "hand", 3, "unknown interface"),
    ("rebuild", "seed: 1\ndesign: none.yaml", "design", 4, "none.yaml"),
    ("reacsa-line", "floor:\n  size: [4.8]", "floor.size", 4, "has 1 values; allowed: a list of 2"),
    ("reacsa-line", "floor:\n  size: [1.5, 1.5]", "floor.size", 4, "the reference goes to"),
    ("reacsa-line", "floor:\n  kind: uneven\n  map: none.npy", "floor.map", 5, "no such file"),
    ("reacsa-line", "floor:\n  kind: uneven\n  map: narrow.npy", "floor.map", 5, "m along x where it is 9 m along y"),
    ("reacsa-line", "thrusters:\n  opening: 1 ms\n  closing: 0", "thrusters.opening", 4, "both 0 or both positive"),
    ("reacsa-line", "wheel:\n  idle: 600 rpm", "wheel.idle", 4, "below max_speed"),
    ("reacsa-stabilise", "duration: 5 s\npush:\n  at: 9 s", "push.at", 5, "before the run ends"),
    ("reacsa-to-origin", "start_from:\n  x: [9 m, 9 m]", "start_from.x", 4, "drew 9 m; allowed with this floor.size"),
    ("slew-by-thrusters", "jets:\n  tick: 7 ms", "jets.tick", 4, "a whole part of the 0.25 s"),
    ("slew-by-thrusters", "jets:\n  min_on: 1 s", "jets.min_on", 4, "allowed: below 0.25 s"),
    ("slew-by-thrusters", "slew:\n  time: 1 s", "slew.time", 4, "s or more"),
    ("slew-by-thrusters", "slew:\n  axis: [0, 0, 0]", "slew.axis", 4, "allowed: not zero"),
    ("leo-satellite", "satellite:\n  inertia: [1, 1, 9]", "satellite.inertia", 4, "sum of the other two"),
    ("leo-satellite", "orbit:\n  epoch: soon", "orbit.epoch", 4, "soon"),
    ("leo-satellite", "orbit:\n  start: {kind: elements, a: 6000 km}", "orbit.start", 4, "below the surface"),
    (
        "leo-satellite",
        "orbit:\n  start:\n    kind: state\n    velocity: [20 km/s, 0, 0]",
        "orbit.start",
        5,
        "not on a bound orbit",
    ),
    ("tumbling-satellite", "inertia: [1, 1, 9]", "inertia", 3, "sum of the other two"),
    ("gravity-gradient-boom", "inertia: [1, 1, 9]", "inertia", 3, "sum of the other two"),
    ("bounce", "seed: 1\nbodies:\n  plate: {shape: box}", "bodies", 5, "none that is named 'plate'"),
    ("dock-probe-cone", "probe:\n  stroke: 1 m", "probe.stroke", 4, "below its length"),
    ("dock-probe-cone", "seed: 1\nprobe:\n  head_radius: 5 cm", "probe", 5, "the rings meet after"),
    ("dock-probe-cone", "cone:\n  socket_radius: 1 m", "cone.socket_radius", 4, "narrower than the mouth"),
    ("spider-joint-ripple", "current: 999 A", "current", 3, "up to max_current"),
]


def _build(file: Path) -> None:
    scenario = load(file)
    with told_of(scenario):
        scenario.build()


@pytest.mark.parametrize(("kind", "fields", "field", "line", "said"), CASES, ids=[f"{c[0]} {c[2]}" for c in CASES])
def test_values_that_do_not_fit_are_told_with_file_line_and_field(
    tmp_path: Path, kind: str, fields: str, field: str, line: int, said: str
) -> None:
    np.save(tmp_path / "narrow.npy", np.zeros((4, 40)))
    file = tmp_path / "case.yaml"
    file.write_text(f"kind: {kind}\nschema: 1\n{fields}\n")
    with pytest.raises(InputError) as refused:
        _build(file)
    assert re.match(rf"{re.escape(str(file))}:{line}:\d+: {re.escape(field)}: .*{re.escape(said)}", str(refused.value))
    assert "\n" not in str(refused.value)
