"""What `mkdocs serve` looks at, deletes and keeps."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

from mkdocs.livereload import LiveReloadServer

from sitekit import serving


class Loader:
    def list_templates(self) -> list[str]:
        return ["main.html", "assets/script.js", ".icons/material/pen.svg"]


class Template:
    def render(self, context: object) -> str:
        return ""


class Env:
    def __init__(self) -> None:
        self.loader = Loader()

    def get_template(self, name: str) -> Template:
        return Template()


class Theme:
    def get_env(self) -> Env:
        return Env()


def given(templates: serving.Templates, made_from: object) -> Env:
    """The environment that a new build gets from its theme."""
    theme = Theme()
    templates.keep(theme, made_from)
    return theme.get_env()


def test_templates_are_kept_while_what_they_are_made_from_stays() -> None:
    templates = serving.Templates()
    assert given(templates, "old") is given(templates, "old")
    assert given(templates, "old") is not given(templates, "new")


def test_templates_are_not_kept_where_nothing_is_known_of_them() -> None:
    templates = serving.Templates()
    assert given(templates, None) is not given(templates, None)


def test_the_theme_lists_its_files_without_those_that_are_hidden() -> None:
    assert given(serving.Templates(), "old").loader.list_templates() == ["main.html", "assets/script.js"]


def filled(**changed: object) -> dict[str, Any]:
    """What MkDocs gives a template: a page, and another one in the navigation."""
    others = {"toc": [], "meta": {}, "canonical_url": "", "edit_url": "", "children": None}
    page = SimpleNamespace(**{"url": "masks/", "title": "Masks", "content": "<p>", **others, **changed})
    next_page = SimpleNamespace(**{"url": "roots/", "title": changed.pop("next_title", "Roots"), **others})
    context = {"base_url": "..", "extra_css": ["a.css"], "extra_javascript": [], "nav": None}
    context |= {name: value for name, value in changed.items() if name in context}
    config = SimpleNamespace(site_url=changed.get("site_url", "here"))
    return {**context, "nav": SimpleNamespace(items=[next_page]), "page": page, "config": config}


def test_a_page_is_filled_in_again_exactly_where_it_would_say_something_else() -> None:
    heading = SimpleNamespace(title="Rows", id="rows", level=2, children=[])
    changes = [
        {"content": "<p>new"},
        {"title": "Veils"},
        {"next_title": "Branches"},
        {"meta": {"description": "new"}},
        {"toc": [heading]},
        {"extra_css": ["b.css"]},
        {"extra_javascript": ["b.js"]},
        {"base_url": "."},
        {"edit_url": "new"},
        {"canonical_url": "new"},
        {"site_url": "there"},
    ]
    for change in changes:
        seen: list[object] = []
        template = serving.Filled(lambda context, seen=seen: str(seen.append(context)))
        for context in (filled(), filled(), filled(**change), filled(**change)):
            template(context)
        assert len(seen) == 2, change


def test_what_python_writes_beside_its_modules_is_not_looked_at(tmp_path: Path) -> None:
    for name in ("attnref.py", "__pycache__"):
        (tmp_path / name).mkdir()
    assert [entry.name for entry in serving.entries(str(tmp_path))] == ["attnref.py"]


def test_all_files_of_the_last_build_are_deleted(tmp_path: Path) -> None:
    for name in ("index.html", "lessons/masks/index.html"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("old")
    serving.emptied(str(tmp_path))
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


def test_a_change_is_seen_in_all_places_that_were_watched_before(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    settings = tmp_path / "mkdocs.yml"
    settings.write_text("")
    server = LiveReloadServer(lambda: None, "127.0.0.1", 0, str(tmp_path))
    places = [str(tmp_path / "docs"), str(settings)]
    try:
        for place in places:
            server.watch(place)
        serving.watch(server, *places)
        assert sorted(server._watched_paths) == sorted(places)
        assert len(server.observer.emitters) == len(places)
    finally:
        server.server_close()
