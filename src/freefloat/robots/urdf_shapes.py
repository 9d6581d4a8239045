"""Shapes of a URDF: boxes, spheres, cylinders, capsules, meshes and where their files are."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from freefloat.frames import Pose
from freefloat.geometry.shape import Shape
from freefloat.robots.attributes import LARGEST, Range, children, number, only_attributes, text, vector
from freefloat.robots.reading import Reading
from freefloat.robots.xmltree import Element, Source, shown

Rgba = tuple[float, float, float, float]

GREY: Rgba = (0.7, 0.7, 0.72, 1.0)
LENGTH = Range(-LARGEST, LARGEST, "m")
ANGLE = Range(-LARGEST, LARGEST, "rad")
SIZE = Range(1e-9, LARGEST, "m")
SCALE = Range(-LARGEST, LARGEST, "-")
COLOUR = Range(0.0, 1.0, "-")
GEOMETRY = "box, sphere, cylinder, capsule or mesh"
MESH = "a mesh file, relative to this file, as package://NAME/PATH, model://NAME/PATH or file://PATH"


def leaf(element: Element, reading: Reading, *attributes: str, past: tuple[str, ...] = ()) -> Element:
    """An element that has these attributes and nothing inside."""
    only_attributes(element, reading, attributes, past)
    children(element, reading, ())
    return element


def one(parent: Element, found: Mapping[str, list[Element]], tag: str, allowed: str) -> Element:
    """The child of a tag."""
    if not found[tag]:
        raise parent.error(f"<{tag}> is missing; allowed: {allowed}")
    return found[tag][0]


def origin(found: list[Element], reading: Reading) -> Pose:
    """The pose of an <origin>; the identity where there is none."""
    if not found:
        return Pose.identity()
    e = leaf(found[0], reading, "xyz", "rpy")
    zero = (0.0, 0.0, 0.0)
    return Pose.from_rpy(vector(e, "rpy", 3, ANGLE, zero), vector(e, "xyz", 3, LENGTH, zero))


def visual(e: Element, colours: Mapping[str, Rgba], source: Source, reading: Reading) -> Shape | None:
    """What is seen; None where the mesh is not found."""
    only_attributes(e, reading, ("name",))
    parts = children(e, reading, ("origin", "geometry", "material"))
    rgba = _rgba(parts["material"][0], colours, reading) if parts["material"] else GREY
    shape = _shape(one(e, parts, "geometry", GEOMETRY), origin(parts["origin"], reading), source, reading)
    if shape is not None and shape.kind == "mesh" and not is_file(Path(shape.mesh)):
        reading.alike(f"mesh file {shown(Path(shape.mesh).name)} is not found: left out of what is seen", e.where)
        return None
    return shape and replace(shape, rgba=rgba, name=e.attributes.get("name", ""))


def collision(e: Element, source: Source, reading: Reading) -> Shape | None:
    """What touches; its mesh file is not looked at."""
    only_attributes(e, reading, ("name",), past=("group",))
    parts = children(
        e, reading, ("origin", "geometry", "material", "contact_coefficients", "verbose"), past=("surface", "contact")
    )
    shape = _shape(one(e, parts, "geometry", GEOMETRY), origin(parts["origin"], reading), source, reading)
    return shape and replace(shape, name=e.attributes.get("name", ""))


def materials(own: list[Element], links: list[Element], reading: Reading) -> dict[str, Rgba]:
    """Colours by material name: the robot's own ones first, then those that a visual defines on its way."""
    colours: dict[str, Rgba] = {}
    inside = [m for link in links for v in link.children for m in v.children if v.tag == "visual"]
    for e in [*own, *(m for m in inside if m.tag == "material")]:
        name, rgba = e.attributes.get("name", ""), _colour(e, reading)
        if e in own and name in colours and rgba and colours[name] != rgba:
            reading.note(f"{e.where}: second material named {shown(name)}: the first is taken")
        if name and (rgba or e in own):
            colours.setdefault(name, rgba or GREY)
    return colours


def _colour(material: Element, reading: Reading) -> Rgba | None:
    """A colour acts on no motion: one that cannot be read is grey, and noted."""
    for e in material.children:
        if e.tag == "color":
            found = Reading()
            values = found.attempt(lambda e=e: vector(e, "rgba", 4, COLOUR).tolist(), [])
            if values:
                return (values[0], values[1], values[2], values[3])
            reading.note(f"{found.problems[0].split('; allowed')[0]}: taken as grey")
            return GREY
    return None


def _rgba(material: Element, colours: Mapping[str, Rgba], reading: Reading) -> Rgba:
    rgba, name = _colour(material, reading), material.attributes.get("name", "")
    if rgba is None and name and name not in colours:
        reading.alike(f"material {shown(name)} is defined nowhere: taken as grey", material.where)
    return rgba or colours.get(name, GREY)


def _shape(geometry: Element, X_LG: Pose, source: Source, reading: Reading) -> Shape | None:
    only_attributes(geometry, reading, (), past=("name",))
    kinds = ("box", "sphere", "cylinder", "capsule", "mesh")
    found = [e for many in children(geometry, reading, kinds, past=("material",)).values() for e in many]
    if len(found) != 1:
        if not found and any(e.tag not in kinds for e in geometry.children):
            return None  # an unknown shape, told by `children`
        raise geometry.error(f"has {len(found)} shapes; allowed: one of {', '.join(kinds)}")
    e = found[0]
    match e.tag:
        case "box":
            x, y, z = (vector(leaf(e, reading, "size"), "size", 3, SIZE) / 2).tolist()
            return Shape("box", (x, y, z), X_LG)
        case "sphere":
            return Shape("sphere", (number(leaf(e, reading, "radius"), "radius", SIZE),), X_LG)
        case "cylinder" | "capsule":
            leaf(e, reading, "radius", "length")
            return Shape(e.tag, (number(e, "radius", SIZE), number(e, "length", SIZE) / 2), X_LG)
        case _:
            return _mesh(leaf(e, reading, "filename", "scale"), X_LG, source, reading)


def _mesh(e: Element, X_LG: Pose, source: Source, reading: Reading) -> Shape:
    scale = vector(e, "scale", 3, SCALE, (1.0, 1.0, 1.0))
    if not scale.all():
        raise e.error(f"scale = {shown(e.attributes['scale'])} flattens the mesh; allowed: three numbers other than 0")
    x, y, z = scale.tolist()
    return Shape("mesh", (x, y, z), X_LG, mesh=str(_mesh_path(e, source, reading)))


def _mesh_path(e: Element, source: Source, reading: Reading) -> Path:
    """Where the mesh is, or else the first place where it was looked for."""
    name = text(e, "filename", MESH)
    scheme, rest = name.split("://", 1) if "://" in name else ("", name)
    if scheme not in ("", "file", "package", "model"):
        raise e.error(f"filename = {shown(name)} has the scheme {shown(scheme)}; allowed: {MESH}")
    here = source.directory.absolute()
    places = [source.directory / rest]
    if scheme in ("package", "model"):
        package, _, inside = rest.partition("/")
        roots = [Path(place) for place in (*reading.search, *ros_packages())]
        places = [root / inside if root.name == package else root / rest for root in roots]
        places += [above / rest for above in (here, *here.parents)]
        return next((p for p in places if is_file(p)), here / rest)
    return next((p for p in places if is_file(p)), places[0])


def ros_packages() -> list[str]:
    """Directories in which ROS looks for packages."""
    return [place for place in os.environ.get("ROS_PACKAGE_PATH", "").split(os.pathsep) if place]


def is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False
