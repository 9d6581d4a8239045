"""Least distances of solids on moving links, from one another and from the cells of a lattice, over many instants.

Everything is in the lattice's frame T, whose cells do not turn. Distances are MuJoCo's; bounds by lines with a radius,
and for cells by their boxes, spare most of them.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from freefloat.cmujoco import mj_geomDistance
from freefloat.compiled import inner, onboard

Floats = NDArray[np.float64]
Indices = NDArray[np.int64]
Flags = NDArray[np.bool_]

APART, BETWEEN, OWN = range(3)  # what a distance counts as; links of their own follow from OWN on
STILL = 1e-7  # [m, -] less than this in all poses is no motion


class Course(NamedTuple):
    """Recorded motion of links, row by row."""

    t: Floats  # [s] (rows,)
    p: Floats  # [m] (rows, links, 3) p_TL
    q: Floats  # (rows, links, 4) q_TL, without jumps of sign
    present: Flags  # (rows, links) whether its solids are there
    contents: Indices  # (rows,) row of `Lattice.occupied`
    facing: Indices  # (rows, links, 3) cells of which a link is, was last, and will be next; -1: none


class Bodies(NamedTuple):
    """Solids on links, and which are compared. Solid s is geom s of the model; the cell is the geom behind the last."""

    link: Indices  # (solids,) rising
    first: Indices  # (links + 1,) of each link's solids; the last one's end
    extent: Floats  # [m] (links,) how far its solids reach from a link's origin
    p_LG: Floats  # [m] (solids, 3)
    q_LG: Floats  # (solids, 4)
    core: Floats  # [m] (solids,) half the length of a line along z of G
    radius: Floats  # [m] (solids,) within which of that line the solid is
    ball: Floats  # [m] (solids,) of a ball round G that holds the solid
    pairs: Indices  # (pairs, 3) two solids, and APART or BETWEEN
    axis: Indices  # (links,) the link along whose z this one comes to a cell; -1: it never does
    tip: Indices  # (links,) the link whose origin is then on the line through the cell's centre
    reach: Floats  # [m] (links,) how far from a cell's centre the way along that axis goes
    told: Indices  # (links,) as what its distances from cells count: APART, or a number of its own from OWN on


class Lattice(NamedTuple):
    """Cells of one form."""

    centre: Floats  # [m] (cells, 3)
    half: Floats  # [m] (3,) of the box round a cell
    occupied: Flags  # (contents, cells)


class Nearest(NamedTuple):
    """For each instant and count the least distance [m], at most `far`, and the two solids, or solid and cell."""

    distance: Floats  # (instants, counts)
    who: Indices  # (instants, counts, 2) a solid; another, or the number of solids plus a cell; -1: none


@inner
def _turned(q, v, out):
    """R(q) v into out."""
    w, x, y, z = q[0], q[1], q[2], q[3]
    a, b, c = y * v[2] - z * v[1], z * v[0] - x * v[2], x * v[1] - y * v[0]
    out[0] = v[0] + 2.0 * (w * a + y * c - z * b)
    out[1] = v[1] + 2.0 * (w * b + z * a - x * c)
    out[2] = v[2] + 2.0 * (w * c + x * b - y * a)


@inner
def _between(course, i, x, p, q):
    """Poses of all links a share x of the way from row i to the next, by cubics through the rows around; into p, q."""
    rows, links = course.t.shape[0], course.p.shape[1]
    if x == 0.0 or i + 1 >= rows:
        p[:] = course.p[i]
        q[:] = course.q[i]
        return
    before, after, h = max(i - 1, 0), min(i + 2, rows - 1), course.t[i + 1] - course.t[i]
    y = 1.0 - x
    a, b, c, d = y * y * (1.0 + 2.0 * x), x * x * (3.0 - 2.0 * x), x * y * y, -x * x * y
    c, d = c * h / (course.t[i + 1] - course.t[before]), d * h / (course.t[after] - course.t[i])
    for link in range(links):
        for k in range(3):
            v = course.p[:, link, k]
            p[link, k] = a * v[i] + b * v[i + 1] + c * (v[i + 1] - v[before]) + d * (v[after] - v[i])
        size = 0.0
        for k in range(4):
            v = course.q[:, link, k]
            q[link, k] = a * v[i] + b * v[i + 1] + c * (v[i + 1] - v[before]) + d * (v[after] - v[i])
            size += q[link, k] * q[link, k]
        for k in range(4):
            q[link, k] /= math.sqrt(size)


@inner
def _put(bodies, p, q, xpos, xmat):
    """Solids where their links are."""
    g, column, axis = np.empty(4), np.empty(3), np.empty(3)
    for s in range(bodies.link.shape[0]):
        at, own = q[bodies.link[s]], bodies.q_LG[s]
        _turned(at, bodies.p_LG[s], column)
        for k in range(3):
            xpos[s, k] = p[bodies.link[s], k] + column[k]
        g[0] = at[0] * own[0] - at[1] * own[1] - at[2] * own[2] - at[3] * own[3]
        g[1] = at[0] * own[1] + at[1] * own[0] + at[2] * own[3] - at[3] * own[2]
        g[2] = at[0] * own[2] - at[1] * own[3] + at[2] * own[0] + at[3] * own[1]
        g[3] = at[0] * own[3] + at[1] * own[2] - at[2] * own[1] + at[3] * own[0]
        for k in range(3):
            axis[:] = 0.0
            axis[k] = 1.0
            _turned(g, axis, column)
            for j in range(3):
                xmat[s, 3 * j + k] = column[j]


@inner
def _in_line(bodies, lattice, course, i, link, cell, p, q, beside):
    """Whether a link is on its straight way to or from a cell that it faced last or will face next, or faces it now."""
    if course.facing[i, link, 0] == cell:
        return True
    z, up = np.empty(3), np.array([0.0, 0.0, 1.0])
    _turned(q[bodies.axis[link]], up, z)
    for slot in range(1, 3):
        place = course.facing[i, link, slot]
        if place != cell:
            continue
        away, square = 0.0, 0.0
        for k in range(3):
            d = p[bodies.tip[link], k] - lattice.centre[place, k]
            away -= d * z[k]
            square += d * d
        if -beside <= away <= bodies.reach[link] and square - away * away <= beside * beside:
            return True
    return False


@inner
def _box_bound(bodies, s, xpos, xmat, middle, half):
    """[m] A distance that a solid keeps from a box for certain: of balls along its core."""
    core, radius = bodies.core[s], bodies.radius[s]
    balls = 1 + math.ceil(core / radius)
    least, step = math.inf, core / balls
    for n in range(balls):
        along, square = (2 * n + 1 - balls) * step, 0.0
        for k in range(3):
            out = abs(xpos[s, k] + along * xmat[s, 3 * k + 2] - middle[k]) - half[k]
            if out > 0.0:
                square += out * out
        least = min(least, square)
    return math.sqrt(least) - math.sqrt(radius * radius + step * step)


@inner
def _pair_bound(bodies, a, b, xpos, xmat):
    """[m] A distance that two solids keep for certain: of their cores less both radii (Ericson 2005, sec. 5.1.9)."""
    h_a, h_b, uu, uw, vw, ww = bodies.core[a], bodies.core[b], 0.0, 0.0, 0.0, 0.0
    for k in range(3):
        u, v, w = xmat[a, 3 * k + 2], xmat[b, 3 * k + 2], xpos[a, k] - xpos[b, k]
        uu += u * v
        uw += u * w
        vw += v * w
        ww += w * w
    skew = 1.0 - uu * uu
    s = 0.0 if skew < 1e-12 else min(max((uu * vw - uw) / skew, -h_a), h_a)
    t = min(max(vw + s * uu, -h_b), h_b)
    s = min(max(t * uu - uw, -h_a), h_a)
    square = ww + s * s + t * t + 2.0 * (s * uw - t * vw - s * t * uu)
    return math.sqrt(max(square, 0.0)) - bodies.radius[a] - bodies.radius[b]


@inner
def _note(distance, who, count, d, a, b):
    if d < distance[count]:
        distance[count] = d
        who[count, 0], who[count, 1] = a, b


@inner
def _measure(at, bodies, lattice, course, i, a, b, count, p, q, beside, xpos, xmat, distance, who):
    """The distance of a solid from another, or from a cell, noted under its count where it is less."""
    solids, link = bodies.link.shape[0], bodies.link[a]
    if b < solids:
        if _pair_bound(bodies, a, b, xpos, xmat) < distance[count]:
            d = mj_geomDistance(at[0], at[1], np.int32(a), np.int32(b), max(distance[count], 0.0), 0)
            _note(distance, who, count, d, a, b)
        return
    cell = b - solids
    if bodies.axis[link] >= 0 and _in_line(bodies, lattice, course, i, link, cell, p, q, beside):
        return
    told = bodies.told[link]
    limit = distance[told]
    if _box_bound(bodies, a, xpos, xmat, lattice.centre[cell], lattice.half) >= limit:
        return
    xpos[solids] = lattice.centre[cell]
    d = mj_geomDistance(at[0], at[1], np.int32(a), np.int32(solids), max(limit, 0.0), 0)
    _note(distance, who, told, d, a, b)


@inner
def _all(at, bodies, lattice, course, i, p, q, beside, xpos, xmat, distance, who, last):
    """All that is near at one instant; what was nearest before comes first, since it spares most of the rest."""
    solids, present, full = bodies.link.shape[0], course.present[i], lattice.occupied[course.contents[i]]
    for count in range(last.shape[0]):
        a, b = last[count]
        if a < 0 or not present[bodies.link[a]]:
            continue
        if (b < solids and present[bodies.link[b]]) or (b >= solids and full[b - solids]):
            _measure(at, bodies, lattice, course, i, a, b, count, p, q, beside, xpos, xmat, distance, who)
    pairs, ball, link_of = bodies.pairs, bodies.ball, bodies.link
    for k in range(pairs.shape[0]):
        a, b, count = pairs[k, 0], pairs[k, 1], pairs[k, 2]
        if not present[link_of[a]] or not present[link_of[b]]:
            continue
        x, y, z = xpos[a, 0] - xpos[b, 0], xpos[a, 1] - xpos[b, 1], xpos[a, 2] - xpos[b, 2]
        limit = max(distance[count], 0.0) + ball[a] + ball[b]
        if x * x + y * y + z * z < limit * limit:
            _measure(at, bodies, lattice, course, i, a, b, count, p, q, beside, xpos, xmat, distance, who)
    first, extent, centre, half = bodies.first, bodies.extent, lattice.centre, lattice.half
    for link in range(present.shape[0]):
        if not present[link]:
            continue
        limit = max(distance[bodies.told[link]], 0.0) + extent[link]
        for cell in range(full.shape[0]):
            if not full[cell]:
                continue
            x = max(abs(p[link, 0] - centre[cell, 0]) - half[0], 0.0)
            y = max(abs(p[link, 1] - centre[cell, 1]) - half[1], 0.0)
            z = max(abs(p[link, 2] - centre[cell, 2]) - half[2], 0.0)
            if x * x + y * y + z * z < limit * limit:
                for a in range(first[link], first[link + 1]):
                    _measure(
                        at, bodies, lattice, course, i, a, solids + cell, 0, p, q, beside, xpos, xmat, distance, who
                    )


@onboard
def least_distances(at, xpos, xmat, bodies, lattice, course, row, share, far, beside, distance, who):
    """Fill `distance` and `who` of a `Nearest` for instants a `share` of the way from a row to the next.

    `at`: addresses of the model of solids and of its data, whose poses are `xpos`, `xmat`. Who comes to a cell along a
    straight line within `beside` [m] of its centre is not compared with it.
    """
    links, held = course.p.shape[1], -1
    p, q, p_was, q_was = np.empty((links, 3)), np.empty((links, 4)), np.empty((links, 3)), np.empty((links, 4))
    last = np.full((distance.shape[1], 2), -1)
    for k in range(row.shape[0]):
        i = row[k]
        _between(course, i, share[k], p, q)
        if held >= 0:
            j = row[held]
            same = course.contents[i] == course.contents[j] and np.abs(p - p_was).max() < STILL
            same = same and np.abs(q - q_was).max() < STILL and (course.present[i] == course.present[j]).all()
            if same and (course.facing[i] == course.facing[j]).all():
                distance[k] = distance[held]
                who[k] = who[held]
                continue
        held = k
        p_was[:] = p
        q_was[:] = q
        _put(bodies, p, q, xpos, xmat)
        distance[k] = far
        who[k] = -1
        _all(at, bodies, lattice, course, i, p, q, beside, xpos, xmat, distance[k], who[k], last)
        for count in range(last.shape[0]):
            if who[k, count, 0] >= 0:
                last[count] = who[k, count]
