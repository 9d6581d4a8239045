from __future__ import annotations

from freefloat.drives.catalogue import find_entry
from freefloat.drives.describe import equations, parameters


def test_a_parameter_has_value_unit_meaning_and_source() -> None:
    found = {p.name: p for p in parameters(find_entry("spider-wrist"))}
    assert found["gear.stiffness"][1:] == (8e3, "N m/rad", "k1, torsion spring", "assumed")
    assert found["motor.pole_pairs"].source == "SPIDER (Ferretti and others 2004)"
    assert found["substeps"].value == 0
    assert all(p.meaning and p.source for p in found.values())


def test_every_part_has_its_equations() -> None:
    found = equations()
    assert list(found) == ["motor", "driver", "gear", "friction", "brake", "resolver", "rotor"]
    for part, words in (("motor", "L i_X' = v_X"), ("gear", "tau_s = k1 ds + k3 ds^3"), ("rotor", "h = J (Om + a.w)")):
        assert words in found[part]
