"""Lighthouse on the built site, mobile preset, served with gzip on loopback as static hosts serve: one connection.

    python -m benchmarks.bench_lighthouse [--runs N] [--record]

Needs Chromium and npm's lighthouse in tests/browser/node_modules or on the path. Prints the four scores of a page
of each kind, medians of five runs; with ``--record`` they go to benchmarks/records/lighthouse.json with machine, date
and command. Nothing else may run meanwhile: Lighthouse times the processor, and tells in the record how fast it was.
"""

from __future__ import annotations

import argparse
import functools
import gzip
import http.server
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

from benchmarks import record

ROOT = Path(__file__).resolve().parent.parent
KINDS = {
    "home": "",
    "lesson": "lessons/step-by-step/",
    "lab": "labs/lists-and-loops/",
    "reference": "reference/attention/",
    "exercise": "exercises/write-attention/",
}
CATEGORIES = ("performance", "accessibility", "best-practices", "seo")
TEXT = (".html", ".css", ".js", ".json", ".svg", ".xml")


class Gzipped(http.server.SimpleHTTPRequestHandler):
    """Serves text compressed and keeps connections open, as static hosts do."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        path = Path(self.translate_path(self.path))
        path = path / "index.html" if path.is_dir() else path
        if not path.is_file() or path.suffix not in TEXT:
            super().do_GET()
            return
        body = gzip.compress(path.read_bytes(), 9)
        self.send_response(200)
        self.send_header("Content-Type", self.guess_type(str(path)))
        self.send_header("Content-Encoding", "gzip")
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Cache-Control", "max-age=600")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


def scores(address: str, folder: Path) -> dict[str, int]:
    """The four scores of one page, out of a hundred, and how fast Lighthouse found the machine."""
    lighthouse = ROOT / "tests" / "browser" / "node_modules" / ".bin" / "lighthouse"
    command = str(lighthouse) if lighthouse.exists() else shutil.which("lighthouse")
    if command is None:
        sys.exit("lighthouse is missing: npm install --prefix tests/browser --no-save lighthouse@12.2.3")
    report = folder / "report.json"
    flags = "--headless --no-sandbox --disable-gpu --disable-background-networking"
    options = ["--quiet", "--output=json", f"--output-path={report}", f"--chrome-flags={flags}"]
    environment = {**os.environ, "CHROME_PATH": shutil.which("chromium") or ""}
    subprocess.run([command, address, *options], check=True, env=environment)
    found = json.loads(report.read_text(encoding="utf-8"))
    marks = {name: round(100 * found["categories"][name]["score"]) for name in CATEGORIES}
    return {**marks, "machine": round(found["environment"]["benchmarkIndex"])}


def medians(address: str, folder: Path, runs: int) -> dict[str, float]:
    found = [scores(address, folder) for _ in range(runs)]
    return {name: statistics.median(one[name] for one in found) for name in found[0]}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=5, help="runs of each page")
    parser.add_argument("--record", action="store_true", help="write the scores to benchmarks/records/")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        build = [
            sys.executable,
            "-m",
            "mkdocs",
            "build",
            "--strict",
            "--quiet",
            "--site-dir",
            str(folder / "site"),
        ]
        subprocess.run(build, check=True, cwd=ROOT)
        handler = functools.partial(Gzipped, directory=str(folder / "site"))
        with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
            threading.Thread(target=server.serve_forever, daemon=True).start()
            here = f"http://127.0.0.1:{server.server_address[1]}/"
            found = {kind: medians(here + path, folder, arguments.runs) for kind, path in KINDS.items()}
            server.shutdown()
    print(json.dumps(found, indent=2))
    if arguments.record:
        record.write("lighthouse", {"scores": found})


if __name__ == "__main__":
    main()
