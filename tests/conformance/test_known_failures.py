"""The list of known failures: its format, and the experiments for its reasons."""

import pytest

from ..faults import occurrences
from . import known_failures
from .case import Result
from .environment import NEWEST, OLDEST, RELEASES
from .known_failures import ENVIRONMENTS, PATH, Environment, KnownFailure

_, MIDDLE, _ = RELEASES
ANY = KnownFailure("crash", "some_fault")


def releases_by_isa(known):
    found = {}
    for _, _, environment in known:
        found.setdefault(environment.isa, set()).add(environment.release)
    return found


def test_list_round_trips(tmp_path):
    known_failures.save(known_failures.load(), tmp_path / "list.txt")
    assert (tmp_path / "list.txt").read_text() == PATH.read_text()


@pytest.mark.parametrize(
    "column, releases",
    [
        ("all", set(RELEASES)),
        (MIDDLE, {MIDDLE}),
        (f"..{MIDDLE}", {OLDEST, MIDDLE}),
        (f"{MIDDLE}..", {MIDDLE, NEWEST}),
    ],
)
@pytest.mark.parametrize("isa", ["all", "AVX2"])
def test_lines_apply_to_releases_and_instruction_sets(tmp_path, column, releases, isa):
    path = tmp_path / "list.txt"
    line = f"loop | a | b | {column} | {isa} | crash | some_fault\n"
    path.write_text(line)
    known = known_failures.load(path)
    assert releases_by_isa(known) == {name: releases for name in (("AVX2", "AVX512") if isa == "all" else (isa,))}
    assert set(known.values()) == {ANY} and {key[:2] for key in known} == {("loop", "a | b")}
    known_failures.save(known, path)
    assert path.read_text().endswith(f"\n{line}")


def test_a_case_has_one_outcome_in_an_environment(tmp_path):
    path = tmp_path / "list.txt"
    path.write_text(f"all | a | ..{MIDDLE} | all | crash | x\ndynamic | a | {MIDDLE}.. | AVX2 | hang | y\n")
    with pytest.raises(ValueError, match="a is listed twice for dynamic"):
        known_failures.load(path)


def test_nonconsecutive_releases_have_separate_lines(tmp_path):
    path = tmp_path / "list.txt"
    known = {("found", "a", Environment(release, isa)): ANY for release in (OLDEST, NEWEST) for isa in ("AVX2", "AVX512")}
    del known["found", "a", Environment(NEWEST, "AVX512")]
    known_failures.save(known, path)
    lines = [line for line in path.read_text().splitlines() if not line.startswith("#")]
    assert [line.split(" | ")[2:4] for line in lines] == [[OLDEST, "AVX2"], [OLDEST, "AVX512"], [NEWEST, "AVX2"]]
    assert known_failures.load(path) == known


def test_an_update_changes_one_environment():
    here, there = ENVIRONMENTS[0], ENVIRONMENTS[1]
    known = {("default", "a", here): ANY, ("default", "a", there): ANY}
    assert known_failures.update(known, {("default", "a"): Result("a", "pass")}, here) == {("default", "a", there): ANY}
    assert known_failures.update(known, {("default", "a"): Result("a", "crash", "other message")}, here) == known


def test_faults_given_as_reasons_occur_in_the_failing_environments():
    faults = occurrences.load()
    elsewhere = {
        (name, environment.release, entry.reason)
        for (_, name, environment), entry in known_failures.load().items()
        if entry.reason in faults and not faults[entry.reason].is_in(occurrences.parse_release(environment.release))
    }
    assert not elsewhere
