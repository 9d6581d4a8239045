from __future__ import annotations

import json
from pathlib import Path

import pytest

from freefloat.bench.robots import count, figures, reason_of
from freefloat.cli import main
from freefloat.errors import InputError

INERTIAL = '<inertial><mass value="2"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>'


def robot(second: str = INERTIAL, extra: str = "") -> str:
    joints = "".join(
        f'<joint name="j{i}" type="continuous"><parent link="l{i}"/><child link="l{i + 1}"/></joint>' for i in range(2)
    )
    links = "".join(f'<link name="l{i}">{inside}</link>' for i, inside in enumerate((INERTIAL, second, INERTIAL)))
    return f'<robot name="r">{links}{joints}{extra}</robot>'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    inside = tmp_path / "deep" / "er"
    inside.mkdir(parents=True)
    files = {
        "good.urdf": robot(),
        "odd.urdf": robot(extra="<wings/>"),
        "wrong.urdf": robot(second=INERTIAL.replace('"2"', '"two"')),
        "box.urdf": f'<robot name="r"><link name="a">{INERTIAL}</link></robot>',
        "cut.urdf": robot()[:-9],
        "part.xml": "<mujocoinclude/>",
        "refused.xml": "<mujoco><worldbody><bdy/></worldbody></mujoco>",
        "arm.xml": '<mujoco><worldbody><body><geom size="1"/><joint/><body><geom size="1"/><joint/></body></body>'
        "</worldbody></mujoco>",
    }
    for name, text in files.items():
        (inside / name).write_text(text, encoding="utf-8")
    return tmp_path


def test_robots_of_two_joints_and_more_are_counted_with_the_reasons_of_those_that_do_not_load(folder: Path) -> None:
    heard: list[tuple[int, int]] = []
    found = {f.name: f.value for f in figures(folder, lambda *step: heard.append(step))}
    assert (found["urdf_files"], found["urdf_loaded"], found["urdf_loaded_skip"]) == (4, 1, 2)
    assert (found["urdf_share"], found["urdf_share_skip"]) == (0.25, 0.5)
    assert (found["mjcf_files"], found["mjcf_loaded"], found["crashes"]) == (1, 1, 0)
    assert found["urdf_refused: unknown element"] == 1
    assert found["urdf_refused_skip: value = ... is not a number"] == 1
    assert found["mjcf_passed: MuJoCo refuses it, as it does files that others include"] == 1
    assert heard[-1] == (8, 8)


def test_an_error_that_is_not_ours_is_a_crash(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError("oh")

    monkeypatch.setattr("freefloat.bench.robots.evaluate", broken)
    found = {f.name: f for f in figures(folder)}
    assert found["crashes"].value == 2 * 5
    assert "ZeroDivisionError: oh" in found["crashes"].note
    assert count.__doc__


def test_a_reason_has_neither_place_nor_values() -> None:
    line = "a b/r.urdf:12: <link name='x: y'>/inertial/mass: value = 'ten' is not a number; allowed: numbers"
    assert reason_of(line) == "value = ... is not a number"
    assert reason_of("r.xml: <joint name='k'>: damping = 2.5e-3 of a free joint is not supported: ...") == (
        "damping = # of a free joint"
    )


def test_the_command_takes_one_folder(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("freefloat.bench.robots.evaluate", lambda *_: None)
    with pytest.raises(SystemExit):
        main(["bench", "robots", str(folder), "--json"])
    assert json.loads(capsys.readouterr().out)["urdf_files"] == 4
    with pytest.raises(SystemExit) as end:
        main(["bench", "robots"])
    assert end.value.code == 2
    with pytest.raises(InputError, match="no such folder"):
        list(figures(folder / "nowhere"))


def test_an_unknown_encoding_is_a_reason_and_no_crash(tmp_path: Path) -> None:
    (tmp_path / "r.urdf").write_text(f'<?xml version="1.0" encoding="foo"?>{robot()}', encoding="utf-8")
    found = {f.name: f.value for f in figures(tmp_path)}
    assert (found["urdf_files"], found["urdf_loaded"], found["crashes"]) == (1, 0, 0)
