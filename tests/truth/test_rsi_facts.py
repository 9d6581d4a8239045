"""KUKA RSI over Ethernet, fact by fact, at a UDP socket: the sensor system here is written with the library alone.

Facts of the public kuka_experimental files and issues 71 and 119 (docs/reference/facility-rsi.md).
"""

from __future__ import annotations

import re
import socket
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from freefloat.errors import InputError
from freefloat.links.rsi_config import read_rsi_config
from freefloat.links.rsi_context import named_context, read_rsi_context
from freefloat.links.rsi_robot import RobotState, RsiRobot
from freefloat.links.rsi_socket import RsiSocket

SENDS = "RIst RSol AIPos ASPos Delay"
CORRECTED = [*(f"RKorr.{name}" for name in "XYZABC"), *(f"AKorr.A{n}" for n in range(1, 7))]


class Gantry:
    """Axes that are the pose, doubled in x, so that poses and axes cannot be taken for each other."""

    def pose(self, axes: Sequence[float]) -> list[float]:
        return [2.0 * axes[0], *axes[1:]]

    def corrected(self, axes: Sequence[float], correction: Sequence[float], near: Sequence[float]) -> list[float]:
        moved = [axes[0] + correction[0] / 2.0, *(q + d for q, d in zip(axes[1:], correction[1:], strict=True))]
        if abs(moved[1]) > 1000.0:
            raise InputError("out of reach")
        return moved


class Cell:
    """A robot at its socket, and a sensor system's socket; robots go where they are told within the cycle."""

    def __init__(self, folder: Path, **options: object) -> None:
        self.server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.server.bind(("127.0.0.1", 0))
        self.server.settimeout(5.0)
        hold = options.pop("hold", "1")
        only = options.pop("only", "FALSE")
        limits = options.pop("context", "")
        sends, receives = str(options.pop("sends", SENDS)), options.pop("receives", CORRECTED)
        send = "".join(
            f'<ELEMENT TAG="DEF_{name}" TYPE="{"LONG" if name == "Delay" else "DOUBLE"}" INDX="INTERNAL"/>'
            for name in sends.split()
        )
        receive = "".join(
            f'<ELEMENT TAG="{tag}" TYPE="DOUBLE" INDX="{n}" HOLDON="{hold}"/>'
            for n, tag in enumerate(receives, 1)  # pyright: ignore[reportArgumentType]
        )
        file = folder / "RSI_EthernetConfig.xml"
        file.write_text(
            f"<ROOT><CONFIG><IP_NUMBER>127.0.0.1</IP_NUMBER><PORT>{self.server.getsockname()[1]}</PORT>"
            f"<SENTYPE>ImFree</SENTYPE><ONLYSEND>{only}</ONLYSEND></CONFIG><SEND><ELEMENTS>{send}</ELEMENTS></SEND>"
            f"<RECEIVE><ELEMENTS>{receive}</ELEMENTS></RECEIVE></ROOT>"
        )
        config = read_rsi_config(file)
        objects = folder / "limits.rsi.xml"
        objects.write_text(f"<RSIObjects>{limits}</RSIObjects>")
        context = read_rsi_context(objects, config) if limits else named_context(config)
        self.robot = RsiRobot(config, context, Gantry(), **options)  # pyright: ignore[reportArgumentType]
        self.robot.switch_on((1.0, 2.0, 3.0, 4.0, 5.0, 6.0), (7000.0,) if options.get("external") else ())
        self.socket = RsiSocket(config)
        self.source = ("", 0)

    def cycle(self) -> str:
        """A cycle of the robot; its telegram, as it comes out of the sensor system's socket."""
        self.robot.take(self.socket.drain())
        external = self.robot.external_axes[: self.robot.external]
        self.socket.send(self.robot.telegram(RobotState(self.robot.axes, external)))
        if self.robot.state == "off":
            return ""
        data, self.source = self.server.recvfrom(65507)
        return data.decode()

    def cycles(self, count: int) -> str:
        """Cycles without an answer; the last telegram."""
        return [self.cycle() for _ in range(count)][-1]

    def say(self, text: str) -> None:
        self.server.sendto(text.encode(), self.source)

    def answer(self, telegram: str, body: str = "", ipoc: int | None = None, kind: str = "ImFree") -> str:
        """Send an answer, let a cycle pass; its telegram."""
        echo = ipoc_of(telegram) if ipoc is None else ipoc
        self.say(f'<Sen Type="{kind}">{body}<IPOC>{echo}</IPOC></Sen>')
        return self.cycle()

    def close(self) -> None:
        self.server.close()
        self.socket.close()


def ipoc_of(telegram: str) -> int:
    return int(re.findall("<IPOC>(.*)</IPOC>", telegram)[0])


def told(telegram: str, name: str) -> list[float]:
    """The attributes of an element, in their order."""
    found = re.findall(f"<{name} ([^/]*)/>", telegram)
    assert len(found) == 1
    return [float(value) for value in re.findall('"([^"]*)"', found[0])]


@pytest.fixture
def cell(tmp_path: Path) -> Iterator[type]:
    made: list[Cell] = []

    class Made(Cell):
        def __init__(self, **options: object) -> None:
            super().__init__(tmp_path, **options)
            made.append(self)

    yield Made
    for one in made:
        one.close()


def ethernet(name: str, value: int) -> str:
    """A context of nothing but its ETHERNET object, with one parameter."""
    parameter = f'<Parameters><Parameter Name="{name}" ParamValue="{value}"/></Parameters>'
    return f'<RSIObject ObjType="ETHERNET" ObjID="E">{parameter}</RSIObject>'


def test_the_robot_sends_every_cycle_from_a_port_of_its_own_whatever_comes_back(cell: type) -> None:
    c = cell()
    telegrams = [c.cycle() for _ in range(5)]
    c.say("garbage")
    telegrams += [c.cycle() for _ in range(5)]
    assert [ipoc_of(t) - ipoc_of(telegrams[0]) for t in telegrams] == [4 * n for n in range(10)]
    assert c.source == ("127.0.0.1", c.socket.port)
    assert c.socket.port != c.server.getsockname()[1]


def test_a_slow_cycle_advances_ipoc_by_12_ms(cell: type) -> None:
    c = cell(cycle_ms=12, ipoc=4_207_500)
    assert [ipoc_of(c.cycle()) for _ in range(3)] == [4_207_500, 4_207_512, 4_207_524]


def test_a_telegram_has_the_files_elements_in_its_order_and_ipoc_last(cell: type) -> None:
    telegram = cell(sends="Delay ASPos RIst").cycle()
    assert re.findall(r"<(\w+)", telegram) == ["Rob", "Delay", "ASPos", "RIst", "IPOC"]
    assert telegram.startswith('<Rob Type="KUKA"><Delay D="0" /><ASPos A1="1.0000" A2="2.0000"')
    assert re.findall(r'(\w+)="', re.findall("<RIst [^/]*/>", telegram)[0]) == list("XYZABC")
    assert telegram.endswith("</IPOC></Rob>")


def test_all_internal_names_are_sent(cell: type) -> None:
    names = "RIst RSol AIPos ASPos EIPos ESPos MACur MECur Delay Tech.C1 Tech.C6"
    telegram = cell(sends=names, external=1).cycle()
    assert re.findall(r"<(\w+) ", telegram)[1:] == [*names.split()[:-2], "Tech"]
    assert told(telegram, "EIPos") == [7000.0, 0.0, 0.0, 0.0, 0.0, 0.0]
    generators = re.findall("<Tech [^/]*/>", telegram)[0]
    assert re.findall(r'(\w+)="', generators) == [f"C{n}{m}" for n in (1, 6) for m in range(1, 11)]


def test_precision_is_the_number_of_decimals(cell: type) -> None:
    assert 'A1="1.00"' in cell(context=ethernet("Precision", 2)).cycle()


def test_an_answer_echoes_ipoc_before_the_next_cycle(cell: type) -> None:
    c = cell()
    telegram = c.answer(c.cycle(), '<AKorr A1="0.5" />')
    assert told(telegram, "AIPos")[0] == 1.5
    assert told(telegram, "Delay") == [0.0]


def test_a_late_answer_is_refused_and_counted_once(cell: type) -> None:
    c = cell()
    second = c.answer(c.cycle())
    third = c.cycle()  # the second telegram has had no answer in time
    assert told(third, "Delay") == [1.0]
    c.say(f'<Sen Type="ImFree"><AKorr A1="9" /><IPOC>{ipoc_of(second)}</IPOC></Sen>')
    fourth = c.answer(third)
    assert told(fourth, "Delay") == [1.0]
    assert told(fourth, "AIPos")[0] == 1.0
    assert c.robot.counters.late == 1


@pytest.mark.parametrize(
    ("text", "counter"),
    [
        ('<Sen Type="ImFree"><AKorr A1="9" /><IPOC>{wrong}</IPOC></Sen>', "wrong_ipoc"),
        ('<Sen Type="ImFree"><AKorr A1="9" /><IPOC>0{right}</IPOC></Sen>', "wrong_ipoc"),
        ('<Sen Type="Other"><AKorr A1="9" /><IPOC>{right}</IPOC></Sen>', "wrong_type"),
        ('<Rob Type="ImFree"><AKorr A1="9" /><IPOC>{right}</IPOC></Rob>', "wrong_type"),
        ('<Sen Type="ImFree"><AKorr A1="9"><IPOC>{right}</IPOC></Sen>', "malformed"),
        ('<Sen Type="ImFree"><AKorr A1="nan" /><IPOC>{right}</IPOC></Sen>', "malformed"),
        ('<Sen Type="ImFree"><AKorr A1="" /><IPOC>{right}</IPOC></Sen>', "malformed"),
        ("", "malformed"),
    ],
)
def test_wrong_answers_are_refused_and_counted_in_delay(cell: type, text: str, counter: str) -> None:
    c = cell()
    telegram = c.answer(c.cycle(), '<AKorr A1="0.25" />')
    c.say(text.format(right=ipoc_of(telegram), wrong=ipoc_of(telegram) + 4000))
    telegram = c.cycle()
    assert told(telegram, "Delay") == [1.0]
    assert getattr(c.robot.counters, counter) == 1
    assert told(telegram, "AIPos")[0] == 1.25  # the last value stays
    telegram = c.answer(telegram, '<AKorr A1="0.5" />')
    assert told(telegram, "Delay") == [1.0]
    assert told(telegram, "AIPos")[0] == 1.5


def test_holdon_1_repeats_the_last_value_and_relative_goes_on_adding(cell: type) -> None:
    c = cell(relative=True)
    c.answer(c.cycle(), '<AKorr A1="0.5" A2="-1"/>')
    telegram = c.cycles(3)
    assert told(telegram, "AIPos")[:2] == [3.0, -2.0]
    d = cell(relative=False)
    d.answer(d.cycle(), '<AKorr A1="0.5" A2="-1"/>')
    assert told(d.cycles(3), "AIPos")[:2] == [1.5, 1.0]


def test_holdon_0_resets_to_zero(cell: type) -> None:
    c = cell(relative=True, hold="0")
    c.answer(c.cycle(), '<AKorr A1="0.5" />')
    assert told(c.cycles(3), "AIPos")[0] == 1.5
    d = cell(relative=False, hold="0")
    d.answer(d.cycle(), '<AKorr A1="0.5" />')
    assert told(d.cycle(), "AIPos")[0] == 1.0


def test_more_than_timeout_cycles_without_a_valid_answer_end_rsi(cell: type) -> None:
    c = cell()
    c.answer(c.cycle(), '<AKorr A1="0.5" />')
    telegram = c.cycles(100)
    assert c.robot.state == "running"
    assert told(telegram, "Delay") == [100.0]
    telegram = c.answer(telegram)  # in time: the count of cycles in a row begins again
    telegram = c.cycles(100)
    c.say("garbage")  # not a valid one
    assert c.cycle() == ""
    assert c.robot.state == "off"
    assert c.robot.reason == "101 cycles in a row without a valid answer; allowed: 100 (Timeout)"
    assert c.robot.axes[0] == 1.5
    c.answer(telegram, '<AKorr A1="5" />')
    assert c.robot.axes[0] == 1.5


def test_timeout_is_the_contexts(cell: type) -> None:
    c = cell(context=ethernet("Timeout", 3))
    c.answer(c.cycle())
    c.cycles(3)
    assert c.robot.state == "running"
    assert c.cycle() == ""


def test_silence_before_the_first_answer_is_waiting(cell: type) -> None:
    c = cell()
    telegram = c.cycles(500)
    assert c.robot.state == "waiting"
    assert told(telegram, "Delay") == [0.0]
    telegram = c.answer(telegram, '<AKorr A1="0.5" />')
    assert c.robot.state == "running"
    assert told(telegram, "AIPos")[0] == 1.5


def test_with_onlysend_no_answer_is_expected(cell: type) -> None:
    c = cell(only="TRUE")
    telegram = c.cycles(300)
    telegram = c.answer(telegram, '<AKorr A1="0.5" />')
    assert c.robot.state == "running"
    assert told(telegram, "AIPos")[0] == 1.0
    assert told(telegram, "Delay") == [0.0]
    assert c.robot.counters.unexpected == 1


def test_relative_corrections_add_up_and_absolute_ones_are_offsets_from_the_start(cell: type) -> None:
    for relative, ends in ((True, [2.5, 4.0]), (False, [1.5, 4.0])):
        c = cell(relative=relative)
        telegram = c.cycle()
        for _ in range(3):
            telegram = c.answer(telegram, '<AKorr A1="0.5" />')
        assert told(telegram, "AIPos")[0] == ends[0]
        assert told(c.answer(telegram, '<AKorr A1="1.5" />' if relative else '<AKorr A1="3" />'), "AIPos")[0] == ends[1]


def objects(cap: float, ceiling: float) -> str:
    def one(kind: str, parameters: dict[str, float], first: int = 0) -> str:
        wires = "".join(f'<Input InIdx="{n}" OutObjID="E" OutIdx="{first + n}"/>' for n in range(1, 7) if first + 1)
        own = "".join(f'<Parameter Name="{k}" ParamValue="{v}"/>' for k, v in parameters.items())
        inputs = f"<Inputs>{wires}</Inputs>" if first >= 0 else ""
        return f'<RSIObject ObjType="{kind}" ObjID="{kind}1">{inputs}<Parameters>{own}</Parameters></RSIObject>'

    pose, axes = "XYZ", [f"A{n}" for n in range(1, 7)]
    return "".join(
        [
            '<RSIObject ObjType="ETHERNET" ObjID="E"/>',
            one("POSCORR", {f"{s}{x}": v for x in pose for s, v in (("LowerLim", -cap), ("UpperLim", cap))}),
            one("AXISCORR", {f"{s}{x}": v for x in axes for s, v in (("LowerLim", -cap), ("UpperLim", cap))}, 6),
            one("POSCORRMON", {"MaxTrans": ceiling, "MaxRotAngle": ceiling}, -1),
            one("AXISCORRMON", {f"Max{x}": ceiling for x in axes}, -1),
        ]
    )


def test_limits_of_poscorr_and_axiscorr_cap_the_total_silently(cell: type) -> None:
    c = cell(relative=True, context=objects(cap=3.0, ceiling=50.0))
    telegram = c.cycle()
    for _ in range(10):
        telegram = c.answer(telegram, '<RKorr Y="-1" /><AKorr A3="1" />')
    assert told(telegram, "AIPos")[1:3] == [-1.0, 6.0]
    assert told(telegram, "Delay") == [0.0]
    assert c.robot.state == "running"


def test_limits_of_axiscorrext_cap_external_axes(cell: type) -> None:
    rail = (
        '<RSIObject ObjType="ETHERNET" ObjID="E"/><RSIObject ObjType="AXISCORREXT" ObjID="R"><Inputs>'
        '<Input InIdx="7" OutObjID="E" OutIdx="1"/></Inputs><Parameters><Parameter Name="UpperLimE1" ParamValue="120"/>'
        "</Parameters></RSIObject>"
    )
    c = cell(context=rail, external=1, receives=["EKorr.E1"], sends="EIPos ESPos")
    assert told(c.answer(c.cycle(), '<EKorr E1="500" />'), "EIPos")[0] == 7120.0
    telegram = c.answer(c.cycle(), '<EKorr E1="100" />')
    assert told(telegram, "EIPos")[0] == 7100.0
    assert told(telegram, "ESPos")[0] == 7000.0


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ('<AKorr A2="2.5" />', "AXISCORRMON1: overall correction A2 2.5 deg; allowed: 2 deg"),
        ('<RKorr X="2" Z="1"/>', "POSCORRMON1: overall correction of the tool 2.23607 mm; allowed: 2 mm"),
        ('<RKorr B="3"/>', "POSCORRMON1: overall correction of the tool 3 deg; allowed: 2 deg"),
    ],
)
def test_monitors_stop(cell: type, body: str, said: str) -> None:
    c = cell(context=objects(cap=9.0, ceiling=2.0))
    telegram = c.answer(c.cycle(), '<AKorr A2="1" />')
    assert c.answer(telegram, body) == ""
    assert (c.robot.state, c.robot.reason) == ("off", said)
    assert c.robot.axes[1] == 3.0  # where it was


def test_aspos_and_rsol_keep_the_programmed_value_while_aipos_and_rist_move(cell: type) -> None:
    c = cell()
    first = c.cycle()
    telegram = c.answer(first, '<AKorr A1="0.5" A6="-2" /><RKorr Y="4" />')
    for name in ("ASPos", "RSol"):
        assert told(telegram, name) == told(first, name)
    assert told(telegram, "AIPos") == [1.5, 6.0, 3.0, 4.0, 5.0, 4.0]
    assert told(telegram, "RIst") == [3.0, 6.0, 3.0, 4.0, 5.0, 4.0]


def test_rkorr_acts_before_akorr(cell: type) -> None:
    """The reach of Y is that of poses: axes turned before would leave it."""
    c = cell()
    telegram = c.answer(c.cycle(), '<RKorr X="10" /><AKorr A1="1" />')
    assert told(telegram, "AIPos")[0] == 1.0 + 5.0 + 1.0
    telegram = c.answer(telegram, '<RKorr Y="990" /><AKorr A2="500" />')  # beyond reach only if axes came first
    assert told(telegram, "AIPos")[1] == 2.0 + 990.0 + 500.0
    assert c.answer(telegram, '<RKorr Y="1000" />') == ""
    assert c.robot.reason == "out of reach"


def test_external_axes_on_a_robot_without_are_refused_at_the_start(cell: type) -> None:
    for options in ({"sends": "EIPos"}, {"receives": ["EKorr.E1"]}, {"receives": ["AK.E1"]}):
        with pytest.raises(InputError, match="on a robot without external axes"):
            cell(**options)


def test_attributes_and_elements_come_in_any_order(cell: type) -> None:
    c = cell()
    ipoc = ipoc_of(c.cycle())
    c.say(f'<Sen Type="ImFree"><IPOC>{ipoc}</IPOC><AKorr A6="1" A2="3"/><RKorr C="0" Y="2"/></Sen>')
    assert told(c.cycle(), "AIPos") == [1.0, 7.0, 3.0, 4.0, 5.0, 7.0]


def test_the_last_of_several_answers_in_a_cycle_acts(cell: type) -> None:
    c = cell(relative=True)
    telegram = c.cycle()
    c.say(f'<Sen Type="ImFree"><AKorr A1="1"/><IPOC>{ipoc_of(telegram)}</IPOC></Sen>')
    telegram = c.answer(telegram, '<AKorr A1="2"/>')
    assert told(telegram, "AIPos")[0] == 3.0
    assert told(telegram, "Delay") == [0.0]
    assert c.robot.counters.valid == 2


def test_answers_of_another_host_are_not_heard(cell: type) -> None:
    c = cell()
    telegram = c.cycle()
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as other:
        other.bind(("127.0.0.2", 0))
        other.sendto(
            f'<Sen Type="ImFree"><IPOC>{ipoc_of(telegram)}</IPOC></Sen>'.encode(), ("127.0.0.1", c.socket.port)
        )
    c.cycle()
    assert c.robot.state == "waiting"
    assert c.socket.foreign == 1


def test_rsi_begins_anew_where_it_is_switched_on_again(cell: type) -> None:
    c = cell(relative=True)
    telegram = c.answer(c.cycle(), '<AKorr A1="0.5" />')
    c.robot.switch_off("operator")
    assert c.cycle() == ""
    c.robot.switch_on(c.robot.axes)
    again = c.cycle()
    assert ipoc_of(again) == ipoc_of(telegram) + 4
    assert told(again, "ASPos")[0] == 1.5
    assert told(c.answer(again, '<AKorr A1="0.25" />'), "AIPos")[0] == 1.75
