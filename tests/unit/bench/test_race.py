from freefloat.bench.race import Runner, Times, race


class Stopwatch:
    """A clock that runners move by hand."""

    def __init__(self):
        self.now = 0.0

    def __call__(self):
        return self.now

    def takes(self, *seconds):
        """A job whose calls take these times, the last one again and again."""
        left = list(seconds)

        def job():
            self.now += left.pop(0) if len(left) > 1 else left[0]

        return job


def test_the_first_round_does_not_count_and_medians_ignore_an_outlier():
    clock = Stopwatch()
    times = race({"a": Runner(clock.takes(100.0, 2.0, 50.0, 2.0))}, rounds=3, clock=clock)
    assert times.rounds == {"a": [2.0, 50.0, 2.0]}
    assert times.median("a") == 2.0


def test_the_ratio_is_the_median_of_the_ratios_within_rounds():
    times = Times({"ours": [3.0, 1.0, 90.0], "theirs": [4.0, 5.0, 100.0]})
    assert times.ratio("ours", "theirs") == 0.75


def test_runners_take_turns_and_the_order_is_reversed_every_round():
    heard = []
    runners = {name: Runner(lambda name=name: heard.append(name)) for name in "abc"}
    race(runners, rounds=2)
    assert "".join(heard) == "abc" + "cba" + "abc"


def test_every_round_starts_with_an_untimed_preparation():
    clock = Stopwatch()
    prepared = []

    def prepare():
        prepared.append(clock.now)
        clock.now += 1000.0

    times = race({"a": Runner(clock.takes(1.0), prepare)}, rounds=2, clock=clock)
    assert times.rounds == {"a": [1.0, 1.0]}
    assert prepared == [0.0, 1001.0, 2002.0]
