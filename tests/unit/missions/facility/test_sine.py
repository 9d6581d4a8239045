import pytest

import freefloat as ff
from freefloat.errors import InputError
from freefloat.scenario.files import load

FAST = {"sine.frequency": "1 Hz", "sine.amplitude": 0.02, "sine.cycles": 4, "duration": "6.5 s"}


@pytest.mark.parametrize(
    ("component", "delay"),
    [({"component": "E1"}, 0.012), ({"component": "A3", "robot": 2}, 0.0103), ({"component": "A5", "robot": 1}, 0.02)],
)
def test_delay_and_gain_are_those_of_the_robot_controllers(component: dict, delay: float) -> None:
    moves = {f"sine.{key}": value for key, value in component.items()}
    m = ff.run("epos-sine", {**FAST, **moves, "facility.delay": delay}).metrics
    assert m["delay_s"] == pytest.approx(delay, abs=1e-6)
    assert abs(m["gain_error"]) < 1e-4


def test_a_sine_of_a_tools_component_moves_it_alone() -> None:
    run = ff.run("epos-sine", {**FAST, "sine.frame": "GLC", "sine.component": "z", "sine.robot": 1})
    assert run.metrics["amplitude_executed_m"] == pytest.approx(0.02, rel=1e-4)
    others = run["act.glc"][:, [1, 3, 4, 5]]
    assert abs(others - others[0]).max() < 1e-6


def test_an_unknown_component_is_refused_with_its_field() -> None:
    with pytest.raises(InputError, match=r"sine\.component: .*A9"):
        load("epos-sine", {"sine.component": "A9", "sine.robot": 1}).build()
