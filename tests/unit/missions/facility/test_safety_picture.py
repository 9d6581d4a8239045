from freefloat.api import execute
from freefloat.missions.facility.fault_kinds import FaultSettings
from freefloat.missions.facility.safety import EposSafety


def test_a_run_that_ends_before_its_faults_is_drawn_too(tmp_path):
    scenario = EposSafety(timeline=(FaultSettings(kind="jump"), FaultSettings(kind="door")), duration=1.4)
    result = execute(scenario)
    write = scenario.build().writers[0]
    write(result, tmp_path)
    assert (tmp_path / "plots" / "safety.png").stat().st_size > 10_000
