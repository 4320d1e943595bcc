"""What the site serves so that its Python runs in a browser: attnref as a wheel, the list of packages, the driver.

The wheel holds the library as it stands in the folder, so that the site and the page agree, and beside it what the
pages' programs read of the project, at the same places. Its name ends in a digest of its content: a browser that has
kept an old one asks for the new one.
"""

from __future__ import annotations

import base64
import hashlib
import io
import json
import zipfile
from pathlib import Path
from typing import Any

import attnref

VENDOR = "assets/vendor/pyodide"  # below docs/
FOLDER = "assets/live"  # where the files made here are served
# What pages' programs read, besides the library; each program finds it from where the library lies.
READ = (
    "pyproject.toml",
    "benchmarks/records/*.json",
    "snippets/*/*.json",
    "snippets/induction-head/*.py",
    "docs/assets/maps/minilm-en.json",
    "docs/assets/javascripts/widgets/attn-induction/parameters.json",
)
_DATE = (1980, 1, 1, 0, 0, 0)  # the same files give the same bytes


def files(root: Path) -> dict[str, bytes]:
    """The files by their places below docs/."""
    name, wheel = build_wheel(root)
    return {
        f"{FOLDER}/{name}": wheel,
        f"{FOLDER}/pyodide-lock.json": lock(root, name, wheel).encode(),
        f"{FOLDER}/live_driver.py": (root / "sitekit" / "live_driver.py").read_bytes(),
    }


def build_wheel(root: Path) -> tuple[str, bytes]:
    """The library, and what pages read beside it, as a wheel: its name and its bytes."""
    held = [p for p in (root / "attnref").rglob("*") if p.is_file() and "__pycache__" not in p.parts]
    read = [path for pattern in READ for path in root.glob(pattern)]
    content = {path.relative_to(root).as_posix(): path.read_bytes() for path in sorted(held + read)}
    digest = hashlib.sha256(b"".join(name.encode() + data for name, data in content.items())).hexdigest()[:8]
    version = attnref.__version__
    info = f"attnref-{version}.dist-info"
    about = f"Metadata-Version: 2.1\nName: attnref\nVersion: {version}\nLicense: MIT\nRequires-Dist: numpy>=2.0.2\n"
    content[f"{info}/METADATA"] = about.encode()
    content[f"{info}/WHEEL"] = (
        b"Wheel-Version: 1.0\nGenerator: sitekit\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    )
    rows = [f"{name},{_hash(data)},{len(data)}" for name, data in content.items()]
    content[f"{info}/RECORD"] = "\n".join([*rows, f"{info}/RECORD,,", ""]).encode()
    return f"attnref-{version}-0{digest}-py3-none-any.whl", _zipped(
        content
    )  # a build's tag begins with a digit


def _hash(data: bytes) -> str:
    return "sha256=" + base64.urlsafe_b64encode(hashlib.sha256(data).digest()).decode().rstrip("=")


def _zipped(content: dict[str, bytes]) -> bytes:
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as target:
        for name, data in content.items():
            entry = zipfile.ZipInfo(name, _DATE)
            entry.compress_type, entry.external_attr = zipfile.ZIP_DEFLATED, 0o644 << 16
            target.writestr(entry, data)
    return archive.getvalue()


def lock(root: Path, name: str, wheel: bytes) -> str:
    """The vendored list of packages with attnref in it; a file's place is meant from the folder of Pyodide."""
    known: dict[str, Any] = json.loads((root / "docs" / VENDOR / "pyodide-lock.json").read_text("utf-8"))
    known["packages"]["attnref"] = {
        "name": "attnref",
        "version": name.split("-")[1],
        "file_name": f"../../live/{name}",
        "sha256": hashlib.sha256(wheel).hexdigest(),
        "imports": ["attnref"],
        "depends": ["numpy"],
        "install_dir": "site",
        "package_type": "package",
        "unvendored_tests": False,
    }
    return json.dumps(known, indent=1, sort_keys=True)
