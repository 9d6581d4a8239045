"""Scenarios under way, to be timed over the same stretch again and again."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from freefloat.bench.race import Runner
from freefloat.engine.session import Session
from freefloat.scenario.files import load
from freefloat.verify.driven_arm import quiet_session


def under_way(scenario: str, changes: Mapping[str, Any], begin: float) -> Session:
    """A session of a scenario with changed fields, at `begin` [s]."""
    session = quiet_session(load(scenario, dict(changes)).build())
    session.step(begin)
    return session


def again(session: Session, span: float) -> Runner:
    """The same stretch of `span` [s] in every round."""
    return Runner(partial(session.step, span), partial(session.restore, session.snapshot()))
