"""A shipped scenario with changed fields: the lighter the satellite, the more it reacts to its arm."""

import argparse

import freefloat as ff


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--plot", metavar="PATH", help="save a plot of the lightest satellite's reaction")
    plot = parser.parse_args().plot

    print("bus mass   base turns   base moves   tool travels   momentum drift")
    for mass in (4000.0, 1000.0, 250.0):
        result = ff.run("free-floating-arm", {"bus.mass": mass})
        m = result.metrics
        print(
            f"{mass:5.0f} kg   {m['base_rotation_deg']:6.2f} deg   {1e3 * m['base_displacement_m']:7.1f} mm"
            f"   {m['tool_travel_m']:9.3f} m   {m['audit.angular_momentum_drift']:.0e}"
        )
        if plot:  # the last one stays
            result.plot("arm.q", "bus.w_WB_B", "bus.p_WB", path=plot)
    print("Every run has the same joint motion; nothing holds the bus.")


if __name__ == "__main__":
    main()
