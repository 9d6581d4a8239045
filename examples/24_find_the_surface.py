"""What a contact tells a facility: where the tools really are, and how soft tools and arms are, sample by sample."""

import argparse

import numpy as np

from freefloat.gnc.control.rendering.belief import Prior, SurfaceBelief

STIFFNESS = 5e4  # [N/m] as assumed
TRUE = 0.9 * STIFFNESS  # [N/m]
OFFSET = np.array([1.2e-3, 0.4e-3, 0.0])  # [m] by which the surface is off
NORMALS = (np.array([-1.0, 0.0, 0.0]), np.array([-0.6, 0.8, 0.0]))  # of two contacts


def contact(belief: SurfaceBelief, normal: np.ndarray, rng: np.random.Generator) -> list[np.ndarray]:
    """Fifty cycles of a contact of up to 300 N, with 1 N of noise; the offset that is believed after each."""
    found = []
    for force in 300.0 * np.sin(np.linspace(0.05, np.pi - 0.05, 50)):
        gap = normal @ OFFSET - force / TRUE  # by motor angles and the known shape
        belief.learn(gap - normal @ belief.offset, normal, force + rng.standard_normal(), arms=0.0)
        found.append(belief.offset)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--plot", metavar="PATH", help="save a plot of what is believed")
    plot = parser.parse_args().plot

    lines = {}
    for name, prior in (("stiffness fitted too", Prior()), ("stiffness believed", Prior(tools=1e-6))):
        belief, rng = SurfaceBelief(STIFFNESS, prior), np.random.default_rng(1)
        found = []
        for n, normal in enumerate(NORMALS, 1):
            found += contact(belief, normal, rng)
            left = 1e6 * abs(normal @ (belief.offset - OFFSET))
            print(f"{name}, contact {n}: {left:6.1f} um off along its normal")
        lines[f"x, {name}"] = 1e3 * np.array(found)[:, 0]
        print(f"  softness {1e6 * belief.compliance(0.0):.2f} um/N, in truth {1e6 / TRUE:.2f} um/N")
    if plot:
        from freefloat.charts import draw_lines, panels, save

        figure, (ax,) = panels(1)
        cycles = np.arange(1.0, 101.0)
        lines["x, in truth"] = np.full(100, 1e3 * OFFSET[0])
        draw_lines(ax, cycles, lines, "offset of the surface [mm]", "Two contacts of 50 cycles each")
        ax.set_xlabel("cycle [-]")
        save(figure, plot)


if __name__ == "__main__":
    main()
