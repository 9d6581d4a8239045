from freefloat.facility.procedure import Procedure, Step, automatic


def _done(procedure, t, state):
    return [step.do for step in procedure.due(t, lambda: state)]


def test_steps_wait_for_instant_state_and_the_step_before():
    steps = [Step("power"), Step("start", at=1.0), Step("confirm", when="ready"), Step("stop", after=2.0)]
    procedure = Procedure(steps)
    assert _done(procedure, 0.0, "off") == ["power"]
    assert _done(procedure, 0.996, "idle") == []
    assert _done(procedure, 1.0, "idle") == ["start"]
    assert _done(procedure, 1.5, "moving") == []
    assert _done(procedure, 1.6, "ready") == ["confirm"]
    assert _done(procedure, 3.596, "running") == []
    assert not procedure.finished
    assert _done(procedure, 3.6, "running") == ["stop"]
    assert procedure.finished


def test_a_step_sees_the_state_that_the_step_before_left():
    states = iter(["off", "idle", "idle"])
    procedure = Procedure([Step("power", when="off"), Step("start", when="idle")])
    assert [step.do for step in procedure.due(0.0, lambda: next(states))] == ["power", "start"]


def test_the_automatic_operator_confirms_only_where_all_is_ready():
    procedure = Procedure(automatic("async"))
    assert _done(procedure, 0.0, "idle") == ["power", "mode", "start"]
    assert _done(procedure, 5.0, "moving") == []
    assert _done(procedure, 6.0, "ready") == ["confirm"]
