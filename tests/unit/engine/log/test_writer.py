"""The log: what is written is read back exactly, in Foxglove's types, and a cut file gives its whole rows."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mcap.reader import make_reader

from freefloat.engine.log.export import export, flat, info
from freefloat.engine.log.writer import TRANSFORM_RATE, LogWriter, read_log
from freefloat.engine.signals import Signal
from freefloat.errors import FreefloatError, InputError, SimulationError
from freefloat.frames import Pose
from freefloat.geometry.shape import Shape

PLANT = (
    Signal("arm.q", "rad", (2,), "", "joint angles"),
    Signal("bus.p_WB", "m", (3,), "W", "position"),
    Signal("bus.q_WB", "-", (4,), "W", "attitude"),
    Signal("arm.shoulder.tau", "N m", (), "", "torque"),
    Signal("arm.M", "kg m^2", (2, 2), "", "mass matrix"),
)
CONTROL = (Signal("pd.e", "rad", (2,)), Signal("lonely", "s"))
GROUPS = {"plant": PLANT, "control": CONTROL}
SCENE = {
    "bus": [Shape("box", (0.5, 0.5, 0.6)), Shape("sphere", (0.1,)), Shape("cylinder", (0.1, 0.2))],
    "arm": [Shape("capsule", (0.05, 0.3), Pose.identity())],
    "bare": [],
}


def plant_rows(n: int, rate: float = 100.0) -> tuple[np.ndarray, np.ndarray]:
    t = np.arange(n) / rate
    return t, np.random.default_rng(3).standard_normal((n, sum(s.size for s in PLANT)))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "log.mcap"


@pytest.fixture
def written(path: Path) -> tuple[Path, np.ndarray, np.ndarray]:
    t, rows = plant_rows(200)
    with LogWriter(path, GROUPS, SCENE) as log:
        log.metadata("scenario", {"name": "test", "seed": 3})
        for i in range(0, 200, 50):
            log.write("plant", t[i : i + 50], rows[i : i + 50])
            log.flush()
        log.write("control", t[:10], rows[:10, :3])
        log.event(0.25, "latch", "closed, Δv 1 mm/s")
    return path, t, rows


def table(frame: pl.DataFrame, signals: tuple[Signal, ...]) -> np.ndarray:
    return np.hstack([frame[s.name].to_numpy().reshape(frame.height, s.size) for s in signals])


def test_rows_come_back_bit_for_bit_with_their_order_and_shapes(written: tuple[Path, np.ndarray, np.ndarray]) -> None:
    path, t, rows = written
    log = read_log(path)
    assert log.complete
    assert list(log.frames) == ["plant", "control"]
    assert log.frames["plant"].columns == ["t", *(s.name for s in PLANT)]
    assert np.array_equal(log.frames["plant"]["t"], t)
    assert np.array_equal(table(log.frames["plant"], PLANT), rows)
    assert log.frames["plant"].schema["arm.M"] == pl.Array(pl.Float64, (2, 2))
    assert log.frames["plant"].schema["arm.shoulder.tau"] == pl.Float64
    assert np.array_equal(table(log.frames["control"], CONTROL), rows[:10, :3])
    assert tuple(log.signals.values()) == PLANT + CONTROL


def test_events_and_metadata_come_back(written: tuple[Path, np.ndarray, np.ndarray]) -> None:
    log = read_log(written[0])
    assert log.events.rows() == [(0.25, "latch", "closed, Δv 1 mm/s")]
    assert log.metadata == {"scenario": {"name": "test", "seed": "3"}}


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, -0.0, 5e-324, 1.7976931348623157e308])
def test_every_double_survives(path: Path, value: float) -> None:
    with LogWriter(path, {"g": [Signal("x.y", "-")]}, None) as log:
        log.write("g", [0.0], [[value]])
    assert read_log(path).frames["g"]["x.y"].to_numpy().tobytes() == np.float64(value).tobytes()


def test_times_that_are_not_whole_nanoseconds_come_back_exactly(path: Path) -> None:
    t = np.array([0.0, 1.0 / 3.0, 1e4 / 7.0])
    with LogWriter(path, {"g": [Signal("x.y", "-")]}) as log:
        log.write("g", t, t[:, None])
    assert np.array_equal(read_log(path).frames["g"]["t"], t)


def test_a_group_without_rows_has_its_columns(path: Path) -> None:
    LogWriter(path, GROUPS).close()
    log = read_log(path)
    assert log.complete
    assert log.frames["plant"].height == 0
    assert log.frames["plant"].schema["bus.q_WB"] == pl.Array(pl.Float64, 4)


def test_signals_of_a_part_share_a_topic_and_the_message_has_the_signals_names(
    written: tuple[Path, np.ndarray, np.ndarray],
) -> None:
    """The descriptor spells the fields; `/plant/arm.q[0]` and `/plant/arm.shoulder.tau` are Foxglove's paths."""
    with written[0].open("rb") as f:
        summary = make_reader(f).get_summary()
    assert summary is not None
    channels = {c.topic: c for c in summary.channels.values()}
    assert set(channels) == {"/plant/arm", "/plant/bus", "/control/pd", "/control", "/tf", "/scene", "/events"}
    schema = summary.schemas[channels["/plant/arm"].schema_id]
    assert (schema.name, schema.encoding) == ("freefloat.plant.arm", "protobuf")
    for field in (b"q", b"shoulder", b"tau", b"M"):
        assert b"\x0a" + bytes([len(field)]) + field in schema.data
    assert channels["/plant/arm"].metadata["arm.q"] == "[rad] frame -: joint angles"


def test_link_poses_become_transforms_at_a_bounded_rate_and_shapes_become_one_scene(path: Path) -> None:
    t, rows = plant_rows(1000, rate=1000.0)
    with LogWriter(path, GROUPS, SCENE) as log:
        for i in range(0, 1000, 7):
            log.write("plant", t[i : i + 7], rows[i : i + 7])
    with path.open("rb") as f:
        messages = [(c.topic, m.log_time, m.data) for _, c, m in make_reader(f).iter_messages()]
    transforms = [(stamp, data) for topic, stamp, data in messages if topic == "/tf"]
    assert len(transforms) == TRANSFORM_RATE
    assert [stamp for stamp, _ in transforms] == [round(k * 1e9 / TRANSFORM_RATE) for k in range(50)]
    assert all(b"\x12\x01W\x1a\x03bus" in data for _, data in transforms)
    (scene,) = [data for topic, _, data in messages if topic == "/scene"]
    assert b"bus" in scene
    assert b"arm" in scene
    assert b"bare" not in scene


def test_two_logs_open_at_once_do_not_mix(tmp_path: Path) -> None:
    groups = {"g": [Signal("x.y", "-")]}
    with LogWriter(tmp_path / "a.mcap", groups) as a, LogWriter(tmp_path / "b.mcap", groups) as b:
        a.write("g", [0.0], [[1.0]])
        b.write("g", [0.0, 1.0], [[2.0], [3.0]])
    assert read_log(tmp_path / "a.mcap").frames["g"]["x.y"].to_list() == [1.0]
    assert read_log(tmp_path / "b.mcap").frames["g"]["x.y"].to_list() == [2.0, 3.0]


def test_a_log_is_overwritten_only_when_asked(written: tuple[Path, np.ndarray, np.ndarray]) -> None:
    before = written[0].read_bytes()
    with pytest.raises(InputError, match="exists; give another path, or overwrite=True"):
        LogWriter(written[0], GROUPS)
    assert written[0].read_bytes() == before


def test_a_full_disk_is_one_error_and_not_a_flood_of_messages() -> None:
    full = Path("/dev/full")
    if not full.exists():
        pytest.skip("no /dev/full on this system")
    assert any(isinstance(h, logging.NullHandler) for h in logging.getLogger("foxglove").handlers)
    with pytest.raises(FreefloatError, match="/dev/full"):
        LogWriter(full, GROUPS)


def test_a_failed_flush_reaches_the_next_write(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Broken:
        def flush(self) -> None:
            raise RuntimeError("no space left")

        def close(self) -> None: ...

    log = LogWriter(path, {"g": [Signal("x.y", "-")]})
    monkeypatch.setattr(log, "_writer", Broken())
    with pytest.raises(SimulationError, match="no space left"):
        log.flush()
    with pytest.raises(SimulationError, match="no space left"):
        log.write("g", [0.0], [[1.0]])
    with pytest.raises(SimulationError, match="no space left"):
        log.close()


def test_rows_of_the_wrong_width_and_writes_after_closing_are_refused(path: Path) -> None:
    log = LogWriter(path, {"g": [Signal("x.y", "-", (3,))]})
    with pytest.raises(ValueError, match=r"takes rows \(1, 3\), got \(1, 2\)"):
        log.write("g", [0.0], [[1.0, 2.0]])
    log.close()
    log.close()
    with pytest.raises(ValueError, match="closed"):
        log.write("g", [0.0], [[1.0, 2.0, 3.0]])


def test_names_that_would_share_a_field_are_refused_before_a_file_exists(path: Path) -> None:
    for names in (("a.b", "a.b.c"), ("a.b.c", "a.b"), ("a.b-c", "a.b_c"), ("a.t",)):
        with pytest.raises(InputError, match="cannot be logged"):
            LogWriter(path, {"g": [Signal(n, "-") for n in names]})
    assert not path.exists()


def test_a_cut_file_gives_whole_rows_and_says_that_it_is_not_complete(
    written: tuple[Path, np.ndarray, np.ndarray], tmp_path: Path
) -> None:
    path, _, rows = written
    data = path.read_bytes()
    lengths = set[int]()
    cut = tmp_path / "cut.mcap"
    for size in range(9, len(data), 97):
        cut.write_bytes(data[:size])
        try:
            log = read_log(cut)
        except InputError as e:
            assert "cut before its first record" in str(e)  # noqa: PT017 - only the earliest cuts may fail
            assert not lengths
            continue
        got = table(log.frames["plant"], PLANT)
        assert not log.complete
        assert np.array_equal(got, rows[: len(got)])
        lengths.add(len(got))
    assert lengths == {0, 50, 100, 150, 200}


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    path = tmp_path_factory.mktemp("log") / "small.mcap"
    t, rows = plant_rows(5)
    with LogWriter(path, GROUPS, SCENE) as log:
        log.write("plant", t, rows)
        log.event(0.0, "start")
    return path.read_bytes()


@settings(max_examples=300, deadline=None)
@given(where=st.floats(0.0, 1.0, exclude_max=True), change=st.integers(1, 255))
def test_a_flipped_byte_gives_an_input_error_or_true_rows(
    small: bytes, tmp_path_factory: pytest.TempPathFactory, where: float, change: int
) -> None:
    data = bytearray(small)
    data[int(where * len(data))] ^= change
    path = tmp_path_factory.getbasetemp() / "flipped.mcap"
    path.write_bytes(data)
    try:
        log = read_log(path)
    except InputError:
        return
    if tuple(log.signals.values()) == PLANT + CONTROL and "plant" in log.frames:
        got = table(log.frames["plant"], PLANT)
        assert np.array_equal(got, plant_rows(5)[1][: len(got)])


def _absent(path: Path) -> None: ...


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (_absent, "does not exist"),
        (lambda p: p.mkdir(), "cannot be read"),
        (lambda p: p.write_bytes(b""), "is empty"),
        (lambda p: p.write_text("t,q\n0,1\n"), "is not an MCAP file"),
        (lambda p: p.write_bytes(b"\x89MCAP0\r\n"), "was not written by Freefloat, or was cut"),
    ],
)
def test_what_is_not_a_log_is_refused_with_its_path(path: Path, make: Callable[[Path], None], message: str) -> None:
    make(path)
    with pytest.raises(InputError, match=message) as caught:
        read_log(path)
    assert str(path) in str(caught.value)


def test_info_says_what_a_log_holds(written: tuple[Path, np.ndarray, np.ndarray]) -> None:
    summary = info(written[0])
    assert summary["complete"] is True
    assert summary["duration"] == 1.99
    assert summary["groups"] == {"plant": {"rows": 200, "rate": 100.0}, "control": {"rows": 10, "rate": 100.0}}
    signals = summary["signals"]
    assert isinstance(signals, list)
    assert signals[0]["signal"] == "arm.q"
    assert signals[0]["unit"] == "rad"
    assert signals[4]["shape"] == "2x2"


@pytest.mark.parametrize("fmt", ["csv", "parquet"])
def test_exported_files_hold_the_same_numbers(
    written: tuple[Path, np.ndarray, np.ndarray], tmp_path: Path, fmt: str
) -> None:
    path, t, rows = written
    files = export(path, tmp_path / "out", fmt)  # pyright: ignore[reportArgumentType]
    assert [f.name for f in files] == [f"{n}.{fmt}" for n in ("plant", "control", "log_events", "log_signals")]
    assert sorted(files) == sorted((tmp_path / "out").iterdir())
    frame = pl.read_csv(files[0]) if fmt == "csv" else flat(pl.read_parquet(files[0]))
    assert frame.columns == ["t", *(c for s in PLANT for c in s.columns())]
    assert np.array_equal(frame.to_numpy(), np.column_stack([t, rows]))


def test_an_unknown_export_format_names_the_allowed_ones(written: tuple[Path, np.ndarray, np.ndarray]) -> None:
    with pytest.raises(InputError, match="'xlsx'; allowed: parquet, csv"):
        export(written[0], written[0].parent, "xlsx")  # pyright: ignore[reportArgumentType]


def test_overwriting_leaves_nothing_of_the_old_log(tmp_path: Path) -> None:
    file = tmp_path / "log.mcap"
    for rows in (200, 3):
        with LogWriter(file, GROUPS, overwrite=rows == 3) as log:
            group, signals = next(iter(GROUPS.items()))
            log.write(group, 0.01 * np.arange(rows), np.zeros((rows, sum(s.size for s in signals))))
    assert read_log(file).frames[group].height == 3


def test_a_log_in_a_folder_that_is_not_there_is_refused_and_no_folder_is_made(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"there is no folder .*nowhere; make it"):
        LogWriter(tmp_path / "nowhere" / "log.mcap", GROUPS)
    assert not list(tmp_path.iterdir())


def test_the_fields_of_a_scenario_are_one_message_at_the_start(path: Path) -> None:
    row = {"field": "bus.mass", "value": "400", "unit": "kg", "meaning": "mass of the bus"}
    with LogWriter(path, GROUPS, start=2.0) as log:
        log.scenario([row])
        log.write("control", [2.5], np.zeros((1, 3)))
    with path.open("rb") as f:
        found = [(c.message_encoding, m.log_time, m.data) for _, c, m in make_reader(f).iter_messages(["/scenario"])]
    assert [(encoding, stamp, json.loads(data)) for encoding, stamp, data in found] == [
        ("json", 2_000_000_000, {"fields": [row]})
    ]
    assert read_log(path).frames["control"].height == 1
