"""A browser on the built site, served on loopback. Without Playwright and Chromium these tests are skipped."""

import functools
import http.server
import importlib
import os
import shutil
import subprocess
import sys
import threading
import zipfile
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]
QUIET = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"]


def missing(what: str) -> None:
    """Say why the tests are skipped; in CI, where everything is installed, that is an error."""
    if os.environ.get("CI") == "true":
        pytest.fail(f"{what} is missing, and CI has to have it")
    pytest.skip(f"{what} is not installed")


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture(scope="session")
def address(site):
    """Where the built site is served, with a slash at its end."""
    handler = functools.partial(Quiet, directory=str(site))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        here = f"http://127.0.0.1:{server.server_address[1]}/"
        # Instant navigation exchanges the pages that the sitemap names; it names them where they are published.
        sitemap = site / "sitemap.xml"
        published = yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))["site_url"]
        sitemap.write_text(sitemap.read_text(encoding="utf-8").replace(published, here), encoding="utf-8")
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield here
        server.shutdown()


@pytest.fixture(scope="session")
def disk(tmp_path_factory) -> Path:
    """The folder that a reader unpacks."""
    to = tmp_path_factory.mktemp("offline")
    done = subprocess.run(
        [sys.executable, "-m", "sitekit.offline", "--to", str(to)], cwd=ROOT, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
    with zipfile.ZipFile(to / "attnref-offline.zip") as packed:
        packed.extractall(to / "unpacked")
    return to / "unpacked" / "attnref-offline"


@pytest.fixture(scope="session")
def browser():
    try:
        playwright = importlib.import_module("playwright.sync_api")
    except ImportError:
        missing("Playwright")
    executable = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if executable is None:
        missing("Chromium")
    with playwright.sync_playwright() as driver:
        chromium = driver.chromium.launch(executable_path=executable, args=QUIET)
        yield chromium
        chromium.close()


@pytest.fixture
def open_page(browser, address):
    """Open a page of the site; what it asks elsewhere for and what its console says is collected."""
    yield from opening(browser, address)


@pytest.fixture(scope="module")
def open_lasting_page(browser, address):
    """The same for a page that several tests go on with, because what it has loaded takes long."""
    yield from opening(browser, address)


def opening(browser, address):
    contexts = []

    def opened(path: str = "", *, width: int = 1280, scheme: str = "light", **options):
        context = browser.new_context(
            viewport={"width": width, "height": 900}, color_scheme=scheme, reduced_motion="reduce", **options
        )
        contexts.append(context)
        page = context.new_page()
        page.elsewhere, page.complaints = [], []
        page.on("request", lambda request: note_elsewhere(page, request.url, address))
        page.on("console", lambda message: note_complaint(page, message))
        page.on("pageerror", lambda error: page.complaints.append(str(error)))
        page.goto(address + path, wait_until="load")
        return page

    yield opened
    for context in contexts:
        context.close()


def lay_out(page) -> None:
    """As if the page had been at rest: what it leaves for later (sitekit/later.py) is there."""
    page.evaluate("document.documentElement.classList.remove('early')")
    page.wait_for_timeout(100)  # those that watch sizes are told with the next frame


def note_elsewhere(page, url: str, address: str) -> None:
    if not url.startswith((address, "data:", "blob:")):
        page.elsewhere.append(url)


def note_complaint(page, message) -> None:
    if message.type in ("error", "warning"):
        page.complaints.append(message.text)
