"""File systems with missing features, and failing disks: the same files, or an error and the old pair."""

import fcntl
import os
import signal

import pytest

from ..conformance.tool import REPOSITORY
from . import disturbances
from .pairs import NEW, OLD, TORN, convert, make_versions, put_pair, state_of, strays

LIBRARY = REPOSITORY / "build/release/libonnx2ir_faulty_files.so"


def environment(faults):
    sanitizer = {"ASAN_OPTIONS": "verify_asan_link_order=0"}  # for converters built with sanitizers
    return {**os.environ, **sanitizer, "LD_PRELOAD": str(LIBRARY), "ONNX2IR_FAULTS": faults}


@pytest.fixture(scope="module")
def versions(tmp_path_factory):
    return make_versions(tmp_path_factory.mktemp("versions"), 2)


@pytest.fixture
def xml(tmp_path):
    (tmp_path / "out").mkdir()
    return tmp_path / "out/model.xml"


def run(versions, xml, faults):
    """A conversion that replaces the old pair."""
    put_pair(xml, versions.pairs[0])
    done = convert(versions.models[1], xml, env=environment(faults))
    assert strays(xml.parent, xml) == []
    return done


@pytest.mark.parametrize(
    "faults",
    ["no-nameless-files", "no-locks", "no-exchange", "no-copies", "short-reads", "no-nameless-files,no-locks,no-exchange,no-copies,short-reads"],
)
def test_missing_file_system_features_do_not_change_the_output(faults, versions, xml):
    done = run(versions, xml, faults)
    assert done.returncode == 0, done.stderr
    assert state_of(xml, versions) == NEW


@pytest.mark.parametrize(
    ("faults", "message"),
    [
        ("xml-rename", "cannot write"),
        ("xml-rename,no-nameless-files", "cannot write"),
        ("reads", "cannot be read: Input/output error"),
        ("syncs", "cannot write"),
    ],
)
def test_faults_keep_the_old_pair(faults, message, versions, xml):
    done = run(versions, xml, faults)
    assert done.returncode == 1
    assert message in done.stderr
    assert state_of(xml, versions) == OLD


def test_new_files_are_removed_after_a_failure(versions, xml):
    done = convert(versions.models[1], xml, env=environment("xml-rename,no-exchange"))
    assert done.returncode == 1
    assert list(xml.parent.iterdir()) == []


def test_a_pair_that_cannot_be_restored_is_reported_and_rejected(versions, xml):
    done = run(versions, xml, "xml-rename,no-exchange")
    assert done.returncode == 1
    assert f"'{xml.with_suffix('.bin')}' is already the new one" in done.stderr
    assert state_of(xml, versions) == TORN


def test_signals_remove_named_files(versions, xml, monkeypatch):
    for name, value in environment("no-nameless-files").items():
        monkeypatch.setenv(name, value)
    signals = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGPIPE)
    assert disturbances.bad(disturbances.killed(versions, xml.parent, 24, signals)) == {}


def test_a_held_lock_is_an_error(versions, xml):
    """Any process that can list a folder can hold its lock: the converter does not wait forever."""
    put_pair(xml, versions.pairs[0])
    folder = os.open(xml.parent, os.O_RDONLY)
    try:
        fcntl.flock(folder, fcntl.LOCK_EX)
        done = convert(versions.models[1], xml)
    finally:
        os.close(folder)
    assert done.returncode == 1
    assert "another process holds the lock of the folder" in done.stderr
    assert state_of(xml, versions) == OLD
