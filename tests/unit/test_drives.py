import subprocess
import sys

import pytest

from freefloat import drives


def test_every_public_name_is_found_and_listed():
    for name in drives.__all__:
        assert getattr(drives, name) is not None
        assert name in dir(drives)


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="nothing_like_it"):
        _ = drives.nothing_like_it


def test_a_drive_needs_no_reader_of_files():
    script = "import sys; from freefloat.drives import JointDrive; print('pydantic' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
