"""CCSDS Orbit Ephemeris Messages (OEM 2.0, CCSDS 502.0-B-2, key-value notation): writing, and reading them back."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from freefloat.errors import InputError
from freefloat.frames import Array
from freefloat.orbit.epoch import Epoch

_KEY = re.compile(r"([A-Z_0-9]+)\s*=\s*(.*)")
_MANDATORY = ("OBJECT_NAME", "OBJECT_ID", "CENTER_NAME", "REF_FRAME", "TIME_SYSTEM", "START_TIME", "STOP_TIME")


@dataclass(frozen=True)
class Ephemeris:
    """One segment: states of an object about the Earth in GCRF, t [s] after the epoch (UTC); p [m], v [m/s], (n, 3)."""

    name: str
    epoch: Epoch
    t: Array
    p_I: Array
    v_I: Array
    object_id: str = "0000-000A"
    center: str = "EARTH"
    frame: str = "GCRF"

    def __post_init__(self) -> None:
        n = len(self.t)
        if n < 2 or self.p_I.shape != (n, 3) or self.v_I.shape != (n, 3):
            raise InputError(
                f"an ephemeris of {self.name!r} needs two or more states, got t {np.shape(self.t)}, "
                f"p {self.p_I.shape}, v {self.v_I.shape}"
            )
        if not (np.isfinite(self.p_I).all() and np.isfinite(self.v_I).all() and np.all(np.diff(self.t) > 0.0)):
            raise InputError(f"an ephemeris of {self.name!r} needs finite states at increasing times")


def format_oem(segments: list[Ephemeris], originator: str = "FREEFLOAT", created: str | None = None) -> str:
    """The message text; `created` is its UTC creation date, now unless given."""
    created = created or datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S")
    lines = ["CCSDS_OEM_VERS = 2.0", f"CREATION_DATE = {created}", f"ORIGINATOR = {originator}"]
    for s in segments:
        lines += ["", *_meta(s), "", *_states(s)]
    return "\n".join(lines) + "\n"


def write_oem(path: Path, segments: list[Ephemeris], originator: str = "FREEFLOAT", created: str | None = None) -> None:
    path.write_text(format_oem(segments, originator, created), encoding="ascii")


def _meta(s: Ephemeris) -> list[str]:
    values = (s.name, s.object_id, s.center, s.frame, "UTC", _instant(s, 0), _instant(s, -1))
    pairs = [f"{k} = {v}" for k, v in zip(_MANDATORY, values, strict=True)]
    degree = min(7, 2 * len(s.t) - 1)  # a Hermite polynomial of degree 2 n - 1 goes through n states
    return ["META_START", *pairs, "INTERPOLATION = HERMITE", f"INTERPOLATION_DEGREE = {degree}", "META_STOP"]


def _instant(s: Ephemeris, i: int) -> str:
    return s.epoch.isoformat(float(s.t[i]), 9)


def _states(s: Ephemeris) -> Iterator[str]:
    for i in range(len(s.t)):
        p = " ".join(f"{x / 1e3:.12f}" for x in s.p_I[i].tolist())
        v = " ".join(f"{x / 1e3:.15f}" for x in s.v_I[i].tolist())
        yield f"{_instant(s, i)} {p} {v}"


def read_oem(path: Path) -> list[Ephemeris]:
    """Segments of a file; accelerations and covariances in it are skipped. Problems name file and line."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as problem:
        raise InputError(f"{path}: cannot be read as an OEM file ({problem})") from None
    return parse_oem(text, str(path))


def parse_oem(text: str, place: str = "OEM") -> list[Ephemeris]:
    """Segments of a message text."""
    return _Parser(place).parse(text)


@dataclass
class _Parser:
    place: str
    segments: list[Ephemeris] = field(default_factory=list)
    meta: dict[str, str] | None = None
    inside: str = "header"  # header | meta | data | covariance
    rows: list[list[float]] = field(default_factory=list)
    instants: list[Epoch] = field(default_factory=list)

    def parse(self, text: str) -> list[Ephemeris]:
        lines = text.splitlines()
        if not any(line.strip().startswith("CCSDS_OEM_VERS") for line in lines[:20]):
            raise InputError(f"{self.place}: not a CCSDS OEM file: CCSDS_OEM_VERS is missing")
        for number, line in enumerate(lines, 1):
            stripped = line.strip()
            if stripped and not stripped.startswith("COMMENT"):
                self._take(stripped, f"{self.place}, line {number}")
        self._close(self.place)
        if not self.segments:
            raise InputError(f"{self.place}: no ephemeris segment (META_START ... states) in the file")
        return self.segments

    def _take(self, line: str, where: str) -> None:
        if line == "META_START":
            self._close(where)
            self.meta, self.inside = {}, "meta"
        elif line == "META_STOP":
            self._check_meta(where)
            self.inside = "data"
        elif line in ("COVARIANCE_START", "COVARIANCE_STOP"):
            self.inside = "covariance" if line.endswith("START") else "data"
        elif self.inside == "meta" and (match := _KEY.fullmatch(line)) and self.meta is not None:
            self.meta[match[1]] = match[2].strip()
        elif self.inside == "data":
            self._state(line, where)
        elif self.inside == "meta":
            raise InputError(f"{where}: expected KEY = value in the metadata, got {line!r}")

    def _check_meta(self, where: str) -> None:
        missing = [k for k in _MANDATORY if k not in (self.meta or {})]
        if missing:
            raise InputError(f"{where}: metadata without {', '.join(missing)}")
        if self.meta and self.meta["TIME_SYSTEM"] != "UTC":
            raise InputError(f"{where}: TIME_SYSTEM {self.meta['TIME_SYSTEM']!r} is not supported, only UTC")

    def _state(self, line: str, where: str) -> None:
        words = line.split()
        try:
            numbers = [float(w) for w in words[1:]]
        except ValueError:
            raise InputError(f"{where}: expected an epoch and six numbers, got {line!r}") from None
        if len(numbers) not in (6, 9) or not all(math.isfinite(x) for x in numbers):
            raise InputError(f"{where}: expected an epoch and six finite numbers, got {line!r}")
        try:
            self.instants.append(Epoch(words[0]))
        except InputError as problem:
            raise InputError(f"{where}: {problem}") from None
        self.rows.append(numbers[:6])

    def _close(self, where: str) -> None:
        meta, rows, instants = self.meta, np.array(self.rows).reshape(-1, 6) * 1e3, self.instants
        self.meta, self.rows, self.instants = None, [], []
        if meta is None:
            return
        if len(instants) < 2:
            raise InputError(f"{where}: the segment of {meta.get('OBJECT_NAME', '?')!r} has fewer than two states")
        t = np.array([e.seconds_since(instants[0]) for e in instants])
        p, v = np.ascontiguousarray(rows[:, :3]), np.ascontiguousarray(rows[:, 3:])
        self.segments.append(
            Ephemeris(
                meta["OBJECT_NAME"], instants[0], t, p, v, meta["OBJECT_ID"], meta["CENTER_NAME"], meta["REF_FRAME"]
            )
        )
