"""Modular spacecraft that are raced: a stack of modules with an arm on top, as one tensor body and as many bodies."""

from __future__ import annotations

import mujoco
import numpy as np

from freefloat.bench.plants import START, STEP, Mujoco, Ours
from freefloat.engine.mission import Mission
from freefloat.engine.tree import principal_axes
from freefloat.errors import FreefloatError
from freefloat.frames import Pose, matrix_to_quat
from freefloat.geometry.shape import Shape
from freefloat.missions.modular.orbit_light import OrbitLight
from freefloat.missions.orbit_settings import OrbitSettings
from freefloat.robots import asset, load_urdf
from freefloat.robots.arm import Arm
from freefloat.structure import Module, TensorBody, cubic, load_catalogue
from freefloat.structure.assembly import Assembly
from freefloat.structure.heat.climate import Climate
from freefloat.structure.interface import Misalignment
from freefloat.structure.latches import Latches
from freefloat.structure.module_transfer import move_module
from freefloat.structure.power.supply import Supply
from freefloat.structure.tensor_part import TensorPart, empty_hand

Size = tuple[int, int, int]

PITCH = 0.4  # [m]
TYPES = ("bus", "solar", "dms", "pws", "bat", "ths", "payload")  # in turns; every column is connected
GEOMS = {"box": mujoco.mjtGeom.mjGEOM_BOX, "cylinder": mujoco.mjtGeom.mjGEOM_CYLINDER}


def stack(size: Size) -> TensorBody:
    """A full grid of MOSAR modules; T is the centre of the top, where the arm stands."""
    body = TensorBody("stack", cubic(*size, PITCH, (0.0, 0.0, -0.5 * PITCH * size[2])), load_catalogue("mosar"))
    for place in range(body.grid.n):
        body.insert(place, Module(place + 1, body.catalogue.type(TYPES[place % len(TYPES)])))
    return body


def _arm() -> Arm:
    return Arm("arm", load_urdf(asset("arm7")), on="stack", q=START)


def arm_on(body: TensorBody) -> Mission:
    """The free stack with the arm, everything that a tensor part tells recorded as by default."""
    return Mission([TensorPart("stack", body), _arm()])


class Naive(Mujoco):
    """The world of `arm_on` with one MuJoCo body per module, without joint on a massless free root.

    With `contacts`, modules have boxes and the arm its shapes; these are tested against each other, and never touch.
    """

    def __init__(self, ours: Ours, body: TensorBody, contacts: bool) -> None:
        super().__init__(ours)
        world = ours.session.world
        spec = world.compiled().spec.copy()
        root = spec.body("stack")
        root.mass, root.inertia, root.ipos, root.iquat = 0.0, np.zeros(3), np.zeros(3), np.array([1.0, 0.0, 0.0, 0.0])
        for place, shape in zip(body.occupied.tolist(), world.links["stack"].shapes, strict=True):
            module = _add_module(root, body, place)
            if contacts:
                _add_geom(module, shape, Pose.identity(), contype=1)
        for name, link in world.links.items():
            for shape in link.shapes if contacts and name != "stack" else ():
                _add_geom(spec.body(name), shape, shape.X_LG, contype=0)
        self.model = spec.compile()
        self.model.opt.integrator = mujoco.mjtIntegrator.mjINT_RK4
        self.model.opt.timestep = STEP
        self.data = mujoco.MjData(self.model)
        self.reset()


def _add_module(root: mujoco.MjsBody, body: TensorBody, place: int) -> mujoco.MjsBody:
    kind, X_TM = body.module(place).type, body.X_TM(place)
    inertia, R_MI = principal_axes(np.array(kind.I_MMcm_M))
    return root.add_body(
        name=f"module {body.identity[place]}",
        pos=X_TM.p,
        quat=X_TM.q,
        mass=kind.mass,
        ipos=kind.p_MMcm,
        iquat=matrix_to_quat(R_MI),
        inertia=inertia,
        explicitinertial=True,
    )


def _add_geom(body: mujoco.MjsBody, shape: Shape, X_LG: Pose, contype: int) -> None:
    size = [*shape.size, 0.0][:3]
    body.add_geom(type=GEOMS[shape.kind], size=size, pos=X_LG.p, quat=X_LG.q, contype=contype, conaffinity=1)


class Rebuilt:
    """A stack and a hand on the arm's tip, with latches, power and heat as an assembly has them."""

    def __init__(self, size: Size) -> None:
        body = stack(size)
        parts = [TensorPart("stack", body), TensorPart("tool", empty_hand("tool", body.catalogue), on="arm.tool")]
        self.assembly = Assembly("modules", parts, climate=Climate(_light()))
        self.world = Mission([parts[0], _arm(), parts[1], self.assembly]).session().world
        self.place: int = body.grid.index((size[0] // 2, size[1] // 2, size[2] - 1))  # amid the top
        self._rewire()

    def _rewire(self) -> None:
        """Networks of the new structure, and voltages and currents in it."""
        self.assembly.rewire(self.world)
        self.assembly.supply.look(1.0)

    def take_and_put_back(self) -> None:
        """Two whole reconfigurations: a module of the top goes to the hand, and back."""
        a, stack, tool = self.assembly, self.assembly.bodies["stack"], self.assembly.bodies["tool"]
        X_WT, X_WE = self.world.pose("stack"), self.world.pose("tool")
        orientation = int(stack.orientation[self.place])
        before = a.identities()
        pieces = a.latches.without(stack, self.place)
        _demand("" if pieces == 1 else f"the rest is {pieces} pieces")
        _demand(a.latches.begin_opening(stack, self.place, 0.0))
        move_module(self.world, stack, self.place, tool, 0, X_WE.inverse() @ X_WT @ stack.X_TM(self.place))
        a.latches.cleared(stack, self.place)
        a.follow(before)
        self._rewire()
        before = a.identities()
        _demand(a.latches.begin_closing(stack, self.place, tool.module(0), orientation, 0.0, Misalignment()))
        move_module(self.world, tool, 0, stack, self.place, X_WT.inverse() @ X_WE @ tool.X_TM(0))
        a.latches.settled(stack, self.place)
        a.follow(before)
        self._rewire()


class Heated:
    """The temperatures of a stack along a 400 km orbit in steps of `period` [s], attitude inertially fixed."""

    def __init__(self, size: Size, period: float) -> None:
        self.body, self.period = stack(size), period
        self.time = self.end = 0.0  # [s]
        latches, supply = Latches(), Supply()
        latches.close_all(self.body)
        supply.rewire([self.body], latches, [])
        self.powered = supply.powered.astype(np.float64)
        self.climate = Climate(_light())
        self.climate.rewire([self.body], latches, [Pose.identity()])

    def step(self) -> None:
        """Faces, shadows, light and heat of one period."""
        X_BT, R_WB = [Pose.identity()], np.eye(3)
        self.climate.advance(self.time, self.period, [self.body], X_BT, R_WB, self.powered)
        self.time += self.period

    def go_on(self, seconds: float) -> None:
        """All whole steps of another stretch."""
        self.end += seconds
        while self.time + self.period <= self.end:
            self.step()


def _light() -> OrbitLight:
    return OrbitLight(OrbitSettings().frame().reference)


def _demand(refused: str) -> None:
    if refused:
        raise FreefloatError(f"the module of the benchmark cannot be moved: {refused}")
