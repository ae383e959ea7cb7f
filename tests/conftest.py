"""Options of all Python tests."""

import os


def pytest_addoption(parser):
    parser.addoption("--update", action="store_true", help="rewrite expected files (also: UPDATE=1)")


def pytest_configure(config):
    if os.environ.get("UPDATE"):
        config.option.update = True
