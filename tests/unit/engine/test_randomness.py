"""Random streams: keyed by seed and name."""

from __future__ import annotations

from typing import Any

import numpy as np

import freefloat as ff
from freefloat.engine.randomness import stream


def noises(law: Any, seed: int, *names: str) -> dict[str, np.ndarray]:
    noisy = {"p": ff.Sensor(noise=1.0), "v": ff.Sensor(noise=1.0, rate=100.0, delay=0.003)}
    reads = {"p": "bus.p_WB", "v": "bus.v_WB"}
    tasks = [ff.Task(law(lambda t, m: {}), 0.01, reads, sensors=noisy, name=name) for name in names]
    found = ff.Mission([ff.RigidBody("bus")], tasks).run(0.2, seed=seed).controllers
    return {n: np.array([np.concatenate([m["p"], m["v"]]) for _, m in found[n].seen]) for n in names}


def test_adding_a_task_changes_no_other_noise(law: Any) -> None:
    alone = noises(law, 3, "b")["b"]
    among = noises(law, 3, "a", "b", "c")
    assert np.array_equal(alone, among["b"])
    assert not np.array_equal(among["a"], among["b"])


def test_another_seed_gives_other_noise_and_the_same_seed_the_same(law: Any) -> None:
    first, again, other = (noises(law, seed, "a")["a"] for seed in (1, 1, 2))
    assert np.array_equal(first, again)
    assert not np.any(first == other)


def test_channels_of_one_task_are_independent(law: Any) -> None:
    both = noises(law, 0, "a")["a"]
    assert not np.any(both[:, :3] == both[:, 3:])


def test_a_stream_depends_on_seed_and_name_only() -> None:
    draws = {(s, n): stream(s, n).random() for s in (0, 1) for n in ("a", "b", "a.b")}
    assert len(set(draws.values())) == 6
    assert stream(1, "a").random() == draws[1, "a"]


def test_a_controller_gets_its_own_seeded_generator() -> None:
    class Draws:
        def reset(self, rng: np.random.Generator) -> None:
            self.first = rng.random()

        def update(self, t: float, meas: Any) -> Any:
            return {}

    mission = ff.Mission([ff.RigidBody("bus")], [ff.Task(Draws(), 0.1)])
    first = [mission.run(0.1, seed=s).controllers["draws"].first for s in (5, 5, 6)]
    assert first[0] == first[1] == stream(5, "draws").random()
    assert first[0] != first[2]
