"""A plant for the executive without dynamics: joints are where they are told, hands work in a second, faults strike.

It knows nothing of plans: where a hand is follows from the robot's kinematics.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from types import SimpleNamespace

import numpy as np

from freefloat.frames import Array, Pose
from freefloat.gnc.control.executive.belief import X_of_foot
from freefloat.gnc.planning.reconfiguration.problem import Contents, Kinds, Places, Stance
from freefloat.hand_words import HandState, Order

NEAR = 1e-3  # [m] and [-]: a hand is at a face, a module at its place
BUSY = 1.0  # [s]


class Joints:
    """What the executive needs of `JointModes`: the joints follow exactly, but those that are locked."""

    def __init__(self, q: Array) -> None:
        self.q = np.array(q)
        self.path, self.start = None, 0.0
        self.out = SimpleNamespace(error=np.zeros(len(self.q)))
        self.locked: dict[int, float] = {}
        self.footing = SimpleNamespace(stand_at=lambda X: None, set_payload=lambda m: None, set_stack=lambda m: None)

    def follow(self, path, start: float) -> None:
        self.path, self.start = path, start

    def comply(self, q: Array) -> None:
        self.path = None

    def stand_on(self, end: str) -> None:
        pass

    def move(self, t: float) -> None:
        wanted = self.q if self.path is None else self.path.at(t - self.start)[0]
        now = np.array(wanted)
        for joint, angle in self.locked.items():
            now[joint] = angle
        self.out.error = wanted - now
        self.q = now


@dataclass
class PlantHand:
    end: str
    state: HandState = HandState.OPEN
    since: float = 0.0
    face: tuple[int, int] = (-1, -1)
    held: tuple[int, int, int] = (0, 0, 0)  # type, identity, orientation in the hand
    failed: tuple[int, int] = (-1, -1)
    overloaded: bool = False
    order: int = 0
    goal: tuple[int, int] = (-1, 0)  # place and orientation
    without: set[int] = field(default_factory=set)  # sides that stay open


@dataclass
class PlantRobot:
    name: str
    joints: Joints
    hands: dict[str, str]
    tip: Callable[[Array], Pose]  # X_EF of the free end, from joint positions counted from the end that stands


@dataclass
class Plant:
    places: Places
    kinds: Kinds
    contents: Contents
    robots: Sequence[PlantRobot]
    stances: Sequence[Stance]
    hands: dict[str, PlantHand] = field(default_factory=dict)
    no_close: dict[tuple[int, int], int] = field(default_factory=dict)  # (identity, own side) -> times
    no_grip: dict[str, int] = field(default_factory=dict)  # hand, that closes on no face -> times
    no_join: dict[frozenset[int], int] = field(default_factory=dict)  # two identities -> times
    no_open: dict[int, int] = field(default_factory=dict)  # identity -> times
    lost: int = 0  # orders
    overload_at: float = np.inf
    dead: set[int] = field(default_factory=set)
    busy: dict[str, float] = field(default_factory=dict)  # hand -> [s] that it takes for an order, where not BUSY
    open: set[frozenset[tuple[int, int]]] = field(default_factory=set)  # pairs of modules that are not closed

    def __post_init__(self) -> None:
        c = self.contents
        self.type, self.orientation, self.identity = c.type.copy(), c.orientation.copy(), c.identity.copy()
        self.own_at = np.argsort(self.places.side_at, axis=1).tolist()  # by orientation and side of the place
        self.modules = sorted(self.identity[self.identity > 0].tolist())
        for robot, stance in zip(self.robots, self.stances, strict=True):
            for end, hand in robot.hands.items():
                self.hands[hand] = PlantHand(end)
            first = self.hands[robot.hands["a"]]
            first.state, first.face = HandState.CLOSED, (stance.place, stance.side)

    def measure(self, t: float) -> dict[str, Array]:
        powered = self.powered()
        meas = {"identity": self.identity * 1.0, "orientation": self.orientation * 1.0, "powered": powered * 1.0}
        for robot in self.robots:
            robot.joints.move(t)
            meas[f"{robot.name}.q"] = robot.joints.q.copy()
            meas[f"{robot.name}.qd"] = np.zeros(7)
        for name, hand in self.hands.items():
            module = hand.held[1]
            if not module and hand.state in (HandState.CLOSED, HandState.PICKING):
                module = self.identity[hand.face[0]]
            meas[f"{name}.state"] = np.array([float(hand.state)])
            meas[f"{name}.module"] = np.array([float(module)])
            meas[f"{name}.overloaded"] = np.array([float(hand.overloaded)])
            meas[f"{name}.failed"] = np.array(hand.failed, float)
            meas[f"{name}.orientation"] = np.array([float(hand.held[2])])
        return meas

    def obey(self, t: float, out) -> None:
        """Orders of an update, and what goes on by itself."""
        for name, hand in self.hands.items():
            order = round(float(out[f"{name}.order"][0]))
            without = round(float(out[f"{name}.without"][0]))
            if order != hand.order:
                hand.order = order
                if order and self.lost > 0:
                    self.lost -= 1
                elif order:
                    hand.without = {side for side in range(self.places.sides) if without >> side & 1}
                    self._take(name, hand, Order(order), t)
            if t - hand.since >= self.busy.get(name, BUSY):
                self._go_on(name, hand)
            carries = hand.state is HandState.CARRYING
            if t >= self.overload_at and carries and self._moving(name):
                hand.overloaded, self.overload_at = True, np.inf

    def _moving(self, name: str) -> bool:
        robot = next(r for r in self.robots if name in r.hands.values())
        return robot.joints.path is not None

    def X_hand(self, name: str) -> Pose:
        """X_TE of a hand, by the end that holds."""
        robot = next(r for r in self.robots if name in r.hands.values())
        here = self.hands[name]
        other = self.hands[robot.hands["b" if here.end == "a" else "a"]]
        assert other.face[0] >= 0, "the robot floats away"
        q = robot.joints.q if other.end == "a" else robot.joints.q[::-1]
        return X_of_foot(self.places, Stance(*other.face)) @ robot.tip(q)

    def _take(self, name: str, hand: PlantHand, order: Order, t: float) -> None:
        hand.since = t
        match order:
            case Order.LATCH if hand.state is HandState.OPEN:
                face = self._face(self.X_hand(name))
                if face is not None:
                    hand.face, hand.state = face, HandState.CLOSING
            case Order.RELEASE if hand.state is HandState.CLOSED and not self._alone(name):
                hand.state = HandState.OPENING
            case Order.PICK if hand.state is HandState.CLOSED and not self._alone(name):
                if self.pieces(without=hand.face[0]) == 1:
                    hand.state = HandState.PICKING
            case Order.PLACE if hand.state is HandState.CARRYING:
                goal = self._goal(name, hand)
                sides = [] if goal is None else [side for side, _ in self._mating(goal[0], hand.held, goal[1])]
                if goal is not None and not hand.without.issuperset(sides):
                    hand.goal, hand.state = goal, HandState.PLACING
            case Order.RESET if hand.state is HandState.FAILED or hand.overloaded:
                hand.overloaded = False
                hand.state = (
                    HandState.CARRYING if hand.held[1] else HandState.CLOSED if hand.face[0] >= 0 else HandState.OPEN
                )
            case _:
                pass

    def _alone(self, name: str) -> bool:
        robot = next(r for r in self.robots if name in r.hands.values())
        return not any(self.hands[h].state is HandState.CLOSED for h in robot.hands.values() if h != name)

    def _go_on(self, name: str, hand: PlantHand) -> None:
        match hand.state:
            case HandState.CLOSING:
                own = self._own(*hand.face)
                if self._strikes(self.no_close, own) or self._strikes(self.no_grip, name):
                    hand.state, hand.failed, hand.face = HandState.FAILED, hand.face, (-1, -1)
                else:
                    hand.state = HandState.CLOSED
            case HandState.OPENING:
                hand.state, hand.face = HandState.OPEN, (-1, -1)
            case HandState.PICKING:
                place = hand.face[0]
                if self._strikes(self.no_open, int(self.identity[place])):
                    hand.state, hand.failed = HandState.FAILED, hand.face
                else:
                    self._pick(name, hand, place)
            case HandState.PLACING:
                self._put(name, hand)
            case _:
                pass

    def _pick(self, name: str, hand: PlantHand, place: int) -> None:
        R_EM = self.X_hand(name).R.T @ self.places.R_PM[self.orientation[place]]
        turn = int(np.argmax(np.einsum("oij,ij->o", self.places.R_PM, R_EM)))
        hand.held = int(self.type[place]), int(self.identity[place]), turn
        self.open = {pair for pair in self.open if hand.held[1] not in {module for module, _ in pair}}
        self.type[place] = self.identity[place] = self.orientation[place] = 0
        hand.state, hand.face = HandState.CARRYING, (-1, -1)

    def _put(self, name: str, hand: PlantHand) -> None:
        place, turn = hand.goal
        mating = self._mating(place, hand.held, turn)
        for side, pair in mating:
            if side in hand.without:
                continue
            apart = self._strikes(self.no_join, frozenset(module for module, _ in pair))
            if apart or any(self._strikes(self.no_close, face) for face in pair):
                hand.state, hand.failed = HandState.FAILED, (place, side)
                return
        X = self.X_hand(name)
        self.open |= {pair for side, pair in mating if side in hand.without}
        self.type[place], self.identity[place], self.orientation[place] = hand.held[0], hand.held[1], turn
        hand.held, hand.state = (0, 0, 0), HandState.CLOSED
        hand.face = self._face(X, covered=False) or (-1, -1)
        assert hand.face[0] == place, "the hand is at the module that it has placed"

    @staticmethod
    def _strikes(table, key) -> bool:
        left = table.get(key, 0)
        if left > 0:
            table[key] = left - 1
        return left > 0

    def _goal(self, name: str, hand: PlantHand) -> tuple[int, int] | None:
        """Place and orientation of the module in a hand, where it is at a free place."""
        X = self.X_hand(name)
        depth = abs(float(self.places.X_PF[0].p @ self.places.X_PF[0].R[:, 2]))
        p, R = X.p + depth * X.R[:, 2], X.R @ self.places.R_PM[hand.held[2]]
        off = np.linalg.norm(self.places.p_TP - p, axis=1)
        place, turn = int(np.argmin(off)), int(np.argmax(np.einsum("oij,ij->o", self.places.R_PM, R)))
        straight = np.abs(self.places.R_PM[turn] - R).max() < NEAR
        return (place, turn) if off[place] < NEAR and straight and self.type[place] == 0 else None

    def _face(self, X_TE: Pose, covered: bool = True) -> tuple[int, int] | None:
        for place in np.flatnonzero(self.type).tolist():
            for side in range(self.places.sides):
                X_TF = Pose(np.eye(3), self.places.p_TP[place]) @ self.places.X_PF[side]
                if np.linalg.norm(X_TF.p - X_TE.p) > NEAR or X_TF.R[:, 2] @ X_TE.R[:, 2] > -1.0 + NEAR:
                    continue
                other = int(self.places.neighbours[place, side])
                if covered and other >= 0 and self.type[other] > 0:
                    continue
                if self.kinds.grip[self._interface(place, side)]:
                    return place, side
        return None

    def _own(self, place: int, side: int) -> tuple[int, int]:
        return int(self.identity[place]), self.own_at[self.orientation[place]][side]

    def _interface(self, place: int, side: int) -> int:
        return int(self.kinds.interface[self.type[place], self._own(place, side)[1]])

    def _mating(self, place: int, held: tuple[int, int, int], turn: int):
        """(side, both faces) of the pairs that would close for a module at a place."""
        found = []
        for side in range(self.places.sides):
            other = int(self.places.neighbours[place, side])
            if other < 0 or self.type[other] == 0:
                continue
            own_side = self.own_at[turn][side]
            facing = int(self.places.facing[side])
            pair = frozenset({(held[1], own_side), self._own(other, facing)})
            if self.kinds.mates[self.kinds.interface[held[0], own_side], self._interface(other, facing)]:
                found.append((side, pair))
        return found

    def _flood(self, seeds: list[int], joined: Callable[[int, int, int], bool], out: int) -> set[int]:
        seen, heap = set(seeds), list(seeds)
        while heap:
            place = heap.pop()
            for side in range(self.places.sides):
                other = int(self.places.neighbours[place, side])
                if (
                    other >= 0
                    and other != out
                    and other not in seen
                    and self.type[other]
                    and joined(place, side, other)
                ):
                    seen.add(other)
                    heap.append(other)
        return seen

    def pieces(self, without: int = -1) -> int:
        """Into how many the structure falls."""
        left = [p for p in np.flatnonzero(self.type).tolist() if p != without]
        count = 0
        while left:
            gone = self._flood([left[0]], self._mates, without)
            left = [p for p in left if p not in gone]
            count += 1
        return count

    def _mates(self, place: int, side: int, other: int) -> bool:
        facing = int(self.places.facing[side])
        pair = frozenset({self._own(place, side), self._own(other, facing)})
        if pair in self.open:
            return False
        return bool(self.kinds.mates[self._interface(place, side), self._interface(other, facing)])

    def powered(self) -> np.ndarray:
        def conducts(place: int, side: int, other: int) -> bool:
            alive = self._mates(place, side, other)
            alive = alive and not self.dead & {int(self.identity[place]), int(self.identity[other])}
            facing = int(self.places.facing[side])
            return alive and bool(self.kinds.power[self._interface(place, side), self._interface(other, facing)])

        sources = [
            p for p in np.flatnonzero(self.kinds.feeds[self.type]).tolist() if int(self.identity[p]) not in self.dead
        ]
        fed = np.zeros(self.places.n, bool)
        fed[list(self._flood(sources, conducts, -1))] = True
        return fed

    def check(self) -> None:
        """No module is lost or doubled, the structure is one piece, every robot holds on."""
        held = [h.held[1] for h in self.hands.values() if h.held[1]]
        assert sorted([*self.identity[self.identity > 0].tolist(), *held]) == self.modules
        assert self.pieces() == 1
        for robot in self.robots:
            assert any(self.hands[h].face[0] >= 0 for h in robot.hands.values())
