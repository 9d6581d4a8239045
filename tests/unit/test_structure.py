import subprocess
import sys

import pytest

from freefloat import structure


def test_every_public_name_is_found_and_listed():
    for name in structure.__all__:
        assert getattr(structure, name) is not None
        assert name in dir(structure)


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="nothing_like_it"):
        _ = structure.nothing_like_it


def test_a_rigid_body_needs_no_sparse_matrices():
    script = "import sys; from freefloat.structure import RigidBody; print('scipy.sparse' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
