"""Truth values of a rigid body on an orbit, from Basilisk's unit test `test_spacecraft` (Kenneally et al. 2020)."""

from __future__ import annotations

from dataclasses import dataclass

Vector3 = tuple[float, float, float]


@dataclass(frozen=True)
class RigidBodyInOrbit:
    """Initial state and state after `duration`; MRP are those of the body in the inertial frame, |sigma| <= 1.

    The final rates are the closed form's, rounded to ten digits; position and MRP are Basilisk's.
    """

    mu: float = 3.986004415e14  # [m^3/s^2]
    mass: float = 100.0  # [kg]
    moments: Vector3 = (500.0, 200.0, 300.0)  # [kg m^2] principal, in B
    p0_WB: Vector3 = (-4020338.690396649, 7490566.741852513, 5248299.211589362)  # [m]
    v0_WB: Vector3 = (-5199.77710904224, -3436.681645356935, 1041.576797498721)  # [m/s]
    w0_WB_B: Vector3 = (0.5, -0.4, 0.7)  # [rad/s]; initial attitude is the identity
    duration: float = 10.0  # [s]
    p1_WB: Vector3 = (-4072255.7737936, 7456050.4649078, 5258610.0296275)  # [m]
    mrp1_WB: Vector3 = (0.373034285, -0.00239564413, 0.208570797)  # [-]
    w1_WB_B: Vector3 = (0.4876472754, 0.3146415831, 0.7422941965)  # [rad/s]
    source: str = "Kenneally, Piggott and Schaub, Basilisk, 2020: truth values of its test_spacecraft"


RIGID_BODY_IN_ORBIT = RigidBodyInOrbit()
