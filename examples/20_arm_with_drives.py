"""The same arm and path with ideal joints, elastic ones and full drives: what the servos follow, and what it takes."""

import argparse

import numpy as np

import freefloat as ff


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--plot", metavar="PATH", help="save a plot of errors, gear torques and power with full drives")
    plot = parser.parse_args().plot

    runs = {level: ff.run("free-floating-arm", {"arm.drives": level}) for level in ("ideal", "elastic", "full")}
    ideal, full = runs["ideal"], runs["full"]

    print("joints     rms error      at the end     tool off by   base turns   momentum drift   step")
    for level, result in runs.items():
        m = result.metrics
        off = np.linalg.norm(result["arm.tool.p_WF"] - ideal["arm.tool.p_WF"], axis=1)
        print(
            f"{level:8s} {1e3 * m['tracking_error_rms_rad']:8.4f} mrad {1e3 * m['goal_error_rad']:8.4f} mrad"
            f" {1e3 * off.max():8.3f} mm {m['base_rotation_deg']:9.3f} deg {m['audit.angular_momentum_drift']:12.0e}"
            f" {1e3 * result.step:9g} ms"
        )

    m = full.metrics
    motors = full["arm.drive_energy"][-1].sum()
    print(f"the move itself takes {ideal.metrics['audit.work_supplied_J']:.0e} J: it begins and ends at rest")
    print(f"full drives take {m['energy_electric_J']:.0f} J, {m['power_mean_W']:.1f} W: {motors:.1f} J in the motors,")
    print(f"  of which {m['heat_friction_J']:.1f} J is friction and {m['heat_copper_J']:.1f} J heat of the windings;")
    print(f"  the rest is the {m['energy_electric_J'] - motors:.0f} J that the amplifiers draw on standby")
    per_joint = ", ".join(f"{e:.1f}" for e in full["arm.drive_energy"][-1])
    print(f"by joint: {per_joint} J")
    back = full["arm.drive_power"].min(axis=0)
    print(f"largest power given back by a motor: {max(0.0, -back.min()):.3f} W")
    print(f"energy drift {m['audit.energy_drift']:.0e}: supplied = heat + motion + springs, fields and rotors included")
    if plot:
        full.plot("arm.error", "arm.torque_gear", "arm.drive_power", path=plot)


if __name__ == "__main__":
    main()
