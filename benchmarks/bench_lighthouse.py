"""Lighthouse on the built site, mobile preset, served with gzip on loopback.

    python -m benchmarks.bench_lighthouse [--record]

Needs Chromium and npm's lighthouse in tests/browser/node_modules or on the path. Prints the four scores of a page
of each kind; with ``--record`` they go to benchmarks/records/lighthouse.json with machine, date and command.
"""

from __future__ import annotations

import argparse
import datetime
import functools
import gzip
import http.server
import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
RECORD = ROOT / "benchmarks" / "records" / "lighthouse.json"
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
    """Serves text compressed, as static hosts do."""

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
    """The four scores of one page, out of a hundred."""
    lighthouse = ROOT / "tests" / "browser" / "node_modules" / ".bin" / "lighthouse"
    command = str(lighthouse) if lighthouse.exists() else shutil.which("lighthouse")
    if command is None:
        sys.exit("lighthouse is missing: npm install --prefix tests/browser --no-save lighthouse@12.2.3")
    report = folder / "report.json"
    flags = "--headless --no-sandbox --disable-gpu --disable-background-networking"
    options = ["--quiet", "--output=json", f"--output-path={report}", f"--chrome-flags={flags}"]
    environment = {**os.environ, "CHROME_PATH": shutil.which("chromium") or ""}
    subprocess.run([command, address, *options], check=True, env=environment)
    categories = json.loads(report.read_text(encoding="utf-8"))["categories"]
    return {name: round(100 * categories[name]["score"]) for name in CATEGORIES}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
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
            found = {kind: scores(here + path, folder) for kind, path in KINDS.items()}
            server.shutdown()
    print(json.dumps(found, indent=2))
    if arguments.record:
        machine = f"{platform.machine()}, {os.cpu_count()} cores"
        record = {
            "command": "python -m benchmarks.bench_lighthouse",
            "date": datetime.date.today().isoformat(),
        }
        text = json.dumps({**record, "machine": machine, "scores": found}, indent=2)
        RECORD.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
