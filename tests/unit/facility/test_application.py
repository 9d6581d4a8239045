import numpy as np

from freefloat.facility.application import Application
from freefloat.facility.record import Frame, Record


class Counting:
    def command(self, t: float) -> Record:
        values = np.zeros(22)
        values[0] = t
        return Record(Frame.IJT, values)


def test_an_application_echoes_cycles_and_goes_on_only_while_the_facility_executes():
    application, start = Application(Counting()), Record(Frame.IJT, np.zeros(22))
    told = []
    for cycle, alive in ((7, False), (8, False), (9, True), (10, True), (11, False)):
        row = application.update(0.0, {"state": start.row(cycle, alive=alive)})["record"]
        assert row[:2].tolist() == [cycle, float(Frame.IJT)]
        told.append(row[2])
    assert told == [0.0, 0.0, 0.004, 0.008, 0.0]
