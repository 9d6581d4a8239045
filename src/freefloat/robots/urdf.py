"""Robots from URDF (http://wiki.ros.org/urdf/XML): nothing that acts on the motion is dropped silently.

Read: robot, link (inertial, visual and collision with box, sphere, cylinder, capsule, mesh, material) and joint
(revolute, continuous, prismatic, fixed, floating, planar; origin, axis, limit, damping, friction, mimic).

Read past with a note, since it is for other programs or the mission decides about it: `transmission`, `gazebo`,
`ros2_control`, `sensor`, `safety_controller`, `contact` and other extensions that files have; on a fixed joint also
`axis`, `limit`, `dynamics` and `mimic`; meshes that are not found, materials that are not defined.

What is in neither list cannot be modelled: it is refused, or left out by name with `unsupported="skip"`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from freefloat.engine.graph import WORLD, JointKind, LinkGraph
from freefloat.robots.assembly import assemble
from freefloat.robots.attributes import children, only_attributes
from freefloat.robots.declared import DeclaredJoint, DeclaredLink, Edge
from freefloat.robots.reading import Reading, Unsupported
from freefloat.robots.urdf_joints import read_joint, read_mimics
from freefloat.robots.urdf_links import read_link
from freefloat.robots.urdf_names import Names
from freefloat.robots.urdf_shapes import materials
from freefloat.robots.xmltree import Element, Source, parse, read_source

PAST = ("transmission", "gazebo", "ros2_control", "sensor", "mujoco", "disable_collisions")


def load_urdf(
    path_or_text: str | Path,
    unsupported: Unsupported = "refuse",
    balance: bool = False,
    search: Sequence[str | Path] = (),
) -> LinkGraph:
    """The robot of a URDF file, or of URDF text (which starts with '<').

    Links and joints keep the file's order, and what fixed joints tie together without a mass or an inertia of its own
    is merged (`robots.assembly`). A joint with `mimic` becomes a coupled joint. Mesh names become paths: relative ones
    start at the file's directory; package://NAME/ is looked for in `search`, in ROS_PACKAGE_PATH and in the
    directories above the file.

    `visual` is what is seen and `collision` what touches: a link without `collision` touches nothing. In a robot that
    has none at all, what is seen touches. The mesh file of a collision is not looked at.

    `unsupported="skip"` leaves out by name what cannot be modelled; `balance` balances inertias that miss the triangle
    inequality by less than 5 %. The graph's `notes` and `skipped` say what was done.

    Raises `ModelError` with a line for each problem: "file:line: element: what is wrong; allowed: ...".
    """
    reading = Reading(unsupported, balance, search)
    source = read_source(path_or_text)
    robot = parse(source, "robot")
    graph = _read(robot, source, reading)
    return replace(graph, file=str(source.path or ""))


def _read(robot: Element, source: Source, reading: Reading) -> LinkGraph:
    only_attributes(robot, reading, ("name", "version"))
    many = ("link", "joint", "material")
    parts = children(robot, reading, many, many=many, past=PAST)
    colours = materials(parts["material"], parts["link"], reading)
    links_named = Names("link", parts["link"], reading, taken=_taken(parts["link"]))
    joints_named = Names("joint", parts["joint"], reading)
    links: list[DeclaredLink] = []
    for e in links_named.elements:
        with reading.collecting():
            links.append(read_link(e, links_named, colours, source, reading))
    if not any(link.touching for link in links):
        links = [replace(link, touching=None) for link in links]
    joints: list[DeclaredJoint] = []
    for e in joints_named.elements:
        with reading.collecting():
            joints += read_joint(e, joints_named, links_named, reading)
    kinds: dict[str, JointKind] = {j.joint.name: j.joint.kind for j in joints if not j.free}
    couplings, held = read_mimics(joints_named.elements, joints_named, kinds, reading).resolve(reading)
    joints = [
        replace(j, joint=Edge((j.joint,), j.where).welded(held).joints[0]) if j.joint.name in held else j
        for j in joints
    ]
    if len(joints) < len(parts["joint"]) or len(links) < len(parts["link"]):
        reading.finish()  # what is missing would look like loops and roots
    return assemble(links, joints, robot.where, reading, couplings)


def _taken(links: list[Element]) -> tuple[str, ...]:
    """`WORLD` is no name for a link that may have mass, since it means what a robot stands on."""
    world = [link for link in links if link.attributes.get("name") == WORLD]
    return (WORLD,) if any(e.tag == "inertial" for link in world for e in link.children) else ()
