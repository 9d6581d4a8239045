from pathlib import Path

import numpy as np
import pytest

from freefloat.errors import InputError
from freefloat.limit_curves import MICRO_G, LimitCurve, load_limit


def _table(folder: Path, text: str) -> Path:
    file = folder / "limits.csv"
    file.write_text(text, encoding="utf-8")
    return file


def test_the_stations_limit_is_flat_then_proportional_then_flat() -> None:
    curve = load_limit("iss-microgravity")
    frequencies = [0.01, 0.05, 0.1, 0.2, 1.0, 37.0, 100.0, 150.0, 10**2.5]
    published = [1.8, 1.8, 1.8, 3.6, 18.0, 666.0, 1800.0, 1800.0, 1800.0]
    assert curve.at(frequencies) / MICRO_G == pytest.approx(published, rel=1e-12)


def test_a_curve_holds_for_half_a_band_beyond_its_ends_and_no_further() -> None:
    curve = LimitCurve("mine", (1.0, 315.0), (2.0, 3.0))
    assert curve.at([0.9, 1.0, 316.2, 350.0]).tolist() == pytest.approx([2.0, 2.0, 3.0, 3.0])
    assert np.isnan(curve.at([0.8, 360.0])).all()


def test_a_curve_is_straight_on_logarithmic_axes() -> None:
    assert float(LimitCurve("mine", (1.0, 100.0), (1.0, 1e4)).at(10.0)) == pytest.approx(100.0)


@pytest.mark.parametrize(
    ("text", "frequency", "limit"),
    [
        ("0.1, 1e-5\n100, 2e-5\n", 0.1, 1e-5),
        ("frequency, limit\n0.1, 1e-5\n100, 2e-5\n", 0.1, 1e-5),
        ("\ufefff [kHz],RMS limit (ug)\n# a remark\n\n0.001,18\n0.1,1800\n", 1.0, 18.0 * MICRO_G),
        ("f [Hz],limit [µg]\r\n1,18\r\n10,180\r\n", 1.0, 18.0 * MICRO_G),
        ("f [Hz],limit [mm/s^2]\n1,18\n10,180\n", 1.0, 0.018),
    ],
)
def test_a_table_is_in_the_units_of_its_heading_or_in_si(
    tmp_path: Path, text: str, frequency: float, limit: float
) -> None:
    curve = load_limit(_table(tmp_path, text))
    assert (curve.name, curve.frequencies[0]) == ("limits", pytest.approx(frequency))
    assert curve.values[0] == pytest.approx(limit)
    assert load_limit(str(tmp_path / "limits.csv")) == curve


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("f [Hz],a [ug]\n1,18\n0.5,9\n", "line 3: frequency 0.5 Hz; allowed: bands in rising order, here > 1 Hz"),
        ("1,18\n1,9\n", "line 2: frequency 1 Hz; allowed: bands in rising order, here > 1 Hz"),
        ("1,18\n2,-9\n", "line 2: limit -9 m/s^2; allowed: finite, > 0"),
        ("0,18\n2,9\n", "line 1: frequency 0 Hz; allowed: finite, > 0"),
        ("1,18\n2,nan\n", "line 2: limit nan m/s^2; allowed: finite, > 0"),
        ("1,18\n2,many\n", "line 2: limit 'many'; allowed: a number > 0"),
        ("1,18\ntwo,3\n", "line 2: frequency 'two'; allowed: a number > 0"),
        ("1,18\n2,3,4\n", "line 2: '2,3,4'; allowed: two columns, frequency and limit"),
        ("f [m],a [ug]\n1,18\n2,19\n", "line 1: unit 'm' of the frequency; allowed: Hz, kHz"),
        ("f [Hz],a [g]\n1,18\n2,19\n", "line 1: unit 'g' of the limit; allowed: ug, m/s^2, mm/s^2, um/s^2"),
        ("f [ug],a [ug]\n1,18\n2,19\n", "line 1: unit 'ug' of the frequency; allowed: Hz, kHz"),
        ("f [Hz],a [ug]\n1,18\n", "1 rows of numbers; allowed: two or more"),
        ("", "0 rows of numbers; allowed: two or more"),
    ],
)
def test_a_table_that_is_none_is_refused_with_line_value_and_what_is_allowed(
    tmp_path: Path, text: str, told: str
) -> None:
    with pytest.raises(InputError) as refused:
        load_limit(_table(tmp_path, text))
    assert told in str(refused.value)
    assert "limits.csv" in str(refused.value)


def test_a_file_that_cannot_be_read_and_a_name_that_is_not_known_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file"):
        load_limit(tmp_path / "none.csv")
    (tmp_path / "bytes.csv").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InputError, match="cannot be read"):
        load_limit(tmp_path / "bytes.csv")
    with pytest.raises(InputError, match="Did you mean 'iss-microgravity'"):
        load_limit("iss-micrograv")


def test_points_given_in_python_are_checked_too() -> None:
    with pytest.raises(InputError, match="'mine', point 1: frequency 1 Hz; allowed: bands in rising order"):
        LimitCurve("mine", (2.0, 1.0), (1.0, 1.0))
    with pytest.raises(InputError, match="2 frequencies and 1 limits"):
        LimitCurve("mine", (2.0, 3.0), (1.0,))
