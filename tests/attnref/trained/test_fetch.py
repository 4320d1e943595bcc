"""Fetching a pinned model: hashes, what is there already, plain errors; and the hub's own package over loopback."""

import contextlib
import hashlib
import http.server
import json
import os
import subprocess
import sys
import threading
import types
from pathlib import Path

import pytest

from attnref import ModelError, load_bert
from attnref.trained._fetch import KEPT, PINNED, Pinned, fetch
from tests.attnref.peers import peer
from tests.attnref.trained import tiny

ROOT = Path(__file__).parents[3]
NAMES = ["config.json", "tokenizer_config.json", "vocab.txt", "model.safetensors"]


def sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


@pytest.fixture
def source(tmp_path) -> Path:
    return tiny.folder(tmp_path / "source", do_lower_case=True)


@pytest.fixture
def pinned(source, monkeypatch) -> Pinned:
    """A pinned model of which two files have a stated hash."""
    files = {name: None if "config" in name else sha256(source / name) for name in NAMES}
    entry = Pinned("some/tiny", "0123456789abcdef0123456789abcdef01234567", "MIT", files)
    monkeypatch.setitem(PINNED, "tiny", entry)
    return entry


@pytest.fixture
def hub(source, monkeypatch):
    """A hub that copies files and notes what it was asked for."""
    asked = []

    def hf_hub_download(repository, file, *, revision, local_dir):
        asked.append((repository, revision, file))
        Path(local_dir).mkdir(parents=True, exist_ok=True)
        Path(local_dir, file).write_bytes((source / file).read_bytes())

    module = types.SimpleNamespace(hf_hub_download=hf_hub_download, asked=asked)
    monkeypatch.setitem(sys.modules, "huggingface_hub", module)
    return module


@pytest.fixture
def target(tmp_path) -> Path:
    return tmp_path / "deep" / "target"


def test_a_model_is_fetched_at_its_revision_and_can_be_read(pinned, hub, target):
    said = []
    assert fetch("tiny", target, said.append) == target
    assert hub.asked == [(pinned.repository, pinned.revision, name) for name in NAMES]
    assert load_bert(target).maps("the bank").words == ("[CLS]", "the", "bank", "[SEP]")
    assert said[-1] == f"{target}: some/tiny at {pinned.revision}, MIT"


def test_what_is_there_and_right_is_not_fetched_again(pinned, hub, target, monkeypatch):
    fetch("tiny", target, lambda line: None)
    hub.asked.clear()
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)  # as if it were not installed
    said = []
    fetch("tiny", target, said.append)
    assert said[:4] == [f"{name}: here already" for name in NAMES]


@pytest.mark.parametrize("name", NAMES)
def test_a_file_that_was_changed_is_refused(name, pinned, hub, target):
    """Those without a stated hash too: what was fetched first is what counts."""
    fetch("tiny", target, lambda line: None)
    (target / name).write_bytes(b"{}")
    with pytest.raises(ModelError, match=r"it must be [0-9a-f]{64}. Delete it and fetch again"):
        fetch("tiny", target, lambda line: None)


def test_a_file_that_arrives_with_another_hash_is_deleted_and_refused(pinned, hub, source, target):
    (source / "model.safetensors").write_bytes(tiny.file_of(tiny.tensors(seed=1)))
    with pytest.raises(ModelError, match=r"as fetched, has the sha256 .* It was deleted"):
        fetch("tiny", target, lambda line: None)
    assert not (target / "model.safetensors").exists()


def test_hashes_kept_of_another_revision_do_not_count(pinned, hub, target, monkeypatch):
    fetch("tiny", target, lambda line: None)
    monkeypatch.setitem(PINNED, "tiny", pinned._replace(revision="f" * 40))
    hub.asked.clear()
    fetch("tiny", target, lambda line: None)
    assert [file for *_, file in hub.asked] == NAMES[:2]
    assert json.loads((target / KEPT).read_text())["revision"] == "f" * 40


def test_without_the_hubs_package_the_next_step_is_told(pinned, target, monkeypatch):
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    with pytest.raises(
        ModelError, match=r"huggingface_hub, which fetches them, is not installed. Install attnref\[fetch\]"
    ):
        fetch("tiny", target)


def test_an_error_of_the_hub_is_said_in_a_line_with_its_first_cause(pinned, target, monkeypatch):
    def hf_hub_download(*_, **__):
        try:
            raise OSError("Name or service not known\nand much more")
        except OSError as cause:
            raise RuntimeError("a page of advice") from cause

    monkeypatch.setitem(
        sys.modules, "huggingface_hub", types.SimpleNamespace(hf_hub_download=hf_hub_download)
    )
    with pytest.raises(ModelError) as told:
        fetch("tiny", target)
    assert str(told.value).startswith(
        "some/tiny did not give config.json (OSError: Name or service not known): a model is fetched over"
    )


def test_an_unknown_name_is_answered_with_those_that_are_known(target):
    with pytest.raises(
        ModelError, match="'gpt2': attnref knows the pinned revisions of all-MiniLM-L6-v2, bert"
    ):
        fetch("gpt2", target)


def test_pins_name_a_commit_and_whole_hashes_and_no_pickle():
    for entry in PINNED.values():
        assert len(entry.revision) == 40
        assert int(entry.revision, 16)
        assert list(entry.files) == NAMES
        assert {len(digest) for digest in entry.files.values() if digest} <= {64}


class Server(http.server.BaseHTTPRequestHandler):
    """As much of a hub as its package needs: heads, ranges, and one connection that breaks."""

    folder: Path
    ranges: list[str]
    broken: bool

    def do_HEAD(self):
        self.answer(with_body=False)

    def do_GET(self):
        self.answer(with_body=True)

    def answer(self, with_body: bool):
        path = self.folder / self.path.split("/")[-1]
        if "/resolve/" not in self.path or not path.is_file():
            self.send_response(404)
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        content = path.read_bytes()
        span = self.headers.get("Range", "")
        begin = int(span.removeprefix("bytes=").split("-")[0]) if span else 0
        self.send_response(206 if begin else 200)
        self.send_header("ETag", f'"{hashlib.sha256(content).hexdigest()}"')
        self.send_header("X-Repo-Commit", self.path.split("/resolve/")[1].split("/")[0])
        self.send_header("Content-Length", str(len(content) - begin))
        self.send_header("Content-Range", f"bytes {begin}-{len(content) - 1}/{len(content)}")
        self.end_headers()
        if with_body and path.name == "model.safetensors":
            type(self).ranges.append(span)
            if type(self).broken:
                type(self).broken = False
                self.wfile.write(content[: len(content) // 2])
                self.wfile.flush()
                self.connection.close()
                return
        if with_body:
            self.wfile.write(content[begin:])

    def log_message(self, *_):
        pass


# The package writes ten million bytes at a time and waits between tries: here smaller parts, and no waiting.
PROGRAM = """
import sys, json, time
import huggingface_hub.constants
huggingface_hub.constants.DOWNLOAD_CHUNK_SIZE = 1024
time.sleep = lambda seconds: None
from attnref.trained import _fetch
_fetch.PINNED = {"all-MiniLM-L6-v2": _fetch.Pinned(*json.loads(sys.argv[1]))}
from attnref.diagnosis._command import main
sys.exit(main(["fetch", "all-MiniLM-L6-v2", "--to", sys.argv[2]]))
"""


@contextlib.contextmanager
def serving(folder: Path):
    handler = type("Handler", (Server,), {"folder": folder, "ranges": [], "broken": True})
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}", handler
        server.shutdown()
        thread.join()


def run(pinned: Pinned, target: Path, address: str, home: Path) -> subprocess.CompletedProcess[str]:
    own = {
        "HF_ENDPOINT": address,
        "HF_HOME": str(home),
        "HF_HUB_DISABLE_TELEMETRY": "1",
        "HF_HUB_ETAG_TIMEOUT": "2",
    }
    return subprocess.run(
        [sys.executable, "-c", PROGRAM, json.dumps(pinned), str(target)], cwd=ROOT, capture_output=True,
        encoding="utf-8", check=False, env={**os.environ, "PYTHONPATH": str(ROOT), **own}, timeout=120,
    )  # fmt: skip


def test_the_hubs_package_goes_on_where_a_download_broke_off(pinned, source, target, tmp_path):
    peer("huggingface_hub")
    with serving(source) as (address, handler):
        done = run(pinned, target, address, tmp_path / "home")
        if done.returncode:  # a package that does not go on by itself does when it is asked again
            assert "run the command again" in done.stderr
            done = run(pinned, target, address, tmp_path / "home")
    assert done.returncode == 0, done.stdout + done.stderr
    assert len(handler.ranges) >= 2
    assert handler.ranges[0] == ""
    assert handler.ranges[-1].startswith("bytes=")
    assert sha256(target / "model.safetensors") == pinned.files["model.safetensors"]
    assert load_bert(target).n_heads == tiny.N_HEADS


def test_the_hubs_package_without_network_ends_in_a_plain_error(pinned, target, tmp_path):
    peer("huggingface_hub")
    done = run(pinned, target, "http://127.0.0.1:9", tmp_path / "home")
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1].startswith("attnref: some/tiny did not give config.json (")
    assert "Traceback" not in done.stderr
