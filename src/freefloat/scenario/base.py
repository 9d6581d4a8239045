"""A scenario: a typed tree of settings that builds a mission, which knows how its result is judged."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from pydantic import PrivateAttr

from freefloat.errors import InputError
from freefloat.scenario.fields import Settings, quantity, setting
from freefloat.scenario.origin import Origin

if TYPE_CHECKING:
    from freefloat.engine.integrator import Integrator
    from freefloat.engine.mission import Mission

SCHEMA = 1  # version of the scenario file format


class IntegratorSettings(Settings):
    """How the plant is integrated: `rk4` or `dopri5` with a fixed step, or `dopri54` with error control."""

    method: Literal["auto", "rk4", "dopri5", "dopri54"] = setting(
        "rk4", "integration scheme; dopri54 is the adaptive 5(4) pair, auto is dopri5 with joint drives and else rk4"
    )
    step: float | Literal["auto"] = quantity(
        1e-3,
        "s",
        "fixed step (whole nanoseconds), or the longest that the parts advise, 1 ms or less (with modules and ideal "
        "joints 4 ms or less); first step of dopri54",
        ge=1e-9,
        le=10,
    )
    rtol: float = quantity(1e-10, "-", "relative tolerance of dopri54", gt=0, lt=1)
    atol: float = quantity(1e-12, "-", "absolute tolerance of dopri54, in SI units of each state", gt=0)
    max_step: float = quantity(0.1, "s", "largest step of dopri54", gt=0)

    def make(self, driven: bool = False, longest: float | None = None) -> Integrator:
        """The engine's integrator of these settings; `driven`: joints have drives. Where they have none, a step that is
        to be chosen is at most `longest` [s] in place of the engine's 1 ms."""
        from freefloat.engine.integrator import DEFAULT_STEP, RK4, Dopri5, Dopri54

        if self.method == "dopri54":
            first = DEFAULT_STEP if self.step == "auto" else self.step
            return Dopri54(self.rtol, self.atol, min(first, self.max_step), self.max_step)
        step = self.step if self.step == "auto" else round(self.step * 1e9) * 1e-9
        fifth = driven if self.method == "auto" else self.method == "dopri5"
        most = DEFAULT_STEP if driven or longest is None else longest
        return Dopri5(step, most) if fifth else RK4(step, most)


class Scenario(Settings):
    """Base of every scenario. A subclass sets `kind` and `title`, adds fields, and writes `build`."""

    kind: ClassVar[str]
    title: ClassVar[str]

    _origin: Origin = PrivateAttr(default_factory=Origin)

    about: str = setting("", "one line on this file, shown by `freefloat list` in place of the kind's title")
    duration: float = quantity(20.0, "s", "simulated time", gt=0, le=1e9)
    seed: int = quantity(0, "-", "seed of every random stream of the run", ge=0, lt=2**32)
    integrator: IntegratorSettings = setting(IntegratorSettings(), "how the plant is integrated")
    record_rate: float = quantity(100.0, "Hz", "rate at which signals are recorded", gt=0, le=1e6)

    def __init_subclass__(cls, **settings: Any) -> None:
        super().__init_subclass__(**settings)
        for name in ("metrics", "plots", "write", "modules", "track"):
            if callable(vars(cls).get(name)):
                raise InputError(
                    f"scenario {cls.__name__}: method {name!r}; a run is judged and drawn by what `build` gives "
                    "its Mission: judge, plots, writers"
                )

    @property
    def origin(self) -> Origin:
        """Where the values came from; a scenario that `load` gives knows it."""
        return self._origin

    @abstractmethod
    def build(self) -> Mission:
        """The mission that this scenario describes, ready to run, with its judge, plots and writers of pictures."""

    def build_for_realtime(self) -> Mission:
        """The mission for a run that keeps pace with the clock: solvers may then stop by the clock."""
        return self.build()
