"""What `--rsi` says."""

from __future__ import annotations

from pathlib import Path

import pytest

from freefloat.errors import InputError
from freefloat.facility.kinematics import Kinematics
from freefloat.serve.rsi import opened_controllers, opened_rsi

EXAMPLE = Path(__file__).parents[3] / "examples" / "rsi"
ARM, RAIL, CONTEXT = (
    EXAMPLE / name for name in ("RSI_EthernetConfig.xml", "RSI_EthernetConfig_rail.xml", "corrections.rsi.xml")
)


def test_robots_have_their_files_context_way_and_address() -> None:
    mode = opened_rsi([f"robot2={ARM},{CONTEXT},relative,127.0.0.1:5000", f"robot1={RAIL}"], Kinematics())
    one, two = mode.ports
    assert (one.number, two.number) == (1, 2)
    assert (one.robot.external, two.robot.external) == (1, 0)
    assert one.robot.config.port == 49153
    assert (two.robot.config.host, two.robot.config.port) == ("127.0.0.1", 5000)
    assert two.robot.context.correctors[0].upper[0] == 200.0
    assert [port.robot.corrections.relative for port in mode.ports] == [False, True]
    assert [port.robot.state for port in mode.ports] == ["off", "off"]
    assert opened_rsi([], Kinematics()).ports == ()


@pytest.mark.parametrize(
    ("texts", "told"),
    [
        (["robot3=x.xml"], "--rsi: 'robot3=x.xml'; allowed: robot1=FILE or robot2=FILE"),
        (["robot1"], "allowed: robot1=FILE"),
        (["robot1="], "allowed: robot1=FILE"),
        (["robot1=none.xml"], "--rsi: none.xml: cannot be read: No such file"),
        ([f"robot2={ARM},none.rsi.xml"], "--rsi: none.rsi.xml: cannot be read"),
        ([f"robot2={ARM},127.0.0.1:0"], "127.0.0.1:0: cannot be read"),
        ([f"robot2={RAIL}"], "TAG 'DEF_EIPos'|TAG 'EIPos' on a robot without external axes"),
        ([f"robot2={ARM}", f"robot2={ARM}"], "robot2 again; allowed: once"),
        ([f"robot1={CONTEXT}"], "root element 'RSIObjects'; allowed: ROOT"),
    ],
)
def test_what_is_wrong_is_one_message(texts: list[str], told: str) -> None:
    with pytest.raises(InputError, match=told):
        opened_rsi(texts, Kinematics())


def test_what_has_no_effect_is_noted(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "c.xml"
    file.write_text(ARM.read_text().replace("<SENTYPE>", "<EXTRA>1</EXTRA><SENTYPE>"))
    opened_rsi([f"robot1={file}"], Kinematics())
    assert "EXTRA has no effect" in capsys.readouterr().err


def test_controllers_send_to_the_ports_of_their_files() -> None:
    texts = [f"robot{n}={EXAMPLE / f'controller{n}.xml'},127.0.0.1:{5987 + n}" for n in (2, 1)]
    found = opened_controllers(texts)
    assert [one.number for one in found.controllers] == [1, 2]
    for one in found.controllers:
        one.link.close()  # pyright: ignore[reportAttributeAccessIssue]
    assert opened_controllers([]).controllers == ()


@pytest.mark.parametrize(
    ("texts", "told"),
    [
        ([f"robot1={EXAMPLE / 'controller1.xml'},relative"], "'relative'; allowed: robot1=FILE"),
        ([f"robot2={ARM},127.0.0.1:5989"], r"robot controllers \[2\]; allowed: both, or none"),
        ([f"robot1={ARM},127.0.0.1:5989"], "EIPos.E1 is missing for the controller of robot 1"),
        ([f"robot1={EXAMPLE / 'controller1.xml'},192.0.2.1:5989"], "192.0.2.1:5989 cannot be used"),
    ],
)
def test_controllers_that_cannot_be_are_refused(texts: list[str], told: str) -> None:
    with pytest.raises(InputError, match=f"--controller: .*{told}"):
        opened_controllers(texts)
