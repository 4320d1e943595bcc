"""The theme's worker is asked by way of the site's module, under its own name, and only if it is the one we know."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from sitekit import search_worker

WORKER = (
    "case 2:let e=t.data;try{return{type:3,data:de.search(e)}}catch(r){}\n//# sourceMappingURL=search.map\n"
)


class File:
    def __init__(self, src_uri: str) -> None:
        self.src_uri, self.content_string = src_uri, WORKER


def test_search_of_the_worker_is_asked_by_way_of_the_module():
    text = search_worker.changed(WORKER)
    assert "data:$question.answer(e,$text=>de.search($text)," in text
    assert text.endswith("\n$question.keepApart(lunr)\n")
    assert "export " not in text
    assert "sourceMappingURL" not in text


@pytest.mark.parametrize("worker", ["", WORKER + WORKER, WORKER.replace("search(", "find(")])
def test_another_worker_is_refused_with_the_place_to_look(worker):
    with pytest.raises(
        search_worker.Unknown, match=r"search worker calls its search \d times.*search_worker\.py"
    ):
        search_worker.changed(worker)


def test_worker_keeps_its_name_and_loses_its_map():
    name = "assets/javascripts/workers/search.a7633da7.min.js"
    files = [File(name), File(name + ".map"), File("assets/javascripts/bundle.a7633da7.min.js")]
    search_worker.change(files)
    assert [file.src_uri for file in files] == [name, "assets/javascripts/bundle.a7633da7.min.js"]
    assert files[0].content_string != WORKER
    assert files[1].content_string == WORKER


def test_what_the_module_makes_of_a_question():
    node = shutil.which("node")
    if node is None:
        if os.environ.get("CI") == "true":
            pytest.fail("node is missing, and CI has to have it")
        pytest.skip("node is not installed")
    test = Path(__file__).with_name("question.test.mjs")
    done = subprocess.run([node, "--test", str(test)], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "# pass 0" not in done.stdout
