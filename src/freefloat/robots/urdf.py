"""Robots from URDF (http://wiki.ros.org/urdf/XML), read strictly: nothing that acts on the motion is dropped silently.

Read: robot, link (inertial, visual and collision with box, sphere, cylinder, capsule, mesh, material) and joint
(revolute, continuous, prismatic, fixed; origin, axis, limit, damping, friction).

Ignored on purpose, since the mission decides about it or it is for other programs: `transmission`, `gazebo`, `mujoco`,
`calibration`, `texture`; in a collision `contact_coefficients`, `material` and `verbose`; on a fixed joint also `axis`,
`limit` and `dynamics`, after their checks.

Refused by name: `mimic`, `safety_controller`, `sensor`, joints floating and planar, limits of a continuous joint, and
every element or attribute that is in neither list.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np

from freefloat.engine.graph import Joint, JointKind, LinkGraph
from freefloat.frames import Pose
from freefloat.geometry.shape import Shape
from freefloat.robots.assembly import DeclaredJoint, DeclaredLink, Inertial, assemble, check_unique
from freefloat.robots.attributes import LARGEST, Range, children, identifier, number, only_attributes, text, vector
from freefloat.robots.xmltree import Element, Source, nearest, parse, read_source, shown

Rgba = tuple[float, float, float, float]

GREY: Rgba = (0.7, 0.7, 0.72, 1.0)
LENGTH = Range(-LARGEST, LARGEST, "m")
ANGLE = Range(-LARGEST, LARGEST, "rad")
SIZE = Range(1e-9, LARGEST, "m")
SCALE = Range(-LARGEST, LARGEST, "-")
MASS = Range(1e-9, LARGEST, "kg")
MOMENT = Range(-LARGEST, LARGEST, "kg m^2")
COLOUR = Range(0.0, 1.0, "-")
AXIS = Range(-LARGEST, LARGEST, "-")
GEOMETRY = "box, sphere, cylinder, capsule or mesh"
MESH = "a mesh file, relative to this file, as package://NAME/PATH or file://PATH"

KINDS: Mapping[str, JointKind] = {
    "revolute": "revolute",
    "continuous": "revolute",
    "prismatic": "prismatic",
    "fixed": "fixed",
}
UNSUPPORTED = {
    "mimic": "coupled joints are not supported yet: remove it and command both joints",
    "safety_controller": "soft limits are not supported: remove it and give the controller its limits",
    "sensor": "sensors are not part of a robot's file: remove it and add the sensor to the mission",
}


def load_urdf(path_or_text: str | Path) -> LinkGraph:
    """The robot of a URDF file, or of URDF text (which starts with '<').

    Links and joints keep the file's order. A link without `inertial` becomes a frame, named like the link, of the
    massive link that it is fixed to; fixed joints between massive links stay. Mesh names become paths: relative ones
    start at the file's directory, and package://NAME/ is looked for in the directories above it.

    `visual` is what is seen and `collision` what touches: a link without `collision` touches nothing. In a robot that
    has none at all, what is seen touches. The mesh file of a visual must exist; that of a collision is not looked at.

    Raises `ModelError` with "file:line: element: what is wrong; allowed: ...".
    """
    source = read_source(path_or_text)
    robot = parse(source, "robot")
    only_attributes(robot, ("name", "version"))
    text(robot, "name", "any text")
    parts = _children(
        robot,
        ("link", "joint", "material", "transmission", "gazebo", "mujoco"),
        many=("link", "joint", "material", "transmission", "gazebo"),
    )
    colours = _materials(parts["material"], parts["link"])
    links = [_link(e, colours, source) for e in parts["link"]]
    if not any(link.touching for link in links):
        links = [replace(link, touching=None) for link in links]
    check_unique("link", [(link.name, link.where) for link in links])
    names = {link.name for link in links}
    joints = [_joint(e, names) for e in parts["joint"]]
    return assemble(links, joints, robot.where)


def _children(element: Element, known: tuple[str, ...], many: tuple[str, ...] = ()) -> dict[str, list[Element]]:
    for child in element.children:
        if child.tag in UNSUPPORTED:
            raise child.error(UNSUPPORTED[child.tag])
    return children(element, known, many)


def _one(parent: Element, found: Mapping[str, list[Element]], tag: str, allowed: str) -> Element:
    if not found[tag]:
        raise parent.error(f"<{tag}> is missing; allowed: {allowed}")
    return found[tag][0]


def _leaf(element: Element, *attributes: str) -> Element:
    only_attributes(element, attributes)
    children(element, ())
    return element


def _origin(found: list[Element]) -> Pose:
    if not found:
        return Pose.identity()
    e = _leaf(found[0], "xyz", "rpy")
    zero = (0.0, 0.0, 0.0)
    return Pose.from_rpy(vector(e, "rpy", 3, ANGLE, zero), vector(e, "xyz", 3, LENGTH, zero))


def _link(e: Element, colours: Mapping[str, Rgba], source: Source) -> DeclaredLink:
    only_attributes(e, ("name",))
    name = identifier(e)
    parts = _children(e, ("inertial", "visual", "collision"), many=("visual", "collision"))
    inertial = _inertial(parts["inertial"][0]) if parts["inertial"] else None
    seen = tuple(_visual(v, colours, source) for v in parts["visual"])
    return DeclaredLink(
        name, inertial, e.where, seen, touching=tuple(_collision(c, source) for c in parts["collision"])
    )


def _inertial(e: Element) -> Inertial:
    only_attributes(e, ())
    parts = _children(e, ("origin", "mass", "inertia"))
    mass = number(
        _leaf(_one(e, parts, "mass", f"{MASS}; a link without <inertial> is a frame"), "value"), "value", MASS
    )
    X_LLcm = _origin(parts["origin"])
    moments = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
    inertia = _leaf(_one(e, parts, "inertia", "six moments ixx ixy ixz iyy iyz izz [kg m^2]"), *moments)
    xx, xy, xz, yy, yz, zz = (number(inertia, name, MOMENT) for name in moments)
    I_Lcm = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    turned = X_LLcm.R @ I_Lcm @ X_LLcm.R.T
    return Inertial(mass, X_LLcm.p, 0.5 * (turned + turned.T)).checked(inertia.where)


def _materials(materials: list[Element], links: list[Element]) -> dict[str, Rgba]:
    """Colours by material name: the robot's own ones first, then those that a visual defines on its way."""
    colours: dict[str, Rgba] = {}
    for e in materials:
        name = identifier(e)
        if name in colours:
            raise e.error(f"second material named {shown(name)}; allowed: each name once")
        colours[name] = _colour(e) or GREY
    for e in (m for link in links for v in link.children for m in v.children if v.tag == "visual"):
        if e.tag == "material" and e.attributes.get("name") and (rgba := _colour(e)):
            colours.setdefault(e.attributes["name"], rgba)
    return colours


def _colour(material: Element) -> Rgba | None:
    only_attributes(material, ("name",))
    parts = _children(material, ("color", "texture"))
    if not parts["color"]:
        return None
    r, g, b, a = vector(_leaf(parts["color"][0], "rgba"), "rgba", 4, COLOUR).tolist()
    return (r, g, b, a)


def _visual(e: Element, colours: Mapping[str, Rgba], source: Source) -> Shape:
    only_attributes(e, ("name",))
    parts = _children(e, ("origin", "geometry", "material"))
    geometry = _one(e, parts, "geometry", GEOMETRY)
    rgba = _rgba(parts["material"][0], colours) if parts["material"] else GREY
    shape = _shape(geometry, _origin(parts["origin"]), source)
    if shape.kind == "mesh" and not _is_file(Path(shape.mesh)):
        mesh = geometry.children[0]
        raise mesh.error(f"filename = {shown(mesh.attributes['filename'])} is not found; allowed: {MESH}")
    return replace(shape, rgba=rgba, name=e.attributes.get("name", ""))


def _collision(e: Element, source: Source) -> Shape:
    only_attributes(e, ("name",))
    parts = _children(e, ("origin", "geometry", "material", "contact_coefficients", "verbose"))
    shape = _shape(_one(e, parts, "geometry", GEOMETRY), _origin(parts["origin"]), source)
    return replace(shape, name=e.attributes.get("name", ""))


def _rgba(material: Element, colours: Mapping[str, Rgba]) -> Rgba:
    rgba = _colour(material)
    if rgba is not None:
        return rgba
    name = identifier(material)
    if name not in colours:
        some = ", ".join(sorted(colours)[:12]) or "none is defined"
        raise material.error(f"unknown material {shown(name)}.{nearest(name, colours)} Allowed: {some}")
    return colours[name]


def _shape(geometry: Element, X_LG: Pose, source: Source) -> Shape:
    only_attributes(geometry, ())
    found = [e for many in _children(geometry, ("box", "sphere", "cylinder", "capsule", "mesh")).values() for e in many]
    if len(found) != 1:
        raise geometry.error(f"has {len(found)} shapes; allowed: one of box, sphere, cylinder, capsule, mesh")
    e = found[0]
    match e.tag:
        case "box":
            x, y, z = (vector(_leaf(e, "size"), "size", 3, SIZE) / 2).tolist()
            return Shape("box", (x, y, z), X_LG)
        case "sphere":
            return Shape("sphere", (number(_leaf(e, "radius"), "radius", SIZE),), X_LG)
        case "cylinder" | "capsule":
            _leaf(e, "radius", "length")
            return Shape(e.tag, (number(e, "radius", SIZE), number(e, "length", SIZE) / 2), X_LG)
        case _:
            return _mesh(_leaf(e, "filename", "scale"), X_LG, source)


def _mesh(e: Element, X_LG: Pose, source: Source) -> Shape:
    scale = vector(e, "scale", 3, SCALE, (1.0, 1.0, 1.0))
    if not scale.all():
        raise e.error(f"scale = {shown(e.attributes['scale'])} flattens the mesh; allowed: three numbers other than 0")
    x, y, z = scale.tolist()
    return Shape("mesh", (x, y, z), X_LG, mesh=str(_mesh_path(e, source)))


def _mesh_path(e: Element, source: Source) -> Path:
    """Where the mesh is, or else the first place where it was looked for."""
    name = text(e, "filename", MESH)
    scheme, rest = name.split("://", 1) if "://" in name else ("", name)
    if scheme not in ("", "file", "package"):
        raise e.error(f"filename = {shown(name)} has the scheme {shown(scheme)}; allowed: {MESH}")
    places = [source.directory / rest]
    if scheme == "package":
        places = [above / rest for above in source.directory.absolute().parents]
        places.insert(0, source.directory.absolute() / rest)
    return next((p for p in places if _is_file(p)), places[0])


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False


def _joint(e: Element, links: set[str]) -> DeclaredJoint:
    only_attributes(e, ("name", "type"))
    name = identifier(e)
    kinds = ", ".join(KINDS)
    declared = text(e, "type", kinds)
    if declared not in KINDS:
        known = "is not supported yet" if declared in ("floating", "planar") else "is unknown"
        raise e.error(f"type = {shown(declared)} {known}.{nearest(declared, KINDS)} Allowed: {kinds}")
    parts = _children(e, ("origin", "parent", "child", "axis", "limit", "dynamics", "calibration"))
    parent, child = (_end(e, parts, tag, links) for tag in ("parent", "child"))
    lower, upper, velocity, effort = _limits(e, declared, parts["limit"])
    fixed = declared == "fixed"
    axis, (damping, friction) = _axis(parts["axis"]), _dynamics(parts["dynamics"])
    joint = Joint(
        name,
        KINDS[declared],
        parent,
        child,
        _origin(parts["origin"]),
        axis=np.array([0.0, 0.0, 1.0]) if fixed else axis,
        lower=lower,
        upper=upper,
        velocity=velocity,
        effort=effort,
        damping=0.0 if fixed else damping,
        friction=0.0 if fixed else friction,
    )
    joint.axis.flags.writeable = False
    return DeclaredJoint(joint, e.where)


def _end(joint: Element, parts: Mapping[str, list[Element]], tag: str, links: set[str]) -> str:
    e = _leaf(_one(joint, parts, tag, f'<{tag} link="NAME"/>'), "link")
    name = identifier(e, "link")
    if name not in links:
        some = ", ".join(sorted(links)[:12]) + (", ..." if len(links) > 12 else "")
        raise e.error(f"unknown link {shown(name)}.{nearest(name, links)} Allowed: {some or 'none is defined'}")
    return name


def _axis(found: list[Element]) -> np.ndarray:
    if not found:
        return np.array([1.0, 0.0, 0.0])
    e = _leaf(found[0], "xyz")
    axis = vector(e, "xyz", 3, AXIS)
    length = float(np.linalg.norm(axis))
    if length < 1e-9:
        raise e.error(f"xyz = {shown(e.attributes['xyz'])} has no direction; allowed: a vector other than 0 0 0")
    return axis / length


def _dynamics(found: list[Element]) -> tuple[float, float]:
    """(damping, friction)."""
    if not found:
        return 0.0, 0.0
    e = _leaf(found[0], "damping", "friction")
    damping = number(e, "damping", Range(0.0, LARGEST, "N m s/rad or N s/m"), 0.0)
    return damping, number(e, "friction", Range(0.0, LARGEST, "N m or N"), 0.0)


def _limits(joint: Element, declared: str, found: list[Element]) -> tuple[float, float, float, float]:
    """(lower, upper, velocity, effort); unbounded where URDF has none."""
    unit = "m" if declared == "prismatic" else "rad"
    if not found and declared in ("revolute", "prismatic"):
        raise joint.error('<limit> is missing; allowed: <limit lower="" upper="" effort="" velocity=""/>')
    if not found:
        return -math.inf, math.inf, math.inf, math.inf
    e = _leaf(found[0], "lower", "upper", "effort", "velocity")
    default = 0.0 if declared == "fixed" else None
    velocity = number(e, "velocity", Range(0.0, math.inf, f"{unit}/s"), default)
    effort = number(e, "effort", Range(0.0, math.inf, "N" if unit == "m" else "N m"), default)
    if declared == "continuous":
        for name in ("lower", "upper"):
            if name in e.attributes:
                raise e.error(
                    f"{name} = {shown(e.attributes[name])} on a continuous joint; allowed: no lower and upper,"
                    ' or type="revolute"'
                )
        return -math.inf, math.inf, velocity, effort
    position = Range(-LARGEST, LARGEST, unit)
    lower, upper = (number(e, name, position, default) for name in ("lower", "upper"))
    if lower > upper:
        raise e.error(f"lower = {lower:g} exceeds upper = {upper:g}; allowed: lower <= upper [{unit}]")
    if declared == "fixed":
        return -math.inf, math.inf, math.inf, math.inf
    return lower, upper, velocity, effort
