"""Before anything is built: does a design of modules hold together, have power, and stand loads and temperatures?"""

import argparse
from dataclasses import replace

from freefloat.structure import cubic, load_catalogue
from freefloat.structure.design.check import DesignReport, check_design
from freefloat.structure.design.design import Design, Environment, Held, Manoeuvre, PlacedModule
from freefloat.view.design_picture import draw_design

TOWER = ("bus", "bat", "solar", "dms", "payload")  # from below


def tower() -> Design:
    """One column of cubes in sunlight, and a burn that pushes the bus."""
    return Design(
        "tower",
        load_catalogue("mosar"),
        cubic(1, 1, len(TOWER)),
        tuple(PlacedModule(k + 1, kind, (0, 0, k)) for k, kind in enumerate(TOWER)),
        environments={"noon": Environment(sun=(1.0, 1.0, 0.5), albedo=400.0, infrared=237.0)},
        manoeuvres={"burn": Manoeuvre(acceleration=(0.0, 0.2, 0.0), pushed=1)},  # [m/s^2] across the tower
    )


def tell(title: str, report: DesignReport) -> None:
    """Mass, and the findings that count."""
    print(f"{title}: {report.mass.mass:.2f} kg, {len(report.errors)} errors")
    for finding in report.findings:
        if finding.severity != "note":
            print(f"  {finding.severity}: {finding}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--plot", metavar="PATH", help="save a drawing of the design")
    plot = parser.parse_args().plot

    design = tower()
    report = check_design(design)
    tell("as designed", report)
    noon = report.temperatures["noon"].warm
    print(f"  steady temperatures at noon: {noon.min():.1f} to {noon.max():.1f} K")
    tell("with the interface below module 4 open", check_design(replace(design, held=(Held(4, "-z"),))))
    heavy = replace(design, manoeuvres={"burn": Manoeuvre(acceleration=(0.0, 20.0, 0.0), pushed=1)})
    tell("with a burn a hundred times as strong", check_design(heavy))
    if plot:
        draw_design(report, plot)


if __name__ == "__main__":
    main()
