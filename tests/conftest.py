"""Options of all Python tests."""

import os


def pytest_addoption(parser):
    parser.addoption("--update", action="store_true", help="rewrite expected files (also: UPDATE=1)")
    parser.addoption("--models", action="store_true", help="exported models (tests/zoo), which need PyTorch")


def pytest_configure(config):
    if os.environ.get("UPDATE"):
        config.option.update = True


def pytest_ignore_collect(collection_path, config):
    """The zoo has packages of its own (cmake/model_requirements.txt)."""
    if collection_path.name == "zoo" and not config.option.models:
        return True
    return None
