"""How long the page is busy at a time while a widget is used.

    python -m benchmarks.bench_widgets [--record]

Builds the site, opens each widget's page in Chromium and moves its handle or slider to and fro, a step a frame, while
the browser keeps a trace. Printed are the longest task of the page's main thread in milliseconds, by the clock and by
the time that the processor spent (which what else runs on the machine does not lengthen), the median of several runs,
and the frames that were painted for each second. With ``--record`` they are written to benchmarks/records/widgets.json.
The bar: 16 milliseconds, so that sixty frames a second can be held.
"""

from __future__ import annotations

import argparse
import functools
import http.server
import json
import math
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks import record

ROOT = Path(__file__).resolve().parent.parent
WIDGETS = {
    "attn-lookup": ("lessons/soft-lookup/", "[aria-label^=query].handle"),
    "attn-matrix": ("lessons/masks/", "tbody td"),
    "attn-steps": ("lessons/step-by-step/", "input[type=range]"),
    "attn-saturation": ("lessons/why-the-root/", "input[type=range]"),
    "attn-cost": ("lessons/what-it-costs/", "input[type=range]"),
}
MOVES = 120
FRAME = "() => new Promise((done) => requestAnimationFrame(done))"
COUNT = "() => { window.frames_ = 0; const next = () => { window.frames_ += 1; requestAnimationFrame(next) }; next() }"


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        pass


def path_of(tag: str, box: dict[str, float], width: float) -> Iterator[tuple[float, float]]:
    """Where the pointer goes: round in the plane of the lookup, down the rows of the matrix, along a slider."""
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    for move in range(MOVES):
        turn = 2 * math.pi * move / 40
        if tag == "attn-lookup":
            yield x - 40 + 40 * math.cos(turn), y + 40 * math.sin(turn)
        elif tag == "attn-matrix":
            yield x, y + (move % 4) * box["height"]
        else:
            yield x + 0.48 * width * math.sin(turn), y


def tasks(trace: dict[str, Any]) -> list[tuple[float, float]]:
    """The tasks of the page's main thread: milliseconds by the clock and of the processor."""
    events = trace["traceEvents"]
    named = [event for event in events if event.get("name") == "thread_name"]
    main = {(e["pid"], e["tid"]) for e in named if e["args"]["name"] == "CrRendererMain"}
    return [
        (event["dur"] / 1000, event.get("tdur", event["dur"]) / 1000)
        for event in events
        if event.get("name", "").endswith("RunTask")
        and (event["pid"], event["tid"]) in main
        and "dur" in event
    ]


def used(browser: Any, address: str, tag: str) -> dict[str, float]:
    """One run: the longest task, and the frames a second."""
    page = browser.new_page(viewport={"width": 1280, "height": 1000})
    page.goto(address + WIDGETS[tag][0], wait_until="networkidle")
    page.locator(f"{tag} .attn-live").wait_for()
    target = page.locator(f"{tag} .attn-live {WIDGETS[tag][1]}").first
    page.locator(f"{tag} .attn-live").scroll_into_view_if_needed()
    box = target.bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    if tag != "attn-matrix":
        page.mouse.down()
    page.wait_for_timeout(300)
    browser.start_tracing(page=page, categories=["toplevel", "devtools.timeline"])
    page.evaluate(COUNT)
    start = page.evaluate("performance.now()")
    for x, y in path_of(tag, box, box["width"]):
        page.mouse.move(x, y)
        if tag == "attn-matrix":
            page.mouse.down()
            page.mouse.up()
        page.evaluate(FRAME)
    seconds = (page.evaluate("performance.now()") - start) / 1000
    frames = page.evaluate("window.frames_")
    found = tasks(json.loads(browser.stop_tracing()))
    page.close()
    clock, own = max(clock for clock, _ in found), max(own for _, own in found)
    return {"clock": clock, "processor": own, "frames": frames / seconds, "tasks": len(found)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--record", action="store_true", help="write the figures to benchmarks/records/")
    parser.add_argument("--site", help="a built site, if there is one")
    arguments = parser.parse_args()
    from playwright.sync_api import sync_playwright

    executable = shutil.which("chromium") or shutil.which("google-chrome")
    if executable is None:
        sys.exit("Chromium is missing: install it, or put it on the path")
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as driver:
        site = arguments.site or folder
        if not arguments.site:
            build = [sys.executable, "-m", "mkdocs", "build", "--quiet", "--site-dir", site]
            subprocess.run(build, check=True, cwd=ROOT)
        browser = driver.chromium.launch(executable_path=executable, args=["--no-sandbox"])
        handler = functools.partial(Quiet, directory=site)
        with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
            threading.Thread(target=server.serve_forever, daemon=True).start()
            here = f"http://127.0.0.1:{server.server_address[1]}/"
            figures = {}
            for tag in WIDGETS:
                runs = [used(browser, here, tag) for _ in range(arguments.runs)]
                figures[tag] = {
                    "longest_task_ms": round(statistics.median(run["clock"] for run in runs), 1),
                    "longest_task_processor_ms": round(
                        statistics.median(run["processor"] for run in runs), 1
                    ),
                    "frames_per_second": round(statistics.median(run["frames"] for run in runs), 1),
                }
                print(tag, figures[tag], f"of {runs[0]['tasks']} tasks")
            server.shutdown()
        version = browser.version
        browser.close()
    if arguments.record:
        load = round(
            os.getloadavg()[0], 1
        )  # where more want to run than there are cores, tasks are interrupted
        what = {"chromium": version, "runs": arguments.runs, "moves": MOVES, "load_average": load}
        record.write("widgets", {**what, "widgets": figures})


if __name__ == "__main__":
    main()
