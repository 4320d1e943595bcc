"""Modules as one classic script: what is taken over, and what is refused rather than broken."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from sitekit import classic, offline

PAGE = """
const document = { currentScript: { src: "file:///site/assets/javascripts/classic.js" } }
const window = {};
"""


def scripts(root: Path, **texts: str) -> Path:
    folder = root / "assets" / "javascripts"
    for name, text in texts.items():
        path = folder / (name.replace("__", "/") + ".js")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder


def said(script: str) -> list[str]:
    """What the script says in Node, line by line."""
    if (node := shutil.which("node")) is None:
        pytest.skip("node is not installed")
    done = subprocess.run([node, "-e", PAGE + script], capture_output=True, text=True, timeout=30)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_every_form_of_import_and_export_gives_what_the_modules_gave(tmp_path):
    folder = scripts(
        tmp_path,
        entry='import * as all from "./parts/sums.js"\n'
        'import { twice as double,\n  three }\n  from "./parts/sums.js";\n'
        "console.log(all.twice(2), double(3), three, new all.Pair().size)\n"
        'import("./parts/late.js").then(({ late }) => late().then(console.log))\n',
        parts__sums="export function twice(n) { return 2 * n }\nexport const three = 3\n"
        "export class Pair { size = 2 }\n",
        parts__late='import { twice } from "../parts/sums.js"\nexport async function late() { return twice(5) }\n',
    )
    assert said(classic.bundle(folder, ["entry.js"])) == ["4 6 3 2", "10"]


def test_a_module_runs_once_however_often_it_is_imported(tmp_path):
    folder = scripts(
        tmp_path,
        first='import { n } from "./shared.js"\n',
        second='import { n } from "./shared.js"\nconsole.log(n)\n',
        shared='console.log("once")\nexport const n = 7\n',
    )
    assert said(classic.bundle(folder, ["first.js", "second.js"])) == ["once", "7"]


def test_names_of_one_module_stay_its_own(tmp_path):
    folder = scripts(
        tmp_path,
        first='const load = "mine", bring = 1, read = 2, files = 3\nconsole.log(load + bring + read + files)\n',
        second='import("./third.js").then((third) => console.log(third.load))\n',
        third='export const load = "third"\n',
    )
    assert said(classic.bundle(folder, ["first.js", "second.js"])) == ["mine123", "third"]


def test_an_address_beside_a_module_is_taken_from_where_the_module_lay(tmp_path):
    folder = scripts(tmp_path, deep__entry='console.log(new URL("../x.css", import.meta.url).href)\n')
    assert said(classic.bundle(folder, ["deep/entry.js"])) == ["file:///site/assets/javascripts/x.css"]


def test_json_that_a_module_fetches_comes_along(tmp_path):
    folder = scripts(
        tmp_path,
        deep__entry='const answer = await fetch(new URL("data.json", import.meta.url))\n'
        "console.log((await answer.json()).weight)\n",
    )
    (folder / "deep" / "data.json").write_text('{"weight": 0.735}', encoding="utf-8")
    assert said(classic.bundle(folder, ["deep/entry.js"])) == ["0.735"]


def test_another_file_may_stand_in_for_a_module(tmp_path):
    folder = scripts(
        tmp_path,
        entry='import { where } from "./place.js"\nconsole.log(where)\n',
        place='export const where = "served"\n',
        disk='export const where = "from disk"\n',
    )
    assert said(classic.bundle(folder, ["entry.js"], {"place.js": "disk.js"})) == ["from disk"]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ('const a = 1\nimport a from "./b.js"\n', 2),
        ("const a = 1\n\nexport { a }\n", 3),
        ("export default 3\n", 1),
        ("export let counter = 0\n", 1),
        ("console.log(import.meta.env)\n", 1),
    ],
)
def test_what_is_not_taken_over_is_refused_with_its_line(tmp_path, text, line):
    folder = scripts(tmp_path, entry=text)
    with pytest.raises(
        classic.NotTaken, match=rf"^entry\.js:{line}: .*a module imports by name or as a whole"
    ):
        classic.bundle(folder, ["entry.js"])


def test_the_scripts_of_the_site_are_all_taken_over():
    folder = offline.ROOT / "docs" / "assets" / "javascripts"
    modules = [path.relative_to(folder).as_posix() for path in folder.rglob("*.js")]
    text = classic.bundle(folder, ["entry.js"], {"live/place.js": "live/disk.js"})
    assert all(f'$modules["{name}"]' in text for name in modules if name.startswith("widgets/attn-"))
    assert "parameters" not in text or json.loads(text.split("const $files = ", 1)[1].split("\n", 1)[0])


@pytest.mark.parametrize("quote", ['"', ""])
def test_modules_of_a_page_become_one_script(quote):
    def tag(name: str) -> str:
        return (
            f"<script src={quote}../../assets/javascripts/{name}{quote} type={quote}module{quote}></script>"
        )

    page = f"<p>A</p><script src=a.js></script>{tag('proof.js')}{tag('live/live.js')}<p>B</p>"
    kept = '<p>A</p><script src=a.js></script><script defer src="../../assets/javascripts/classic.js"></script><p>B</p>'
    assert offline.classical(page) == kept
