import numpy as np
import pytest

from freefloat.errors import InputError
from freefloat.facility.components import HELD, ComponentPath, component
from freefloat.facility.kinematics import LAB_VIEW, Kinematics
from freefloat.facility.record import Frame
from freefloat.verify.facility_rig import HOME

K = Kinematics()
TURNED = np.array([1.0, 0.2, -0.1, 0.0, 0.0, np.sin(0.3), np.cos(0.3)])
EACH = [(frame, name, robot) for frame in ("GLC", "IDC") for name in "xyzABC" for robot in (1, 2)]
EACH += [("CLW", name, robot) for name in ("x", "y", "z", "rx", "ry", "rz") for robot in (1, 2)]
EACH += [("IJT", "A3", 2), ("IJT", "E1", 0), ("GLC", "lin", 0), ("IDC", "E1", 0), ("CLW", "lin", 0)]


@pytest.mark.parametrize(("frame", "name", "robot"), EACH)
def test_one_component_moves_and_the_others_stay(frame: str, name: str, robot: int) -> None:
    moves = component(frame, name, robot)
    pov = TURNED if moves.frame is Frame.CLW else LAB_VIEW
    path = ComponentPath(K, moves, HOME, pov)
    before, after = (K.from_axes(moves.frame, path.at(s), pov).values for s in (0.0, 0.05))
    changed = np.flatnonzero(np.abs(after - before) > 1e-9)
    if moves.turns:
        assert set(changed) <= set(range(moves.index, moves.index + 4))
        assert 2 * np.arccos(abs(before[moves.index :][:4] @ after[moves.index :][:4])) == pytest.approx(0.05)
        return
    assert list(changed) == [moves.index]
    scale = {"m": 1.0 if moves.frame in (Frame.GLC, Frame.CLW) else 1e3, "rad": np.degrees(1.0)}[moves.unit]
    assert after[moves.index] - before[moves.index] == pytest.approx(0.05 * scale, rel=1e-9)


@pytest.mark.parametrize(("frame", "name", "robot"), [("GLC", "z", 1), ("IDC", "B", 2), ("CLW", "rx", 1)])
def test_slopes_are_those_of_the_axes(frame: str, name: str, robot: int) -> None:
    path = ComponentPath(K, component(frame, name, robot), HOME, LAB_VIEW)
    _, first, bend = path.slopes(0.02)
    h = 1e-4
    ahead, behind = path.slopes(0.02 + h), path.slopes(0.02 - h)
    np.testing.assert_allclose(first, (ahead[0] - behind[0]) / (2 * h), atol=1e-6)
    np.testing.assert_allclose(bend, (ahead[1] - behind[1]) / (2 * h), atol=1e-5)


def test_swiftness_is_the_speed_of_the_fastest_tool_and_what_turns_with_it() -> None:
    def swift(frame: str, name: str, robot: int = 0) -> float:
        return ComponentPath(K, component(frame, name, robot), HOME, LAB_VIEW).swiftness()

    assert swift("IJT", "E1") == pytest.approx(1.0)
    assert swift("GLC", "y", 2) == pytest.approx(1.0)
    assert swift("GLC", "lin") == pytest.approx(1.0)  # the carriage, while the tool stays
    p = K.tool_poses(HOME)[1].p - np.array([0.0, 1.5, 0.0])
    assert swift("IJT", "A1", 2) == pytest.approx(float(np.hypot(p[0], p[1])) + HELD[1], rel=1e-6)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("GCL", "x", 1), "unknown frame 'GCL'. Did you mean 'GLC'"),
        (("IJT", "x", 1), "unknown component of IJT 'x'"),
        (("GLC", "x", 0), "robot 0 of component GLC x; allowed: 1, 2"),
    ],
)
def test_what_is_no_component_is_refused(arguments: tuple[str, str, int], told: str) -> None:
    with pytest.raises(InputError, match=told):
        component(*arguments)
