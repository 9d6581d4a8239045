"""`.rsi.xml` contexts: limits, monitors, wiring, and what is not emulated."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from freefloat.errors import InputError
from freefloat.links.rsi_config import RsiConfig, read_rsi_config
from freefloat.links.rsi_context import check_external, named_context, read_rsi_context

EXAMPLE = Path(__file__).parents[3] / "examples" / "rsi"
CONFIG = read_rsi_config(EXAMPLE / "RSI_EthernetConfig.xml")


def context(folder: Path, *objects: str, ethernet: str = "") -> Path:
    own = f'<RSIObject ObjType="ETHERNET" ObjTypeID="64" ObjID="ETHERNET1">{ethernet}</RSIObject>'
    path = folder / "some.rsi.xml"
    path.write_text("\n".join(["<RSIObjects>", own, *objects, "</RSIObjects>"]))
    return path


def thing(kind: str, *wires: tuple[int, str, int], **parameters: object) -> str:
    inputs = "".join(f'<Input InIdx="{i}" OutObjID="{o}" OutIdx="{n}"/>' for i, o, n in wires)
    told = "".join(f'<Parameter Name="{k}" ParamID="1" ParamValue="{v}"/>' for k, v in parameters.items())
    body = f"<Inputs>{inputs}</Inputs><Parameters>{told}</Parameters>"
    return f'<RSIObject ObjType="{kind}" ObjTypeID="0" ObjID="{kind}1">{body}</RSIObject>'


def test_the_example_is_read() -> None:
    found = read_rsi_context(EXAMPLE / "corrections.rsi.xml", CONFIG)
    pose, axes = found.correctors
    assert (pose.kind, pose.channels, pose.lower[0], pose.upper[2]) == ("POSCORR", (1, 2, 3, 4, 5, 6), -200.0, 200.0)
    assert (pose.rotation, pose.upper[3]) == (20.0, math.inf)
    assert (axes.kind, axes.channels, axes.lower, axes.upper) == (
        "AXISCORR",
        tuple(range(7, 13)),
        (-30.0,) * 6,
        (30.0,) * 6,
    )
    assert (found.monitors[0].translation, found.monitors[0].rotation) == (300.0, 25.0)
    assert found.monitors[1].axes == (40.0,) * 6 + (6.0,) * 6
    assert (found.timeout, found.precision, found.notes) == (100, 4, ())
    assert found.sources == ((1, "POSCORRMON.X"), (2, "POSCORRMON.Y"), (3, "POSCORRMON.Z"))


def test_missing_limits_are_the_controllers_defaults(tmp_path: Path) -> None:
    objects = thing("POSCORR", (1, "ETHERNET1", 1)), thing("AXISCORRMON"), thing("POSCORRMON"), thing("AXISCORR")
    found = read_rsi_context(context(tmp_path, *objects), CONFIG)
    assert found.correctors[0].lower[:3] == (-5.0,) * 3
    assert found.correctors[0].rotation == 5.0
    assert found.correctors[1].upper == (5.0,) * 6
    assert found.monitors[0].axes == (6.0,) * 12
    assert found.monitors[1].translation == 6.0
    assert found.timeout == 100


def test_external_axes_go_on_counting_after_the_robots_six(tmp_path: Path) -> None:
    rail = thing("AXISCORREXT", (7, "ETHERNET1", 1), LowerLimE1=-500, UpperLimE1=700)
    found = read_rsi_context(context(tmp_path, rail), CONFIG).correctors[0]
    assert (found.channels[0], found.lower[0], found.upper[0]) == (1, -500.0, 700.0)
    same = read_rsi_context(context(tmp_path, rail.replace('InIdx="7"', 'InIdx="1"')), CONFIG).correctors[0]
    assert same == found


def test_what_is_not_emulated_is_named(tmp_path: Path) -> None:
    ethernet = '<Inputs><Input InIdx="1" OutObjID="DIGIN1" OutIdx="1"/></Inputs>'
    path = context(tmp_path, thing("DIGIN"), thing("AXISCORR", (1, "ETHERNET1", 50)), ethernet=ethernet)
    notes = read_rsi_context(path, CONFIG).notes
    assert [note.rsplit(": ", 1)[-1] if "stays" in note else note.split(": ", 1)[1] for note in notes] == [
        "it stays zero",
        "DIGIN1 (DIGIN) feeds channel 1, which sends zero",
        "DIGIN1 (DIGIN) is not emulated",
        "no AXISCORRMON: a KR C4 ends RSI at 6 mm, 6 deg then, here nothing does",
    ]


@pytest.mark.parametrize(
    ("objects", "told"),
    [
        ((thing("IIRFILTER"), thing("AXISCORR", (2, "IIRFILTER1", 1))), r"input 2 of AXISCORR1 comes from IIRFILTER1"),
        ((thing("AXISCORR", (1, "NOBODY", 1)),), "comes from NOBODY"),
        ((thing("AXISCORR", (9, "ETHERNET1", 1)),), "InIdx '9' of AXISCORR1; allowed: 1 to 6"),
        ((thing("AXISCORR", (1, "ETHERNET1", 99)),), "OutIdx '99' of AXISCORR1; allowed: 1 to 64"),
        ((thing("AXISCORR", LowerLimA1=3),), r"LowerLimA1 '3' of AXISCORR1; allowed: a finite number <= 0"),
        ((thing("POSCORR", UpperLimX="inf"),), r"UpperLimX 'inf'"),
        ((thing("POSCORR", MaxRotAngle="much"),), r"MaxRotAngle 'much' of POSCORR1; allowed: a finite number >= 0"),
        ((thing("POSCORR", RefCorrSys="3"),), r"RefCorrSys '3' of POSCORR1; allowed: 0 \(world\)"),
        ((thing("ETHERNET"),), "2 objects ETHERNET; allowed: one"),
    ],
)
def test_bad_contexts_are_refused_with_their_place(tmp_path: Path, objects: tuple[str, ...], told: str) -> None:
    path = context(tmp_path, *objects)
    with pytest.raises(InputError, match=told) as error:
        read_rsi_context(path, CONFIG)
    assert str(error.value).startswith(f"{path}:")


@pytest.mark.parametrize(
    ("name", "value"), [("Timeout", "0"), ("Timeout", "1.5"), ("Precision", "13"), ("Precision", "x")]
)
def test_timeout_and_precision_have_ranges(tmp_path: Path, name: str, value: str) -> None:
    parameter = f'<Parameters><Parameter Name="{name}" ParamID="1" ParamValue="{value}"/></Parameters>'
    with pytest.raises(InputError, match=f"{name} '{value}' of ETHERNET1; allowed: "):
        read_rsi_context(context(tmp_path, ethernet=parameter), CONFIG)


def from_text(folder: Path, receive: str, send: str = "") -> RsiConfig:
    rows = [row.split() for row in receive.split(",") if row]
    told = "".join(
        f'<ELEMENT TAG="{tag}" TYPE="{kind}" INDX="{n}" HOLDON="1"/>' for n, (tag, kind) in enumerate(rows, 1)
    )
    own = "".join(f'<ELEMENT TAG="{tag}" TYPE="DOUBLE" INDX="INTERNAL"/>' for tag in send.split())
    config = "<IP_NUMBER>127.0.0.1</IP_NUMBER><PORT>1</PORT><SENTYPE>S</SENTYPE><ONLYSEND>FALSE</ONLYSEND>"
    path = folder / "config.xml"
    path.write_text(
        f"<ROOT><CONFIG>{config}</CONFIG><SEND><ELEMENTS>{own}</ELEMENTS></SEND>"
        f"<RECEIVE><ELEMENTS>{told}</ELEMENTS></RECEIVE></ROOT>"
    )
    return read_rsi_config(path)


def test_a_text_is_no_correction(tmp_path: Path) -> None:
    config = from_text(tmp_path, "Message STRING")
    with pytest.raises(InputError, match="TYPE STRING of Message, which AXISCORR1 gets; allowed: DOUBLE, LONG"):
        read_rsi_context(context(tmp_path, thing("AXISCORR", (1, "ETHERNET1", 1))), config)


def test_without_a_context_names_say_what_is_corrected(tmp_path: Path) -> None:
    found = named_context(from_text(tmp_path, "AK.A2 DOUBLE,Out.01 BOOL,AK.E1 DOUBLE,RKorr.C DOUBLE"))
    by_kind = {one.kind: one for one in found.correctors}
    assert by_kind["AXISCORR"].channels == (None, 1, None, None, None, None)
    assert by_kind["AXISCORREXT"].channels[0] == 3
    assert by_kind["POSCORR"].channels[5] == 4
    assert by_kind["AXISCORR"].upper == (math.inf,) * 6
    assert found.monitors == ()
    with pytest.raises(InputError, match=r"TAG 'RKorr.Q'; allowed: RKorr.X"):
        named_context(from_text(tmp_path, "RKorr.Q DOUBLE"))


@pytest.mark.parametrize(
    ("receive", "send"), [("EKorr.E1 DOUBLE", ""), ("AK.E1 DOUBLE", ""), ("", "DEF_EIPos"), ("", "DEF_MECur")]
)
def test_external_axes_of_a_robot_without_are_refused(tmp_path: Path, receive: str, send: str) -> None:
    config = from_text(tmp_path, receive, send)
    with pytest.raises(InputError, match="on a robot without external axes"):
        check_external(config, named_context(config), 0)
    check_external(config, named_context(config), 1)


def test_an_object_of_external_axes_is_refused_too(tmp_path: Path) -> None:
    found = read_rsi_context(context(tmp_path, thing("AXISCORREXT")), CONFIG)
    with pytest.raises(InputError, match="AXISCORREXT1 on a robot without external axes"):
        check_external(CONFIG, found, 0)
