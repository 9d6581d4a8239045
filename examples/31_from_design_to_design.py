"""From one design to another: a plan for a walking robot, its flight in orbit, and the review of what it did."""

import argparse
import tempfile
from pathlib import Path

import freefloat as ff
from freefloat.missions.modular.design_pair import pair_of
from freefloat.missions.modular.plan_file import plan_data, plan_text
from freefloat.missions.modular.planning import motions_of, plan_pair
from freefloat.structure.design.file import load_design

HEAD = """\
kind: design
schema: 1
catalogue: mosar
grid: {kind: cubic, size: [3, 1, 2], pitch: 0.4 m}
"""
MODULES = """\
modules:
  - {id: 1, type: bus, cell: [0, 0, 0]}
  - {id: 2, type: solar, cell: [1, 0, 0]}
  - {id: 3, type: bus, cell: [2, 0, 0]}
"""
ROBOT = """\
robots:
  - {name: wm, kind: walking_manipulator, stands: {module: 2, side: +z}}
"""
CAMERA = "  - {{id: 4, type: payload, cell: {cell}}}\n"


def designs(folder: Path) -> tuple[Path, Path]:
    """The payload stands at one end of a row, and is wanted at the other."""
    start, goal = folder / "start.yaml", folder / "goal.yaml"
    start.write_text(HEAD + MODULES + CAMERA.format(cell=[0, 0, 1]) + ROBOT, encoding="utf-8")
    goal.write_text(HEAD + MODULES + CAMERA.format(cell=[2, 0, 1]), encoding="utf-8")
    return start, goal


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--plot", metavar="PATH", help="save a picture of start, middle and end")
    picture = parser.parse_args().plot
    with tempfile.TemporaryDirectory() as folder:
        start, goal = designs(Path(folder))
        pair = pair_of(load_design(str(start)), load_design(str(goal)))
        plan = plan_pair(pair, motions_of(pair))
        for o in plan.operations:
            print(f"{o.n}. {o.kind} of module {o.module}: {o.seconds:.0f} s")
        print(f"{plan.cost:.0f} s; no plan takes less than {plan.bound:.0f} s; {plan.motion_checks} motions looked at")

        file = Path(folder) / "plan.json"
        file.write_text(plan_text(plan_data(plan, pair)), encoding="utf-8")
        files = {"start": str(start), "goal": str(goal), "plan": str(file)}
        result = ff.run("reconfiguration", files, progress=False)

    m = result.metrics
    print(f"goal reached: {m['goal_reached']:.0f}; done after {m['makespan_s']:.0f} s")
    print(f"the structure turned by at most {m['pointing_error_max_deg']:.1g} deg")
    for event in result.events:
        if event.name.startswith("review."):
            print(f"{event.t:6.1f} s  {event.name.removeprefix('review.')} = {event.result}")
    if picture:
        result.picture(path=picture)


if __name__ == "__main__":
    main()
