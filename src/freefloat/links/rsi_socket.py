"""The socket of a robot controller that speaks RSI: it sends from a port of its own and hears what comes back there."""

from __future__ import annotations

import socket

from freefloat.errors import InputError
from freefloat.links.rsi_config import RsiConfig
from freefloat.links.rsi_telegram import LARGEST

MOST = 64  # answers taken in a cycle: what a flood brings beyond waits, and then falls out of the socket's buffer


class RsiSocket:
    """UDP between a robot and its sensor system; never waits, unless asked to."""

    def __init__(self, config: RsiConfig) -> None:
        self.peer = (config.host, config.port)
        self.unsent = 0  # telegrams that the network refused
        self.foreign = 0  # datagrams from elsewhere than the sensor system's host
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._socket.setblocking(False)
        try:
            self._socket.bind(("127.0.0.1" if config.host.startswith("127.") else "", 0))
        except OSError as error:
            raise InputError(f"{config.path}: no socket for RSI: {error.strerror}; allowed: a free UDP port") from None

    @property
    def port(self) -> int:
        """Its own."""
        return int(self._socket.getsockname()[1])

    def fileno(self) -> int:
        """For selectors."""
        return self._socket.fileno()

    def send(self, telegram: bytes | None) -> None:
        """To the sensor system."""
        if telegram is None:
            return
        try:
            self._socket.sendto(telegram, self.peer)
        except OSError:  # no route, or a full buffer: the sensor system will miss it, as it may any datagram
            self.unsent += 1

    def drain(self) -> list[bytes]:
        """What has come."""
        found: list[bytes] = []
        for _ in range(MOST):
            try:
                data, (host, _port) = self._socket.recvfrom(LARGEST)
            except BlockingIOError:
                break
            except OSError:  # an answer to an earlier datagram of ours that nobody took
                continue
            if host == self.peer[0]:
                found.append(data)
            else:
                self.foreign += 1
        return found

    def close(self) -> None:
        """Give the port back."""
        self._socket.close()
