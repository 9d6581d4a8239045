"""What a bank may see of the bodies, and the vector algebra that banks share.

All quantities are in the world frame W at the instant of the evaluation. Row b of a body array is body b; row 0 is the
world. `xipos[0]` is set to the system's centre of mass: the point about which reactions on the world are counted.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from freefloat.kernels.jit import kernel


class View(NamedTuple):
    """Positions and velocities of the bodies (views into MuJoCo's data; read only by agreement)."""

    qpos: np.ndarray  # (nq,) joint coordinates [rad, m]; quaternions scalar first
    qvel: np.ndarray  # (nv,) joint rates [rad/s, m/s]
    xpos: np.ndarray  # (nbody, 3) p_WB: body frame origin [m]
    xquat: np.ndarray  # (nbody, 4) q_WB
    xmat: np.ndarray  # (nbody, 9) R_WB, row by row
    xipos: np.ndarray  # (nbody, 3) p_WBcm; row 0: the system's centre of mass [m]
    com: np.ndarray  # (nbody, 3) centre of mass of each body's subtree [m]
    cvel: np.ndarray  # (nbody, 6) [angular; linear] velocity, linear at com of the root's subtree [rad/s, m/s]
    root: np.ndarray  # (nbody,) root body of each body's tree (int32)
    mass: np.ndarray  # (nbody,) [kg]
    ximat: np.ndarray  # (nbody, 9) R_WI: principal axes of each body's inertia, row by row
    inertia: np.ndarray  # (nbody, 3) principal moments about Bcm [kg m^2]


class Rows(NamedTuple):
    """A bank's parameters: one row per element."""

    f: np.ndarray  # (n, kf) float64
    i: np.ndarray  # (n, ki) int64: indices of bodies, coordinates, commands
    tables: np.ndarray  # (n, 3) int64: address, rows and columns of each row's table; `handle.table_of` reads them
    forces: np.ndarray  # carried forces, n times those of a row; use `carried`
    inside: int  # 1 at the inner stages of a step, where `forces` are what `advance` left
    kept: np.ndarray  # (n, k) what `settle` keeps of each row; it alone may write there
    busy: np.ndarray  # (1,) int64: a guard may set it to 0 where `settle` has nothing to do until a guard crosses
    # (k + 3 n, n) scratch of `advance`: k quantities and three square matrices. At its start only that is known which
    # `stage` wrote there outside of a step (`inside` 0)
    work: np.ndarray


class Answer(NamedTuple):
    """How the bodies answer, at the instant of `view`: accelerations, and what a joint effort would add to them."""

    qacc: np.ndarray  # (nv,) joint accelerations [rad/s^2, m/s^2]
    cacc: np.ndarray  # (nbody, 6) [angular; linear] acceleration in W; the angular half is that of the body
    minv: np.ndarray  # (n, nv) row k: M^-1 times row k of `efforts`, one for each answer of each row of the bank
    efforts: np.ndarray  # (n, nv) a unit effort at a joint, or what a unit torque on a body about its axis does
    h: int  # the world's memory, for `notes.note` and for built-in banks
    bank: int  # number of the bank


@kernel
def carried(p, k, true):
    """The carried force number k as a stage must apply it. `true` is what the states say.

    Where a step starts or ends, and wherever somebody reads, that is the force, and it is noted; at the inner stages of
    a step it is the quadratic in time that begins there and has the impulse and first moment that `advance` left.
    """
    if p.inside == 0:
        p.forces[k] = true
    return p.forces[k]


@kernel
def rotate(R, x, y, z):
    """R v with R a row-major (9,) matrix: three floats."""
    return R[0] * x + R[1] * y + R[2] * z, R[3] * x + R[4] * y + R[5] * z, R[6] * x + R[7] * y + R[8] * z


@kernel
def rotate_back(R, x, y, z):
    """R^T v with R a row-major (9,) matrix: three floats."""
    return R[0] * x + R[3] * y + R[6] * z, R[1] * x + R[4] * y + R[7] * z, R[2] * x + R[5] * y + R[8] * z


@kernel
def velocity_at(view, b, px, py, pz):
    """v_WP [m/s] of the point P of body b that is at p_WP now: three floats."""
    c = view.com[view.root[b]]
    w = view.cvel[b]
    rx, ry, rz = px - c[0], py - c[1], pz - c[2]
    return w[3] + w[1] * rz - w[2] * ry, w[4] + w[2] * rx - w[0] * rz, w[5] + w[0] * ry - w[1] * rx


@kernel
def add_force(view, wrench, b, px, py, pz, fx, fy, fz):
    """Add a force f_W [N] at the point p_WP [m] of body b. Row b of `wrench` is [torque about Bcm; force] in W."""
    rx, ry, rz = px - view.xipos[b, 0], py - view.xipos[b, 1], pz - view.xipos[b, 2]
    wrench[b, 0] += ry * fz - rz * fy
    wrench[b, 1] += rz * fx - rx * fz
    wrench[b, 2] += rx * fy - ry * fx
    wrench[b, 3] += fx
    wrench[b, 4] += fy
    wrench[b, 5] += fz


@kernel
def add_pair(view, wrench, a, b, px, py, pz, fx, fy, fz):
    """A force on body b at p_WP with its reaction on body a (a = 0: the world), so that momentum is kept."""
    add_force(view, wrench, b, px, py, pz, fx, fy, fz)
    add_force(view, wrench, a, px, py, pz, -fx, -fy, -fz)


@kernel
def add_torque_pair(wrench, a, b, tx, ty, tz):
    """A torque on body b [N m] with its reaction on body a (a = 0: the world)."""
    wrench[b, 0] += tx
    wrench[b, 1] += ty
    wrench[b, 2] += tz
    wrench[a, 0] -= tx
    wrench[a, 1] -= ty
    wrench[a, 2] -= tz
