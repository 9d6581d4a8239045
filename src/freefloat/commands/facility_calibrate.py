"""Calibration of the docking facility: what a laser tracker sees of it, its static model, and how accurate that is."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from freefloat.commands import Json
from freefloat.errors import InputError
from freefloat.terminal import print_table

if TYPE_CHECKING:
    from freefloat.facility.accuracy_study import Misses, Study

Seed = Annotated[int, typer.Option(metavar="N", help="Which facility: its true errors, and the tracker's noise.")]
Poses = Annotated[int, typer.Option(metavar="N", help="That the tracker sees.")]
Out = Annotated[Path | None, typer.Option("--out", metavar="FILE", help="Where the model goes; none: nowhere.")]
FEWEST = 25  # poses; with fewer, the rail has more parameters than reflectors tell


def facility_calibrate(seed: Seed = 0, poses: Poses = 150, out: Out = None, as_json: Json = False) -> None:
    """Measure a facility with errors, find its static model, and judge it on 1000 other poses."""
    from freefloat.facility.accuracy_study import study
    from freefloat.facility.model_file import write_model

    for name, value, least in (("--seed", seed, 0), ("--poses", poses, FEWEST)):
        if value < least:
            raise InputError(f"{name} {value}; allowed: {least} or more")
    if out is not None and out.exists():
        raise InputError(f"--out {out}: there is such a file; allowed: another name")
    found = study(seed, poses=poses)
    if out is not None:
        about = f"freefloat facility calibrate --seed {seed} --poses {poses}"
        write_model(found.calibration.model, out, about)
    if as_json:
        print(json.dumps(_data(found, poses, out), indent=2))
        return
    rows = [
        [name, *(_cell(misses, robot) for robot in (1, 2, None))]
        for name, misses in (("raw", found.raw), ("calibrated, modelled errors alone", found.modelled))
    ]
    rows.append(["calibrated", *(_cell(found.calibrated, robot) for robot in (1, 2, None))])
    print_table(("3 sigma of plates in the lab", "robot 1 on the rail", "robot 2", "both"), rows)
    for name, fit in zip(("robot 1 and rail", "robot 2"), found.calibration.fits, strict=True):
        told = f"{fit.rank} of {len(fit.values)} directions told by {poses} poses"
        print(f"{name}: {told}, {1e3 * fit.residual:.3g} mm RMS left in a coordinate of a reflector")
    print(f"model: {out}" if out is not None else "model: not written; --out FILE")


def _cell(misses: Misses, robot: int | None) -> str:
    return f"{1e3 * misses.three_sigma_m(robot):.3f} mm, {misses.three_sigma_deg(robot):.4f} deg"


def _data(found: Study, poses: int, out: Path | None) -> dict[str, object]:
    data: dict[str, object] = {"seed": found.seed, "poses": poses, "model": None if out is None else str(out)}
    for name, misses in (("raw", found.raw), ("modelled", found.modelled), ("calibrated", found.calibrated)):
        for robot in (None, 1, 2):
            place = name if robot is None else f"robot{robot}_{name}"
            data[f"{place}_3sigma_m"] = misses.three_sigma_m(robot)
            data[f"{place}_3sigma_deg"] = misses.three_sigma_deg(robot)
    for name, fit in zip(("robot1", "robot2"), found.calibration.fits, strict=True):
        data |= {f"{name}_parameters": len(fit.values), f"{name}_rank": fit.rank, f"{name}_residual_m": fit.residual}
    return data
