"""A client of the docking facility's sync link in the standard library alone: 194 bytes each way, every 4 ms.

It starts a facility of its own in lockstep, whose operator switches on, starts and confirms by himself. Written from
docs/reference/facility-sync-link.md; nothing of Freefloat is imported.
"""

import argparse
import json
import socket
import struct
import subprocess
import sys
import tempfile

RECORD = struct.Struct("<4sIqh22d")  # mark, cycle, GPS time [ns], mode, values
GLC, ALIVE, MOVING = 2, 1 << 14, 1 << 15
CYCLE = 0.004  # [s]
AWAY, DURATION = 0.3, 4.0  # [m] that the servicer backs off and returns, [s]


def command(t: float) -> list[float]:
    """Both user tools in the lab [m, deg], t [s] since Confirm: robot 1 goes and comes, from rest to rest."""
    values = [0.0] * 22
    u = min(t / DURATION, 1.0)
    values[0:3] = 5.0 + AWAY * 64.0 * (u * (1.0 - u)) ** 3, 0.0, 0.1  # robot 1: x y z; its angles stay 0
    values[7:10] = 1.9, 0.0, 0.0  # robot 2
    values[21] = 1.5  # data lin
    return values


def greeted(link: socket.socket) -> bytes:
    """The first state: greet with cycle 0 until one comes; a datagram may be lost."""
    for _ in range(100):
        link.send(RECORD.pack(b"EPOS", 0, 0, GLC, *command(0.0)))
        try:
            return link.recv(1000)
        except TimeoutError:
            continue
    raise SystemExit("no facility answers")


def fly(port: int) -> list[tuple[float, float, float]]:
    """Hold the start until bit 14 is set, then command; time since Confirm [s], GPS time [s] and place told [m]."""
    told: list[tuple[float, float, float]] = []
    seen = set[str]()
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as link:
        link.connect(("127.0.0.1", port))
        link.settimeout(0.1)
        data, held = greeted(link), 0
        link.settimeout(5.0)
        while True:
            mark, cycle, gps, mode, *values = RECORD.unpack(data)
            assert (mark, mode & 0b1111) == (b"EPOS", GLC)
            phase = "executes" if mode & ALIVE else "moves to the start" if mode & MOVING else "waits"
            if phase not in seen:
                seen.add(phase)
                print(f"the facility {phase}")
            if not mode & ALIVE:
                held = cycle
            t = (cycle - held) * CYCLE
            if t > DURATION + 0.5:
                return told
            if mode & ALIVE:
                told.append((t, gps / 1e9, values[0]))
            link.send(RECORD.pack(b"EPOS", cycle, gps, GLC, *command(t)))
            data = link.recv(1000)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--plot", metavar="PATH", help="save a plot of the servicer's way")
    plot = parser.parse_args().plot

    options = ["--json", "--pace", "lockstep", "--sync-port", "0", "--control-port", "0", "--set", "operator=sync"]
    with tempfile.TemporaryDirectory() as folder:
        serve = [sys.executable, "-m", "freefloat", "facility", "serve", *options, "--out", folder]
        with subprocess.Popen(serve, stdout=subprocess.PIPE, text=True) as facility:
            try:
                told = fly(json.loads(facility.stdout.readline())["sync"])
            finally:
                facility.terminate()  # it stops the robots and closes its log
    late = 3 * CYCLE  # of the robots behind commands
    off = max(abs(x - command(t - CYCLE - late)[0]) for t, _, x in told if t > CYCLE + late)
    print(
        f"backed off by {max(x for _, _, x in told) - told[0][2]:.3f} m, {off:.0e} m off what was told {late} s before"
    )
    print(f"exit code of the facility: {facility.returncode}")
    if plot:
        import matplotlib.pyplot as plt

        plt.plot([t for t, _, _ in told], [x for _, _, x in told])
        plt.xlabel("time since Confirm [s]")
        plt.ylabel("servicer's user tool in G, x [m]")
        plt.savefig(plot)


if __name__ == "__main__":
    main()
