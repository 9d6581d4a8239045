"""Sensor systems correct both robots and the rail of a served facility over UDP."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from freefloat.cli import main
from freefloat.engine.log.reader import LogData, read_log
from freefloat.links.rsi_config import read_rsi_config
from freefloat.links.rsi_sensor import FromRobot, RsiSensorLink

EXAMPLE = Path(__file__).parents[2] / "examples" / "rsi"
CYCLES = 500
RUNNING = 5.0
GARBAGE = (
    b"",
    b"garbage",
    b"<Sen>",
    b'<Sen Type="ImFree"><IPOC>1</IPOC></Sen>',
    b'<Sen Type="Other"><IPOC>4</IPOC></Sen>',
)


def swing(amount: float, n: int) -> float:
    """A smooth correction of the n-th telegram since Confirm."""
    return amount * (1.0 - np.cos(2.0 * np.pi * 0.004 * n / 4.0))


@pytest.fixture(scope="module")
def corrected(served_facility: Callable[..., Any]) -> Iterator[tuple[LogData, list[FromRobot], list[FromRobot]]]:
    """A run in lockstep: the rail and A6 of robot 1, and the tool of robot 2, with garbage in every cycle."""
    configs = [read_rsi_config(EXAMPLE / f"RSI_EthernetConfig{end}.xml") for end in ("_rail", "")]
    links = [RsiSensorLink(config, port=0) for config in configs]
    files = [
        f"robot{n}={config.path},127.0.0.1:{link.port}"
        for n, (config, link) in enumerate(zip(configs, links, strict=True), 1)
    ]
    files[1] += f",{EXAMPLE / 'corrections.rsi.xml'}"
    rsi = [text for file in files for text in ("--rsi", file)]
    server = served_facility("--pace", "lockstep", "--set", "operator=rsi", "--set", "facility.confirm=0.2 s", *rsi)
    told: tuple[list[FromRobot], list[FromRobot]] = ([], [])
    for n in range(CYCLES + 60):
        after = max(0, n - 55)  # Confirm has been by then
        for link, heard, values in zip(
            links,
            told,
            ({"EKorr.E1": swing(30.0, after), "AKorr.A6": swing(4.0, after)}, {"RKorr.Y": swing(20.0, after)}),
            strict=True,
        ):
            telegram = link.receive(20.0)
            assert telegram is not None
            heard.append(telegram)
            for data in GARBAGE:
                link.send(data)
            link.answer(telegram, values)
    server.process.send_signal(signal.SIGTERM)
    assert server.process.wait() == 0
    yield read_log(server.out / "log.mcap"), *told
    for link in links:
        link.close()


def test_corrections_act_after_confirm_and_are_executed_as_they_are(
    corrected: tuple[LogData, list[FromRobot], list[FromRobot]],
) -> None:
    frame = corrected[0].frames["fmc"]
    running = frame["fmc.state"].to_numpy() == RUNNING
    rail, axes = frame["rail.cmd"].to_numpy(), frame["rob1.cmd.axes"].to_numpy()
    first = int(np.argmax(running))
    assert first >= 50
    assert np.ptp(rail[: first + 1]) == 0.0
    assert running[first : first + CYCLES].all()
    begun = int(np.flatnonzero(rail - rail[0])[0])  # the first correction that is none of zero
    told = slice(begun, begun + CYCLES)  # later nobody answers, and the robots go on for some cycles
    ought = np.array([swing(1.0, n) for n in range(1, CYCLES + 1)])
    assert rail[told] - rail[0] == pytest.approx(0.03 * ought, abs=1e-6)
    assert axes[told, 5] - axes[0, 5] == pytest.approx(np.radians(4.0) * ought, abs=1e-6)
    moved = frame["cmd.glc"].to_numpy()[told, 7:10]  # of the tool of robot 2, whose base is unturned
    assert moved[:, 1] - frame["cmd.glc"].to_numpy()[0, 8] == pytest.approx(0.02 * ought, abs=1e-6)
    assert np.ptp(moved[:, [0, 2]], axis=0) == pytest.approx((0.0, 0.0), abs=1e-6)


def test_telegrams_show_programmed_and_actual_axes_and_count_garbage(
    corrected: tuple[LogData, list[FromRobot], list[FromRobot]],
) -> None:
    _, one, two = corrected
    assert [int(b.ipoc) - int(a.ipoc) for a, b in pairwise(one)] == [4] * (len(one) - 1)
    assert np.ptp([told.group("ESPos")[0] for told in one]) == 0.0
    assert np.ptp([told.group("EIPos")[0] for told in one]) == pytest.approx(60.0, abs=0.1)
    assert np.ptp([told.group("RSol")[1] for told in two]) == 0.0
    assert np.ptp([told.group("RIst")[1] for told in two]) == pytest.approx(40.0, abs=0.1)
    assert max(told.group("Applied")[1] for told in two) == pytest.approx(40.0, abs=1e-3)
    for heard in (one, two):
        assert [told.values["Delay.D"] for told in heard] == [len(GARBAGE) * n for n in range(len(heard))]


def test_bad_files_of_robots_are_refused_before_anything_runs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bad = tmp_path / "bad.xml"
    bad.write_text("<ROOT>\n<CONFIG>\n</ROOT>")
    options = ["--sync-port", "0", "--control-port", "0", "--out", str(tmp_path / "run")]
    with pytest.raises(SystemExit, match="2"):
        main(["facility", "serve", *options, "--rsi", f"robot1={bad}"])
    assert (
        capsys.readouterr()
        .err.strip()
        .endswith(f"--rsi: {bad}:3: mismatched tag at '</ROOT>'; allowed: well-formed XML")
    )
    assert not (tmp_path / "run").exists()
