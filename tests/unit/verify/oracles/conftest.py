from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest


def _shoulder(**changes: Any) -> SimpleNamespace:
    drive = SimpleNamespace(
        motor=SimpleNamespace(
            kind="brushless",
            torque_constant=0.1,
            resistance=1.0,
            inductance=1e-3,
            inertia=1e-4,
            pole_pairs=7,
            viscous=0.0,
            cogging=5e-3,
            cogging_count=84,
            unbalance=0.0,
            third_harmonic=0.0,
            thermal_resistance=1.0,
            thermal_capacity=60.0,
            ambient=293.15,
        ),
        driver=SimpleNamespace(
            kind="current", kp=6.28, ki=6283.0, supply=48.0, max_current=10.0, offset=(0.0, 0.0), gain=(0.0, 0.0)
        ),
        gear=SimpleNamespace(
            ratio=160.0,
            stiffness=1e4,
            cubic=0.0,
            damping=10.0,
            backlash=0.0,
            hysteresis=1.5,
            hysteresis_stiffness=2e4,
            kinematic_error=1.5e-4,
            kinematic_phase=0.0,
            torque_loss=0.1,
        ),
        friction=SimpleNamespace(
            coulomb=4.0,
            stiction=6.0,
            stribeck=0.01,
            exponent=2.0,
            viscous=10.0,
            bristle_stiffness=1e4,
            bristle_damping=20.0,
        ),
        motor_resolver=SimpleNamespace(error=0.0),
    )
    for path, value in changes.items():
        part, _, field = path.partition("__")
        assert hasattr(getattr(drive, part), field)
        setattr(getattr(drive, part), field, value)
    return drive


@pytest.fixture
def shoulder() -> Callable[..., SimpleNamespace]:
    """A drive as plain data, with changes such as `motor__cogging=0.0`."""
    return _shoulder


@pytest.fixture
def elastic() -> Callable[..., SimpleNamespace]:
    """A torque source behind an elastic gear without any imperfection."""
    none = {
        "motor__kind": "ideal",
        "motor__cogging": 0.0,
        "gear__hysteresis": 0.0,
        "gear__hysteresis_stiffness": 0.0,
        "gear__kinematic_error": 0.0,
        "gear__torque_loss": 0.0,
        **{f"friction__{name}": 0.0 for name in vars(_shoulder().friction)},
    }
    return lambda **changes: _shoulder(**(none | changes))
