"""Satellites in one world, the docking facility in another: what the robots show, and an impact through the record."""

import argparse

import freefloat as ff

QUICK = {"impact.distance": "100 mm", "impact.ramp": "0.6 s", "impact.running": "1.6 s", "duration": "2.6 s"}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--plot", metavar="PATH", help="save a plot of the forces")
    plot = parser.parse_args().plot

    m = ff.run("epos-hybrid", {"duration": "8 s"}).metrics
    print(f"free flight: relative pose {1e9 * m['relative_position_error_m']:.2g} nm off, the delay removed")
    results = {}
    for stiffness in ("100 kN/m", "300 kN/m"):  # of the mock-ups; the satellites' tools have 100 kN/m
        result = ff.run("epos-hybrid-contact", {**QUICK, "tools.mockup_stiffness": stiffness})
        m = result.metrics
        print(
            f"mock-ups of {stiffness}: robots {m['peak_force_robot_n']:.0f} N, satellites "
            f"{m['peak_force_satellite_n']:.0f} N, which leave at {m['exit_speed_ratio']:.4f} of their speed; axes at "
            f"{m['axis_acceleration_percent']:.0f} % of their acceleration"
        )
        results[stiffness] = result
    if plot:
        from freefloat.charts import draw_lines, panels, save

        figure, (ax,) = panels(1)
        force = {f"robots, {name}": r["mockups.force"].sum(axis=1) for name, r in results.items()}
        force["satellites"] = result["satellites.force"].sum(axis=1)
        draw_lines(ax, result.time("mockups.force"), force, "force [N]", "Stiffer mock-ups, the same impact in space")
        ax.set_xlim(1.7, 2.3)
        save(figure, plot)


if __name__ == "__main__":
    main()
