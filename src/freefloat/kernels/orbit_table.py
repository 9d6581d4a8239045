"""Reading the reference table: quintic Hermite interpolation of the orbit, cubic and linear of the rest field.

Functions of scalars and one array, for compiled code and for Python. A row of `knots`:
    0:3 p_I [m]   3:6 v_I [m/s]   6:9 a_I [m/s^2]   9:15 G (xx, xy, xz, yy, yz, zz) [1/s^2]   15:21 dG/dt [1/s^3]
    21:31 T (xxx, xxy, xxz, xyy, xyz, xzz, yyy, yyz, yzz, zzz) [1/(m s^2)]
G and T are the first and second derivatives of all gravity except the Earth's central and J2 terms.
Row i holds the instant t0 + i dt. Instants outside the table use its first or last interval (extrapolation).
"""

from __future__ import annotations

from freefloat.kernels.jit import shared

COLUMNS = 31


@shared
def locate(t, t0, dt, n):
    """Interval i (0 to n - 2) and place s in it (0 to 1) of the instant t."""
    x = (t - t0) / dt
    i = min(max(int(x), 0), n - 2)
    return i, x - i


@shared
def _hermite5(s):
    """Weights of p0, dt v0, dt^2 a0, p1 - p0, dt v1, dt^2 a1; the value weights add to one, so p0 enters unscaled."""
    s2 = s * s
    s3 = s2 * s
    rise = s3 * (10.0 + s * (6.0 * s - 15.0))
    v0 = s + s3 * (-6.0 + s * (8.0 - 3.0 * s))
    a0 = 0.5 * s2 + s3 * (-1.5 + s * (1.5 - 0.5 * s))
    v1 = s3 * (-4.0 + s * (7.0 - 3.0 * s))
    a1 = s3 * (0.5 + s * (0.5 * s - 1.0))
    return rise, v0, a0, v1, a1


@shared
def _hermite5_rate(s):
    """d/ds of the same weights."""
    s2 = s * s
    rise = 30.0 * s2 * (1.0 + s * (s - 2.0))
    v0 = 1.0 + s2 * (-18.0 + s * (32.0 - 15.0 * s))
    a0 = s + s2 * (-4.5 + s * (6.0 - 2.5 * s))
    v1 = s2 * (-12.0 + s * (28.0 - 15.0 * s))
    a1 = s2 * (1.5 + s * (2.5 * s - 4.0))
    return rise, v0, a0, v1, a1


@shared
def position(t, t0, dt, knots):
    """p_I (x, y, z) [m] of the reference at t."""
    i, s = locate(t, t0, dt, knots.shape[0])
    rise, v0, a0, v1, a1 = _hermite5(s)
    v0, v1, a0, a1 = v0 * dt, v1 * dt, a0 * dt * dt, a1 * dt * dt
    a, b = knots[i], knots[i + 1]
    return (
        a[0] + (rise * (b[0] - a[0]) + v0 * a[3] + v1 * b[3] + a0 * a[6] + a1 * b[6]),
        a[1] + (rise * (b[1] - a[1]) + v0 * a[4] + v1 * b[4] + a0 * a[7] + a1 * b[7]),
        a[2] + (rise * (b[2] - a[2]) + v0 * a[5] + v1 * b[5] + a0 * a[8] + a1 * b[8]),
    )


@shared
def velocity(t, t0, dt, knots):
    """v_I (x, y, z) [m/s] of the reference at t: the derivative of `position`."""
    i, s = locate(t, t0, dt, knots.shape[0])
    rise, v0, a0, v1, a1 = _hermite5_rate(s)
    rise, a0, a1 = rise / dt, a0 * dt, a1 * dt
    a, b = knots[i], knots[i + 1]
    return (
        rise * (b[0] - a[0]) + v0 * a[3] + v1 * b[3] + a0 * a[6] + a1 * b[6],
        rise * (b[1] - a[1]) + v0 * a[4] + v1 * b[4] + a0 * a[7] + a1 * b[7],
        rise * (b[2] - a[2]) + v0 * a[5] + v1 * b[5] + a0 * a[8] + a1 * b[8],
    )


@shared
def rest_gradient(t, t0, dt, knots):
    """(xx, xy, xz, yy, yz, zz) [1/s^2] at t of all gravity except the Earth's central and J2 terms."""
    i, s = locate(t, t0, dt, knots.shape[0])
    h1 = s * s * (3.0 - 2.0 * s)
    h0 = 1.0 - h1
    d0, d1 = dt * s * (1.0 - s) * (1.0 - s), -dt * s * s * (1.0 - s)
    a, b = knots[i], knots[i + 1]
    return (
        h0 * a[9] + h1 * b[9] + d0 * a[15] + d1 * b[15],
        h0 * a[10] + h1 * b[10] + d0 * a[16] + d1 * b[16],
        h0 * a[11] + h1 * b[11] + d0 * a[17] + d1 * b[17],
        h0 * a[12] + h1 * b[12] + d0 * a[18] + d1 * b[18],
        h0 * a[13] + h1 * b[13] + d0 * a[19] + d1 * b[19],
        h0 * a[14] + h1 * b[14] + d0 * a[20] + d1 * b[20],
    )


@shared
def rest_curvature(t, t0, dt, knots):
    """(xxx, xxy, xxz, xyy, xyz, xzz, yyy, yyz, yzz, zzz) [1/(m s^2)] at t of the same, linear between knots."""
    i, s = locate(t, t0, dt, knots.shape[0])
    u = 1.0 - s
    a, b = knots[i], knots[i + 1]
    return (
        u * a[21] + s * b[21],
        u * a[22] + s * b[22],
        u * a[23] + s * b[23],
        u * a[24] + s * b[24],
        u * a[25] + s * b[25],
        u * a[26] + s * b[26],
        u * a[27] + s * b[27],
        u * a[28] + s * b[28],
        u * a[29] + s * b[29],
        u * a[30] + s * b[30],
    )
