import numpy as np

from freefloat.facility.pool import STATES, VARIABLES, Measured, Pool
from freefloat.facility.record import Frame
from freefloat.verify.facility_desk import KINEMATICS, Desk
from freefloat.verify.facility_rig import HOME

MEASURED = Measured(np.arange(13.0), 290.0 + np.arange(13.0), np.arange(12.0).reshape(2, 6))


def test_a_row_has_every_variable_in_its_shape() -> None:
    row = Pool(KINEMATICS).row(Desk().out, MEASURED)
    assert set(row) == set(VARIABLES)
    for name, value in row.items():
        assert np.shape(value) == VARIABLES[name].shape, name
        assert np.asarray(value).dtype == np.float64


def test_labels_and_units_fit_the_shapes() -> None:
    for variable in VARIABLES.values():
        size = int(np.prod(variable.shape))
        assert not variable.labels or len(set(variable.labels)) == size
        assert size % len(variable.unit.split(", ")) == 0


def test_the_commands_own_record_is_kept_to_the_last_bit_and_the_others_follow_its_axes() -> None:
    desk = Desk()
    desk.running()
    record = desk.answer(HOME, Frame.CLW)
    row = Pool(KINEMATICS, gps_start=1.4e9).row(desk.cycle(record), MEASURED)
    np.testing.assert_array_equal(row["cmd.clw"], record[2:])
    np.testing.assert_allclose(row["cmd.ijt"][[21, 1]], [6550.0, np.degrees(HOME[2])], rtol=1e-9)
    assert int(row["cmd.mode"]) & 15 == Frame.CLW
    assert STATES[int(row["fmc.state"])] == "running"
    assert row["gps.week"] == 1.4e9 // 604800
    assert row["gps.seconds"] == 1.4e9 % 604800 + desk.out.time
    assert row["security.power"] == 1.0
    assert row["security.blind"].all()
    assert row["rail.force"] == 0.0
    assert row["rob2.wrist"][0] == 6.0
