"""Links of a URDF: mass properties, what is seen and what touches."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from freefloat.errors import ModelError
from freefloat.geometry.shape import Shape
from freefloat.robots.attributes import LARGEST, Range, children, number, only_attributes
from freefloat.robots.declared import DeclaredLink
from freefloat.robots.inertial import Inertial
from freefloat.robots.reading import Reading
from freefloat.robots.urdf_names import Names
from freefloat.robots.urdf_shapes import Rgba, collision, leaf, one, origin, visual
from freefloat.robots.xmltree import Element, Source

MASS = Range(0.0, LARGEST, "kg")
MOMENT = Range(-LARGEST, LARGEST, "kg m^2")
MOMENTS = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
PAST = (
    "contact",
    "sensor",
    "self_filter",
    "collision_checking",
    "gravity",
    "kinematic",
    "surface",
    "origin",
    "material",
)


def read_link(e: Element, names: Names, colours: Mapping[str, Rgba], source: Source, reading: Reading) -> DeclaredLink:
    """The link of an element, without what is wrong in it."""
    only_attributes(e, reading, ("name",), past=("type", "concave"))
    name = names.of(e)
    parts = children(e, reading, ("inertial", "visual", "collision"), many=("visual", "collision"), past=PAST)
    inertial = reading.attempt(lambda: _inertial(parts["inertial"][0], reading), None) if parts["inertial"] else None
    seen: list[Shape | None] = []
    touching: list[Shape | None] = []
    for v in parts["visual"]:
        seen.append(_seen(v, colours, source, reading))
    for c in parts["collision"]:
        try:
            touching.append(collision(c, source, reading))
        except ModelError as error:
            reading.leave_out(error)
    return DeclaredLink(
        name,
        inertial,
        e.where,
        tuple(shape for shape in seen if shape),
        touching=tuple(shape for shape in touching if shape),
    )


def _seen(e: Element, colours: Mapping[str, Rgba], source: Source, reading: Reading) -> Shape | None:
    """What is only seen acts on no motion: what is wrong with it is noted."""
    own, shape = Reading("skip", search=reading.search), None
    try:
        shape = visual(e, colours, source, own)
    except ModelError as error:
        own.skipped.append(str(error).split("; allowed")[0])
    for skipped in own.skipped:
        reading.note(f"{skipped}: left out of what is seen")
    own.skipped.clear()
    reading.take(own)
    return shape


def _inertial(e: Element, reading: Reading) -> Inertial | None:
    """Mass properties in the link's axes; None where there are none."""
    only_attributes(e, reading, ())
    parts = children(e, reading, ("origin", "mass", "inertia"))
    mass = number(leaf(one(e, parts, "mass", f"{MASS}; 0 or no <inertial>: a frame"), reading, "value"), "value", MASS)
    X_LLcm = origin(parts["origin"], reading)
    inertia = leaf(one(e, parts, "inertia", f"six moments {' '.join(MOMENTS)} [kg m^2]"), reading, *MOMENTS)
    xx, xy, xz, yy, yz, zz = (number(inertia, name, MOMENT) for name in MOMENTS)
    I_Lcm = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    turned = X_LLcm.R @ I_Lcm @ X_LLcm.R.T
    if mass == 0.0 and not I_Lcm.any():
        reading.alike("has no mass: it is a frame", e.where)
        return None
    return Inertial(mass, X_LLcm.p, 0.5 * (turned + turned.T))
