"""Options of all Python tests."""

import os


def pytest_addoption(parser):
    parser.addoption("--update", action="store_true", help="rewrite expected files (also: UPDATE=1)")
    parser.addoption("--models", action="store_true", help="exported models (tests/zoo), which need PyTorch")
    parser.addoption("--genai", action="store_true", help="language models in OpenVINO GenAI (tests/genai)")


def pytest_configure(config):
    if os.environ.get("UPDATE"):
        config.option.update = True


def pytest_ignore_collect(collection_path, config):
    """Folders whose tests need additional packages: cmake/model_requirements.txt, cmake/genai_requirements.txt."""
    if collection_path.name == "zoo" and not config.option.models:
        return True
    if collection_path.name == "genai" and not config.option.genai:
        return True
    return None
