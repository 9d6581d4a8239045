"""Attitude control compiled into the plant's loop gives the bytes that `update` gives in Python."""

import copy
import pickle

import mujoco
import numpy as np
import pytest

from freefloat.engine.onboard import OnboardCode
from freefloat.errors import InputError
from freefloat.frames import quat_exp, quat_mul
from freefloat.gnc.control.allocation import Desaturation, ThrusterAllocation, WheelAllocation, pyramid_axes
from freefloat.gnc.control.arm_feedforward import ArmFeedforward
from freefloat.gnc.control.attitude import AttitudeController, AttitudeGains, Detumble
from freefloat.gnc.control.attitude_system import AttitudeSystem
from freefloat.gnc.control.pointing import InertialPointing, LVLHPointing, Reference, SunPointing
from freefloat.gnc.estimation.attitude_ekf import AttitudeEKF, TrackerModel
from freefloat.gnc.estimation.attitude_ekf_step import TURNS
from freefloat.gnc.estimation.belief import GyroModel
from freefloat.gnc.planning.arm.joint_path import QuinticPath
from freefloat.missions.satellite.onboard_attitude import OnboardAttitude
from freefloat.orbit.ephemeris import sun_knots
from freefloat.orbit.epoch import Epoch

I_B = np.array([[12.0, 0.4, -0.3], [0.4, 10.0, 0.2], [-0.3, 0.2, 8.0]])
PERIOD, UPDATES = 0.25, 300
q_BT = quat_exp([1.2, 0.0, 0.4])


def wheels() -> WheelAllocation:
    return WheelAllocation(pyramid_axes(), 5e-3, 0.05, 400.0, [50.0, -50.0, 50.0, -50.0], horizon=PERIOD)


def control(pointing, **more) -> AttitudeController:
    limits = {"torque_limit": 0.08, "rate_limit": 0.01, "detumble": Detumble(handover=0.02, resume=0.04)}
    return AttitudeController(I_B, pointing, **limits | more)


def ekf(**more) -> AttitudeEKF:
    return AttitudeEKF(GyroModel(**more), TrackerModel(3e-5, 2e-4, q_BT, delay=0.6), gate=1e9)


def satellite(pointing, almanac: bool = False) -> OnboardAttitude:
    system = AttitudeSystem(control(pointing), wheels(), ekf())
    return OnboardAttitude(system, *([sun_knots(Epoch("2026-03-20T12:00:00Z"), 3600.0)] if almanac else []))


def arm(path=None) -> ArmFeedforward:
    """Two hinges of a bus away from W's origin; a slide between them is locked."""
    part = "<inertial pos='.2 .05 0' mass='4' diaginertia='.1 .3 .3'/>"
    model = mujoco.MjModel.from_xml_string(
        f"<mujoco><worldbody><body pos='1 2 3'><freejoint/>{part}<body pos='.5 .1 .3'><joint axis='0 0 1'/>{part}"
        f"<body><joint type='slide'/>{part}<body pos='1 0 0'><joint axis='0 1 .3'/>{part}</body></body></body></body>"
        "</worldbody></mujoco>"
    )
    return ArmFeedforward(model, np.array([6, 8]), path, 0.5 * PERIOD, 1.1)


SWING = QuinticPath(np.array([0.2, -0.4]), np.array([1.7, 0.5]), 60.0)
STACK = AttitudeController(I_B, InertialPointing(quat_exp([0.1, 0.2, 0.3])), AttitudeGains(0.2, 0.7, 0.0))
ATTITUDE, ORBIT = ("q_WB", "w_WB_B", "speed"), ("p_ECI", "v_ECI")
JOINTS = "q", "qd", "qdd"
SENSORS = "w_gyro", "q_WT", "speed"
SATELLITE = "w_gyro", "q_WT", "p_WB", "v_WB", "p_IW", "v_IW", "speed"  # in the missions' order: their machine code
CASES = {
    "controller": (lambda: control(LVLHPointing()), (*ATTITUDE, *ORBIT)),
    "controller-with-everything": (
        lambda: control(LVLHPointing(q_BT)),
        (*ATTITUDE, *ORBIT, "h_B", "tau_ff", "inertia_B", "a_ECI"),
    ),
    "filter": (lambda: ekf(scale_sigma=1e-3), ("w_gyro", "q_WT", "sun_B", "sun_W")),
    "wheels": (wheels, ("tau", "speed")),
    "pick-and-place": (lambda: AttitudeSystem(copy.deepcopy(STACK), wheels()), ATTITUDE),
    "example-09": (lambda: AttitudeSystem(control(LVLHPointing()), wheels(), ekf()), (*SENSORS, *ORBIT)),
    "arm": (arm, (*JOINTS, "w_WB_B")),
    "arm-on-satellite": (lambda: AttitudeSystem(copy.deepcopy(STACK), wheels(), None, arm(SWING)), ATTITUDE),
    "unloading": (
        lambda: AttitudeSystem(control(InertialPointing()), wheels(), None, None, Desaturation(0.4, 0.3, 0.01)),
        ATTITUDE,
    ),
    "filter-arm-unloading": (
        lambda: AttitudeSystem(control(LVLHPointing()), wheels(), ekf(), arm(), Desaturation(0.4, 0.3, 0.01)),
        (*SENSORS, *ORBIT, *JOINTS),
    ),
    "leo-satellite": (lambda: satellite(LVLHPointing(q_BT)), SATELLITE),
    "geo-satellite": (lambda: satellite(SunPointing(), True), SATELLITE),
    "leo-satellite-inertial": (lambda: satellite(InertialPointing()), SATELLITE),
}


def readings(names, seed: int = 3):
    """Measurements of a body that turns slowly, and fast at times; the tracker repeats itself and is blind at times."""
    rng = np.random.default_rng(seed)
    q, q_WT = quat_exp([0.3, -0.2, 0.5]), np.full(4, np.nan)
    for k in range(UPDATES):
        w = (0.05 if k % 100 < 30 else 0.01) * np.array([np.sin(0.1 * k), np.cos(0.07 * k), 0.4])
        q = quat_mul(q, quat_exp(PERIOD * w))
        if k % 3 == 0:
            q_WT = (
                np.full(4, np.nan) if k % 5 == 0 else quat_mul(quat_mul(q, q_BT), quat_exp(3e-5 * rng.normal(size=3)))
            )
        angle = 1.1e-3 * k * PERIOD
        p = 6.778e6 * np.array([np.cos(angle), 0.6 * np.sin(angle), 0.8 * np.sin(angle)])
        v = 7.668e3 * np.array([-np.sin(angle), 0.6 * np.cos(angle), 0.8 * np.cos(angle)])
        sun_B = np.full(3, np.nan) if k % 7 == 0 else rng.normal(size=3)
        known = {
            "q_WB": q,
            "w_WB_B": w,
            "speed": rng.uniform(-400.0, 400.0, 4) * rng.choice([0.1, 1.0]),
            "p_ECI": p,
            "v_ECI": v,
            "p_IW": p,
            "v_IW": v,
            "p_WB": rng.normal(size=3),
            "v_WB": 0.01 * rng.normal(size=3),
            "w_gyro": np.full(3, np.nan) if k % 11 == 5 else w + 1e-4 * rng.normal(size=3),
            "q_WT": q_WT,
            "sun_B": sun_B,
            "sun_W": np.array([0.6, 0.0, 0.8]),
            "h_B": 0.1 * rng.normal(size=3),
            "tau": 0.1 * rng.normal(size=3),
            "tau_ff": 0.01 * rng.normal(size=3),
            "inertia_B": I_B * rng.uniform(0.9, 1.1),
            "a_ECI": 1e-3 * rng.normal(size=3),
            "q": np.array([np.sin(0.1 * k), np.cos(0.13 * k)]),
            "qd": np.array([0.02 * np.cos(0.1 * k), -0.03]),
            "qdd": np.array([0.0, 0.01 * np.sin(k)]),
        }
        yield PERIOD * k, {name: known[name] for name in names}


def run(controller, t, meas) -> None:
    """One tick by the machine code that the plant's loop calls."""
    OnboardCode("test", controller, {name: np.array(value) for name, value in meas.items()}, compiled=True).run(t)


def same(a, b) -> bool:
    return all(x.tobytes() == y.tobytes() for x, y in zip(a, b, strict=True))


def remembered(state):
    """All but addresses."""
    return [v for name, v in state._asdict().items() if name != "arm_places"]


SATELLITES = {"leo-satellite", "geo-satellite", "leo-satellite-inertial"}
FLOWN = SATELLITES | {"controller-with-everything", "pick-and-place", "arm-on-satellite"}


@pytest.mark.parametrize("case", [c if c in FLOWN else pytest.param(c, marks=pytest.mark.slow) for c in CASES])
def test_a_compiled_tick_gives_the_bytes_of_update_and_so_do_copies_midway(case):
    make, names = CASES[case]
    python, plant = make(), make()
    for k, (t, meas) in enumerate(readings(names)):
        if k == UPDATES // 2:
            plant, kept = copy.deepcopy(plant), plant
            run(kept, t, meas)
            python = pickle.loads(pickle.dumps(python))
        out = python.update(t, meas)
        run(plant, t, meas)
        assert list(out) == list(plant.out._fields)
        assert same(out.values(), plant.out), k
        assert same(remembered(python.state), remembered(plant.state)), k
    assert all(np.isfinite(v).all() for name, v in out.items() if not name.startswith("nis"))
    for a in (*remembered(plant.state), *plant.out):
        assert a.dtype == np.float64
        assert a.flags.c_contiguous
        assert a.flags.writeable


def test_equal_configurations_share_one_tick():
    for make, _ in CASES.values():
        assert make().tick is make().tick


@pytest.mark.parametrize("case", ["pick-and-place", "example-09", "arm-on-satellite", "filter-arm-unloading"])
def test_the_chain_gives_what_its_members_give_one_after_the_other(case):
    make, names = CASES[case]
    whole, parts = make(), make()
    for t, meas in readings(names):
        out, expected = whole.update(t, meas), parts._update(t, meas)
        assert out.keys() == expected.keys()
        assert all(same([out[name]], [expected[name]]) for name in out), t


class Nod:
    """A pointing mode in Python."""

    def at(self, t, meas) -> Reference:
        return Reference(quat_exp([0.1 * t, 0.0, 0.0]), np.array([0.1, 0.0, 0.0]), np.zeros(3))


class Wave:
    """A path in Python."""

    def at(self, t):
        return SWING.at(t)


def test_what_is_not_compiled_has_no_tick_and_still_runs():
    thrusters = ThrusterAllocation([[0, 1, 0], [0, -1, 0]], [[1, 0, 0], [1, 0, 0]], 1.0, 1.0)
    for system in (
        AttitudeSystem(AttitudeController(I_B, Nod()), wheels()),
        AttitudeSystem(AttitudeController(I_B), wheels(), thrusters=thrusters),
        AttitudeSystem(AttitudeController(I_B), wheels(), feedforward=arm(Wave())),
        AttitudeController(I_B, Nod()),
    ):
        assert not hasattr(system, "tick")
        for t, meas in list(readings(ATTITUDE))[:3]:
            assert np.isfinite(system.update(t, meas)["tau"]).all()


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"p_ECI": np.array([7e6, 0, 0]), "v_ECI": np.array([1e3, 0, 0])}, "no orbit plane"),
        ({"p_ECI": np.zeros(0), "v_ECI": np.zeros(0)}, "must be measured"),
        ({"q_WB": np.zeros(4)}, "quaternion"),
    ],
)
def test_a_compiled_tick_tells_what_is_wrong(wrong, told):
    make, names = CASES["controller-with-everything"]
    controller, (t, meas) = make(), next(readings(names))
    with pytest.raises(InputError, match=told):
        run(controller, t, meas | wrong)
    with pytest.raises(InputError, match=told):
        controller.update(t, meas | wrong)


def test_a_pointing_mode_without_its_measurements_says_so():
    for pointing, told in ((LVLHPointing(), "p_ECI"), (SunPointing(), "sun_W")):
        with pytest.raises(InputError, match=told):
            control(pointing).update(0.0, {"q_WB": q_BT, "w_WB_B": np.zeros(3)})


def test_paired_turns_bridge_a_delay_of_more_steps_than_are_remembered():
    short, long = (AttitudeEKF(tracker=TrackerModel(delay=4.0)) for _ in range(2))
    object.__setattr__(long, "state", long.state._replace(turns=np.zeros((1024, 4))))
    attitudes = [quat_exp([0.3, -0.2, 0.5])]
    for k in range(1000):
        w = np.array([0.02, -0.01 * np.cos(0.02 * k), 0.03 * np.sin(0.01 * k)])
        q_WT = attitudes[k - 400] if k >= 400 and k % 10 == 0 else np.full(4, np.nan)
        a, b = (f.update(0.01 * k, {"w_gyro": w, "q_WT": q_WT}) for f in (short, long))
        np.testing.assert_allclose(a["q_WB"], b["q_WB"], atol=5e-6)  # a tenth of the noise
        attitudes.append(quat_mul(attitudes[-1], quat_exp(0.01 * w)))
    assert long.state.filter_memory[1] > TURNS > short.state.filter_memory[1]
