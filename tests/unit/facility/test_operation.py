import copy

import numpy as np
import pytest

from freefloat.errors import InputError
from freefloat.facility.actions import RefusedError
from freefloat.facility.axes import CYCLE
from freefloat.facility.exchange import Settings
from freefloat.facility.modes import State
from freefloat.facility.record import Frame, is_alive, is_moving
from freefloat.facility.trajectory import Trajectory
from freefloat.verify.facility_desk import KINEMATICS, Desk
from freefloat.verify.facility_rig import HOME

RAIL = np.eye(13)[0]
AXES = Settings().axes


def near(rail: float = 0.05) -> np.ndarray:
    return HOME + rail * RAIL


def ramp(v: float, a: float = 0.8) -> object:
    """Axes of a rail that is brought to a speed [m/s] smoothly, over a quarter of a sine."""
    rise = 0.5 * np.pi * v / a

    def at(t: float) -> np.ndarray:
        u = min(t, rise)
        s = v * (u / 2 - rise / (2 * np.pi) * np.sin(np.pi * u / rise)) + v * (t - u)
        return HOME + s * RAIL

    return at


def cruising(v: float = 0.5, settings: Settings | None = None) -> tuple[Desk, object]:
    """A desk whose application drives the rail at a constant speed."""
    desk, law = Desk(settings), ramp(v)
    desk.running()
    desk.follow(law, 2.2)  # type: ignore[arg-type]
    assert desk.op.state is State.RUNNING
    return desk, lambda t: law(2.2 + t)  # type: ignore[operator]


def smooth(desk: Desk, hard: bool = False) -> None:
    """Set-points never step in velocity: their second differences stay within the deceleration of a stop."""
    second = np.abs(np.diff(desk.set_points, 2, axis=0)).max(axis=0) / CYCLE**2
    assert (second <= (AXES.emergency if hard else AXES.acceleration) * (1 + 1e-4) + 1e-9).all()


def test_an_application_starts_moves_confirms_and_is_executed_as_it_is() -> None:
    desk = Desk()
    desk.up("sync")
    desk.op.do("order", order=["rail", "rob2", "rob1"])
    desk.op.do("start")
    assert desk.cycle().state == "waiting"
    target = near()
    out = desk.cycle(desk.answer(target, Frame.CLW))
    assert out.state == "moving"
    assert is_moving(out.record[1])
    desk.until("ready", axes=target)
    np.testing.assert_allclose(desk.out.axes, target, atol=1e-12)
    assert not is_alive(desk.out.record[1])
    desk.cycle(desk.answer(target))
    desk.op.do("confirm")
    law = ramp(0.3)
    for k in range(300):
        axes = law(k * CYCLE) + 0.05 * RAIL  # type: ignore[operator]
        record = desk.answer(axes)
        out = desk.cycle(record)
        assert is_alive(out.record[1])
        np.testing.assert_array_equal(out.axes, KINEMATICS.to_axes(out.command, out.axes))  # type: ignore[arg-type]
        np.testing.assert_array_equal(out.command.values, record[2:])  # type: ignore[union-attr]
    smooth(desk)
    assert out.counters.rejected == 0
    assert out.counters.missing == 0


@pytest.mark.parametrize("frame", list(Frame))
def test_a_file_of_what_an_application_sent_gives_the_same_bytes(frame: Frame) -> None:
    desk, law = Desk(), ramp(0.3)
    desk.up("sync")
    desk.op.do("start")
    while desk.op.state is not State.READY:
        desk.cycle(desk.answer(near(), frame))
    desk.op.do("confirm")
    executed, records = [], []
    for k in range(250):
        out = desk.cycle(desk.answer(law(k * CYCLE) + 0.05 * RAIL, frame))  # type: ignore[operator]
        assert out.state == "running"
        executed.append(out.axes)
        records.append(out.command)
    again = Desk()
    again.up("async")
    told = again.op.do("load", trajectory=Trajectory.of(records))
    assert told["rows"] == 250
    again.op.do("start")
    again.until("ready")
    again.op.do("confirm")
    for axes in executed:
        out = again.cycle()
        assert out.state == "running"
        np.testing.assert_array_equal(out.axes, axes)
    again.until("idle")
    assert again.op.reason.cause == "end"
    assert again.op.counters.stops == 0
    smooth(again)


def test_a_safe_stop_from_one_metre_a_second_takes_the_closed_way() -> None:
    desk, _ = cruising(1.0)
    start, speed = desk.out.axes[0], desk.out.velocity[0]
    desk.op.do("stop")
    desk.until("idle")
    a, j = AXES.acceleration[0], AXES.jerk[0]
    assert speed == pytest.approx(1.0, abs=1e-9)
    assert desk.out.axes[0] - start == pytest.approx(1.0 / (2 * a) + a / (2 * j), abs=1e-9)
    smooth(desk)


def test_a_silent_application_goes_on_for_five_cycles_and_is_stopped_in_the_sixth() -> None:
    desk, _ = cruising()
    for k in range(5):
        out = desk.cycle()
        assert out.state == "running"
        assert out.axes[0] - desk.rows[-2][0] == pytest.approx(0.5 * CYCLE, abs=1e-9)
        assert out.counters.missing == k + 1
    out = desk.cycle()
    assert (out.state, out.reason.cause) == ("stopping", "silent")
    desk.until("idle")
    smooth(desk)


def test_lost_answers_of_an_accelerating_application_are_caught_up_without_a_stop() -> None:
    desk = Desk()
    desk.running()

    def law(t: float) -> np.ndarray:
        return HOME + 0.25 * (1 - np.cos(1.2 * t)) * RAIL  # 0.36 m/s^2, 0.3 m/s

    rng = np.random.default_rng(5)
    worst = 0.0
    for k in range(1500):
        answer = desk.answer(law(k * CYCLE))
        out = desk.cycle(None if k and rng.random() < 0.05 else answer)
        assert out.state == "running", out.reason
        worst = max(worst, abs(out.axes[0] - law(k * CYCLE)[0]))
    assert out.counters.missing > 40
    assert 1e-6 < worst < 1e-4
    smooth(desk)


FAULTS = {
    "jump": lambda desk, law: desk.answer(law(0.0) + 0.02 * RAIL),
    "invalid": lambda desk, law: np.where(np.arange(24) == 4, np.nan, desk.answer(law(0.0))),
    "acceleration": lambda desk, law: desk.answer(law(0.0) + 1e-4 * RAIL),
}


@pytest.mark.parametrize("cause", FAULTS)
def test_a_bad_command_is_never_passed_through(cause: str) -> None:
    desk, law = cruising()
    out = desk.cycle(FAULTS[cause](desk, law))
    assert (out.state, out.reason.cause) == ("stopping", cause)
    assert out.command is None
    desk.until("idle")
    smooth(desk)


def test_a_record_that_is_none_may_count_as_missing_instead() -> None:
    desk, law = cruising(settings=Settings(on_invalid="coast"))
    out = desk.cycle(FAULTS["invalid"](desk, law))
    assert (out.state, out.counters.rejected, out.counters.missing) == ("running", 1, 1)


def test_an_application_that_speeds_up_too_far_is_stopped_by_name_and_value() -> None:
    desk = Desk(axes=HOME)
    desk.running()
    out = desk.follow(lambda t: HOME + (0.25 * t**2 if t < 2.9 else 1.45 * t - 2.1025) * RAIL + 0 * t, 2.8)
    assert out.state == "running"
    out = desk.follow(lambda t: HOME + 0.25 * (2.8 + t) ** 2 * RAIL, 1.0)
    assert out.reason.cause == "speed"
    assert "rail E1 speed 1.45" in out.reason.text
    desk.until("idle")
    smooth(desk)


def test_a_pose_out_of_reach_is_refused_with_its_device() -> None:
    desk = Desk()
    desk.up("sync")
    desk.op.do("start")
    record = KINEMATICS.from_axes(Frame.GLC, HOME).row(desk.n)
    record[2 + 7] += 3.0
    out = desk.cycle(record)
    assert (out.state, out.reason.cause) == ("idle", "reach")
    assert "rob2" in out.reason.text


def test_following_stays_within_limits_and_comes_back_to_the_command() -> None:
    desk, law = cruising(settings=Settings(on_limit="follow"))
    for k in range(200):
        out = desk.cycle(desk.answer(law(k * CYCLE) + 0.02 * RAIL * (k > 0)))  # type: ignore[operator]
        assert out.state == "running", out.reason
    np.testing.assert_array_equal(out.axes, KINEMATICS.to_axes(out.command, out.axes))  # type: ignore[arg-type]
    smooth(desk)


@pytest.mark.parametrize(("seconds", "beyond"), [(2.0, 0.28), (1.0, 0.0)])
def test_a_file_that_is_followed_ends_where_its_last_row_is(seconds: float, beyond: float) -> None:
    x = np.linspace(0.0, 1.0, round(seconds / CYCLE) + 1)
    way = x**3 * (10.0 - 15.0 * x + 6.0 * x**2)  # 1 m, at up to 1.4 and 5.8 m/s^2
    desk = Desk(Settings(on_limit="follow"))
    desk.up("async")
    desk.op.do("load", trajectory=Trajectory.of(KINEMATICS.from_axes(Frame.IJT, HOME + s * RAIL) for s in way))
    desk.op.do("start")
    desk.until("ready")
    desk.op.do("confirm")
    desk.until("idle")
    assert desk.op.reason.cause == "end"
    assert desk.op.counters.stops == 0
    np.testing.assert_allclose(desk.out.axes, HOME + RAIL, atol=1e-9)
    assert desk.set_points[:, 0].max() - desk.out.axes[0] == pytest.approx(beyond, abs=0.01)
    smooth(desk)


@pytest.mark.parametrize(
    "view", [(0, 0, 0, 0, 0, 0, 2), (0, 0, 0, 0, 0, 0, 0), (1.5e308, 1.5e308, 0, 0, 0, 0.3826834, 0.9238795)]
)
def test_a_point_of_view_that_is_none_stops_and_is_not_told_from(view: tuple[float, ...]) -> None:
    desk, law = cruising()
    told = desk.op.pov.copy()
    record = desk.answer(law(0.0), Frame.CLW)  # type: ignore[operator]
    record[2 + 14 : 2 + 21] = view
    out = desk.cycle(record)
    assert out.state == "stopping"
    np.testing.assert_array_equal(out.pov, told)
    assert np.isfinite(out.record).all()
    desk.until("idle")
    desk.cycle(record)
    smooth(desk)


@pytest.mark.parametrize("what", ["door", "gate"])
def test_an_opened_door_stops_what_is_automatic_and_lets_nothing_begin(what: str) -> None:
    desk, _ = cruising()
    name = {"door": "lab", "gate": "gate1"}[what]
    assert desk.op.do(what, name=name)["state"] == "stopping"
    assert desk.op.reason.cause == what
    desk.until("idle")
    with pytest.raises(RefusedError, match=rf"start: a .*{what} is open \({name}\); allowed: all closed"):
        desk.op.do("start")
    desk.op.do(what, name=name, open=False)
    assert desk.op.do("start")["state"] == "waiting"
    smooth(desk)


def test_an_emergency_stop_brakes_harder_drops_power_and_latches() -> None:
    soft, _ = cruising(1.0)
    soft.op.do("stop")
    soft.until("idle")
    desk, _ = cruising(1.0)
    start = desk.out.axes[0]
    desk.op.do("estop", place="control-room")
    out = desk.cycle()
    assert (out.state, out.power) == ("stopping", True)
    out = desk.until("fault")
    assert (out.state, out.power, out.brakes, out.reason.cause) == ("fault", False, True, "estop")
    a, j = AXES.emergency[0], AXES.emergency_jerk[0]
    assert out.axes[0] - start == pytest.approx(1.0 / (2 * a) + a / (2 * j), abs=1e-9)
    assert soft.out.axes[0] > out.axes[0]
    for action in ("power", "start", "acknowledge"):
        with pytest.raises(RefusedError):
            desk.op.do(action)
    desk.op.do("estop", place="control-room", pressed=False)
    assert desk.op.state is State.FAULT
    with pytest.raises(RefusedError, match="not acknowledged"):
        desk.op.do("power")
    assert desk.op.do("acknowledge")["state"] == "off"
    assert desk.op.do("power")["state"] == "idle"
    smooth(desk, hard=True)


def test_power_is_dropped_once_the_robots_have_followed_an_emergency_stop() -> None:
    late = 4  # cycles
    desk, _ = cruising(1.0)
    desk.op.do("estop", place="control-room")
    for _ in range(500):
        desk.cycle(encoders=desk.rows[-late])
        if desk.out.state == "fault":
            break
    assert (desk.rows[-late - 1] == desk.rows[-1]).all()
    assert (desk.rows[-late - 2] != desk.rows[-1]).any()


@pytest.mark.parametrize("end", ["stop", "start", "jog", "sine"])
def test_nothing_is_at_rest_before_the_robots_are(end: str) -> None:
    late, desk = 4, Desk()
    if end == "stop":
        desk, _ = cruising(1.0)
        desk.op.do("stop")
    elif end == "start":
        desk.up("async")
        desk.op.do("load", trajectory=Trajectory.of([KINEMATICS.from_axes(Frame.IJT, near())]))
        desk.op.do("start")
    elif end == "jog":
        desk.up("mcu")
        desk.op.do("jog", component="E1", speed=0.4)
    else:
        desk.up("sine")
        desk.op.do("sine", component="E1", amplitude=0.05, frequency=0.5)
        desk.op.do("start")
        desk.op.do("confirm")
    moving = desk.op.state
    for _ in range(2000):
        desk.cycle(encoders=desk.rows[max(len(desk.rows) - late, 0)])
        if desk.op.state is not moving:
            break
    assert desk.op.state in (State.IDLE, State.READY)
    np.testing.assert_allclose(desk.rows[-late - 1], desk.rows[-1], rtol=0.0, atol=1e-9)
    assert end == "sine" or (desk.rows[-late - 2] != desk.rows[-1]).any()  # a sine fades below that before its end


def test_robots_that_do_not_follow_lose_power_all_the_same() -> None:
    desk, _ = cruising(1.0)
    desk.op.do("estop", place="control-room")
    stuck = desk.rows[-1].copy()
    desk.out = desk.cycle(encoders=stuck)
    for _ in range(500):
        if desk.out.state == "fault":
            break
        desk.cycle(encoders=stuck)
    waited = np.array(desk.rows)[-round(Settings().settling / CYCLE) :]
    assert desk.out.state == "fault"
    assert (waited == waited[0]).all()


def test_an_error_of_a_robot_is_an_emergency() -> None:
    desk, law = cruising()
    out = desk.cycle(desk.answer(law(0.0)), errors=("", "E12 drive"))  # type: ignore[operator]
    assert (out.state, out.reason.cause) == ("stopping", "error")
    assert "rob2: E12 drive" in out.reason.text


def test_confirm_needs_an_application_that_answers_and_holds_the_start() -> None:
    desk = Desk()
    desk.up("sync")
    desk.op.do("start")
    desk.until("ready", axes=near())
    desk.cycle()
    with pytest.raises(RefusedError, match="the application is silent"):
        desk.op.do("confirm")
    desk.cycle(desk.answer(near(0.06)))
    with pytest.raises(RefusedError, match=r"asks for E1 0\.01 m from the start"):
        desk.op.do("confirm")
    record = desk.answer(near(), Frame.GLC)
    record[2 + 7] += 3.0
    desk.cycle(record)
    with pytest.raises(RefusedError, match=r"confirm: rob2 .* too far; allowed: in reach"):
        desk.op.do("confirm")


def test_a_jog_lasts_as_long_as_its_requests_and_slows_down_for_a_door() -> None:
    desk = Desk()
    desk.up("mcu")
    for _ in range(40):
        desk.op.do("jog", component="E1", speed=0.4)
        for _ in range(20):
            desk.cycle()
    assert desk.out.velocity[0] == pytest.approx(0.4)
    desk.op.do("door", name="lab")
    for _ in range(10):
        desk.op.do("jog", component="E1", speed=0.4)
        for _ in range(20):
            desk.cycle()
    assert desk.op.state is State.RUNNING
    assert desk.out.velocity[0] == pytest.approx(0.25)
    released = desk.n
    while abs(desk.out.velocity[0] - 0.25) < 1e-6:
        desk.cycle()
    assert (desk.n - released) * CYCLE == pytest.approx(0.2, abs=2 * CYCLE + 20 * CYCLE)
    desk.until("idle")
    assert desk.op.reason.cause == "end"
    smooth(desk)


@pytest.mark.parametrize(
    ("robot", "name", "speed", "cause", "axis"),
    [(0, "E1", 0.5, "range", 0), (2, "A5", -0.5, "clearance", 11), (1, "A2", 0.3, "clearance", 2)],
)
def test_a_jog_rests_within_limits_and_comes_back(robot: int, name: str, speed: float, cause: str, axis: int) -> None:
    desk = Desk(axes=HOME + 17.5 * RAIL)
    desk.up("mcu")
    while desk.n < 50 or desk.out.velocity[axis] or desk.out.acceleration[axis]:  # until it has braked by itself
        desk.op.do("jog", robot=robot, component=name, speed=speed)
        desk.cycle()
    desk.until("idle")
    assert desk.op.reason.cause == cause
    assert desk.op.guard.rest(desk.out.axes, HOME) is None
    at = desk.out.axes[axis]
    desk.op.do("jog", robot=robot, component=name, speed=-speed)
    for _ in range(40):
        desk.cycle()
    assert (desk.out.axes[axis] - at) * speed < -1e-3
    smooth(desk)


@pytest.mark.parametrize("emergency", [False, True])
def test_a_jog_is_stopped_on_its_way_so_that_no_tool_swings_about(emergency: bool) -> None:
    desk = Desk()
    desk.up("mcu")
    for _ in range(200):
        desk.op.do("jog", frame="CLW", robot=2, component="rz", speed=-1.0)
        desk.cycle()
    start, first = KINEMATICS.tool_poses(desk.out.axes)[1].p, desk.n
    if emergency:
        desk.op.do("estop", place="lrc2")
    else:
        desk.op.do("stop")
    while desk.op.state == "stopping":
        desk.cycle()
        np.testing.assert_allclose(KINEMATICS.tool_poses(desk.out.axes)[1].p, start, atol=1e-9)
    assert desk.op.state == ("fault" if emergency else "idle")
    assert desk.op.reason.cause == ("estop" if emergency else "operator")
    assert (desk.n - first) * CYCLE < (0.5 if emergency else 1.2)


def test_a_sine_is_refused_beyond_limits_and_ends_where_it_began() -> None:
    desk = Desk()
    desk.up("sine")
    desk.op.do("sine", component="E1", amplitude=0.3, frequency=1.0, cycles=2)
    with pytest.raises(RefusedError, match=r"speed of E1 1\.8.* m/s; allowed: 1\.45 m/s"):
        desk.op.do("start")
    desk.op.do("sine", frame="GLC", robot=2, component="x", amplitude="50 mm", frequency=0.5, cycles=1)
    assert desk.op.do("start")["state"] == "ready"
    desk.op.do("confirm")
    desk.until("idle")
    np.testing.assert_allclose(desk.out.axes, HOME, atol=1e-12)
    assert np.ptp(desk.set_points[:, 8]) > 0.01
    smooth(desk)


def test_corrections_act_after_confirm() -> None:
    desk = Desk()
    desk.up("rsi")
    desk.op.do("start")
    assert desk.cycle().state == "waiting"
    zero = np.zeros(13)
    assert desk.cycle(corrections=zero).state == "ready"
    desk.cycle(corrections=zero + 1e-3)
    np.testing.assert_array_equal(desk.out.axes, HOME)
    desk.op.do("confirm")
    for k in range(100):
        out = desk.cycle(corrections=1e-3 * (1 - np.cos(0.02 * k)) * np.ones(13))
    assert out.state == "running"
    assert out.axes[0] - HOME[0] == pytest.approx(1e-3 * (1 - np.cos(0.02 * 99)))


@pytest.mark.parametrize(
    ("action", "arguments", "told"),
    [
        ("comfirm", {}, "Did you mean 'confirm'"),
        ("mode", {"mode": "asnyc"}, "unknown mode 'asnyc'"),
        ("mode", {}, "mode: mode is missing"),
        ("power", {"on": "perhaps"}, "allowed: true, false"),
        ("power", {"of": True}, "unknown argument of power 'of'"),
        ("order", {"order": "rob1,rob1,rail"}, "each once"),
        ("order", {"order": 5}, "order: 5; allowed: rail, rob1, rob2"),
        ("order", {"order": ["rail", 1, None]}, "order: rail, 1, None; allowed: rail, rob1, rob2"),
        ("start", {}, "the drives have no power"),
        ("confirm", {}, "the drives have no power"),
        ("jog", {"component": "E1", "speed": 0.1}, "mode sync; allowed: mcu"),
        ("jog", {"component": "E1", "speed": "1 deg/s"}, "speed"),
        ("acknowledge", {}, "state off; allowed: fault"),
        ("hardware", {}, "no robot controllers are attached"),
        ("laser", {}, "a blind is up"),
        ("estop", {"place": "roof"}, "unknown estop 'roof'"),
        ("load", {"trajectory": None}, "0 rows"),
        ("sine", {"component": "E1", "amplitude": -1, "frequency": 1}, "allowed: > 0 m"),
    ],
)
def test_what_is_not_allowed_says_what_is(action: str, arguments: dict[str, object], told: str) -> None:
    desk = Desk()
    with pytest.raises(InputError) as refused:
        desk.op.do(action, **arguments)
    assert told in str(refused.value)
    assert desk.op.state is State.OFF


def test_a_copy_goes_on_with_the_same_bytes() -> None:
    desk, _ = cruising()
    desk.op.do("stop")
    desk.cycle()
    twin = copy.deepcopy(desk)
    np.testing.assert_array_equal(desk.until("idle").axes, twin.until("idle").axes)
