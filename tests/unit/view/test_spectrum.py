from pathlib import Path

import numpy as np
import pytest

from freefloat.errors import InputError
from freefloat.limit_curves import MICRO_G, LimitCurve
from freefloat.spectrum import ThirdOctaves, third_octave
from freefloat.view.spectrum import plot_spectrum

LIMIT = "iss-microgravity"
LOW = LimitCurve("low", (0.01, 0.02), (1.0, 1.0))


def _spectrum(amplitude: float = 36.0 * MICRO_G) -> ThirdOctaves:
    return third_octave(1000.0, amplitude * np.sqrt(2.0) * np.sin(2.0 * np.pi * 20.0 * np.arange(4000) / 1000.0))


def _words(*arguments: object, **options: str) -> list[str]:
    (ax,) = plot_spectrum(*arguments, **options).axes  # type: ignore[arg-type]
    return [text.get_text() for text in ax.texts if text.get_text()]


def test_steps_and_limit_are_in_the_unit_of_the_axis() -> None:
    for unit, factor, shown in (("ug", 1.0 / MICRO_G, "µg"), ("m/s^2", 1.0, "m/s²")):
        (ax,) = plot_spectrum(_spectrum(), LIMIT, unit=unit).axes
        assert ax.get_ylabel() == f"RMS acceleration in the band [{shown}]"
        (line,) = ax.lines
        assert np.nanmax(np.asarray(line.get_ydata())) == pytest.approx(1800.0 * MICRO_G * factor)
        steps = [np.nanmax(patch.get_data().values) for patch in ax.patches if hasattr(patch, "get_data")]
        assert steps[0] == pytest.approx(36.0 * MICRO_G * factor)


def test_the_legend_names_spectra_limit_and_what_is_not_resolved() -> None:
    (ax,) = plot_spectrum({"slow": _spectrum(), "fast": _spectrum(1.0)}, LIMIT).axes
    legend = ax.get_legend()
    assert legend is not None
    told = [text.get_text() for text in legend.get_texts()]
    assert told == ["slow", "fast", "limit: iss-microgravity", "not resolved: segments too short"]


def test_the_worst_band_is_pointed_out() -> None:
    assert _words(_spectrum(), LIMIT) == ["least margin 20.0 dB\nin the band of 20 Hz"]
    assert _words(_spectrum(3600.0 * MICRO_G), LIMIT) == ["above the limit by 20.0 dB\nin the band of 20 Hz"]
    both = {"slow": _spectrum(), "fast": _spectrum(3600.0 * MICRO_G)}
    assert _words(both, LIMIT) == ["fast: above the limit by 20.0 dB\nin the band of 20 Hz"]
    assert _words(_spectrum(), LOW) == ["no band can be judged by this limit"]
    assert _words(_spectrum(0.0), LIMIT) == []


def test_a_spectrum_without_limit_and_a_silent_one_are_drawn(tmp_path: Path) -> None:
    plot_spectrum(_spectrum(), path=tmp_path / "a.png", title="A sine")
    plot_spectrum(_spectrum(0.0), path=tmp_path / "b.png")
    assert all((tmp_path / name).stat().st_size > 1000 for name in ("a.png", "b.png"))


@pytest.mark.parametrize(
    ("spectra", "options", "told"),
    [
        (_spectrum(), {"unit": "g"}, "unit 'g' of a spectrum's picture; allowed: ug, m/s^2"),
        ({}, {}, "no spectrum to draw"),
        (_spectrum(), {"path": "a.gif"}, "kind '.gif' is unknown"),
        (_spectrum(), {"limit": "mine"}, "unknown limit curve 'mine'"),
    ],
)
def test_what_cannot_be_drawn_is_refused(spectra: object, options: dict[str, str], told: str) -> None:
    with pytest.raises(InputError, match=told.replace("^", r"\^")):
        plot_spectrum(spectra, **options)  # type: ignore[arg-type]
