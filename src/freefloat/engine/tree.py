"""From the graph of links to MuJoCo's trees: choose roots, turn edges, compile, validate through the binding."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import mujoco
import numpy as np

from freefloat.engine.graph import PLANAR, WORLD, Joint, Link, Vector
from freefloat.errors import ModelError, unknown_name
from freefloat.frames import Pose, matrix_to_quat


@dataclass(frozen=True)
class Tree:
    """A compiled structure: MuJoCo's model and data, and where the names went."""

    model: mujoco.MjModel
    data: mujoco.MjData
    body: Mapping[str, int]  # link -> body index
    coordinate: Mapping[str, int]  # joint -> index in qpos
    rate: Mapping[str, int]  # joint -> index in qvel
    roots: tuple[str, ...]  # links with a free joint, in body order
    loops: tuple[Joint, ...]  # edges that close a loop: kept by constraints
    floating: bool  # no tree is fixed to the world
    spec: mujoco.MjSpec  # what the model was compiled from

    def rigid(self, link: str) -> int:
        """A number that links have in common which are rigidly joined, by fixed joints or by constraints."""
        groups = [int(n) for n in self.model.body_weldid]
        for edge in self.loops:
            a, b = (groups[0 if end == WORLD else self.body[end]] for end in (edge.parent, edge.child))
            groups = [a if group == b else group for group in groups]
        if link != WORLD and link not in self.body:
            raise unknown_name("link", link, self.body)
        return groups[0 if link == WORLD else self.body[link]]


Chain = tuple[Joint, ...]  # joints in series between two links; mostly one


def chains(edges: Sequence[Joint]) -> list[Chain]:
    """The edges, those in series together."""
    found: list[Chain] = []
    for edge in edges:
        if not edge.series:
            found.append((edge,))
            continue
        last = found[-1][-1] if found else None
        if last is None or (last.parent, last.child) != (edge.parent, edge.child) or "fixed" in (last.kind, edge.kind):
            raise ModelError(
                f"joint {edge.name!r} is in series with none; allowed: behind a moving joint from {edge.parent!r} to "
                f"{edge.child!r}"
            )
        found[-1] = (*found[-1], edge)
    return found


def spanning_edges(links: Sequence[str], edges: Sequence[Joint]) -> tuple[list[Chain], list[Joint]]:
    """Split the edges into a spanning forest and the edges that close loops; moving joints join the forest first."""
    group = {name: name for name in (*links, WORLD)}

    def find(name: str) -> str:
        while group[name] != name:
            group[name] = group[group[name]]
            name = group[name]
        return name

    forest: list[Chain] = []
    loops: list[Joint] = []
    for chain in sorted(chains(edges), key=lambda c: c[0].kind == "fixed"):
        edge = chain[0]
        a, b = find(edge.parent), find(edge.child)
        if a != b:
            group[a] = b
            forest.append(chain)
        elif edge.kind == "fixed":
            loops.append(edge)
        else:
            raise ModelError(
                f"joint {edge.name!r} ({edge.kind}) closes a loop of moving joints between {edge.parent!r} and "
                f"{edge.child!r}; only fixed connections can close a loop"
            )
    return forest, loops


def compile_tree(links: Sequence[Link], edges: Sequence[Joint], welds: Sequence[Joint], roots: Sequence[str]) -> Tree:
    """Compile links and edges; `welds` are held by constraints whatever the topology.

    A component that does not touch the world gets a free joint at the first of `roots` in it, else at its first link.
    """
    by_name = {link.name: link for link in links}
    _check_numbers(links, edges)
    for edge in (*edges, *welds):
        for end in (edge.parent, edge.child):
            if end not in by_name and end != WORLD:
                raise unknown_name(f"link (at joint {edge.name!r})", end, by_name)
    forest, loops = spanning_edges(list(by_name), edges)
    neighbours: dict[str, list[Chain]] = {name: [] for name in (*by_name, WORLD)}
    for chain in forest:
        neighbours[chain[0].parent].append(chain)
        neighbours[chain[0].child].append(chain)

    spec = mujoco.MjSpec()
    spec.option.gravity = [0.0, 0.0, 0.0]
    bodies: dict[str, mujoco.MjsBody] = {}
    free: list[str] = []

    def grow(start: str) -> None:
        queue = deque([start])
        while queue:
            here = queue.popleft()
            for chain in neighbours[here]:
                forward = chain[0].parent == here
                there = chain[0].child if forward else chain[0].parent
                if there in bodies or there == WORLD:
                    continue
                parent = spec.worldbody if here == WORLD else bodies[here]
                bodies[there] = _add_chain(parent, by_name[there], chain, forward)
                queue.append(there)

    grow(WORLD)
    anchored = len(bodies) > 0
    for name in (*roots, *by_name):
        if name not in by_name:
            raise unknown_name("root link", name, by_name)
        if name not in bodies:
            bodies[name] = _add_body(spec.worldbody, by_name[name], Pose.identity())
            bodies[name].add_freejoint(name=f"free:{name}")
            free.append(name)
            grow(name)
    return _compile(spec, [edge for chain in forest for edge in chain], (*loops, *welds), free, not anchored)


def coordinates_of(edge: Joint) -> tuple[str, ...]:
    """Names of a joint's coordinates."""
    if edge.kind == "planar":
        return tuple(f"{edge.name}.{name}" for name in PLANAR)
    return () if edge.kind == "fixed" else (edge.name,)


def _check_numbers(links: Sequence[Link], edges: Sequence[Joint]) -> None:
    """Refuse what MuJoCo would take for "not given" (not a number) or accept without a word (negative armature)."""
    for link in links:
        if not all(np.isfinite(v).all() for v in (link.mass, link.p_LLcm, link.I_LLcm_L)):
            raise ModelError(f"link {link.name!r}: mass, centre of mass and inertia must be finite")
    for edge in edges:
        if not 0.0 <= edge.armature < np.inf:
            raise ModelError(f"joint {edge.name!r}: armature {edge.armature!r} must be finite and not negative")
        if edge.kind == "planar" and edge.parent != WORLD:
            raise ModelError(f"joint {edge.name!r}: a planar joint stands on {WORLD!r}, not on {edge.parent!r}")
        if not np.isfinite(edge.axis).all():
            raise ModelError(f"joint {edge.name!r}: axis {edge.axis.tolist()} must be finite")


def _add_chain(parent: mujoco.MjsBody, link: Link, chain: Chain, forward: bool) -> mujoco.MjsBody:
    """Hang `link` on `parent` by joints in series. Against their declared direction their order and their axes are
    turned, so q keeps its sign: (X_PJ motion(a, q) X_JC)^-1 = X_CJ motion(-a, q) X_JP.

    MuJoCo's X_PC = X_PC(0) E1(q1) E2(q2) ..., where the screw of E is in the axes of the link.
    """
    steps = [(e, e.X_PJ, e.X_JC) if forward else (e, e.X_JC.inverse(), e.X_PJ.inverse()) for e in chain]
    steps = steps if forward else steps[::-1]
    X_J_there = [X_after for _, _, X_after in steps]
    for k in range(len(steps) - 2, -1, -1):
        X_J_there[k] = X_J_there[k] @ steps[k + 1][1] @ X_J_there[k + 1]
    body = _add_body(parent, link, steps[0][1] @ X_J_there[0])
    for (edge, _, _), X in zip(steps, X_J_there, strict=True):
        _add_joints(body, edge, X.inverse(), forward)
    return body


def _add_joints(body: mujoco.MjsBody, edge: Joint, X_LJ: Pose, forward: bool) -> None:
    if edge.kind == "planar":
        for name, axis in zip(PLANAR, np.eye(3), strict=True):
            kind = mujoco.mjtJoint.mjJNT_HINGE if name == "theta" else mujoco.mjtJoint.mjJNT_SLIDE
            body.add_joint(name=f"{edge.name}.{name}", type=kind, pos=X_LJ.p, axis=X_LJ.R @ axis)
    elif edge.kind != "fixed":
        kind = mujoco.mjtJoint.mjJNT_HINGE if edge.kind == "revolute" else mujoco.mjtJoint.mjJNT_SLIDE
        axis = X_LJ.R @ (edge.axis if forward else -edge.axis)
        body.add_joint(name=edge.name, type=kind, pos=X_LJ.p, axis=axis, armature=edge.armature)


def _add_body(parent: mujoco.MjsBody, link: Link, X_PL: Pose) -> mujoco.MjsBody:
    inertia, R_LI = principal_axes(link.I_LLcm_L)
    return parent.add_body(
        name=link.name,
        pos=X_PL.p,
        quat=X_PL.q,
        mass=link.mass,
        ipos=link.p_LLcm,
        iquat=matrix_to_quat(R_LI),
        inertia=inertia,
        explicitinertial=True,
        simple=0 if link.variable else 1,
    )


def principal_axes(I_LLcm_L: Vector) -> tuple[Vector, Vector]:
    """Principal moments and the rotation R_LI of their axes; the given axes are kept when already principal."""
    if np.count_nonzero(I_LLcm_L - np.diag(np.diagonal(I_LLcm_L))) == 0:
        return np.diagonal(I_LLcm_L).copy(), np.eye(3)
    values, vectors = np.linalg.eigh(I_LLcm_L)
    if np.linalg.det(vectors) < 0.0:
        vectors[:, 2] *= -1.0
    return values, vectors


def _compile(
    spec: mujoco.MjSpec, forest: Sequence[Joint], loops: tuple[Joint, ...], free: list[str], floating: bool
) -> Tree:
    try:
        model = spec.compile()
        data = mujoco.MjData(model)
        mujoco.mj_forward(model, data)
    except (ValueError, mujoco.FatalError) as e:
        raise ModelError(f"MuJoCo refuses the model: {' '.join(str(e).split())}") from e
    body = {model.body(i).name: i for i in range(1, model.nbody)}
    moving = [name for edge in forest for name in coordinates_of(edge)]
    coordinate = {name: int(model.joint(name).qposadr[0]) for name in moving}
    rate = {name: int(model.joint(name).dofadr[0]) for name in moving}
    roots = tuple(sorted(free, key=body.__getitem__))
    return Tree(model, data, body, coordinate, rate, roots, loops, floating, spec)
