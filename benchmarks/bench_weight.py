"""What a reader downloads to see a lesson: the page's own bytes, and all files of its first view, gzipped.

    python -m benchmarks.bench_weight [--record]

Needs Playwright and Chromium, which open each lesson as a phone does and wait until it asks for nothing more. The
formula font is counted apart: it is one file for all pages, kept by the browser. With ``--record`` the bytes go to
benchmarks/records/weight.json with machine, date and command. The bars: 60 KB of HTML, 90 KB gzipped.
"""

from __future__ import annotations

import argparse
import contextlib
import functools
import gzip
import http.server
import json
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from benchmarks import record
from benchmarks.bench_lighthouse import ROOT, Gzipped

APART = "attnref-math.woff2"
PHONE = {"viewport": {"width": 412, "height": 823}, "device_scale_factor": 1.75, "is_mobile": True}


def sent(path: Path) -> int:
    """The bytes of a file as a static host sends it: fonts are compressed already."""
    data = path.read_bytes()
    return len(data) if path.suffix == ".woff2" else len(gzip.compress(data, 9, mtime=0))


def weight(site: Path, addresses: Iterable[str]) -> dict[str, int]:
    """The bytes of each file of ``site`` that was asked for, by its place."""
    found = {}
    for address in addresses:
        path = site / urlsplit(address).path.lstrip("/")
        path = path / "index.html" if path.is_dir() else path
        found[path.relative_to(site).as_posix()] = sent(path)
    return found


def first_view(site: Path, addresses: Iterable[str]) -> int:
    """The bytes of a first view besides the formula font."""
    return sum(size for place, size in weight(site, addresses).items() if not place.endswith(APART))


@contextlib.contextmanager
def served(site: Path) -> Iterator[str]:
    handler = functools.partial(Gzipped, directory=str(site))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}/"
        server.shutdown()


def lessons(site: Path) -> dict[str, dict[str, int]]:
    """The weight of each lesson of a built site."""
    from playwright.sync_api import sync_playwright

    found = {}
    with served(site) as here, sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        for page in sorted(site.glob("lessons/*/index.html")):
            context: Any = browser.new_context(**PHONE)
            tab = context.new_page()
            asked: list[str] = []
            tab.on(
                "request",
                lambda request, asked=asked: request.url.startswith(here) and asked.append(request.url),
            )
            tab.goto(here + page.parent.relative_to(site).as_posix() + "/", wait_until="networkidle")
            html = page.read_bytes()
            found[page.parent.name] = {
                "html": len(html),
                "html_gzipped": sent(page),
                "first_view_gzipped": first_view(site, asked),
            }
            context.close()
        browser.close()
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--record", action="store_true", help="write the bytes to benchmarks/records/")
    parser.add_argument("--site", type=Path, help="a site that is built already")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        site = arguments.site or Path(name) / "site"
        if arguments.site is None:
            build = ["mkdocs", "build", "--strict", "--quiet", "--site-dir", str(site)]
            subprocess.run([sys.executable, "-m", *build], check=True, cwd=ROOT)
        found = lessons(site)
    print(json.dumps(found, indent=2))
    if arguments.record:
        record.write("weight", {"bytes": found})


if __name__ == "__main__":
    main()
