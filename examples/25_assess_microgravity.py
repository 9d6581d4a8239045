"""Does an arm at work disturb the experiments beside it? The station's acceleration in third-octave bands."""

import argparse

from freefloat.scenario.files import load
from freefloat.spectrum import ThirdOctaves, third_octave
from freefloat.units import G0

LIMIT = "iss-microgravity"
SPEEDS = (0.025, 0.1)  # [m/s] of 30 kg in the hand


def disturbance(speed: float) -> ThirdOctaves:
    """Ten seconds of SPIDER at work, with all imperfections of its drives, as the station feels them at 1 kHz."""
    record = load("spider-microgravity", {"motion.speed": speed}).build().run("10 s").of("vibration")
    return third_octave(record.t, record["station.f_WB_B"])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--plot", metavar="PATH", help="save a plot of the spectra under the limit")
    plot = parser.parse_args().plot

    spectra = {f"{100 * speed:g} cm/s": disturbance(speed) for speed in SPEEDS}
    for name, spectrum in spectra.items():
        worst = spectrum.least_margin(LIMIT)
        total = 1e6 * spectrum.total / G0
        print(f"{name:>8s}: {total:.2f} ug RMS; least margin {worst.db:.1f} dB, at {worst.frequency:.3g} Hz")
    first = next(iter(spectra.values()))
    lowest = first.centres[first.resolved][0]
    print(f"10 s resolve {first.resolved.sum()} of {len(first.centres)} bands, from {lowest:.2g} Hz up; all take 867 s")
    if plot:
        from freefloat.view.spectrum import plot_spectrum

        plot_spectrum(spectra, LIMIT, plot, title="SPIDER moves 30 kg: the station's acceleration")


if __name__ == "__main__":
    main()
