"""The installed package. A process must not load its library twice, so there is one for all tests."""

import importlib
import os
import shutil
import sys
from pathlib import Path

import pytest

from .test_package import BUILD, run


@pytest.fixture(scope="session")
def installed(tmp_path_factory):
    """The package, moved after its installation: it must not contain the path of the build."""
    folder = tmp_path_factory.mktemp("package")
    run("cmake", "--install", BUILD, "--prefix", folder / "made")
    shutil.move(folder / "made", folder / "moved")
    return folder / "moved"


@pytest.fixture(scope="session")
def onnx2ir(installed):
    """The Python package of the installed tree, or of a build with sanitizers (`./dev test --sanitizers package`)."""
    (package,) = installed.rglob("dist-packages/onnx2ir")
    folder = str(package.parent)
    if sanitized := os.environ.get("ONNX2IR_SANITIZED_BUILD"):
        folder = str(Path(sanitized) / "python")
    sys.path.insert(0, folder)
    yield importlib.import_module("onnx2ir")
    sys.path.remove(folder)
