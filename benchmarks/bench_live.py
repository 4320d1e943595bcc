"""From pressing Run to the first output, in Chromium, from the site's files on loopback.

    python -m benchmarks.bench_live [--runs 5] [--record]

Cold: a browser that has nothing. Warm: the page opened anew, the files in the browser's cache. Same worker: Run
pressed again. Each figure is a median. Prints what a page fetches where nothing runs, too: of Python, nothing.
With ``--record`` the figures go to benchmarks/records/live.json.
"""

from __future__ import annotations

import argparse
import functools
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
from http.server import ThreadingHTTPServer
from pathlib import Path
from typing import Any

from benchmarks import record
from benchmarks.bench_lighthouse import ROOT, Gzipped

PAGE = "lessons/step-by-step/"
PYTHON = ("/vendor/pyodide/", "/assets/live/")
# Presses Run on the first block that prints, and waits for the first of its output.
FIRST_OUTPUT = """() => new Promise((settle) => {
  document.querySelector(".live-output")?.remove()
  const began = performance.now()
  const watch = new MutationObserver(() => {
    if (document.querySelector(".live-printed > span")) {
      watch.disconnect()
      settle(performance.now() - began)
    }
  })
  watch.observe(document.querySelector("article"), { childList: true, subtree: true })
  document.querySelector(".live:has(+ .language-text) [name=run]").click()
})"""
AGAIN = 10  # presses in the same worker


def settled(page: Any) -> None:
    page.wait_for_function("!document.querySelector('.live-bar [name=stop]')")


def one_round(browser: Any, address: str) -> tuple[float, float, list[float], int]:
    """Milliseconds cold, warm and in the same worker, and how many files of Python came before the first press."""
    context = browser.new_context()
    page = context.new_page()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(address + PAGE, wait_until="networkidle")
    early = sum(any(part in url for part in PYTHON) for url in asked)
    cold = page.evaluate(FIRST_OUTPUT)
    settled(page)
    page.goto("about:blank")
    page.goto(address + PAGE, wait_until="networkidle")
    warm = page.evaluate(FIRST_OUTPUT)
    same = []
    for _ in range(AGAIN):
        settled(page)
        same.append(page.evaluate(FIRST_OUTPUT))
    context.close()
    return cold, warm, same, early


def measure(site: Path, runs: int) -> dict[str, Any]:
    from playwright.sync_api import sync_playwright

    handler = functools.partial(Gzipped, directory=str(site))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server, sync_playwright() as driver:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        browser = driver.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        address = f"http://127.0.0.1:{server.server_address[1]}/"
        rounds = [one_round(browser, address) for _ in range(runs)]
        version = browser.version
        browser.close()
        server.shutdown()
    cold, warm, same, early = zip(*rounds, strict=True)
    return {
        "chromium": version,
        "runs": runs,
        "cold_seconds": round(statistics.median(cold) / 1000, 2),
        "warm_seconds": round(statistics.median(warm) / 1000, 2),
        "same_worker_milliseconds": round(statistics.median([time for times in same for time in times]), 1),
        "files_of_python_before_the_first_run": max(early),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--record", action="store_true", help="write the figures to benchmarks/records/")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        build = [sys.executable, "-m", "mkdocs", "build", "--quiet", "--site-dir", folder]
        subprocess.run(build, cwd=ROOT, check=True)
        figures = measure(Path(folder), arguments.runs)
    for name, value in figures.items():
        print(f"{name:38} {value}")
    if arguments.record:
        record.write("live", figures)


if __name__ == "__main__":
    main()
