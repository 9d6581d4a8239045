"""What the desk answers on the control channel, by itself or by asking the operation."""

from __future__ import annotations

import base64
import fnmatch
import math
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from freefloat.amounts import Amount
from freefloat.errors import FreefloatError, InputError, unknown_name
from freefloat.facility.actions import REQUIRED
from freefloat.facility.axes import CYCLE
from freefloat.facility.cameras import CAMERAS
from freefloat.facility.pool import VARIABLES
from freefloat.facility.security import INTERLOCKS
from freefloat.facility.trajectory import Trajectory
from freefloat.frames import Array
from freefloat.serve.background import Background
from freefloat.serve.connection import Connection, Watch
from freefloat.serve.control_requests import DESK, KNOWN, Request, rows_of
from freefloat.serve.cycle_face import CycleFace, Told
from freefloat.serve.photographer import NEEDED, Photographer

PERIOD = Amount("s", ge=0.0, le=3600.0)
SHORTEST = 0.02  # [s] period of a watch
PROTOCOL = 1


class DeskAnswers:
    """All actions but hello's check of the token. `out` is the folder of the run, for pictures."""

    def __init__(self, face: CycleFace, photographer: Photographer | None = None, out: Path | None = None) -> None:
        self.face, self.out = face, out
        self.background = Background()
        self.ended = False  # somebody has asked for the end
        self._photographer = photographer or Photographer()
        self._rows = 0  # of the trajectory that was loaded last
        self._gathering: tuple[Connection | None, list[Array]] = None, []  # pieces of one, and who hands them over

    def hello(self) -> dict[str, Any]:
        """Who answers."""
        from freefloat import __version__

        return {"ok": True, "facility": "freefloat", "version": __version__, "protocol": PROTOCOL, **self.face.status()}

    def status(self) -> dict[str, Any]:
        """What the operation told last, and the newest cycle."""
        return {**self.face.status(), **self._now(), "rows": self._rows}

    def frame(self, names: Sequence[str]) -> dict[str, Any]:
        """What a watch tells."""
        return {**self._now(), "status": {**self.face.status(), "rows": self._rows}, "values": self._values(names)}

    def ask(self, connection: Connection, request: Request, told: Told, now: float) -> None:
        """Have a request answered; `told` gets the reply. What is refused at once raises."""
        action, arguments = request.action, {**KNOWN[request.action].arguments, **request.arguments}
        if action == "load":
            self._load(connection, arguments, told)
        elif action not in DESK:
            self.face.ask(action, request.arguments, told)
        elif action == "picture":
            self._picture(arguments, told)
        elif action == "watch":
            self._watch(connection, arguments, now)
            told({"ok": True, **self.face.status()})
        elif action == "shutdown":
            self.ended = True
            self.face.shutdown()
            told({"ok": True, **self.face.status()})
        else:
            found = self._list(arguments) if action == "list" else self._get(arguments)
            told({"ok": True, **found})

    def _load(self, connection: Connection, arguments: dict[str, Any], told: Told) -> None:
        """Pieces are gathered, of one client at a time, until one is the last."""
        more, before = arguments["more"], connection.rows
        connection.rows = 0
        if before and self._gathering[0] is not connection:
            raise InputError("load: another client has begun to load; allowed: again, from the first piece on")
        pieces = self._gathering[1] if before else []
        self._gathering = None, []
        if not isinstance(more, bool):
            raise InputError(f"load: more {more!r}; allowed: true, false")
        pieces.append(rows_of(arguments["trajectory"], before))
        if more:
            connection.rows, self._gathering = before + len(pieces[-1]), (connection, pieces)
            told({"ok": True, **self.face.status(), "rows": connection.rows})
            return
        table = np.concatenate(pieces)
        trajectory = Trajectory(table[:, 0], table[:, 1:])  # pyright: ignore[reportArgumentType]

        def loaded(reply: dict[str, Any]) -> None:
            self._rows = len(trajectory) if reply.get("ok") is True else self._rows
            told(reply)

        self.face.ask("load", {"trajectory": trajectory}, loaded)

    def _watch(self, connection: Connection, arguments: dict[str, Any], now: float) -> None:
        period = PERIOD.number(arguments["period"], "watch: period")
        names = _chosen(arguments["names"], "watch")
        connection.watch = Watch(names, max(period, SHORTEST), now) if period > 0.0 else None

    def _list(self, arguments: dict[str, Any]) -> dict[str, Any]:
        makers = {"variables": _variables, "actions": _actions, "interlocks": _interlocks, "cameras": _cameras}
        what = str(arguments["what"])
        if what not in makers:
            raise unknown_name("list", what, makers)
        return {what: makers[what]()}

    def _get(self, arguments: dict[str, Any]) -> dict[str, Any]:
        values = self._values(_chosen(arguments["names"], "get"))
        if not values:
            raise InputError("get: no cycle has been made yet; allowed: after the first one")
        return {**self._now(), "values": values}

    def _picture(self, arguments: dict[str, Any], told: Told) -> None:
        camera, file, taker = str(arguments["camera"]), str(arguments["file"]), self._photographer
        width, height = taker.check(camera, arguments["width"], arguments["height"])
        target = self._target(file) if file else None
        where = self.face.newest(NEEDED)
        if not where:
            raise InputError("picture: no cycle has been made yet; allowed: after the first one")
        told_first = {"ok": True, "camera": camera, **self._now()}

        def done(png: Any) -> None:
            if isinstance(png, FreefloatError):
                told({"ok": False, "error": f"picture: {png}"})
            elif target is None:
                told({**told_first, "png": base64.b64encode(png).decode()})
            else:
                told(_written(target, png, told_first))

        self.background.start(lambda: taker.take(camera, where, width, height), done)

    def _target(self, name: str) -> Path:
        """A new file in the run's folder, and nowhere else."""
        allowed = "a name without folders that ends in .png, of a file that does not exist"
        plain = name == Path(name).name and name.endswith(".png") and name.isprintable() and "\\" not in name
        if self.out is None:
            raise InputError(f"picture: file {name!r}: the facility writes no folder; allowed: no file, for base64")
        if not plain or name.startswith(".") or (self.out / name).exists():
            raise InputError(f"picture: file {name!r}; allowed: {allowed}")
        return self.out / name

    def _now(self) -> dict[str, Any]:
        found = self.face.newest(("fmc.cycle",))
        cycle = int(found["fmc.cycle"]) if found else 0
        return {"cycle": cycle, "time": round(max(cycle - 1, 0) * CYCLE, 6)}

    def _values(self, names: Sequence[str]) -> dict[str, Any]:
        return {name: _plain(value) for name, value in self.face.newest(names).items()}


def _chosen(given: Any, action: str) -> list[str]:
    """Names of variables, of a list or of a text with commas, patterns filled in."""
    asked = [name.strip() for name in given.split(",")] if isinstance(given, str) else given
    if not isinstance(asked, list):
        raise InputError(f"{action}: names {given!r}; allowed: names of variables, in a list or separated by commas")
    names: dict[str, None] = {}
    for name in asked:
        found = fnmatch.filter(VARIABLES, name) if {"*", "?"} & set(name) else [n for n in VARIABLES if n == name]
        if not found:
            raise unknown_name("variable", name, VARIABLES)
        names.update(dict.fromkeys(found))
    return list(names)


def _plain(value: Array) -> Any:
    """Numbers for JSON; None for what is not finite."""
    numbers = np.asarray(value, np.float64)
    if numbers.ndim == 0:
        return float(numbers) if math.isfinite(numbers) else None
    return [v if math.isfinite(v) else None for v in numbers.ravel().tolist()]


def _written(target: Path, png: bytes, told: dict[str, Any]) -> dict[str, Any]:
    try:
        with target.open("xb") as file:
            file.write(png)
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        return {"ok": False, "error": f"picture: {target.name} cannot be written: {error.strerror}"}
    return {**told, "path": str(target.resolve())}


def _variables() -> dict[str, Any]:
    return {
        v.name: {"unit": v.unit, "shape": list(v.shape), "labels": list(v.labels), "meaning": v.meaning}
        for v in VARIABLES.values()
    }


def _actions() -> dict[str, Any]:
    def default(value: Any) -> Any:
        return {"required": True} if value is REQUIRED else {"default": value}

    return {
        name: {"about": k.about, "arguments": {key: default(v) for key, v in k.arguments.items()}}
        for name, k in KNOWN.items()
    }


def _interlocks() -> dict[str, Any]:
    return {
        name: {"when": i.when, "forbids": list(i.forbids), "causes": list(i.causes), "allowed": i.allowed}
        for name, i in INTERLOCKS.items()
    }


def _cameras() -> dict[str, Any]:
    return {name: {"eye": list(c.eye), "target": list(c.target), "fov": c.fov} for name, c in CAMERAS.items()}
