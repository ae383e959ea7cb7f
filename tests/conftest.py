"""Options of all Python tests."""

import os


def pytest_addoption(parser):
    parser.addoption("--update", action="store_true", help="rewrite expected files (also: UPDATE=1)")
    parser.addoption("--models", action="store_true", help="exported models (tests/zoo), which need PyTorch")
    parser.addoption("--browser", action="store_true", help="HTML pages in Chromium (tests/browser)")
    parser.addoption("--devices", action="store_true", help="OpenVINO's GPU plugin (tests/devices)")
    parser.addoption("--cross", action="store_true", help="the tool for another system (tests/cross): ./dev cross")
    parser.addoption("--genai", action="store_true", help="language models in OpenVINO GenAI (tests/genai)")


def pytest_configure(config):
    if os.environ.get("UPDATE"):
        config.option.update = True


def pytest_ignore_collect(collection_path, config):
    """Folders whose tests need additional packages: cmake/*_requirements.txt, Chromium, and emulators."""
    if collection_path.name == "browser" and not config.option.browser:
        return True
    if collection_path.name == "devices" and not config.option.devices:
        return True
    if collection_path.name == "cross" and not config.option.cross:
        return True
    if collection_path.name == "zoo" and not config.option.models:
        return True
    if collection_path.name == "genai" and not config.option.genai:
        return True
    return None
