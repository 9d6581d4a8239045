"""Equipment against plates, robots and outlets."""

from __future__ import annotations

import pytest

from freefloat.errors import InputError
from freefloat.facility.equipment import OUTLETS, PLATES, Equipment, check_equipment

TOOL = Equipment("tool", 10.0)


def cameras(count: int, outlet: str = "", current: float = 0.0, data: tuple[str, ...] = ()) -> list[Equipment]:
    return [Equipment(f"camera{k}", 0.5, outlet=outlet, current=current, data=data) for k in range(count)]


def test_the_tighter_of_plate_and_robot_counts() -> None:
    """Table 5 allows 60 kg on a plate of 47 kg, Table 2 100 kg with the plate; robot 2's are 200, 54 and 240 kg."""
    assert [plate.allowance for plate in PLATES] == [53.0, 186.0]
    check_equipment(1, [Equipment("lidar", 43.0)], TOOL, "epos")
    check_equipment(2, [Equipment("lidar", 176.0)], TOOL, "epos")


@pytest.mark.parametrize(
    ("robot", "equipment", "told"),
    [
        (1, [Equipment("lidar", 43.5)], r"epos: lidar, tool on the plate of robot 1: 53.5 kg; allowed: at most 53 kg"),
        (2, [Equipment("lidar", 177.0)], r"187 kg; allowed: at most 186 kg, as the plate carries 200 kg"),
        (1, cameras(4, "5 V", 1.0), r"4 terminals 5 V; allowed: at most 3"),
        (1, cameras(3, "12 V", 1.0), r"3 terminals 12 V; allowed: at most 2"),
        (2, cameras(2, "230 V", 1.0), r"2 terminals 230 V; allowed: at most 1"),
        (2, cameras(3, data=("RJ-48",)), r"3 terminals RJ-48; allowed: at most 2"),
        (2, cameras(1, data=("BNC", "BNC")), r"camera0, camera0 .* 2 terminals BNC"),
        (1, [TOOL], r"two things on the plate of robot 1 are named 'tool'"),
    ],
)
def test_what_a_plate_cannot_carry_or_connect_is_refused(robot: int, equipment: list[Equipment], told: str) -> None:
    with pytest.raises(InputError, match=told):
        check_equipment(robot, equipment, TOOL, "epos")  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"outlet": "48 V"}, r"outlet '48 V'.*5 V"),
        ({"outlet": "RJ-48"}, r"outlet 'RJ-48'"),
        ({"data": ("USB",)}, r"data terminal 'USB'"),
        ({"current": 1.0}, r"current 1 A from no outlet; allowed: one of 5 V"),
        ({"outlet": "24 V", "current": "2600 mA"}, r"current 2.6 A at 24 V; allowed: at most 2.5 A"),
        ({"mass": -1.0}, r"mass -1.0 kg; allowed: > 0 kg"),
        ({"mass": "1 m"}, r"mass"),
        ({"centre": (0.0, 1.0)}, r"centre .*3 numbers"),
        ({"inertia": (1.0, 1.0, 5.0)}, r"equipment 'lidar'.*principal moment"),
    ],
)
def test_bad_equipment_is_refused(given: dict[str, object], told: str) -> None:
    with pytest.raises(InputError, match=told):
        Equipment("lidar", **given)  # pyright: ignore[reportArgumentType]


def test_every_outlet_takes_its_full_current() -> None:
    for name, outlet in OUTLETS.items():
        if outlet.current:
            check_equipment(1, cameras(outlet.terminals, name, outlet.current), TOOL, "epos")
