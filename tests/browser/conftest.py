"""A browser for all tests of this folder, and a folder for their screenshots."""

from pathlib import Path

import pytest

from . import chromium

SCREENSHOTS = Path(__file__).parents[2] / "build/test/browser"


@pytest.fixture(scope="session")
def browser():
    if chromium.PROGRAM is None:
        pytest.skip("Chromium is not installed; ./dev test --browser installs Debian's package")
    with chromium.Chromium() as browser:
        yield browser


@pytest.fixture
def screenshot(browser, request):
    """Writes a screenshot at the end of a test."""
    yield
    browser.screenshot(SCREENSHOTS / f"{request.node.name}.png")
