import pytest

from freefloat.verify.runner import case_names, run_cases


@pytest.mark.parametrize("name", case_names())
def test_case_passes_or_says_why_not(name: str) -> None:
    unexplained = [row for row in run_cases([name]) if row.unexplained]
    shown = "\n".join(
        f"{r.quantity}: published {r.published}, ours {r.ours}, tolerance {r.tolerance}" for r in unexplained
    )
    assert not unexplained, shown + "".join(row.traceback for row in unexplained)
