import math

from freefloat.gnc.control.platform.wheel import next_speed


def test_a_command_goes_on_from_the_last_one_within_its_limits():
    assert next_speed(1.0, 0.25, speed=1.1, reach=0.5, top=50.0) == 1.25
    assert next_speed(50.0, 0.25, speed=50.1, reach=0.5, top=50.0) == 50.0


def test_a_command_that_the_drive_cannot_follow_does_not_wind_up():
    command = 0.0
    for _ in range(100):
        command = next_speed(command, 1.0, speed=2.0, reach=0.5, top=50.0)
    assert command == 2.5
    assert next_speed(command, -0.25, speed=2.0, reach=0.5, top=50.0) == 2.25


def test_the_top_speed_counts_more_than_the_reach():
    assert next_speed(60.0, 0.0, speed=60.0, reach=0.5, top=50.0) == 50.0
    assert next_speed(60.0, 0.0, speed=60.0, reach=0.5, top=math.inf) == 60.0
