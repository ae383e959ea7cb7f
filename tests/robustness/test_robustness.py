"""A disturbed conversion leaves a complete old or new pair, or a mismatched pair that the converter rejects. The counts are small; `python
-m tests.robustness.measure` runs large ones and prints figures."""

import signal

import pytest

from . import disturbances
from .pairs import check, make_versions, put_pair

MEGABYTES = 4


@pytest.fixture(scope="module")
def versions(tmp_path_factory):
    return make_versions(tmp_path_factory.mktemp("versions"), MEGABYTES)


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "out").mkdir()
    return tmp_path / "out"


def test_kills_leave_a_complete_pair(versions, folder):
    assert disturbances.bad(disturbances.killed(versions, folder, 20)) == {}


def test_signals_leave_no_temporary_files(versions, folder):
    signals = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    assert disturbances.bad(disturbances.killed(versions, folder, 15, signals)) == {}


def test_two_writers_leave_the_files_of_one_model(versions, folder):
    assert disturbances.bad(disturbances.raced(versions, folder, 15)) == {}


def test_a_full_disk_keeps_the_old_pair(versions, folder):
    outcomes = disturbances.limited(versions, folder, range(0, (MEGABYTES << 20) + 400_000, 400_000))
    assert disturbances.bad(outcomes) == {}
    assert set(outcomes) == {disturbances.NEW, "an error and the old pair"}


def test_a_truncated_model_is_an_error(versions, folder):
    assert disturbances.bad(disturbances.cut_while_read(versions, folder, 20)) == {}


def test_a_mismatched_pair_is_rejected(versions, folder):
    xml = folder / "model.xml"
    put_pair(xml, versions.pairs[0])
    assert check(xml).returncode == 0
    xml.with_suffix(".bin").write_bytes(versions.pairs[1][1])
    torn = check(xml)
    assert torn.returncode == 1
    assert "do not belong together" in torn.stderr
    xml.with_suffix(".bin").write_bytes(versions.pairs[0][1][:-1])
    assert check(xml).returncode == 1
    xml.with_suffix(".bin").unlink()
    assert "No such file" in check(xml).stderr
