"""Exit code and integrity verdict agree."""

import pytest
from sweep.command import madbench

TIGHT = ("protocol=cot", "task.n=3", "sampling.max_tokens=64", "+cast.default.context=70")


@pytest.fixture(scope="module")
def ended(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tight")
    return [madbench(folder, *TIGHT) for _ in range(2)]


def test_rows_that_could_not_be_played_end_in_exit_code_1(ended):
    assert [one.returncode for one in ended] == [1, 1], ended[0].err
    assert all("NOT whole (3 of 3 planned rows found): cot 3 errored" in one.out for one in ended)


def test_such_rows_are_final_all_the_same(ended):
    assert "1 runs, 1 of them finished before" in ended[1].out
