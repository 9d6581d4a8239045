"""Layout of a row of the contact bank, one pair of shapes: what it is told, and what it remembers."""

from __future__ import annotations

from freefloat.kernels.bank import Column, State, places

BALL, CAPSULES, CONVEX = range(
    3
)  # values of `pair`: a ball of B on a surface of A, two capsules, any two convex shapes
SMOOTH, REGULARISED, STICKING = range(3)  # values of `friction`
OPEN, TOUCHING, LEAVING = 0.0, 1.0, 2.0  # values of `mode`; LEAVING: still inside, without a force
STICK, SLIP = 0.0, 1.0  # values of `slip`
TOUCHED, PARTED = 0, 1  # kinds of notes

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
A, B, APART, SOLID, HIDDEN, HIDDEN_B, PLACE, GATE = range(8)  # places among a row's references

STATES = (
    State("impulse", "N s", meaning="of the normal force since first touch"),
    State("lost", "J", meaning="energy turned into heat since first touch"),
    *(State(f"stretch_{axis}", "m", meaning="of the spring that sticks, in A") for axis in "xyz"),
)
SMOOTH_STATES = 2  # of a row whose friction does not stick: the first
N = len(STATES)
X = places([Column(s.name) for s in STATES])
STRETCH = X.stretch_x

KEPT = (
    Column("mode", meaning="0 open, 1 touching, 2 parted but still inside"),
    Column("onset_speed", "m/s", meaning="rate of penetration at first touch"),
    Column("slip", meaning="0 sticks, 1 slips"),
    *(Column(f"slip_{axis}", meaning="direction of the slip in W") for axis in "xyz"),
    Column("room", "m", meaning="gap of balls around the two; the stage notes it, for the guards of the same instant"),
    Column("began", "s", meaning="time of first touch"),
    Column("peak", "N", meaning="largest force since then, interpolated"),
    Column("deepest", "m", meaning="largest penetration since then, interpolated"),
    Column("depth", "m", meaning="penetration a step ago"),
    *(Column(f"t{n}", "s", meaning="time of a step ago, or two") for n in (1, 2)),
    *(Column(f"f{n}", "N", meaning="force a step ago, or two") for n in (1, 2)),
)
K = places(KEPT)
DECIDING = K.room  # of them, those that forces depend on come first
AIM = K.slip_x

FIRST, SECOND = 0, 1  # a row's guards: while open the gap; while touching the force and friction's; leaving: force, gap
OUTPUTS = (
    Column("gap", "m", meaning="between the two; negative: penetration. Far apart: that of balls around them"),
    Column("force", "N", meaning="along the normal, from A on B"),
    Column("friction_force", "N", meaning="size of the force along the surface"),
    *(Column(f"force_{axis}", "N", meaning="on the contact's b, friction included", frame="W") for axis in "xyz"),
    *(Column(f"p_{axis}", "m", meaning="where it acts", frame="W") for axis in "xyz"),
)
M = len(OUTPUTS)
