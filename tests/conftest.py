"""Settings of the whole suite (seeded, without deadlines) and small worlds that several tests build."""

from __future__ import annotations

import contextlib
import gc
import json
import os
import select
import signal
import socket
import struct
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import settings

if os.environ.pop("PYTHONDONTWRITEBYTECODE", None):
    # of the two workers and the processes that tests start: reading the sources anew would double their start
    os.environ.setdefault("PYTHONPYCACHEPREFIX", str(Path(__file__).parents[1] / ".pytest_cache" / "bytecode"))

settings.register_profile("quick", deadline=None, derandomize=True, max_examples=40)
settings.register_profile("full", deadline=None, derandomize=True, max_examples=100)
settings.load_profile(os.environ.get("HYPOTHESIS", "quick"))


def pytest_collection_finish() -> None:
    """What imports and the collection made stays to the end: the collector need not look at it again and again."""
    gc.collect()
    gc.freeze()


class Law:
    """A controller made of one function; it keeps what it measured."""

    def __init__(self, law: Callable[[float, Mapping[str, np.ndarray]], Mapping[str, Any]]) -> None:
        self.law = law
        self.seen: list[tuple[float, dict[str, np.ndarray]]] = []

    def update(self, t: float, meas: Mapping[str, np.ndarray]) -> Mapping[str, Any]:
        self.seen.append((t, {name: value.copy() for name, value in meas.items()}))
        return self.law(t, meas)


@dataclass(frozen=True)
class Robot:
    """A robot graph as a part with start rates; `name.tau` drives every joint, `springs` are keywords per joint."""

    name: str
    graph: Any
    q: Mapping[str, float] = field(default_factory=dict)
    qd: Mapping[str, float] = field(default_factory=dict)
    motion: Any = None  # None: floating, at rest
    springs: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    anchored: bool = False

    def build(self, b: Any) -> None:
        from freefloat.engine.blueprint import Motion, RowOutput
        from freefloat.engine.rows import joint_spring, joint_torque
        from freefloat.engine.signals import Signal
        from freefloat.frames import Pose

        for link in self.graph.links:
            b.body(link, (self.motion or Motion()) if link.name == self.graph.root and not self.anchored else None)
        if self.anchored:
            b.anchor(self.graph.root, Pose.identity())
        names = [b.joint(j, self.q.get(j.name, 0.0), self.qd.get(j.name, 0.0)) for j in self.graph.joints]
        b.joint_signals(names)
        tau = b.command("tau", (len(names),), "N m")
        for i, name in enumerate(names):
            b.add(joint_torque(name, tau, i))
        for joint, spring in self.springs.items():
            row = b.add(joint_spring(b.full(joint), **spring))
            b.signal(Signal(b.full(f"{joint}.effort"), "N m"), [RowOutput(row.name)])


@pytest.fixture(scope="session")
def law() -> type[Law]:
    """Make a controller of a function (t, meas) -> commands."""
    return Law


@pytest.fixture(scope="session")
def robot_part() -> type[Robot]:
    """Make a part of a robot graph."""
    return Robot


@pytest.fixture(scope="session")
def random_robot() -> Callable[..., Robot]:
    """A branched robot of `size` links with random inertias, joints and motion, called `robot`."""

    def make(seed: int, size: int = 6, **options: Any) -> Robot:
        from freefloat.engine.blueprint import Motion
        from freefloat.verify.models import random_state, random_tree

        rng = np.random.default_rng(seed)
        graph = random_tree(rng, size)
        state = random_state(rng, graph)
        V, R = np.asarray(state.V_WR_W), state.X_WR.R
        motion = Motion(state.X_WR, tuple(R.T @ V[:3]), tuple(V[3:]))
        return Robot("robot", graph, state.q, state.qd, options.pop("motion", motion), **options)

    return make


@pytest.fixture(scope="session")
def bus_with_arm() -> Callable[..., list[Any]]:
    """A 1000 kg satellite `bus` with the shipped seven-joint `arm`; keywords go to the bus."""

    def make(**bus: Any) -> list[Any]:
        import freefloat as ff
        from freefloat.robots import asset

        mount = {"mount": ff.Pose.from_rpy((0.0, 0.0, 0.0), (0.0, 0.0, 1.0))}
        arm = ff.Arm("arm", ff.load_urdf(asset("arm7")), on="bus.mount", q=(0.3, -0.5, 0.2, 1.0, 0.1, 0.4, 0.0))
        return [ff.RigidBody("bus", frames=mount, **bus), arm]

    return make


@pytest.fixture(scope="session")
def swing() -> Callable[[float, Mapping[str, np.ndarray]], Mapping[str, Any]]:
    """A joint law that moves the shipped arm gently: slow torques, and damping that suits each joint's inertia."""
    size = np.array([3.0, 3.0, 3.0, 3.0, 0.05, 0.05, 0.001])

    def update(t: float, meas: Mapping[str, np.ndarray]) -> Mapping[str, Any]:
        return {"tau": size * (np.sin(0.7 * t + np.arange(7.0)) - meas["qd"])}

    return update


@pytest.fixture(scope="session")
def draw_roughly() -> Callable[[pytest.MonkeyPatch], None]:
    """Draws with few rays and few pixels from here on, for tests that ask whether something can be drawn."""

    def patch(monkeypatch: pytest.MonkeyPatch) -> None:
        from matplotlib.figure import Figure

        savefig = Figure.savefig

        def save(figure: Figure, file: Any, **given: Any) -> None:
            savefig(figure, file, **{**given, "dpi": 10})

        monkeypatch.setattr("freefloat.view.raycast.SUPERSAMPLE", 1)
        monkeypatch.setattr("freefloat.view.raycast.OCCLUSION_RAYS", 1)
        monkeypatch.setattr(Figure, "savefig", save)

    return patch


@dataclass(frozen=True)
class ServedProcess:
    """A facility that others can connect to, in processes of its own."""

    process: subprocess.Popen[str]
    ports: dict[str, int]
    out: Path

    def child(self, name: str) -> int:
        """Number of the process that cycles (`cycle`) or of the desk (`desk`)."""
        tasks = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children")
        for number in tasks.read_text().split():
            if Path(f"/proc/{number}/comm").read_text().strip() == f"facility-{name}":
                return int(number)
        raise AssertionError(f"no process {name}")


@pytest.fixture(scope="module")
def served_facility(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[..., ServedProcess]]:
    """Starts `freefloat facility serve` with further options and waits until it is ready; ended at the module's end."""
    begun: list[subprocess.Popen[str]] = []

    def start(*options: str) -> ServedProcess:
        out = tmp_path_factory.mktemp("facility")
        command = ["freefloat", "facility", "serve", "--json", "--sync-port", "0", "--control-port", "0"]
        arguments = [sys.executable, "-m", *command, "--out", str(out), *options]
        pipe = subprocess.PIPE
        begun.append(subprocess.Popen(arguments, text=True, start_new_session=True, stdout=pipe, stderr=pipe))
        assert begun[-1].stdout is not None
        assert begun[-1].stderr is not None
        line = begun[-1].stdout.readline()
        assert line, begun[-1].stderr.read()
        return ServedProcess(begun[-1], json.loads(line), out)

    yield start
    for process in begun:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


class Rig:
    """A facility that cycles in a thread of this process, with a real sync link in lockstep; the test is its desk."""

    def __init__(self, **changes: Any) -> None:
        from freefloat.missions.facility.served import ServedFacility
        from freefloat.serve.cycle import CycleProcess
        from freefloat.serve.outside import Served
        from freefloat.serve.pipe import Pipe
        from freefloat.serve.sync_link import SyncLink

        near, self.far = (Pipe(end) for end in socket.socketpair())
        sock = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        sock.bind(("127.0.0.1", 0))
        self.port: int = sock.getsockname()[1]
        scenario = ServedFacility(rail=8.0, **changes)
        self.served = Served(SyncLink(sock, scenario.link.gone), near, scenario.link.timeout)
        session = scenario.served(self.served).session()
        self._groups = session.recorder.groups
        self.process = CycleProcess(session, self.served, near, realtime=False)
        self.code: int | None = None
        self.rows: list[np.ndarray] = []
        self.status: dict[str, Any] = {}
        self.replies: list[tuple[int, dict[str, Any]]] = []
        self.when: Callable[[dict[str, Any]], None] = lambda status: None  # called with every status
        self._asked = 0
        self._threads = [threading.Thread(target=work) for work in (self._cycle, self._listen)]
        for thread in self._threads:
            thread.start()

    def _cycle(self) -> None:
        self.code = self.process.run()
        self.process.desk.close()

    def _listen(self) -> None:
        from freefloat.serve.pipe import Kind, rows_of

        while not self.far.closed:
            select.select([self.far], [], [], 1.0)
            for kind, data in self.far.take():
                if kind is Kind.ROWS:
                    number, rows = rows_of(data)
                    if list(self._groups)[number] == "fmc":
                        self.rows.append(rows)
                elif kind is Kind.STATUS:
                    self.status = json.loads(data)
                    self.when(self.status)
                elif kind is Kind.REPLY:
                    self.replies.append(tuple(json.loads(data)))

    def ask(self, action: str, /, **arguments: Any) -> None:
        """Have an action done; its reply will be among `replies`."""
        from freefloat.serve.pipe import put_request

        self._asked += 1
        put_request(self.far, self._asked, action, arguments)
        self.far.pump()

    def column(self, name: str) -> np.ndarray:
        """A variable of the data pool in all cycles so far."""
        begin = 1
        for variable in self._groups["fmc"]:
            if variable.name == name:
                return np.concatenate(self.rows)[:, begin : begin + variable.size]
            begin += variable.size
        raise AssertionError(name)

    def end(self) -> None:
        """Stop and leave."""
        self.process.end()
        self.wait()

    def wait(self, timeout: float | None = None) -> None:
        """For its end."""
        for thread in self._threads:
            thread.join(timeout)


@pytest.fixture
def facility_rig() -> Iterator[Callable[..., Rig]]:
    """Starts facilities in this process; all are ended."""
    begun: list[Rig] = []

    def start(**changes: Any) -> Rig:
        begun.append(Rig(**changes))
        return begun[-1]

    yield start
    for one in begun:
        one.end()
    gc.enable()


@pytest.fixture
def undrawn(monkeypatch: pytest.MonkeyPatch, draw_roughly: Callable[[pytest.MonkeyPatch], None]) -> None:
    """Figures are made, but their files stay empty: for tests of something else than what is drawn."""
    draw_roughly(monkeypatch)
    monkeypatch.setattr("matplotlib.layout_engine.ConstrainedLayoutEngine.execute", lambda engine, figure: None)

    def save(figure: Any, file: Any, **given: Any) -> None:
        if not hasattr(file, "write"):  # what goes into memory stays empty as well
            Path(file).touch()

    monkeypatch.setattr("matplotlib.figure.Figure.savefig", save)


def _fields(data: bytes) -> list[tuple[int, Any]]:
    """Numbers and values of a protobuf message: bytes, doubles or whole numbers."""
    found: list[tuple[int, Any]] = []
    at = 0

    def varint() -> int:
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at, value, shift = at + 1, value | (byte & 0x7F) << shift, shift + 7
            if byte < 0x80:
                return value

    while at < len(data):
        key = varint()
        if key & 7 == 0:
            found.append((key >> 3, varint()))
        elif key & 7 == 1:
            found.append((key >> 3, struct.unpack_from("<d", data, at)[0]))
            at += 8
        elif key & 7 == 2:
            size = varint()
            found.append((key >> 3, data[at : at + size]))
            at += size
        else:
            raise ValueError(f"wire type {key & 7}")
    return found


def _numbers(data: bytes, n: int) -> list[float]:
    """The double fields 1 to n; those that are zero are not written."""
    given = dict(_fields(data))
    return [given.get(k, 0.0) for k in range(1, n + 1)]


def _pose(position: bytes, orientation: bytes) -> Any:
    from freefloat.frames import Pose

    x, y, z, w = _numbers(orientation, 4)
    return Pose.from_quat([w, x, y, z], _numbers(position, 3))


# fields of foxglove.SceneEntity
_PRIMITIVES = {7: "arrow", 8: "cube", 9: "sphere", 10: "cylinder", 11: "line", 12: "triangles", 13: "text", 14: "model"}
_SIZED = ("cube", "sphere", "cylinder")


class Shown:
    """`/scene...` and `/tf` of a log as a viewer reads them, decoded from the bytes by Foxglove's schemas."""

    def __init__(self, path: Any) -> None:
        from mcap.reader import make_reader

        self.updates: list[tuple[int, list[str], dict[str, list[Any]]]] = []  # [ns], deleted, shown: shapes of links
        self.topics: dict[str, list[tuple[int, list[str], dict[str, tuple[str, list[Any]]]]]] = {}  # all, with frames
        self.frames: dict[str, list[tuple[int, str, Any]]] = {}  # child -> [ns], parent, X
        self.counts: dict[str, int] = {}
        with path.open("rb") as f:
            for _, channel, message in make_reader(f).iter_messages():
                self.counts[channel.topic] = self.counts.get(channel.topic, 0) + 1
                if channel.topic == "/tf":
                    self._transforms(message.log_time, message.data)
                elif channel.topic.startswith("/scene") and channel.topic != "/scenario":
                    self._update(channel.topic, message.log_time, message.data)

    def _transforms(self, stamp: int, data: bytes) -> None:
        for _, transform in _fields(data):
            fields = dict(_fields(transform))
            parent, child = fields[2].decode(), fields[3].decode()
            X = _pose(fields.get(4, b""), fields[5])
            self.frames.setdefault(child, []).append((stamp, parent, X))

    def _update(self, topic: str, stamp: int, data: bytes) -> None:
        fields = _fields(data)
        deleted = [dict(_fields(value))[3].decode() for number, value in fields if number == 1]
        entities: dict[str, tuple[str, list[Any]]] = {}
        for number, value in fields:
            if number == 2:
                inner = _fields(value)
                frame, name = (dict(inner)[k].decode() for k in (2, 3))
                entities[name] = frame, [self._primitive(_PRIMITIVES[k], v) for k, v in inner if k in _PRIMITIVES]
        self.topics.setdefault(topic, []).append((stamp, deleted, entities))
        if topic in ("/scene", "/scene/meshes"):
            assert all(frame == name for name, (frame, _) in entities.items())
            self.updates.append(
                (stamp, deleted, {n: [p for p in e if p[0] in _SIZED] for n, (_, e) in entities.items()})
            )

    @staticmethod
    def _primitive(kind: str, data: bytes) -> tuple[str, Any, Any]:
        """Kind, pose in the frame of the entity, and size, points or text."""
        inner = _fields(data)
        fields = dict(inner)
        pose = dict(_fields(fields[2 if kind == "line" else 1]))
        X = _pose(pose.get(1, b""), pose[2])
        if kind in _SIZED:
            return kind, X, _numbers(fields[2], 3)
        if kind in ("line", "triangles"):
            points = np.array([_numbers(v, 3) for k, v in inner if k == (5 if kind == "line" else 2)])
            return kind, X, points
        return kind, X, fields.get(6, b"").decode() if kind == "text" else None

    def at(self, t: float) -> dict[str, list[Any]]:
        """Link -> (kind, X_WG, size) of everything that a viewer shows at an instant [s] to which it has played."""
        now, shown = round(t * 1e9), dict[str, list[Any]]()
        for stamp, deleted, entities in self.updates:
            if stamp <= now:
                shown = {name: e for name, e in {**shown, **entities}.items() if name not in deleted}
        return {link: [(kind, self.X(link, now) @ X, size) for kind, X, size in e] for link, e in shown.items()}

    def topic_at(self, topic: str, t: float) -> dict[str, list[Any]]:
        """Entity -> (kind, X_WG, size or points) on one topic, for a viewer that has jumped to an instant [s]."""
        now = round(t * 1e9)
        last = [entities for stamp, _, entities in self.topics.get(topic, []) if stamp <= now][-1:]
        found = last[0] if last else {}
        return {n: [(kind, self.X(frame, now) @ X, what) for kind, X, what in e] for n, (frame, e) in found.items()}

    def X(self, frame: str, now: int) -> Any:
        """X_WF of a frame by the newest transforms at an instant [ns], along its parents."""
        from freefloat.frames import Pose

        if frame == "W":
            return Pose.identity()
        _, parent, X = [x for x in self.frames[frame] if x[0] <= now][-1]
        return self.X(parent, now) @ X


@pytest.fixture(scope="session")
def shown_by() -> type[Shown]:
    """Read what a log shows."""
    return Shown
