"""The sensor system's side of RSI: reads what a robot tells and answers with corrections."""

from __future__ import annotations

import socket
from collections.abc import Mapping
from dataclasses import dataclass

from freefloat.errors import InputError, unknown_name
from freefloat.links.rsi_config import RsiConfig
from freefloat.links.rsi_telegram import (
    KUKA,
    LARGEST,
    ROBOT,
    SENSOR,
    Fields,
    Format,
    TelegramError,
    Value,
    escaped,
    read_telegram,
)

DECIMALS = 9  # [-] of numbers that are sent
MOST = 64  # telegrams that `newest` passes over in one go


@dataclass(frozen=True)
class FromRobot:
    """A robot's telegram: values by "AIPos.A1" and the like, as its file has them; `ipoc` goes back unchanged."""

    values: Mapping[str, Value]
    ipoc: str

    def group(self, name: str) -> list[float]:
        """All numbers of an element, in the telegram's order: group("AIPos") is A1 to A6 [deg]."""
        return [float(v) for key, v in self.values.items() if key.partition(".")[0] == name]


class RsiSensor:
    """Reads and writes the telegrams of a file. No clock and no sockets."""

    def __init__(self, config: RsiConfig, decimals: int = DECIMALS) -> None:
        self.config = config
        self._fields = Fields(config.send)
        self._format = Format(SENSOR, config.sentype, config.receive, decimals)
        self._zero: dict[str, Value] = {key: "" if key in self._format.strings else 0.0 for key in self._format.keys}

    def read(self, data: bytes) -> FromRobot:
        """A robot's telegram. Raises `TelegramError`."""
        telegram = read_telegram(data)
        if telegram.root != ROBOT or telegram.type != KUKA:
            raise TelegramError(f"telegram: {telegram.root} of Type {telegram.type[:40]!r}; allowed: {ROBOT}, {KUKA}")
        return FromRobot(self._fields.read(telegram.texts), telegram.ipoc)

    def answer(self, told: FromRobot, values: Mapping[str, Value] | None = None) -> bytes:
        """The answer to a telegram: values by "RKorr.X" and the like, zero where none is given."""
        given = self._zero
        if values:
            for key, value in values.items():
                if key not in self._zero:
                    raise unknown_name(f"element of {self.config.path.name}", key, self._zero)
                text = key in self._format.strings
                if text != isinstance(value, str):
                    raise InputError(f"{key} {value!r}; allowed: {'a text' if text else 'a number'}")
            written = {key: escaped(v) if isinstance(v, str) else v for key, v in values.items()}
            given = {**self._zero, **written}
        return self._format.write([given[key] for key in self._format.keys], told.ipoc)


class RsiSensorLink:
    """A sensor system at the PORT of its file, on a host's address; answers go to where the last telegram came from."""

    def __init__(
        self, config: RsiConfig, host: str | None = None, port: int | None = None, decimals: int = DECIMALS
    ) -> None:
        self.sensor, self.robot, self.refused = RsiSensor(config, decimals), ("", 0), 0
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        place = (config.host if host is None else host, config.port if port is None else port)
        try:
            self._socket.bind(place)
        except OSError as error:
            self._socket.close()
            told = f"{config.path}: {place[0]}:{place[1]} cannot be used: {error.strerror}"
            raise InputError(f"{told}; allowed: a free UDP port of this computer") from None

    @property
    def port(self) -> int:
        """At which robots find it."""
        return int(self._socket.getsockname()[1])

    def receive(self, timeout: float | None = None) -> FromRobot | None:
        """The next telegram; None after a time [s] without one. What is none is counted in `refused`."""
        self._socket.settimeout(timeout)
        while True:
            try:
                data, self.robot = self._socket.recvfrom(LARGEST)
                return self.sensor.read(data)
            except (TimeoutError, BlockingIOError):
                return None
            except TelegramError:
                self.refused += 1

    def newest(self) -> FromRobot | None:
        """The last of the telegrams that have come, without waiting."""
        newest = None
        for _ in range(MOST):
            found = self.receive(0.0)
            if found is None:
                break
            newest = found
        return newest

    def fileno(self) -> int:
        """For selectors."""
        return self._socket.fileno()

    def answer(self, told: FromRobot, values: Mapping[str, Value] | None = None) -> None:
        """Send the answer to a telegram."""
        self.send(self.sensor.answer(told, values))

    def send(self, data: bytes) -> None:
        """Send anything to the robot."""
        self._socket.sendto(data, self.robot)

    def close(self) -> None:
        """Give the port back."""
        self._socket.close()
