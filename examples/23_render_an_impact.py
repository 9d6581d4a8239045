"""Two robots render the collision of two satellites: ways to take over their contact, and what each costs."""

import argparse

import freefloat as ff

WAYS = {
    "observer, predicted and redone": {},
    "paper, neither predicted nor redone": {"rendering": "paper", "prediction": "off", "recomputation": "off"},
    "passivity": {"rendering": "passivity"},
    "naive": {"rendering": "naive"},
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--plot", metavar="PATH", help="save a plot of the satellites' distance")
    plot = parser.parse_args().plot

    results = {}
    for name, settings in WAYS.items():
        result = ff.run("impact-central", {"duration": 1.4, "robots.delay": "20 ms", **settings})
        m = result.metrics
        print(
            f"{name:36}: leave at {m['exit_speed_ratio']:6.3f} of the speed of approach, "
            f"at most {1e3 * m['position_error_m']:8.3f} mm off"
        )
        results[name] = result
    first = results["observer, predicted and redone"].metrics
    print(f"forces: satellites {first['peak_force_satellite_n']:.0f} N, robots {first['peak_force_robot_n']:.0f} N")
    if plot:
        from freefloat.charts import draw_lines, panels, save

        figure, (ax,) = panels(1)
        apart = {name: 1e3 * (r["client.p_WB"] - r["servicer.p_WB"])[:, 0] - 1010.0 for name, r in results.items()}
        t = result.time("client.p_WB")
        draw_lines(ax, t, apart, "distance [mm]", "Between tip and plate, by the way of rendering")
        ax.set_ylim(-5.0, 60.0)
        save(figure, plot)


if __name__ == "__main__":
    main()
