"""The built plant: a blueprint compiled to MuJoCo and banks, which compiled code advances.

It is the engine's own; everybody else has the narrow `World`.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from freefloat.engine.binding import bind, bind_banks
from freefloat.engine.blueprint import Blueprint
from freefloat.engine.graph import Closed, Joint, Link, Vector
from freefloat.engine.integrator import Dopri54, Integrator, first_step
from freefloat.engine.notes import Note, taken_from
from freefloat.engine.ops import resolve_ops
from freefloat.engine.shape_table import ShapeTable
from freefloat.engine.taps import Group, Guard, Reading
from freefloat.engine.tree import Tree, compile_tree
from freefloat.errors import InputError, unknown_name
from freefloat.frames import Pose
from freefloat.geometry.shape import Shape
from freefloat.kernels import handle as H
from freefloat.kernels import sample as S
from freefloat.kernels.audit_layout import AUDIT as A
from freefloat.kernels.audit_layout import AUDIT_WIDTH, BOOK, N_AUDIT
from freefloat.kernels.bank import Bank
from freefloat.kernels.banks import BANKS, number_of
from freefloat.kernels.entry import AUDIT, READ, RECORD, compiled
from freefloat.kernels.integrate import CHATTERING
from freefloat.kernels.verbs import compiled_verbs

NS = 1_000_000_000  # nanoseconds per second
ROWS = 2048  # that a buffer holds
SMALLEST_BUFFER = 8  # [rows] an adaptive step keeps a few rows free


class Plant:
    """A compiled world with its state. Times are integer nanoseconds, plus a fraction after an event."""

    def __init__(
        self,
        name: str,
        blueprint: Blueprint,
        integrator: Integrator,
        groups: Sequence[Group] = (),
        guards: Sequence[Guard] = (),
        buffer_rows: int = ROWS,
    ) -> None:
        if buffer_rows < SMALLEST_BUFFER:
            raise InputError(f"recorder buffers of {buffer_rows} rows: at least {SMALLEST_BUFFER} are needed")
        self.name = name
        self.rows = buffer_rows  # that a buffer holds
        self.blueprint = blueprint
        self.integrator = integrator
        self.step = first_step(integrator)  # [s] the fixed one, or the first
        self.groups = tuple(groups)
        self.guards = tuple(guards)
        self.closed: dict[str, Closed] = {}  # connections
        self.roots: list[str] = list(blueprint.roots)
        self.call = compiled()
        self.links: dict[str, Link] = dict(blueprint.links)  # with the masses of now
        self.shapes = ShapeTable()
        self.tables: dict[str, Vector] = {}  # bank rows that read a table -> its numbers
        self._noted: list[Note] = []
        self._solids: dict[str, Any] = {}  # bank rows -> what compiled code reads by address
        self._reads: list[Reading] = []  # what readers take from this plant
        self.disturbed = False  # something was changed from outside since guards were settled
        self.touched = 0  # how often something was changed from outside
        self.held_back_ns = 0  # rows and notes stay here so long: a rehearsed world may do them again
        self._handles: list[NDArray[np.int64]] = []  # where compiled code finds the memory
        self.own_banks = _own_banks(blueprint)
        self.verbs = {name: compiled_verbs(bank) for name, bank in self.own_banks.items()}
        _check_verbs(blueprint, integrator)
        self.u: Vector = np.zeros(max(1, sum(s.size for s in blueprint.commands.values())))
        self.command_at: dict[str, slice] = {}
        start = 0
        for name, signal in blueprint.commands.items():
            self.command_at[name] = slice(start, start + signal.size)
            start += signal.size
        for name, value in blueprint.starts.items():
            self.u[self.command_at[name]] = value
        self.group_table: NDArray[np.int64] = np.zeros((max(1, len(groups)), S.GROUP_COLUMNS), dtype=np.int64)
        self.group_buffers = [np.zeros((buffer_rows, 1 + self._width(g))) for g in groups]
        self.guard_enabled: NDArray[np.int64] = np.ones(len(guards), dtype=np.int64)
        self.tree: Tree
        self.memory: H.Memory
        self._compile_initial()

    def _width(self, group: Group) -> int:
        return AUDIT_WIDTH if group.audit else sum(self.blueprint.signal(n).size for n in group.signals)

    def _columns(self, names: Sequence[str]) -> list[int]:
        """First columns of signals in a row [t, values...]."""
        return [1 + int(n) for n in np.cumsum([0, *(self.blueprint.signal(name).size for name in names)])[:-1]]

    def _compile_initial(self) -> None:
        from freefloat.engine.restructure import close_at_start

        bp = self.blueprint
        self.compile()
        for name, (q, qd) in bp.joint_start.items():
            if name in self.tree.coordinate:
                self.set_joint(name, q, qd)
        for root in self.tree.roots:
            motion = bp.motions.get(root)
            if motion is not None:
                self.set_motion(root, motion.X_WL, np.array(motion.w_WL_L), np.array(motion.v_WL))
        z = self.memory[H.X][self.tree.model.nq + self.tree.model.nv :]
        start = 0
        for row in bp.rows.values():
            z[start : start + len(row.states)] = row.states
            start += len(row.states)
        close_at_start(self)

    def compile(self) -> None:
        """Make tree and memory anew from links, joints and closed connections; the state is zero afterwards."""
        bp = self.blueprint
        self._noted = self.take_notes()
        edges = list(bp.joints.values())
        welds: list[Joint] = []
        for c in self.closed.values():
            (welds if c.hold == "constraint" else edges).append(c.edge)
        clock = self.memory[H.CLOCK].copy() if hasattr(self, "memory") else None
        fraction = float(self.memory[H.FRACTION][0]) if clock is not None else 0.0
        stepper = self.memory[H.STEPPER].copy() if clock is not None else None
        kept = self.memory[H.KEPT].copy() if clock is not None else None
        self.tree = compile_tree(list(self.links.values()), edges, welds, self.roots)
        self.memory = bind(self)
        for handle in self._handles:
            handle[0] = self.memory.h
        if clock is not None and stepper is not None:
            self.memory[H.CLOCK][:] = clock
            self.memory[H.FRACTION][0] = fraction
            self.memory[H.STEPPER][:] = stepper
        if kept is not None:
            self.memory[H.KEPT][:] = kept
        self.touch()

    def bind_ops(self) -> None:
        """Resolve recorder and reader ops against the present tree."""
        ops: list[tuple[int, int, int, int]] = []
        for g, group in enumerate(self.groups):
            first = len(ops)
            if group.audit:
                ops.append((S.AUDIT, 0, AUDIT_WIDTH, 1))
            else:
                ops += resolve_ops(self, group.signals, self._columns(group.signals))
            buffer = self.group_buffers[g]
            self.group_table[g, 0] = group.period_ns
            self.group_table[g, 2:7] = (first, len(ops), buffer.shape[1], buffer.ctypes.data, buffer.shape[0])
        for reading in self._reads:
            first = len(ops)
            ops += resolve_ops(self, reading.names, reading.columns)
            reading.cells[1:] = first, len(ops)
        self.memory.bind(H.OPS, np.array(ops, dtype=np.int64).reshape(-1, 4))
        self.memory.bind(H.GROUPS, self.group_table)

    def reading(self, names: Sequence[str], columns: Sequence[int], cells: NDArray[np.int64]) -> Reading:
        """Let these signals be read together, each into its columns of a reader's buffer."""
        self._reads.append(Reading(tuple(names), tuple(columns), cells))
        self.bind_ops()
        return self._reads[-1]

    def at(self, handle: NDArray[np.int64]) -> None:
        """Keep a cell up to date with the handle of the memory, which every compilation changes."""
        self._handles.append(handle)
        handle[0] = self.memory.h

    def take(self, reading: Reading, out: Vector) -> None:
        """Read into `out`."""
        self.call(self.memory.h, READ, int(reading.cells[1]), int(reading.cells[2]), out)

    def solid(self, row: str, make: Callable[[], Any]) -> int:
        """The address of what a bank row needs besides its numbers, made once."""
        if row not in self._solids:
            self._solids[row] = make()
        return int(self._solids[row].address)

    def take_notes(self) -> list[Note]:
        """What banks have noted since it was asked last."""
        found, self._noted = self._noted, []
        return found + taken_from(self)

    def touch_forces(self) -> None:
        """Commands or tables were changed: evaluate the forces again before the next use."""
        self.disturbed = True
        self.touched += 1
        clock = self.memory[H.CLOCK]
        if clock[H.VALID] > H.STATE:
            clock[H.VALID] = H.STATE

    def refresh(self) -> None:
        """Evaluate the plant at the present state, so that MuJoCo's data are current."""
        self.call(self.memory.h, READ, 0, 0, self.u)

    def set_step(self, step: float) -> None:
        """Take another step [s] from now on."""
        self.step = step
        self.memory.bind(H.SETTINGS, self.integrator.settings(step))
        self.memory[H.STEPPER][0] = step

    def set_table(self, row: str, table: Vector) -> None:
        """Give a tabled bank row its numbers, (n, columns) C-contiguous; the world keeps the array itself."""
        tabled = [n for n, r in self.blueprint.rows.items() if r.bank.table]
        if row not in tabled:
            raise unknown_name("tabled bank row", row, tabled)
        columns = self.blueprint.rows[row].bank.table
        table = np.asarray(table, dtype=np.float64)
        if table.ndim != 2 or table.shape[1] != columns:
            raise InputError(f"table of bank row {row!r}: shape {table.shape}; allowed: (n, {columns})")
        self.tables[row] = np.ascontiguousarray(table)
        bind_banks(self.memory, self)
        self.touch_forces()

    def set_shapes(self, link: str, shapes: Sequence[Shape]) -> None:
        """Change what a link looks like."""
        if link not in self.links:
            raise unknown_name("link", link, self.links)
        self.links[link] = replace(self.links[link], shapes=tuple(shapes))
        self.shapes.bind(self.memory, self.tree, self.links)

    def copied_tree(self) -> Tree:
        """The tree with copies of MuJoCo's model and data, evaluated at the present state."""
        self.refresh()
        return replace(self.tree, model=copy.copy(self.tree.model), data=copy.copy(self.tree.data))

    def settle_guards(self) -> None:
        """After the action of an event: where it changed something, take the guards' values anew from what is now."""
        if self.disturbed:
            self.memory[H.CLOCK][H.GUARDED] = 0
        self.disturbed = False

    def touch(self) -> None:
        """The state was changed from outside: evaluate again before the next use."""
        self.disturbed = True
        self.touched += 1
        self.memory[H.CLOCK][[H.VALID, H.GUARDED, H.SETTLED]] = 0

    def set_joint(self, name: str, q: float, qd: float) -> None:
        """Set a joint's position and rate."""
        if name not in self.tree.coordinate:
            raise unknown_name("joint", name, self.tree.coordinate)
        x, nq = self.memory[H.X], self.tree.model.nq
        x[self.tree.coordinate[name]] = q
        x[nq + self.tree.rate[name]] = qd
        self.touch()

    def joint(self, name: str) -> tuple[float, float]:
        """A joint's position and rate."""
        if name not in self.tree.coordinate:
            raise unknown_name("joint", name, self.tree.coordinate)
        x, nq = self.memory[H.X], self.tree.model.nq
        return float(x[self.tree.coordinate[name]]), float(x[nq + self.tree.rate[name]])

    def set_motion(self, root: str, X_WL: Pose, w_WL_L: Vector, v_WL: Vector) -> None:
        """Set pose and velocity of a free root link."""
        if root not in self.tree.roots:
            raise unknown_name("root link (only a root's motion can be set)", root, self.tree.roots)
        for what, value in (("w_WL_L", w_WL_L), ("v_WL", v_WL)):
            if value.shape != (3,) or not np.isfinite(value).all():
                raise InputError(f"motion of {root!r}: {what} {value.tolist()}; allowed: 3 finite numbers")
        joint = self.tree.model.joint(f"free:{root}")
        a, d = int(joint.qposadr[0]), self.tree.model.nq + int(joint.dofadr[0])
        x = self.memory[H.X]
        x[a : a + 3], x[a + 3 : a + 7] = X_WL.p, X_WL.q
        x[d : d + 3], x[d + 3 : d + 6] = v_WL, w_WL_L
        self.touch()

    def motion(self, link: str) -> tuple[Pose, Vector, Vector]:
        """X_WL, w_WL_L and v_WL of any link now."""
        if link not in self.blueprint.links:
            raise unknown_name("link", link, self.blueprint.links)
        self.refresh()
        d, b = self.tree.data, self.tree.body[link]
        X_WL = Pose.from_quat(d.xquat[b], d.xpos[b])
        w_W = d.cvel[b, :3]
        v_WL = d.cvel[b, 3:] + np.cross(w_W, d.xpos[b] - d.subtree_com[self.tree.model.body_rootid[b]])
        return X_WL, X_WL.R.T @ w_W, v_WL

    def pose(self, frame: str) -> Pose:
        """X_WF of a named frame or link now."""
        link, X_LF = self.blueprint.frame(frame)
        return self.motion(link)[0] @ X_LF

    @property
    def guard_shape(self) -> tuple[int, ...]:
        """How many guards there are, of events and of banks."""
        return self.memory[H.GUARD_VALUE].shape

    @property
    def now_ns(self) -> int:
        """Whole nanoseconds since the start."""
        return int(self.memory[H.CLOCK][H.NOW])

    @property
    def time(self) -> float:
        """Seconds since the start."""
        return self.now_ns / 1e9 + float(self.memory[H.FRACTION][0])

    @property
    def steps(self) -> int:
        """Integration steps taken."""
        return int(self.memory[H.CLOCK][H.STEPS])

    def culprit(self, status: int) -> str:
        """The bank that a status CHATTERING or RAISED is about."""
        phase = self.memory[H.PHASE]
        b = int(phase[H.SETTLER] if status == CHATTERING else phase[H.RAISED] - 1)
        phase[[H.RAISED, H.CROSSINGS]] = 0
        return [*(bank.name for bank in BANKS), *self.own_banks][b]

    def fired(self) -> list[int]:
        """Guards that the last EVENT status is about."""
        table = self.memory[H.GUARDS]
        return [g for g in range(len(self.guards)) if table[g, 6]]

    def enable_guard(self, g: int, on: bool) -> None:
        """Switch a guard on or off."""
        self.guard_enabled[g] = self.memory[H.GUARDS][g, 5] = int(on)

    def record_now(self) -> bool:
        """Write the rows that are due now; False when a buffer is full."""
        return self.call(self.memory.h, RECORD, 0, 0, self.u) == 1

    def record_off_grid(self) -> None:
        """Write the rows of this instant, on the recorder's grid or not."""
        next_ns, period = self.group_table[:, 1], self.group_table[:, 0]
        written = (next_ns - period == self.now_ns) & (self.memory[H.FRACTION][0] == 0.0)
        off_grid = (next_ns > self.now_ns) & ~written
        later = next_ns[off_grid]
        next_ns[off_grid] = self.now_ns
        self.record_now()
        next_ns[off_grid] = later

    def drain(self, g: int, until_ns: int | None = None, most: int | None = None) -> Vector:
        """Take the recorded rows [t, values...] of group g: those up to an instant, and at most so many."""
        buffer, held = self.group_buffers[g], int(self.group_table[g, 7])
        if self.held_back_ns:
            until_ns = min(self.now_ns if until_ns is None else until_ns, self.now_ns - self.held_back_ns)
        n = held if until_ns is None else int(np.searchsorted(buffer[:held, 0], until_ns / 1e9, side="right"))
        n = n if most is None else min(n, most)
        rows = buffer[:n].copy()
        buffer[: held - n] = buffer[n:held].copy()
        self.group_table[g, 7] = held - n
        return rows

    def audit_row(self) -> Vector:
        """The audit's columns now (`kernels.audit_layout`)."""
        out = np.zeros(AUDIT_WIDTH)
        self.call(self.memory.h, AUDIT, 0, 0, out)
        return out

    @contextmanager
    def booked(self) -> Generator[None]:
        """Book the change of momentum, kinetic energy and mass made inside as an exchange with the outside."""
        before = self.audit_row()
        yield
        self.touch()
        change = self.audit_row() - before
        integrals = self.memory[H.X][-N_AUDIT:]
        for held, booked, n in (
            (A.momentum, BOOK.impulse, 3),
            (A.angular_momentum, BOOK.angular_impulse, 3),
            (A.kinetic_energy, BOOK.work_supplied, 1),
            (A.energy_stored, BOOK.work_supplied, 1),
            (A.mass, BOOK.mass_taken_in, 1),
        ):
            integrals[booked : booked + n] += change[held : held + n]


def _own_banks(blueprint: Blueprint) -> dict[str, Bank]:
    """The user's banks by name, in the order of their first rows."""
    own: dict[str, Bank] = {}
    for row in blueprint.rows.values():
        bank = row.bank
        if number_of(bank) >= 0:
            continue
        if bank.name in (b.name for b in BANKS):
            raise InputError(f"effect {bank.name!r}: a built-in bank has that name; choose another")
        if own.setdefault(bank.name, bank) != bank:
            raise InputError(f"two effects are named {bank.name!r} and are not the same; names must differ")
    return own


def _check_verbs(blueprint: Blueprint, integrator: Integrator) -> None:
    """Refuse banks that an integrator cannot run."""
    for row in blueprint.rows.values():
        if row.bank.advance is not None and isinstance(integrator, Dopri54):
            raise InputError(
                f"bank row {row.name!r}: effect {row.bank.name!r} has `advance`, which Dopri54 cannot run: its error "
                "estimate does not see such states; allowed: RK4 or Dopri5"
            )
