"""The laws of a joint drive on plain numbers, as stages and sub-steps share them. Sources: docs/reference/drives.md."""

from __future__ import annotations

import math

from freefloat.kernels import lugre
from freefloat.kernels.drive_row import (
    AMPLIFIER,
    COURSE_SIZE,
    FULL_CURRENT,
    LOST_RESOLVER,
    STUCK_REFERENCE,
    F,
)
from freefloat.kernels.handle import part
from freefloat.kernels.jit import inlined_kernel, kernel

ALPHA = 0.00393  # [1/K] of copper's resistance at 20 degrees Celsius
T0 = 293.15  # [K] at which the resistance is given


@inlined_kernel
def clip(x, limit):
    """x within +-limit."""
    return min(max(x, -limit), limit)


@inlined_kernel
def resistance(f, temperature):
    """R(Tw) = R0 (1 + alpha (Tw - T0)) [ohm]."""
    return f[F.resistance] * (1.0 + ALPHA * (temperature - T0))


@inlined_kernel
def reference_current(f, command, fault, held):
    """Amplitude I of the phase currents [A] that the joint effort `command` asks for."""
    current = clip(clip(command, f[F.effort]) / (f[F.ratio] * f[F.torque_constant]), f[F.max_current])
    if fault == FULL_CURRENT:
        current = f[F.max_current]
    elif fault == -FULL_CURRENT:
        current = -f[F.max_current]
    elif fault == STUCK_REFERENCE:
        current = held
    return current


@inlined_kernel
def shapes(f, c, s):
    """f_A and f_B, the phases' shares of the torque constant, from cosine and sine of the electrical angle."""
    a3, c2 = f[F.third_harmonic], 4.0 * c * c
    return (1.0 + f[F.unbalance]) * c * (1.0 + a3 * (c2 - 3.0)), s * (1.0 - a3 * (c2 - 1.0))


@inlined_kernel
def turned_by(c, s, by):
    """Cosine and sine of an angle that has turned by a little."""
    far = abs(by) > 0.25
    half = 0.25 * by if far else by
    y = half * half
    cb = 1.0 - y * (1 / 2 - y * (1 / 24 - y * (1 / 720 - y * (1 / 40320 - y / 3628800))))
    sb = half * (1.0 - y * (1 / 6 - y * (1 / 120 - y * (1 / 5040 - y / 362880))))
    if far:
        if abs(by) > 1.0:
            cb, sb = math.cos(by), math.sin(by)
        else:
            cb, sb = cb * cb - sb * sb, 2.0 * cb * sb
            cb, sb = cb * cb - sb * sb, 2.0 * cb * sb
    return c * cb - s * sb, s * cb + c * sb


@inlined_kernel
def references(f, fault, c, s, sin_2):
    """Cosine and sine of the electrical angle that the motor's resolver tells: th + eps sin 2 th."""
    if fault == LOST_RESOLVER:
        return 1.0, 0.0
    return turned_by(c, s, f[F.pole_pairs] * f[F.motor_error] * sin_2)


@inlined_kernel
def voltage(f, i, reference, integral, offset, gain):
    """v_X of a phase [V], limited by the supply."""
    if f[F.kind] == AMPLIFIER:
        return clip(f[F.resistance] * reference, f[F.supply])
    return clip(f[F.kp] * (reference - (1.0 + gain) * i - offset) + integral, f[F.supply])


@inlined_kernel
def wind_up(f, angle, q, c, s):
    """Wind-up d of the gear [rad] at the output side, and kap = dd/dth; from cosine and sine of twice the angle."""
    if f[F.kinematic_phase] != 0.0:
        c, s = turned_by(c, s, f[F.kinematic_phase])
    error, per_N = f[F.kinematic_error], 1.0 / f[F.ratio]
    return angle * per_N - q + error * s, per_N + 2.0 * error * c


@inlined_kernel
def stretched(f, d):
    """d less the backlash: what the teeth are pressed together by [rad]."""
    return d - clip(d, f[F.gap])


@inlined_kernel
def spring(f, stretch):
    """tau_s = k1 ds + k3 ds^3 [N m]."""
    return stretch * (f[F.stiffness] + f[F.cubic] * stretch * stretch)


@inlined_kernel
def gear_torque(f, stretch, rate, hysteresis):
    """Torque on the link [N m]; with backlash the teeth push only, and only where they touch."""
    tau = spring(f, stretch) + f[F.damping] * rate
    if f[F.gap] > 0.0 and tau * stretch <= 0.0:
        tau = 0.0
    return tau + hysteresis


@inlined_kernel
def dahl(f, hysteresis, moved):
    """Torque of the hysteresis after the wind-up has moved: exact, F s + (tau - F s) exp(-sh |moved| / F)."""
    end = math.copysign(f[F.hysteresis], moved)
    return end + (hysteresis - end) * math.exp(-f[F.hysteresis_stiffness] * abs(moved) / f[F.hysteresis])


@inlined_kernel
def stribeck(f, v):
    """What stiction adds to Coulomb friction close to rest, (Fs - Fc) exp(-|v/vs|^n) [N m], and its slope over v."""
    return lugre.stribeck(f[F.coulomb], f[F.stiction], f[F.stribeck], f[F.exponent], v)


@inlined_kernel
def bristle(f, z, v, g, time):
    """z after `time` at constant speed and g: exact."""
    s0 = f[F.bristle_stiffness]
    end = math.copysign(g / s0, v)
    return end + (z - end) * math.exp(-s0 * abs(v) * time / g)


@kernel
def course(u, first, t):
    """Angle and speed of an imposed course at t: the polynomial of a command [t0, c0 ... c5]."""
    c = part(u, first, COURSE_SIZE)
    s = t - c[0]
    angle, speed = c[COURSE_SIZE - 1], 0.0
    for k in range(COURSE_SIZE - 2, 0, -1):
        speed = speed * s + angle
        angle = angle * s + c[k]
    return angle, speed


@inlined_kernel
def reading(angle, error, quantum, sin_2):
    """What a resolver tells of an angle [rad], from the sine of twice of it."""
    told = angle + error * sin_2
    return told if quantum == 0.0 else quantum * math.floor(told / quantum + 0.5)
