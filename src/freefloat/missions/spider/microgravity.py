"""Does SPIDER at work disturb the station? Its base wrench and the station's acceleration, beside the limit."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import ClassVar

import numpy as np

from freefloat.engine.mission import Mission
from freefloat.engine.result import Result
from freefloat.engine.taps import Record
from freefloat.errors import InputError
from freefloat.frames import Pose
from freefloat.gnc.control.operations import Operation
from freefloat.missions.drive_settings import drive_metrics
from freefloat.missions.spider.arm import Spider
from freefloat.missions.spider.command_settings import placed_in
from freefloat.missions.spider.settings import PayloadSettings, SpiderSettings
from freefloat.missions.spider.tip import tip_errors
from freefloat.scenario.base import IntegratorSettings, Scenario
from freefloat.scenario.fields import Settings, Vector3, file, quantity, setting
from freefloat.scenario.registry import register
from freefloat.spectrum import ThirdOctaves, third_octave

GROUP = "vibration"
LEAST_SAMPLES = 64  # of a record that has a spectrum
WRENCH = "arm.base.mount_load"


class ShuttleSettings(Settings):
    """The tip goes to and fro in a straight line."""

    by: Vector3 = quantity((0.0, 0.6, 0.0), "m", "from one end to the other, in the mount's axes")
    speed: float = quantity(0.025, "m/s", "of the tip; at most the arm's limit", gt=0)
    settle: float = quantity(1.0, "s", "time at rest at each end", gt=0)


@register
class SpiderMicrogravity(Scenario):
    """SPIDER moves a payload to and fro on the station (Ferretti and others 2004, Fig. 8)."""

    kind: ClassVar[str] = "spider-microgravity"
    title: ClassVar[str] = "SPIDER moves 30 kg to and fro: the station's acceleration under the microgravity limit"

    duration: float = quantity(1000.0, "s", "simulated time; 867 s show all bands", gt=0, le=1e9)
    record_rate: float = quantity(5.0, "Hz", "rate at which signals are recorded", gt=0, le=1e6)
    vibration_rate: float = quantity(1000.0, "Hz", "rate of the record of base wrench and acceleration", gt=0, le=1e5)
    limit: str = file("iss-microgravity", "limit curve: a name, or a CSV file of bands")
    arm: SpiderSettings = setting(SpiderSettings(), "the arm")
    payload: PayloadSettings = setting(PayloadSettings(mass=30.0), "what it holds")
    motion: ShuttleSettings = setting(ShuttleSettings(), "its motion")
    integrator: IntegratorSettings = setting(
        IntegratorSettings(method="auto", step="auto"), "how the plant is integrated; both follow the drives"
    )

    def build(self) -> Mission:
        """As in `spider-motion`, with a record of its own for what the station feels."""
        spider = self.arm.make(self.payload.make())
        try:
            spider.operations.begin(self._moves(spider))
        except InputError as e:
            raise placed_in("motion", e) from None
        felt = (WRENCH, self._acceleration)
        return Mission(
            spider.blueprint,
            tasks=spider.tasks,
            events=spider.events,
            integrator=self.integrator.make(driven=True),
            record_rate=self.record_rate,
            records=[Record(GROUP, felt, self.vibration_rate)],
            judge=partial(self._judge, spider=spider),
            plots=("tip.p_reached", "arm.torque_gear", "arm.drive_power"),
            writers=[self._pictures],
        )

    @property
    def _acceleration(self) -> str:
        return f"{self.arm.base}.f_WB_B"

    def _moves(self, spider: Spider) -> list[Operation]:
        """As many as the run has time for."""
        X = spider.arm.chain.pose(self.arm.start)
        ends = [Pose(X.R, X.p + np.asarray(self.motion.by)), X]
        length = float(np.linalg.norm(self.motion.by))
        count = int(self.duration / (length / self.motion.speed + self.motion.settle)) + 1
        speed, settle = self.motion.speed, self.motion.settle
        return [Operation("move", to=ends[k % 2], speed=speed, settle=settle) for k in range(count)]

    def _spectrum(self, result: Result) -> ThirdOctaves | None:
        record = result.of(GROUP)
        samples = record[self._acceleration]
        return third_octave(self.vibration_rate, samples[:-1]) if len(samples) > LEAST_SAMPLES else None

    def _judge(self, result: Result, spider: Spider) -> dict[str, float]:
        """Margins by band, the base's wrench, errors of the tip, and the power beside the published 30 to 130 W."""
        _, off, angle = tip_errors(result)
        wrench = result.of(GROUP)[WRENCH]
        found = {
            "tip_error_max_m": float(np.linalg.norm(off, axis=1).max()),
            "tip_attitude_error_max_deg": float(np.rad2deg(angle.max())),
            "base_force_max_N": float(np.linalg.norm(wrench[:, :3], axis=1).max()),
            "base_torque_max_N_m": float(np.linalg.norm(wrench[:, 3:], axis=1).max()),
            **drive_metrics(result, "arm", spider.drives),
        }
        spectrum = self._spectrum(result)
        if spectrum is None:
            return found
        margins = spectrum.margin_db(self.limit)
        for centre, db in zip(spectrum.centres, margins, strict=True):
            if np.isfinite(db):
                found[f"margin_db.{centre:.4g}"] = float(db)
        if np.isfinite(margins).any():
            found["margin_db_min"] = float(np.nanmin(margins))
        return found

    def _pictures(self, result: Result, out: Path) -> None:
        from freefloat.view.spectrum import plot_spectrum  # heavy, and only needed here

        spectrum = self._spectrum(result)
        if spectrum is not None:
            held = f"SPIDER with {self.payload.mass:g} kg at {100.0 * self.motion.speed:g} cm/s"
            plot_spectrum(
                {held: spectrum}, self.limit, out / "plots" / "spectrum.png", title="The station's acceleration"
            )
