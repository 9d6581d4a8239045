from __future__ import annotations

from pathlib import Path

import pytest

from freefloat.errors import ModelError
from freefloat.robots import load_mjcf

ARM = """<mujocoinclude>
  <body name="b">
    <joint name="j" damping="-1"/>
    <joint armature="-1"/><geom size="1"/>
  </body>
</mujocoinclude>"""
ROBOT = """<mujoco>
  <worldbody>
    <body name="a"><geom size="1"/>
      <include file="arm.xml"/>
    </body>
  </worldbody>
  <actuator>
    <muscle name="m" joint="j" lengthrange="0 1"/>
  </actuator>
</mujoco>"""


def test_problems_in_included_files_are_told_with_the_line_of_their_file(tmp_path: Path) -> None:
    (tmp_path / "arm.xml").write_text(ARM, encoding="utf-8")
    (tmp_path / "r.xml").write_text(ROBOT, encoding="utf-8")
    with pytest.raises(ModelError) as caught:
        load_mjcf(tmp_path / "r.xml")
    lines = str(caught.value).splitlines()
    assert any(line.startswith(f"{tmp_path / 'arm.xml'}:3: <joint name='j'>: damping") for line in lines)
    assert any(line.startswith(f"{tmp_path / 'r.xml'}:8: <muscle name='m'>: an actuator") for line in lines)
    assert any(line.startswith(f"{tmp_path / 'r.xml'}: <joint name='b_joint'>: armature") for line in lines), (
        "without a name, it could be in either file"
    )


def test_a_number_that_is_not_finite_is_found_in_an_included_file(tmp_path: Path) -> None:
    (tmp_path / "arm.xml").write_text(ARM.replace("-1", "nan", 1), encoding="utf-8")
    (tmp_path / "r.xml").write_text(ROBOT, encoding="utf-8")
    with pytest.raises(ModelError, match=r"arm\.xml:3: .*damping = 'nan' is not finite"):
        load_mjcf(tmp_path / "r.xml")


def test_a_missing_included_file_is_mujocos_complaint(tmp_path: Path) -> None:
    (tmp_path / "r.xml").write_text(ROBOT, encoding="utf-8")
    with pytest.raises(ModelError, match="MuJoCo refuses the model"):
        load_mjcf(tmp_path / "r.xml")


def test_elements_of_one_line_and_name_are_told_apart_by_their_tags() -> None:
    body = '<body name="x"><joint name="x" damping="-1"/><geom name="x" size="1"/></body>'
    with pytest.raises(ModelError, match="<text>:1: <joint name='x'>: damping = -1"):
        load_mjcf(f"<mujoco><worldbody>{body}</worldbody></mujoco>")
