"""What a campaign refuses: exit code 2, one message, nothing written; and classes of scripts, which it takes."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from freefloat.cli import main
from freefloat.scenario import registry

VARY = ("--vary", "arrival.closing=uniform(0.05 m/s, 0.1 m/s)")
TWO = (*VARY, "--vary", "push=uniform(0 N, 80 N)")
THREE = (*TWO, "--vary", "chaser_mass=uniform(1000 kg, 2000 kg)")


@pytest.fixture(scope="module", autouse=True)
def _leave_no_kind() -> Iterator[None]:
    """Scenarios of these tests are forgotten: other tests list all that there are."""
    yield
    for kind in ("troubled", "raising"):
        registry.scenarios.remove(kind)


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (("--vary", "arrival.closng=uniform(0.05, 0.1)"), "did you mean 'closing'?"),
        (("--vary", "arrival.offset.7=uniform(0, 1)"), "no such element; allowed: 0 to 1"),
        (("--vary", "arrival.closing=uniform(1 kg, 2 kg)"), "kg"),
        (("--vary", "arrival.closing=uniform(2, 1)"), "column"),
        (("--vary", "arrival.closing=uniform(0.5, 1.5)"), "case 1: arrival.closing"),
        (("--vary", "arrival.closing=gaussian(1, 2)"), "unknown distribution 'gaussian'"),
        ((*TWO, "--correlate", "arrival.closing,push=1.5"), "allowed: > -1 and < 1"),
        (
            (
                *(*THREE, "--correlate", "arrival.closing,push=0.9", "--correlate", "push,chaser_mass=0.9"),
                *("--correlate", "arrival.closing,chaser_mass=-0.9"),
            ),
            "not positive definite",
        ),
        ((*TWO, "--correlate", "arrival.closing,push=0.5", "--sampling", "sensitivity"), "independent"),
        (("--success", "captured == "), "column"),
        (("--success", "__import__('os') == 1"), "column"),
        (("--runs", "0"), "--runs: 0 is out of range; allowed: >= 1"),
        (("--runs", "many"), "--runs"),
        (("--sampling", "halton"), "'halton' is not known"),
        (("--keep", "best:3"), "allowed: none | failed | worst:N | all"),
        (("--memory-limit", "lots"), "allowed: a size such as 800 MB"),
        (("--time-limit", "-1"), "--time-limit: -1 is out of range"),
        (("--retry", "died"), "--resume and --retry need the campaign's folder"),
        (("--workers", "0"), "--workers 0; allowed: 1 to 1024"),
        (("--workers", "1", "--scheduler", "localhost:1"), "one of them"),
        (("--set", "arrival.closing=5 kg"), "arrival.closing"),
    ],
)
def test_bad_input_is_one_message_and_nothing_is_written(
    options: tuple[str, ...],
    told: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as end:
        main(["campaign", "dock-probe-cone", *options])
    out, err = capsys.readouterr()
    assert end.value.code == 2
    assert out == ""
    assert told in err
    assert all(line.startswith("error: ") for line in err.splitlines())
    assert list(tmp_path.iterdir()) == []


def test_an_unknown_source_is_told_with_names_of_campaigns_too(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        main(["campaign", "to-orgin"])
    assert end.value.code == 2
    assert "error: unknown scenario or campaign 'to-orgin'. Did you mean 'to-origin'?" in capsys.readouterr().err


def test_an_absent_scheduler_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("distributed")
    import freefloat as ff
    from freefloat.campaign import cluster
    from freefloat.errors import InputError

    monkeypatch.setattr(cluster, "PATIENCE", 0.3)
    with pytest.raises(InputError, match=r"--scheduler tcp://127.0.0.1:9: no answer"):
        ff.campaign("dock-probe-cone", runs=2, scheduler="tcp://127.0.0.1:9", out=tmp_path / "c")
    assert list(tmp_path.iterdir()) == []


BOX = (Path(__file__).parent / "campaigns" / "own_box.py").read_text(encoding="utf-8")
USE = """
given = {"vary": {"mass": "uniform(1 kg, 2 kg)"}, "success": "half_kg < 0.75"}
found = ff.campaign(Own(), runs=6, workers=2, out="own", progress=False, **given)
assert (found.frame["half_kg"] == HALF * found.frame["in.mass"]).all()
assert found.repeats(2, found.replay(2).metrics)
print(found.ok)
"""


def test_a_class_of_a_script_travels_without_a_guard_and_may_use_polars(tmp_path: Path) -> None:
    pytest.importorskip("cloudpickle")
    (tmp_path / "script.py").write_text(BOX + USE, encoding="utf-8")
    done = subprocess.run([sys.executable, "script.py"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.stderr == ""
    assert done.stdout == "6\n"


def test_a_folder_of_another_campaign_or_in_use_is_refused(tmp_path: Path) -> None:
    import freefloat as ff
    from freefloat.campaign.folder import CampaignFolder
    from freefloat.campaign.report import Campaign
    from freefloat.errors import InputError

    box = str(Path(__file__).parent / "campaigns" / "troubled.py") + ":Troubled"
    given = {"vary": {"mass": "uniform(1 kg, 2 kg)"}, "sampling": "latin", "workers": 1, "progress": False}
    folder = tmp_path / "c"
    before = ff.campaign(box, runs=4, out=folder, **given).frame
    for changes, told in [
        ({"seed": 3}, "seed was 0 and is 3"),
        ({"set": {"duration": 0.2}}, r"nominal.duration was 0.1 and is 0.2"),
        ({"success": "mass_kg > 1"}, "success was '' and is"),
        ({"runs": 8}, "sampling latin places each by all others"),
        ({"runs": 2}, "4 cases are planned there, 2 are asked for"),
    ]:
        with pytest.raises(InputError, match=told):
            ff.campaign(box, out=folder, resume=True, **{"runs": 4, **given, **changes})
    with pytest.raises(InputError, match="the folder is not empty"):
        ff.campaign(box, runs=4, out=folder, **given)
    held = CampaignFolder(folder)
    try:
        with pytest.raises(InputError, match="in use by another process"):
            ff.campaign(box, runs=4, out=folder, resume=True, **given)
    finally:
        held.close()
    assert Campaign(folder).frame.equals(before)


def test_a_build_of_a_users_package_that_raises_is_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    package = BOX.replace("own-box", "acme-box").replace("return ff", "raise KeyError('x')\n        return ff")
    (tmp_path / "acme_boxes.py").write_text(package, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.chdir(tmp_path)
    import acme_boxes  # pyright: ignore[reportMissingImports]

    registry.register(acme_boxes.Own)
    try:
        with pytest.raises(SystemExit) as end:
            main(["run", "acme-box", "--out", "box"])
    finally:
        registry.scenarios.remove("acme-box")
    errors = [line for line in capsys.readouterr().err.splitlines() if line.strip() and "preparing" not in line]
    assert end.value.code == 2
    assert len(errors) == 1
    assert errors[0].startswith("error: scenario 'acme-box': build() raised KeyError: 'x' (")
    assert not (tmp_path / "box").exists()
