"""Recorded motion that is made up: a hand on a slide over a row of modules."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

from freefloat.engine.graph import Joint, Link, LinkGraph
from freefloat.engine.result import Result
from freefloat.engine.signals import Signal
from freefloat.frames import Array, Pose
from freefloat.geometry.shape import Shape
from freefloat.hand_words import HandState
from freefloat.missions.modular.review.subject import Reviewed, Subject
from freefloat.structure.catalogue.catalogue import load_catalogue
from freefloat.structure.grid import cubic
from freefloat.structure.hand import HandSetup
from freefloat.structure.module import Module
from freefloat.structure.tensor_body import TensorBody
from freefloat.structure.tensor_part import empty_hand

PITCH = 0.4
HALF_TURN = (0.0, 1.0, 0.0, 0.0)  # q_TE of a hand that looks down


@pytest.fixture(scope="session")
def graph() -> LinkGraph:
    """A hand (a cylinder of 0.05 m, its face E at the origin), and two boxes behind it, each on a slide."""
    cylinder, box = (
        Shape("cylinder", (0.05, 0.05), Pose(np.eye(3), (0.0, 0.0, -0.05))),
        Shape("box", (0.05, 0.05, 0.05)),
    )
    mass = 1.0, np.zeros(3), np.eye(3)
    hand = Link("hand", *mass, shapes=(cylinder,), frames={"end": Pose.identity()})
    rear = [Link(n, *mass, shapes=(box,)) for n in ("middle", "rear")]
    slides = [
        Joint(n, "revolute", a, b, Pose.identity(), lower=-1.0, upper=2.0, velocity=0.5, effort=10.0)
        for n, a, b in (("outer", "rear", "middle"), ("inner", "middle", "hand"))
    ]
    return LinkGraph((*rear, hand), tuple(slides), "rear")


@dataclass
class Recorded:
    """Signals at 20 Hz; what is not said stands still: the structure with its modules at cells (0, 0, 0) and (2, 0, 0),
    the hand far above, the links behind it 1 m and 2 m higher."""

    rows: int = 101
    signals: dict[str, Array] = field(default_factory=dict[str, Array])

    def __post_init__(self) -> None:
        self.body = TensorBody("stack", cubic(3, 1, 3, PITCH), load_catalogue("mosar"))
        for k, cell in enumerate(((0, 0, 0), (2, 0, 0)), 1):
            self.body.insert(self.body.grid.index(cell), Module(k, self.body.catalogue.type("bus")))
        self.set(**{"stack.p_WB": np.zeros(3), "stack.q_WB": (1.0, 0.0, 0.0, 0.0)})
        self.set(**{"stack.identity": self.body.identity.astype(float)})

    def robot(self, name: str, hand: str, p_TE: Any, load: Any = 0.0, state: Any = HandState.OPEN) -> None:
        """A robot whose hand is at p_TE and looks down."""
        at = np.broadcast_to(np.asarray(p_TE, float), (self.rows, 3))
        down = {"q_WB": HALF_TURN}
        for link, up in (("hand", 0.0), ("middle", 1.0), ("rear", 2.0)):
            self.set(**{f"{name}.{link}.p_WB": at + np.array([0.0, 0.0, up]), f"{name}.{link}.q_WB": down["q_WB"]})
        self.set(**{f"{name}.end.p_WF": at, f"{name}.end.q_WF": HALF_TURN})
        self.set(**{f"load_{hand}.p_WB": at, f"load_{hand}.q_WB": HALF_TURN, f"load_{hand}.orientation": [0.0]})
        self.set(**{f"load_{hand}.identity": np.reshape(np.broadcast_to(load, self.rows), (-1, 1))})
        self.set(**{f"modules.{hand}.state": np.reshape(np.broadcast_to(float(state), self.rows), (-1, 1))})
        self.set(**{f"modules.{hand}.load": np.zeros(2), f"{name}.q": np.zeros(2), f"{name}.qd": np.zeros(2)})
        self.set(**{f"{name}.tau_applied": np.zeros(2)})

    def set(self, **values: Any) -> None:
        for name, value in values.items():
            a = np.asarray(value, dtype=float)
            self.signals[name] = np.array(np.broadcast_to(a, (self.rows, a.shape[-1])))

    def top(self, cell: tuple[int, int, int]) -> Array:
        """p_TE of a hand on the top of a cell."""
        return self.body.grid.p_TP[self.body.grid.index(cell)] + np.array([0.0, 0.0, 0.5 * PITCH])

    def result(self) -> Result:
        t = 0.05 * np.arange(self.rows)
        table = np.column_stack([t, *self.signals.values()])
        places, column = {}, 1
        for name, values in self.signals.items():
            places[name] = ("plant", column)
            column += values.shape[1]
        signals = {n: Signal(n, "-", (v.shape[1],)) for n, v in self.signals.items()}
        nothing: Any = None
        return Result({}, nothing, signals, (), float(t[-1]), 1.0, 0.01, [], {}, _rows={"plant": table}, _places=places)


@pytest.fixture
def recorded() -> Recorded:
    return Recorded()


@pytest.fixture
def subject(recorded: Recorded, graph: LinkGraph) -> Callable[..., Subject]:
    """Of the robots with these names and hands."""

    def make(**robots: str) -> Subject:
        interface = recorded.body.catalogue.interface("active")
        found = [
            Reviewed(name, graph, [HandSetup(hand, f"{name}.end", f"load_{hand}", f"foot_{hand}", interface)])
            for name, hand in robots.items()
        ]
        hands = {f"load_{h}": empty_hand(f"load_{h}", recorded.body.catalogue, PITCH) for h in robots.values()}
        return Subject(found, {"stack": recorded.body, **hands}, {"wheels": 8.0})

    return make
