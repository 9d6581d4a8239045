"""Make every figure of the README and of these pages by running Freefloat: `python docs/make_figures.py [NAME ...]`."""

from __future__ import annotations

import os
import re
import runpy
import shutil
import sys
import tempfile
import warnings
from collections.abc import Callable
from contextlib import chdir
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import freefloat as ff
from freefloat.charts import STYLE, panels, save, tidy
from freefloat.errors import AuditWarning
from freefloat.frames import quat_conj, quat_log, quat_mul
from freefloat.view.camera import Camera
from freefloat.view.plots import plot_audit
from freefloat.view.raycast import render_sequence, save_png

if TYPE_CHECKING:
    from matplotlib.axes import Axes

DOCS = Path(__file__).parent
FIGURES = DOCS / "figures"
EXAMPLES = DOCS.parent / "examples"

# The shipped scenario with a light bus and a wide sweep of the arm, so that the reaction shows.
SWEEP = {
    "bus.mass": 500.0,
    "bus.size": [1.0, 1.0, 0.9],
    "bus.mount_position": [0.0, 0.0, 0.45],
    "arm.start": [0.0, 1.25, 0.0, 0.5, 0.0, 0.4, 0.0],
    "arm.goal": [0.4, -0.85, 0.3, 1.0, 0.3, 0.7, 0.0],
}

# What the README says of some instants of `pick-and-place`, by the picture's own caption.
TOLD = {
    "start": "start",
    "b closed": "latched on a module",
    "under way": "carries it",
    "b placed": "has placed it",
    "b latch": "steps aside",
    "end": "has let go of its first foothold",
}


def pick_and_place(path: Path) -> None:
    """The walking robot at six instants; modules coloured by temperature."""
    from freefloat.missions.modular.stack import starting_stack
    from freefloat.structure.tensor_part import empty_hand
    from freefloat.view.configuration import picture_sequence
    from freefloat.view.rebuilding import frames_of

    result, stack = ff.run("pick-and-place"), starting_stack()
    hands = {name: empty_hand(name, stack.catalogue) for name in ("load_a", "load_b")}
    frames = frames_of(result, {"stack": stack, **hands}, count=100)
    chosen, wanted = [], list(TOLD)
    for frame in frames:  # in their order, the first of each
        time, _, what = frame.caption.partition(": ")
        if wanted and what == wanted[0]:
            chosen.append(replace(frame, caption=f"{time}: {TOLD[wanted.pop(0)]}"))
    assert not wanted, f"no picture of {wanted}"
    picture_sequence(chosen, path, colour="temperature", columns=3, width=400, height=330)


def reconfiguration(path: Path) -> None:
    """A slab of 20 modules becomes a tower: eight instants, modules coloured by type."""
    from freefloat.scenario.files import load
    from freefloat.view.configuration import picture_sequence
    from freefloat.view.rebuilding import frames_of

    scenario = load("reconfiguration", {})
    mission = scenario.build()
    review: Any = mission.review
    assert mission.duration is not None
    result, subject = mission.run(mission.duration), review.keywords["subject"]
    frames = frames_of(result, subject.bodies, count=8)
    shown = [replace(frame, caption=frame.caption.partition(":")[0]) for frame in frames]
    picture_sequence(shown, path, colour="type", columns=4, width=290, height=270)


def from_design_to_design(path: Path) -> None:
    """The timeline of the flight in the tutorial, from the files on its page."""
    from freefloat.missions.modular.design_pair import pair_of
    from freefloat.missions.modular.plan_file import plan_data, plan_text
    from freefloat.missions.modular.planning import motions_of, plan_pair
    from freefloat.structure.design.file import load_design

    page = (Path(__file__).parent / "tutorial" / "from-design-to-design.md").read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder:
        for name, text in re.findall(r"^```yaml\n# file: (\S+)\n(.*?)^```", page, re.MULTILINE | re.DOTALL):
            (Path(folder) / name).write_text(text, encoding="utf-8")
        slab, tower = (load_design(f"{folder}/{name}.yaml") for name in ("slab", "tower"))
        pair = pair_of(slab, tower)
        plan = plan_text(plan_data(plan_pair(pair, motions_of(pair)), pair))
        (Path(folder) / "plan.json").write_text(plan, encoding="utf-8")
        ff.run(f"{folder}/flight.yaml", out=f"{folder}/out")
        shutil.copy(f"{folder}/out/plots/timeline.png", path)


def free_floating_arm(path: Path) -> None:
    """The arm sweeps upwards and the bus turns against it; earlier poses as ghosts."""
    result = ff.run("free-floating-arm", SWEEP)

    def poses(k: int) -> dict[str, ff.Pose]:
        return {link: ff.Pose.from_quat(result[f"{link}.q_WB"][k], result[f"{link}.p_WB"][k]) for link in result.scene}

    shoulder = result["arm.q"][:, 1]
    share = (shoulder - shoulder[0]) / (shoulder[-1] - shoulder[0])
    sequence = [poses(int(np.argmax(share >= s))) for s in (0.0, 0.3, 0.6)] + [poses(-1)]
    camera = Camera.fit(
        result.scene, sequence, (-0.5, -1.35, 0.7), up=(-1.0, 0.0, 0.45), width=1200, height=560, margin=1.08
    )
    save_png(path, render_sequence(result.scene, sequence, camera, sun=(-1.2, -0.6, 0.45), ghost=0.5))


def first_arm(path: Path) -> None:
    """What the tutorial's script saves."""
    page = (DOCS / "tutorial" / "fly-your-first-arm.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    (script,) = (block for block in blocks if block.startswith('"""'))
    with tempfile.TemporaryDirectory() as folder, chdir(folder):
        Path("first_arm.py").write_text(script, encoding="utf-8")
        runpy.run_path("first_arm.py", run_name="__main__")
        path.write_bytes(Path("first-arm.png").read_bytes())


def audit(path: Path) -> None:
    """The audit of the shipped arm scenario."""
    from freefloat.engine.audit import LIMITS

    history = dict(ff.run("free-floating-arm").audit.history)
    plot_audit(history.pop("t"), history, LIMITS, path)


def example(name: str) -> Callable[[Path], None]:
    """What an example saves with --plot."""

    def make(path: Path) -> None:
        before = sys.argv
        sys.argv = [name, "--plot", str(path)]
        try:
            runpy.run_path(str(EXAMPLES / name), run_name="__main__")
        finally:
            sys.argv = before

    return make


def convergence(path: Path) -> None:
    """Attitude error of a fast tumbling body after 10 s against the step, for both fixed-step schemes."""
    from matplotlib.figure import Figure

    motion = ff.Motion(w_WL_L=(1.0, 3.0, -1.5))
    body = ff.RigidBody("body", 10.0, inertia=(1.0, 2.0, 2.5), motion=motion)

    def attitude(integrator: ff.RK4 | ff.Dopri5 | ff.Dopri54) -> np.ndarray:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", AuditWarning)  # steps this coarse are what the audit is there to catch
            return ff.Mission([body], integrator=integrator, record_rate=1.0).run(10.0)["body.q_WB"][-1]

    truth = attitude(ff.Dopri54(rtol=1e-14, atol=1e-15, max_step=5e-3))
    steps = np.array([0.05, 0.025, 0.0125, 0.00625])
    figure = Figure(figsize=(STYLE["width"], 3.2), dpi=STYLE["dpi"], layout="constrained")
    ax = figure.subplots()
    for scheme, label, color in ((ff.RK4, "rk4", 0), (ff.Dopri5, "dopri5", 1)):
        errors = [np.linalg.norm(quat_log(quat_mul(quat_conj(truth), attitude(scheme(h))))) for h in steps]
        slope = np.polyfit(np.log(steps), np.log(errors), 1)[0]
        ax.loglog(steps, errors, "o-", color=STYLE["colors"][color], label=f"{label}: slope {slope:.2f}")
        print(f"  {label}: slope {slope:.2f}")
    ax.set_xticks(steps, [f"{h:g}" for h in steps])
    ax.minorticks_off()
    ax.set_xlabel("step [s]")
    ax.set_ylabel("attitude error [rad]")
    ax.grid(True, which="both", color=STYLE["faint"], linewidth=0.6)
    ax.legend(frameon=False)
    figure.savefig(path)


def platform_picture(name: str) -> Callable[[Path], None]:
    """A picture that `freefloat run reacsa-stabilise` writes."""

    def make(path: Path) -> None:
        with tempfile.TemporaryDirectory() as folder:
            ff.run("reacsa-stabilise", out=folder)
            path.write_bytes((Path(folder) / "plots" / name).read_bytes())

    return make


def joint_ripple(path: Path) -> None:
    """The picture that `freefloat run spider-joint-ripple` writes."""
    with tempfile.TemporaryDirectory() as folder:
        ff.run("spider-joint-ripple", out=folder)
        path.write_bytes((Path(folder) / "plots" / "ripple.png").read_bytes())


def spider_force(path: Path) -> None:
    """The picture that `freefloat run spider-force-control` writes."""
    with tempfile.TemporaryDirectory() as folder:
        ff.run("spider-force-control", out=folder)
        path.write_bytes((Path(folder) / "plots" / "contact_force.png").read_bytes())


def delay_map(path: Path) -> None:
    """The map that `freefloat run delay-map` writes."""
    with tempfile.TemporaryDirectory() as folder:
        ff.run("delay-map", out=folder)
        path.write_bytes((Path(folder) / "plots" / "delay-map.png").read_bytes())


def run_picture(scenario: str, name: str) -> Callable[[Path], None]:
    """A picture that the run of a scenario writes."""

    def make(path: Path) -> None:
        with tempfile.TemporaryDirectory() as folder:
            ff.run(scenario, out=folder)
            path.write_bytes((Path(folder) / "plots" / name).read_bytes())

    return make


def facility(path: Path) -> None:
    """The docking facility at its start, as its observation cameras see it."""
    from freefloat.facility.cameras import draw_observation
    from freefloat.facility.part import DockingFacility
    from freefloat.view.picture import Instant

    draw_observation([Instant(0.0, ff.Mission([DockingFacility()]).session().scene())], path)


def slew(path: Path) -> None:
    """The picture that `freefloat run slew-by-thrusters` writes."""
    with tempfile.TemporaryDirectory() as folder:
        ff.run("slew-by-thrusters", out=folder)
        path.write_bytes((Path(folder) / "plots" / "slew.png").read_bytes())


def docking(path: Path) -> None:
    """The picture that `freefloat run dock-probe-cone` writes."""
    from freefloat.missions.docking.pictures import draw_docking

    with tempfile.TemporaryDirectory() as folder:
        draw_docking(ff.run("dock-probe-cone"), Path(folder))
        (Path(folder) / "plots" / "docking.png").replace(path)


def paper_and_best(path: Path) -> None:
    """Two controllers on the same line and floor: distance from the reference, and time of open valves."""
    from matplotlib.figure import Figure

    from freefloat.gnc.planning.platform.hermite_reference import line

    figure = Figure(figsize=(STYLE["width"], 4.2), dpi=STYLE["dpi"], layout="constrained")
    above, below = figure.subplots(2, 1, sharex=True)
    for k, controller in enumerate(("paper", "best")):
        result = ff.run("reacsa-line", {"controller": controller})
        t, pose = result.time("reacsa.pose"), result["reacsa.pose"]
        off = pose - line().sampled(t)[0]
        above.plot(t, 1e3 * np.hypot(off[:, 0], off[:, 1]), color=STYLE["colors"][k], label=controller)
        below.plot(t, result["thrusters.on_time"].sum(axis=1), color=STYLE["colors"][k], label=controller)
        print(f"  {controller}: {1e3 * result.metrics['rms_position_m']:.1f} mm")
    above.set_ylabel("from the reference [mm]")
    below.set_ylabel("open valves [s]")
    below.set_xlabel("t [s]")
    for ax in (above, below):
        ax.grid(True, color=STYLE["faint"], linewidth=0.6)
        ax.legend(frameon=False)
    figure.savefig(path)


@cache
def microgravity(path: Path) -> None:
    """The picture that the page on microgravity makes."""
    page = (DOCS / "howto" / "assess-microgravity.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    with tempfile.TemporaryDirectory() as folder, chdir(folder):
        Path("page.py").write_text("\n".join(blocks[:2]), encoding="utf-8")
        runpy.run_path("page.py", run_name="__main__")
        path.write_bytes(Path("spectrum.png").read_bytes())


def joint_page() -> dict[str, Any]:
    """What the tutorial on a joint has made at its end."""
    page = (DOCS / "tutorial" / "a-joint-from-winding-to-load.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    with tempfile.TemporaryDirectory() as folder, chdir(folder):
        Path("joint.py").write_text("\n".join(blocks), encoding="utf-8")
        return runpy.run_path("joint.py", run_name="__main__")


def _labelled(ax: Axes, x: str, y: str, title: str) -> None:
    tidy(ax)
    ax.set_xlabel(x, color=STYLE["ink"], fontsize=STYLE["font"])
    ax.set_ylabel(y, color=STYLE["ink"], fontsize=STYLE["font"])
    ax.set_title(title, loc="left", color=STYLE["ink"], fontsize=STYLE["font"])


def joint_step(path: Path) -> None:
    """A step of effort in winding, gear and load, each on its own scale of time."""
    from matplotlib.figure import Figure

    made, (blue, red) = joint_page(), STYLE["colors"][:2]
    close, t = made["close"], made["close"].time("rig.current")
    figure = Figure(figsize=(STYLE["width"], 3.0), dpi=STYLE["dpi"], layout="constrained")
    winding, gear, load = figure.subplots(1, 3)
    _labelled(winding, "time [ms]", "current of phase A [A]", "winding: a millisecond")
    early = t <= 3e-3
    winding.plot(1e3 * t[early], close["rig.current"][early, 0, 0], color=blue, label="in the winding")
    winding.axhline(1.25, color=red, linestyle="--", linewidth=1.0, label="wanted")
    _labelled(gear, "time [s]", "torque on the boom [N m]", "gear: a tenth of a second")
    gear.plot(t, close["rig.torque_gear"][:, 0], color=blue, label="through the gear")
    gear.axhline(20.0, color=red, linestyle="--", linewidth=1.0, label="commanded")
    _labelled(load, "time [s]", "rate of the joint [rad/s]", "load: seconds")
    for name, colour, style in (("driven", blue, "-"), ("ideal", red, "--")):
        label = "with the drive" if name == "driven" else "ideal joint"
        load.plot(made[name].time("rig.qd"), made[name]["rig.qd"][:, 0], style, color=colour, label=label)
    for ax, where, top in ((winding, "lower right", 1.4), (gear, "upper right", 27.0), (load, "center right", 2.4)):
        ax.set_ylim(0.0, top)
        ax.legend(loc=where, frameon=False, fontsize=STYLE["font"] - 1)
    figure.savefig(path)


def joint_slow(path: Path) -> None:
    """Slow motion under a weak controller and under the servo: angle and rate."""
    made = joint_page()
    figure, (angle, rate) = panels(2)
    t, speed = made["jerky"].time("rig.q"), made["SPEED"]
    for name, label in (("jerky", "weak controller"), ("smooth", "joint servo")):
        angle.plot(t, 1e3 * made[name]["rig.q"][:, 0], label=label)
        rate.plot(t, 1e3 * made[name]["rig.qd"][:, 0], label=label)
    wanted = {"color": STYLE["ink"], "linewidth": 1.0, "linestyle": (0, (4, 4)), "label": "wanted"}
    angle.plot(t, 1e3 * speed * t, **wanted)
    rate.plot(t, np.full_like(t, 1e3 * speed), **wanted)
    angle.set_ylabel("joint angle [mrad]", color=STYLE["ink"], fontsize=STYLE["font"])
    rate.set_ylabel("joint rate [mrad/s]", color=STYLE["ink"], fontsize=STYLE["font"])
    for ax in (angle, rate):
        ax.legend(loc="upper left", frameon=False, fontsize=STYLE["font"] - 1, ncols=3)
    rate.set_ylim(top=40.0)
    save(figure, path)


def joint_energy(path: Path) -> None:
    """Electric energy of a move as the sum of what it became."""
    made = joint_page()["moved"]
    figure, (power, sums) = panels(2)
    t = made.time("rig.drive_energy")
    taken, copper, rubbed = (made[f"rig.{n}"][:, 0] for n in ("drive_energy", "copper_heat", "friction_heat"))
    power.plot(t, made["rig.drive_power"][:, 0], label="electric, taken from the supply")
    given = (made["rig.torque_gear"] * made["rig.qd"])[:, 0]
    power.plot(t, given, label="mechanical, from the gear to the boom")
    power.set_ylabel("power [W]", color=STYLE["ink"], fontsize=STYLE["font"])
    parts = {"heat by friction, in gear and bearings": rubbed, "heat of the copper": copper}
    parts["in motion and in springs"] = taken - copper - rubbed
    colours = [STYLE["colors"][k] for k in (1, 4, 2)]
    sums.stackplot(t, *parts.values(), labels=list(parts), colors=colours, alpha=0.55)
    sums.plot(t, taken, color=STYLE["colors"][0], label="taken from the supply")
    sums.set_ylabel("energy since the start [J]", color=STYLE["ink"], fontsize=STYLE["font"])
    for ax, where in ((power, "upper right"), (sums, "upper left")):
        ax.legend(loc=where, frameon=False, fontsize=STYLE["font"] - 1)
    save(figure, path)


def facility_console(path: Path) -> None:
    """The command centre while a door is open and an emergency stop is pressed."""
    from rich.console import Console

    from freefloat.serve.console_model import ConsoleModel
    from freefloat.serve.console_view import HIGH, WIDE, screen
    from freefloat.serve.desk_answers import DeskAnswers
    from freefloat.serve.in_process import InProcess
    from freefloat.serve.variable_list import shipped_lists
    from freefloat.verify.facility_desk import KINEMATICS, Desk

    desk = Desk()
    desk.up("sync")
    desk.op.do("gate", name="gate1")
    desk.op.do("estop", place="fence1")
    face, model = InProcess(desk.op, KINEMATICS), ConsoleModel(shipped_lists(), "127.0.0.1:5251")
    face.shown(desk.cycle())
    model.told(DeskAnswers(face).frame(model.names))
    model.message, model.failed = "start: an emergency stop is pressed (fence1); allowed: all released", True
    with open(os.devnull, "w") as nowhere:  # noqa: PTH123
        console = Console(width=WIDE, height=HIGH, record=True, force_terminal=True, file=nowhere)
        console.print(screen(model, WIDE, HIGH))
        svg = console.export_svg(title="freefloat facility console", unique_id="console")
    path.write_text(re.sub(r"@font-face \{.*?\}\s*", "", svg, flags=re.DOTALL), encoding="utf-8")  # no foreign fonts


MAKERS: dict[str, Callable[[Path], None]] = {
    "pick-and-place.png": pick_and_place,
    "reconfiguration.png": reconfiguration,
    "from-design-to-design.png": from_design_to_design,
    "free-floating-arm.png": free_floating_arm,
    "first-arm.png": first_arm,
    "audit.png": audit,
    "tumbling-body.png": example("01_tumbling_body.py"),
    "bouncing-ball.png": example("04_events_bouncing_ball.py"),
    "latch.png": example("05_latch_two_satellites.py"),
    "brake.png": example("06_your_own_effect.py"),
    "convergence.png": convergence,
    "bounce.png": run_picture("bounce", "touching.png"),
    "bounce-forces.png": run_picture("bounce", "forces.png"),
    "joint-ripple.png": joint_ripple,
    "spider-force.png": spider_force,
    "delay-map.png": delay_map,
    "impact-central.png": run_picture("impact-central", "impact.png"),
    "impact-cone.png": run_picture("impact-cone", "impact.png"),
    "platform-track.png": platform_picture("track.png"),
    "platform-actuation.png": platform_picture("actuation.png"),
    "docking.png": docking,
    "facility.png": facility,
    "epos-approach.png": run_picture("epos-approach", "approach.png"),
    "epos-safety.png": run_picture("epos-safety", "safety.png"),
    "facility-console.svg": facility_console,
    "slew.png": slew,
    "paper-and-best.png": paper_and_best,
    "plan-with-obstacles.png": example("14_plan_with_obstacles.py"),
    "joint-step.png": joint_step,
    "joint-slow.png": joint_slow,
    "joint-energy.png": joint_energy,
    "microgravity.png": microgravity,
}


def main(names: list[str]) -> None:
    os.environ.setdefault("MPLBACKEND", "agg")
    unknown = set(names) - set(MAKERS)
    if unknown:
        sys.exit(f"unknown figure {sorted(unknown)[0]!r}; allowed: {', '.join(MAKERS)}")
    FIGURES.mkdir(exist_ok=True)
    for name in names or MAKERS:
        print(f"docs/figures/{name}")
        MAKERS[name](FIGURES / name)


if __name__ == "__main__":
    main(sys.argv[1:])
