"""Docking in orbit: how much push a chaser needs until the latches of the cone have its probe."""

import argparse

import freefloat as ff
from freefloat.docking import Phase


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--plot", metavar="PATH", help="save a plot of the head's way in the cone")
    plot = parser.parse_args().plot

    for push in (0.0, 40.0, 80.0):
        changes = {"push": push, "arrival.closing": "0.05 m/s", "duration": 14.0, "record_rate": 50.0}
        result = ff.run("dock-probe-cone", changes, strict=True)
        m = result.metrics
        how = f"after {m['time_to_capture_s']:.2f} s" if m["captured"] else "never"
        end = Phase(int(m["outcome"])).name.lower().replace("_", " ")
        print(f"push {push:2.0f} N: captured {how}, at most {m['peak_contact_force_N']:.0f} N; in the end: {end}")

    for event in result.events:
        print(f"{event.t:7.3f} s  {event.name}: {event.result}")
    print(f"energy drift {m['audit.energy_drift']:.0e}")
    if plot:
        result.plot("docking.p_CH", "touch.force", "probe.q", path=plot)


if __name__ == "__main__":
    main()
