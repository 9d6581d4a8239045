"""Layout of a row of the contact bank, one pair of shapes: what it is told, and what it remembers."""

from __future__ import annotations

from freefloat.kernels.bank import Column, State, places

BALL, CAPSULES, CONVEX = range(
    3
)  # values of `pair`: a ball of B on a surface of A, two capsules, any two convex shapes
SMOOTH, REGULARISED, STICKING = range(3)  # values of `friction`
OPEN, TOUCHING, LEAVING = 0.0, 1.0, 2.0  # values of `mode`; LEAVING: still inside, without a force
STICK, SLIP = 0.0, 1.0  # values of `slip`

COLUMNS = (
    Column("law", meaning="of the normal force"),
    Column("stiffness", "N/m", meaning="k; per m^n"),
    Column("exponent", meaning="n"),
    Column("damping", meaning="c: N s/m of a damper, s/m in Hunt and Crossley's law"),
    Column("restitution", meaning="e of Lankarani and Nikravesh, or of an impulse"),
    Column("rest_speed", "m/s", meaning="below which a spring takes the place of impulses"),
    Column("friction", meaning="its kind"),
    Column("mu", meaning="coefficient of friction"),
    Column("slip_speed", "m/s", meaning="v_s"),
    Column("shear_stiffness", "N/m", meaning="k_t"),
    Column("shear_damping", "N s/m", meaning="c_t"),
    Column("pair", meaning="its kind"),
    Column("radius", "m", meaning="of the ball or capsule of B"),
    Column("half", "m", meaning="half length of the capsule of B, along z of C"),
    Column("p_BC", "m", 3, "where the shape C of B is", frame="B"),
    Column("R_BC", "-", 9, "its axes, row by row"),
    Column("surface", meaning="kind of the shape S of A"),
    Column("size", "m", 3, "of S"),
    Column("p_AS", "m", 3, "where S is", frame="A"),
    Column("R_AS", "-", 9, "its axes, row by row"),
    Column("sign", meaning="of the force as it is told: -1 where A and B have changed places"),
    Column("reach", "m", meaning="nothing touches where the origins of S and C are farther apart"),
    Column("data", meaning="points of a revolved wall, or coefficients of a height map", size=0),
)
F = places(COLUMNS)
A, B, APART, SOLID, HIDDEN, HIDDEN_B = range(6)  # places among a row's references

STATES = (
    State("mode", kind="mode", meaning="0 open, 1 touching, 2 parted but still inside"),
    State("onset_speed", "m/s", "mode", meaning="rate of penetration at first touch"),
    State("slip", kind="mode", meaning="0 sticks, 1 slips"),
    *(State(f"slip_{axis}", kind="mode", meaning="direction of the slip in W") for axis in "xyz"),
    *(State(f"stretch_{axis}", "m", meaning="of the spring that sticks, in A") for axis in "xyz"),
    State("impulse", "N s", meaning="of the normal force since first touch"),
    State("lost", "J", meaning="energy turned into heat since first touch"),
    State("began", "s", "mode", meaning="time of first touch"),
    State("peak", "N", "mode", meaning="largest force since then, interpolated"),
    State("deepest", "m", "mode", meaning="largest penetration since then, interpolated"),
    State("depth", "m", "mode", meaning="penetration a step ago"),
    *(State(n, u, "mode", meaning="time or force one or two steps ago") for n, u in (("t1", "s"), ("f1", "N"))),
    *(State(n, u, "mode", meaning="time or force one or two steps ago") for n, u in (("t2", "s"), ("f2", "N"))),
)
N = len(STATES)
X = places([Column(s.name) for s in STATES])
AIM, STRETCH = X.slip_x, X.stretch_x

GAP, FORCE, FRICTION = range(3)  # places among a row's guards
OUTPUTS = (
    Column("gap", "m", meaning="between the two; negative: penetration. Far apart: that of balls around them"),
    Column("force", "N", meaning="along the normal, from A on B"),
    Column("friction_force", "N", meaning="size of the force along the surface"),
    *(Column(f"force_{axis}", "N", meaning="on the contact's b, friction included", frame="W") for axis in "xyz"),
    *(Column(f"p_{axis}", "m", meaning="where it acts", frame="W") for axis in "xyz"),
)
M = len(OUTPUTS)
