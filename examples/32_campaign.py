"""A campaign: forty runs of a platform with other thrusters each, and how often it stays on its line."""

import argparse
import tempfile

import freefloat as ff

parser = argparse.ArgumentParser()
parser.add_argument("--plot", help="where to save a plot of error over strength")
arguments = parser.parse_args()

with tempfile.TemporaryDirectory() as folder:
    found = ff.campaign(
        "reacsa-line",
        set={"duration": 5.0},
        runs=40,
        vary={"thrusters.strength_sigma": "uniform(0, 0.3)"},
        success="rms_position_m < 0.005",
        workers=2,
        out=f"{folder}/campaign",
    )
    table = found.frame
    rate, low, high = found.success
    worst = table.sort("rms_position_m", descending=True).row(0, named=True)
    same = found.replay(worst["case"]).metrics["rms_position_m"] == worst["rms_position_m"]

print(f"{len(table)} cases, success {rate:.2f}, with 95 % between {low:.2f} and {high:.2f}")
print(f"worst: case {worst['case']}, {1e3 * worst['rms_position_m']:.1f} mm; again: {'the same' if same else 'not so'}")

if arguments.plot:
    import matplotlib.pyplot as plt

    plt.plot(table["in.thrusters.strength_sigma"], 1e3 * table["rms_position_m"], "o")
    plt.xlabel("spread of the thrusters' strengths [-]")
    plt.ylabel("position error, root mean square [mm]")
    plt.savefig(arguments.plot)
