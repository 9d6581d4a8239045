"""`RSI_EthernetConfig.xml` as users have it."""

from __future__ import annotations

from pathlib import Path

import pytest

from freefloat.errors import InputError
from freefloat.links.rsi_config import RsiConfig, read_rsi_config

EXAMPLE = Path(__file__).parents[3] / "examples" / "rsi" / "RSI_EthernetConfig.xml"


def written(folder: Path, send: str, receive: str = "", **config: str) -> Path:
    """A file of elements `TAG TYPE INDX [HOLDON]`, separated by commas."""
    own = {"IP_NUMBER": "127.0.0.1", "PORT": "49152", "SENTYPE": "ImFree", "ONLYSEND": "FALSE", **config}

    def section(name: str, text: str) -> str:
        rows = [
            dict(zip(("TAG", "TYPE", "INDX", "HOLDON"), row.split(), strict=False)) for row in text.split(",") if row
        ]
        told = ["  <ELEMENT " + " ".join(f'{k}="{v}"' for k, v in row.items()) + "/>" for row in rows]
        return "\n".join([f"<{name}><ELEMENTS>", *told, f"</ELEMENTS></{name}>"])

    lines = [*(f"<{key}>{value}</{key}>" for key, value in own.items()), "</CONFIG>"]
    path = folder / "RSI_EthernetConfig.xml"
    path.write_text(
        "\n".join(["<ROOT><CONFIG>", *lines, section("SEND", send), section("RECEIVE", receive), "</ROOT>"])
    )
    return path


def test_the_example_is_read() -> None:
    config = read_rsi_config(EXAMPLE)
    assert (config.host, config.port, config.sentype, config.only_send) == ("127.0.0.1", 49152, "ImFree", False)
    assert [e.tag for e in config.send[:5]] == ["RIst", "RSol", "AIPos", "ASPos", "Delay"]
    assert config.send[0].index is None
    assert config.send[0].keys == ("RIst.X", "RIst.Y", "RIst.Z", "RIst.A", "RIst.B", "RIst.C")
    assert [(e.tag, e.index, e.hold) for e in config.receive[:2]] == [("RKorr.X", 1, True), ("RKorr.Y", 2, True)]
    assert config.notes == ()


def test_names_of_the_controller_stand_for_their_attributes(tmp_path: Path) -> None:
    names = ["RIst", "RSol", "AIPos", "ASPos", "EIPos", "ESPos", "MACur", "MECur", "Delay", "Tech.C1", "Tech.C6"]
    config = read_rsi_config(written(tmp_path, ",".join(f"DEF_{name} DOUBLE INTERNAL" for name in names)))
    keys = {element.tag: element.keys for element in config.send}
    assert keys["ESPos"] == tuple(f"ESPos.E{n}" for n in range(1, 7))
    assert keys["MACur"] == tuple(f"MACur.A{n}" for n in range(1, 7))
    assert keys["Delay"] == ("Delay.D",)
    assert keys["Tech.C6"] == tuple(f"Tech.C6{n}" for n in range(1, 11))


def test_an_address_given_stands_in_for_the_files(tmp_path: Path) -> None:
    path = written(tmp_path, "", IP_NUMBER="ip.of.the.pc")
    with pytest.raises(InputError, match=r":2: IP_NUMBER 'ip.of.the.pc'; allowed: an IPv4 address"):
        read_rsi_config(path)
    config = read_rsi_config(path, host="127.0.0.1", port=5000)
    assert (config.host, config.port) == ("127.0.0.1", 5000)


def test_older_files_name_a_protocol_and_units(tmp_path: Path) -> None:
    path = written(tmp_path, "DEF_Delay LONG INTERNAL", PROTOCOL="UDP", PROTCOLLENGTH="Off")
    path.write_text(path.read_text().replace('INDX="INTERNAL"', 'INDX="INTERNAL" UNIT="0"'))
    assert [note.split(": ", 1)[1] for note in read_rsi_config(path).notes] == ["PROTCOLLENGTH has no effect"]
    with pytest.raises(InputError, match="PROTOCOL 'TCP'; allowed: UDP"):
        read_rsi_config(written(tmp_path, "", PROTOCOL="TCP"))


@pytest.mark.parametrize(
    ("config", "told"),
    [
        ({"PORT": "0"}, r":3: PORT '0'; allowed: 1 to 65535"),
        ({"PORT": "65536"}, "allowed: 1 to 65535"),
        ({"PORT": "٤٩"}, "allowed: 1 to 65535"),
        ({"PORT": "-5"}, "allowed: 1 to 65535"),
        ({"SENTYPE": ""}, "SENTYPE ''; allowed: a name"),
        ({"SENTYPE": "a&quot;b"}, "allowed: a name"),
        ({"ONLYSEND": "perhaps"}, "ONLYSEND 'perhaps'; allowed: TRUE, FALSE"),
        ({"IP_NUMBER": "127.0.0.256"}, "allowed: an IPv4 address"),
    ],
)
def test_a_bad_config_is_refused_with_its_place(tmp_path: Path, config: dict[str, str], told: str) -> None:
    with pytest.raises(InputError, match=told):
        read_rsi_config(written(tmp_path, "", **config))


@pytest.mark.parametrize(
    ("send", "receive", "told"),
    [
        ("DEF_Foo DOUBLE INTERNAL", "", "TAG 'DEF_Foo'; allowed: DEF_RIst"),
        ("DEF_RIst DOUBLE 3", "", "INDX '3' of DEF_RIst; allowed: INTERNAL"),
        ("DEF_RIst FLOAT INTERNAL", "", "TYPE 'FLOAT' of DEF_RIst; allowed: BOOL"),
        ("DEF_RIst DOUBLE INTERNAL,DEF_RIst DOUBLE INTERNAL", "", "TAG 'RIst.X' again"),
        ("", "RKorr.X DOUBLE 1 1,RKorr.Y DOUBLE 1 1", "INDX 1 again"),
        ("", "RKorr.X DOUBLE 65 1", "INDX '65' of RKorr.X; allowed: 1 to 64"),
        ("", "RKorr.X DOUBLE 0 1", "allowed: 1 to 64"),
        ("", "RKorr.X DOUBLE INTERNAL 1", "INDX 'INTERNAL' of RKorr.X"),
        ("", "RKorr.X DOUBLE 1 2", "HOLDON '2' of RKorr.X; allowed: 0"),
        ("", "A.b.c DOUBLE 1 1", "TAG 'A.b.c'; allowed: NAME"),
        ("", "IPOC LONG 1 1", "TAG 'IPOC'"),
        ("", "A DOUBLE 1 1,A.b DOUBLE 2 1", "TAG 'A.b' beside 'A'"),
        ("", "DEF_RIst DOUBLE INTERNAL 1", "TAG 'DEF_RIst'; allowed: DEF_EStr"),
        ("", "RKorr.X DOUBLE", "ELEMENT has no INDX"),
    ],
)
def test_a_bad_element_is_refused_with_its_place(tmp_path: Path, send: str, receive: str, told: str) -> None:
    path = written(tmp_path, send, receive)
    with pytest.raises(InputError, match=told) as error:
        read_rsi_config(path)
    assert str(error.value).startswith(f"{path}:")


def test_a_file_without_receive_only_sends(tmp_path: Path) -> None:
    path = written(tmp_path, "DEF_Delay LONG INTERNAL", ONLYSEND="true")
    path.write_text(path.read_text().replace("<RECEIVE><ELEMENTS>\n</ELEMENTS></RECEIVE>", ""))
    config = read_rsi_config(path)
    assert isinstance(config, RsiConfig)
    assert config.only_send
    assert config.receive == ()
