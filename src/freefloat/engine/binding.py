"""Binding a world's arrays into the plant's memory, and names into indices."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from freefloat.engine.coupling import COUPLING_ETA
from freefloat.engine.imposed import unit_of
from freefloat.engine.loads import bind_loads
from freefloat.engine.ops import index_of, offsets, rows_of_banks, source_op
from freefloat.errors import InputError
from freefloat.frames import Pose
from freefloat.kernels import handle as H
from freefloat.kernels import impact, notes
from freefloat.kernels import sample as S
from freefloat.kernels.audit_layout import N_AUDIT
from freefloat.kernels.bank import Bank, Body, Command, Coordinate, Rate, Row, places
from freefloat.kernels.banks import N_BANKS, TABLE, T
from freefloat.kernels.constraints import POSE_COLUMNS, TORQUE_LENGTH
from freefloat.kernels.coupling import COUPLED_COLUMNS, NUMBER_COLUMNS
from freefloat.kernels.drive import DRIVE
from freefloat.kernels.drive_row import RATE
from freefloat.kernels.free_directions import FREE_COLUMNS
from freefloat.kernels.imposed import IMPOSED_COLUMNS, RATE_COLUMNS

if TYPE_CHECKING:
    from freefloat.engine.plant import Plant


def bind(plant: Plant) -> H.Memory:
    """Memory for the world's present tree."""
    tree, bp = plant.tree, plant.blueprint
    m, d = tree.model, tree.data
    nz = sum(len(r.states) for r in bp.rows.values())
    ny = sum(r.outputs for r in bp.rows.values())
    nt = 2 * m.nv + nz + N_AUDIT
    nx = m.nq + m.nv + nz + N_AUDIT
    memory = H.Memory()
    _bind_mujoco(memory, m, d)
    for slot, size in (
        (H.X, nx),
        (H.X0, nx),
        (H.XT, nx),
        (H.K0, nt),
        (H.DELTA, nt),
        (H.FRACTION, 2),
        (H.DRIFT, 3),
        (H.Y, max(1, ny)),
        (H.TAU, m.nv),
        (H.POWER, 3),
        (H.RHS, m.nv),
        (H.STEPPER, 2),
        (H.BOOKED, N_AUDIT),
        (H.NEW_STATES, nz),
        (H.JOLT_TAU, m.nv),
        (H.JOLT_MEAN, m.nv),
    ):
        memory.bind(slot, np.zeros(size))
    memory.bind(H.K, np.zeros((7, nt)))
    memory.bind(H.WRENCH, np.zeros((m.nbody + 1, 6)))
    memory.bind(H.SUBTREE, np.zeros((m.nbody, 6)))
    memory.bind(H.JOLT, np.zeros((m.nbody + 1, 6)))
    memory.bind(H.PHASE, np.zeros(H.N_PHASE, dtype=np.int64))
    memory.bind(H.U, plant.u)
    memory.bind(H.SETTINGS, plant.integrator.settings(plant.step))
    memory[H.STEPPER][:] = (plant.step, 1e-4)
    memory.bind(H.CLOCK, np.zeros(H.N_CLOCK, dtype=np.int64))
    sizes = memory.bind(H.SIZES, np.zeros(H.N_SIZES, dtype=np.int64))
    sizes[[H.NQ, H.NV, H.NZ, H.NT]] = (m.nq, m.nv, nz, nt)
    sizes[H.NWELD] = len(tree.loops)
    sizes[H.NROWS] = 6 * len(tree.loops) + len(bp.imposed) + len(bp.couplings)
    sizes[H.NGUARD] = len(plant.guards)
    sizes[H.NGROUP] = len(plant.groups)
    sizes[H.NOWN] = len(plant.own_banks)
    sizes[H.FLOATING] = int(tree.floating)
    bind_banks(memory, plant)
    _bind_verbs(memory, plant)
    _bind_welds(memory, plant)
    _bind_imposed(memory, plant)
    _bind_couplings(memory, plant)
    _bind_frames(memory, plant)
    plant.shapes.bind(memory, tree, plant.links)
    bind_loads(memory, plant)
    plant.memory = memory
    plant.bind_ops()
    bind_guards(memory, plant)
    return memory


def _bind_mujoco(memory: H.Memory, m: Any, d: Any) -> None:
    memory.bind_address(H.MODEL, m._address)
    memory.bind_address(H.DATA, d._address)
    for slot, array in (
        (H.QPOS, d.qpos),
        (H.QVEL, d.qvel),
        (H.QACC, d.qacc),
        (H.BIAS, d.qfrc_bias),
        (H.XPOS, d.xpos),
        (H.XQUAT, d.xquat),
        (H.XMAT, d.xmat),
        (H.XIPOS, d.xipos),
        (H.XIMAT, d.ximat),
        (H.COM, d.subtree_com),
        (H.CVEL, d.cvel),
        (H.CDOF, d.cdof),
        (H.CDOF_DOT, d.cdof_dot),
        (H.BODY_PARENT, m.body_parentid),
        (H.BODY_ROOT, m.body_rootid),
        (H.BODY_DOF_ADR, m.body_dofadr),
        (H.BODY_DOF_NUM, m.body_dofnum),
        (H.DOF_BODY, m.dof_bodyid),
        (H.MASS, m.body_mass),
        (H.INERTIA, m.body_inertia),
        (H.ARMATURE, m.dof_armature),
    ):
        memory.bind(slot, array)
    free = [
        int(a) + 3 for a, kind in zip(m.jnt_dofadr, m.jnt_type, strict=True) if kind == int(mujoco.mjtJoint.mjJNT_FREE)
    ]
    memory.bind(H.QUAT_DOF, np.array(free, dtype=np.int64))


def _bank_rows(plant: Plant, bank: Bank, rows: list[Row]) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Numbers, indices and tables of a bank's rows."""
    if bank.alone and len(rows) > 1:
        raise InputError(f"bank row {rows[1].name!r}: a world has one of its kind only, and has {rows[0].name!r}")
    if bank is DRIVE:
        _check_drives(rows)
    width, references = bank.width, len(bank.references) + len(bank.commands)
    if not bank.declared:
        width, references = len(rows[0].f), len(rows[0].i)
    for row in rows:
        if len(row.f) != (width or len(row.f)) or len(row.i) != references:
            raise InputError(
                f"bank row {row.name!r}: needs {width} numbers and {references} references, "
                f"has {len(row.f)} and {len(row.i)}"
            )
        for what, given, needed in (
            ("states", len(row.states), len(bank.states)),
            ("outputs", row.outputs, len(bank.outputs)),
        ):
            if needed and given != needed and not (what == "states" and bank.fewer_states and given < needed):
                raise InputError(f"bank row {row.name!r}: {given} {what}; its effect declares {needed}")
    f = np.zeros((len(rows), width or max(len(row.f) for row in rows)))
    for r, row in enumerate(rows):
        f[r, : len(row.f)] = row.f
    i = np.array([[index_of(plant, r, row.name) for r in row.i] for row in rows], dtype=np.int64)
    tables = np.zeros((len(rows), 3), dtype=np.int64)
    for r, row in enumerate(rows):
        if row.name in plant.tables:
            table = plant.tables[row.name]
            tables[r] = (table.ctypes.data, *table.shape)
    return f, np.ascontiguousarray(i.reshape(len(rows), references)), tables


def _check_drives(rows: list[Row]) -> None:
    """Refuse two drives on a joint."""
    driven: dict[str, str] = {}
    for row in rows:
        rate = row.i[RATE]
        joint = rate.joint if isinstance(rate, Rate) else str(rate)
        first = driven.setdefault(joint, row.name)
        if first != row.name:
            raise InputError(f"joint {joint!r} has two drives, {first!r} and {row.name!r}; allowed: one")


def bind_banks(memory: H.Memory, plant: Plant) -> None:
    """The table of the banks, built-in and own.

    The rows of one bank need consecutive states and outputs; `Blueprint.rows` keeps them so because `draw` sorts.
    """
    state, output = offsets(plant.blueprint)
    memory.forget()
    banks = rows_of_banks(plant)
    table = memory.bind(H.BANK_TABLE, np.zeros((len(banks), len(TABLE)), dtype=np.int64))
    force = guard = answer = kept = 0
    for b, (bank, rows) in enumerate(banks):
        if not rows:
            continue
        f, i, tables = _bank_rows(plant, bank, rows)
        memory.keep(f, i, tables)
        B, n = table[b], len(rows)
        ready = not bank.table or all(row.name in plant.tables for row in rows)
        B[[T.f, T.rows, T.f_columns]] = (f.ctypes.data, n if ready else 0, f.shape[1])
        B[[T.i, T.i_columns, T.tables]] = (i.ctypes.data, i.shape[1], tables.ctypes.data)
        B[[T.state, T.states]] = (state[rows[0].name], sum(len(r.states) for r in rows))
        B[[T.output, T.outputs]] = (output[rows[0].name], sum(r.outputs for r in rows))
        B[[T.force, T.forces]] = (force, n * len(bank.carried))
        B[[T.guard, T.guards]] = (guard, n * len(bank.guards))
        B[[T.answer, T.answers]] = (answer, n * len(bank.answers))
        force, guard, answer = force + B[T.forces], guard + B[T.guards], answer + B[T.answers]
        B[[T.kept, T.kept_columns, T.deciding]] = (kept, len(bank.kept), bank.deciding)
        kept += n * len(bank.kept)
        B[[T.advances, T.settles, T.stores]] = [verb is not None for verb in (bank.advance, bank.settle, bank.stored)]
        work = np.zeros((bank.work + 3 * n if bank.work else 0, n))
        memory.keep(work)
        B[[T.work, T.works]] = (work.ctypes.data, len(work))
        if b >= N_BANKS:
            for verb, code in plant.verbs[bank.name].items():
                B[getattr(T, f"call_{verb}")] = code.address


def _bind_verbs(memory: H.Memory, plant: Plant) -> None:
    """What the verbs besides `stage` need: forces under way, guard values, columns of M^-1, kinds of states."""
    table, sizes, nv = memory[H.BANK_TABLE], memory[H.SIZES], int(plant.tree.model.nv)
    memory.bind(H.KEPT, np.zeros(sum(len(rows) * len(bank.kept) for bank, rows in rows_of_banks(plant))))
    memory.bind(H.KEPT_BEFORE, np.zeros(len(memory[H.KEPT])))
    memory.bind(H.BUSY, np.ones(len(table), dtype=np.int64))
    sizes[[H.NADVANCE, H.NSETTLE, H.NBANKGUARD]] = table[:, [T.advances, T.settles, T.guards]].sum(axis=0)
    forces = int(table[:, T.forces].sum())
    memory.bind(H.CARRIED, np.zeros(forces))
    memory.bind(H.COURSE, np.zeros((3, forces)))
    guards = int(sizes[H.NGUARD] + sizes[H.NBANKGUARD])
    memory.bind(H.GUARD_VALUE, np.zeros(guards))
    memory.bind(H.GUARD_NEW, np.zeros(guards))
    memory.bind(H.SAVED, np.zeros(len(memory[H.X]) + 3 + guards + len(memory[H.KEPT])))
    memory.bind(H.SAVED_WHOLE, np.zeros(H.N_CLOCK + H.N_PHASE + 2 * len(plant.group_table), dtype=np.int64))
    memory.bind(H.CROSSED, np.zeros(int(sizes[H.NBANKGUARD]), dtype=np.int64))
    dofs: list[int] = []  # of the answers; -1: a body's turning
    turns: list[tuple[int, ...]] = []
    fast: list[int] = []
    held: list[int] = []
    n = 0
    for b, (bank, rows) in enumerate(rows_of_banks(plant)):
        for r, row in enumerate(rows):
            for k in [list(bank.references).index(name) for name in bank.answers]:
                index = index_of(plant, row.i[k], row.name)
                if isinstance(row.i[k], Body):
                    turns.append((len(dofs), index, b, r, places(bank.columns).axis))
                    index = -1
                dofs.append(index)
    for row in plant.blueprint.rows.values():
        for k, state in enumerate(row.bank.states[: len(row.states)] if row.bank.fewer_states else row.bank.states):
            if state.kind == "fast" or (state.kind == "mode" and row.bank.name in plant.own_banks):
                (fast if state.kind == "fast" else held).append(n + k)
        n += len(row.states)
    settling = sum(len(rows) for bank, rows in rows_of_banks(plant) if bank.settle is not None)
    room = max(notes.LEAST_ROOM, 4 * settling, plant.rows) if settling else 0
    memory.bind(H.NOTES, np.zeros((room, notes.COLUMNS)))
    memory.bind(H.IMPACT, np.zeros((impact.ROWS if settling else 0, nv)))
    memory.bind(H.FAST, np.array(fast, dtype=np.int64))
    memory.bind(H.HELD, np.array([*fast, *held], dtype=np.int64))
    memory.bind(H.ANSWERS, np.zeros((len(dofs), nv)))
    memory.bind(H.UNIT_EFFORTS, np.vstack([np.eye(nv), np.zeros((1, nv))])[dofs] if dofs else np.zeros((0, nv)))
    memory.bind(H.TURNS, np.array(turns, dtype=np.int64).reshape(-1, 5))


def _bind_welds(memory: H.Memory, plant: Plant) -> None:
    tree = plant.tree
    n, nv = len(tree.loops), int(tree.model.nv)
    weld = memory.bind(H.WELD, np.zeros((n, 2), dtype=np.int64))
    pose = memory.bind(H.WELD_POSE, np.zeros((n, POSE_COLUMNS)))
    for w, edge in enumerate(tree.loops):
        a = 0 if edge.parent == "world" else tree.body[edge.parent]
        weld[w] = (a, tree.body[edge.child])
        X_AB = edge.X_PJ @ edge.X_JC
        eta = plant.closed[edge.name].eta if edge.name in plant.closed else 50.0
        pose[w] = (*X_AB.p, *X_AB.q, *edge.X_JC.inverse().p, eta)
    rows = int(memory[H.SIZES][H.NROWS])
    free = memory.bind(H.WELD_FREE, np.zeros((n, FREE_COLUMNS)))
    for w, edge in enumerate(tree.loops):
        declared = plant.blueprint.connections.get(edge.name)
        if declared is not None and declared.free:
            free[w] = declared.free_row(edge.X_PJ)
            pose[w, 7:10] = plant.blueprint.frame(declared.b)[1].p  # the force acts at side b, wherever that slides
    memory.bind(H.FRICTION, np.zeros(2 * nv + 4))
    memory.bind(H.JAC, np.zeros((rows, nv)))
    memory.bind(H.MINV_JT, np.zeros((rows, nv)))
    memory.bind(H.DELASSUS, np.zeros((rows, rows)))
    memory.bind(H.LAMBDA, np.zeros(rows + len(plant.blueprint.imposed)))
    memory.bind(H.CACC, np.zeros((tree.model.nbody, 6)))
    memory.bind(H.CWORK, np.zeros(6 * nv + 3 * n + 4 * rows + 2 * rows * rows + 3 * rows))


def _bind_imposed(memory: H.Memory, plant: Plant) -> None:
    """Where the joints with imposed motions are now, and their rows of the Jacobian, which never change."""
    imposed, first = plant.blueprint.imposed, 6 * len(plant.tree.loops)
    table = memory.bind(H.IMPOSED, np.zeros((len(imposed), IMPOSED_COLUMNS), dtype=np.int64))
    rates = memory.bind(H.IMPOSED_RATES, np.zeros((len(imposed), RATE_COLUMNS)))
    for r, row in enumerate(imposed.values()):
        places = (Coordinate(row.joint), Rate(row.joint), Command(row.command, row.entry))
        table[r] = [index_of(plant, ref, row.name) for ref in places]
        rates[r] = (row.eta, TORQUE_LENGTH if row.unit == "rad" else 1.0)
        memory[H.JAC][first + r, table[r, 1]] = rates[r, 1]


def _bind_couplings(memory: H.Memory, plant: Plant) -> None:
    """Where the coupled joints are now."""
    couplings = plant.blueprint.couplings
    table = memory.bind(H.COUPLED, np.zeros((len(couplings), COUPLED_COLUMNS), dtype=np.int64))
    numbers = memory.bind(H.COUPLED_NUMBERS, np.zeros((len(couplings), NUMBER_COLUMNS)))
    for r, row in enumerate(couplings.values()):
        places = [place(joint) for joint in (row.joint, row.leader) for place in (Coordinate, Rate)]
        table[r] = [index_of(plant, ref, f"coupling of {row.joint!r}") for ref in places]
        angular = unit_of(plant.blueprint.joints, row.joint) == "rad"
        numbers[r] = (COUPLING_ETA, TORQUE_LENGTH if angular else 1.0, *row.coefficients)


def _bind_frames(memory: H.Memory, plant: Plant) -> None:
    table = np.zeros((len(plant.blueprint.frames), 8))
    for f, (link, X_LF) in enumerate(plant.blueprint.frames.values()):
        table[f] = (plant.tree.body[link], *X_LF.p, *_unit(X_LF))
    memory.bind(H.FRAMES, table)


def _unit(X: Pose) -> tuple[float, ...]:
    return tuple(float(v) for v in X.q)


def bind_guards(memory: H.Memory, plant: Plant) -> None:
    """Guards of the events: [source, index, length, component, direction, enabled, fired] and level."""
    table = memory.bind(H.GUARDS, np.zeros((len(plant.guards), 7), dtype=np.int64))
    level = memory.bind(H.GUARD_LEVEL, np.zeros(len(plant.guards)))
    firsts = offsets(plant.blueprint)
    for g, guard in enumerate(plant.guards):
        signal, sources = plant.blueprint.sources[guard.signal]
        component = guard.component
        if not 0 <= component < signal.size:
            raise InputError(f"event on {guard.signal!r}: component {component} of {signal.size}")
        for source in sources:
            kind, index, length = source_op(plant, source, guard.signal, firsts)
            if component < length:
                if kind < S.FRAME_P:  # plain arrays: only the entry itself, whatever the signal's length
                    index, length, component = index + component, 1, 0
                table[g] = (kind, index, length, component, guard.direction, plant.guard_enabled[g], 0)
                break
            component -= length
        level[g] = guard.level
