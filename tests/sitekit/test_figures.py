"""Figures show the page's numbers, and say so when they don't. Each fault is planted beside a twin that holds."""

import re
import subprocess
import sys
from pathlib import Path

import markdown
import numpy as np
import pytest
import yaml

from sitekit import check, drawing, figures, lint, pages, programs, render, sketches, sources, svg, update

ROOT = Path(__file__).parents[2]
FILES = sorted((ROOT / "docs" / "assets" / "figures").rglob("*.svg"))

PAGE = """---
title: Two weights
description: A page with a figure.
---
# Two weights

```python
import numpy as np

words = ["near", "far"]
weights = np.array([0.7346, 0.2654])
```

![Two bars, 0.735 and 0.265.](../assets/figures/two/bars.svg)
<!--= weights -->

*The weights, 0.735 the larger.*
<!--= weights[0] -->
"""
PROGRAM = '''"""The figures of the page."""

from sitekit.drawing import ONE, figure, panel, sheet, weight_bars


@figure
def bars(words, weights):
    """A bar for each weight."""
    on = sheet(60)
    weight_bars(panel(on, 60, 0, 200, 60), weights, words, color=ONE)
    return on
'''


class Project:
    """A site of one lesson with a figure, in a folder of its own."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.page, self.program = root / "docs/lessons/two.md", root / "snippets/two/figures.py"
        self.file = root / "docs/assets/figures/two/bars.svg"
        config = yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))
        kept = yaml.safe_dump({"markdown_extensions": config["markdown_extensions"]})
        for path, text in ((root / "mkdocs.yml", kept), (self.page, PAGE), (self.program, PROGRAM)):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")

    def change(self, path: Path, old: str, new: str) -> None:
        text = path.read_text(encoding="utf-8")
        assert old in text, f"{old!r} does not stand in {path.name}"
        path.write_text(text.replace(old, new), encoding="utf-8")

    def read(self) -> pages.Page:
        return pages.read(self.page, self.root, sources.Record())

    def draw(self) -> list[str]:
        page = self.read()
        return figures.update(page, programs.run(programs.units(page)))

    def problems(self) -> list[str]:
        return [str(problem) for problem in check.check_page(self.page, self.root)[1]]

    def html(self) -> str:
        return render.page_html(self.page.read_text(encoding="utf-8"), self.root)[0]


@pytest.fixture
def project(tmp_path) -> Project:
    made = Project(tmp_path)
    made.draw()
    return made


def number_changes(project: Project) -> None:
    project.change(project.page, "0.7346, 0.2654", "0.7246, 0.2754")
    project.change(project.page, "0.735 and 0.265", "0.725 and 0.275")
    project.change(project.page, "0.735 the larger", "0.725 the larger")


def no_drawing(monkeypatch):
    monkeypatch.setattr(sketches, "draw", lambda *_: pytest.fail("a figure was drawn"))


# ---- the site's own figures ----


def run_of(slug: str) -> tuple[pages.Page, programs.Run]:
    (path,) = (path for path in check.page_files() if path.stem == slug)
    page = pages.read(path, ROOT, sources.read(ROOT / "docs"))
    return page, programs.run(programs.units(page))


def redrawn(root: Path, slug: str, name: str, page: pages.Page, run: programs.Run) -> str:
    """What the program draws now, whatever the file's stamps say."""
    path = sketches.source_of(root, slug)
    sketch = sketches.find(path.read_text(encoding="utf-8"))[name]
    return sketches.draw(path, sketch, sketches.arguments(sketch, run), "anew")


@pytest.mark.parametrize("file", FILES, ids=lambda file: f"{file.parent.name}/{file.stem}")
def test_every_figure_is_what_its_program_draws_now(file):
    page, run = run_of(file.parent.name)
    old, new = file.read_text(encoding="utf-8"), redrawn(ROOT, file.parent.name, file.stem, page, run)
    assert svg.texts(old) == svg.texts(new), f"{page.path}: run make update"
    assert svg.stamp(old, "drawn") == svg.stamp(new, "drawn"), f"{page.path}: run make update"


def test_each_figure_has_one_function_and_one_file_and_stands_on_a_page():
    programs_of = sorted((ROOT / "snippets").glob("*/figures.py"))
    drawn = {(p.parent.name, name) for p in programs_of for name in sketches.find(p.read_text("utf-8"))}
    record = sources.read(ROOT / "docs")
    shown = {use[1:] for path in check.page_files() for use in figures.uses(pages.read(path, ROOT, record))}
    assert drawn == {(file.parent.name, file.stem) for file in FILES} == shown
    assert len(drawn) > 2


# ---- numbers that changed ----


def test_a_figure_that_shows_the_page_s_numbers_holds(project):
    assert project.problems() == []


def test_a_changed_number_is_reported_with_figure_page_line_and_label(project):
    number_changes(project)
    (problem,) = project.problems()
    assert problem.startswith(
        "docs/lessons/two.md:14: the figure two/bars is not what its function draws now"
    )
    assert "it shows '0.735', which is now '0.725'" in problem
    assert "make update" in problem


def test_a_changed_number_is_told_beside_the_page_s_other_problems(project):
    project.change(project.page, "0.7346, 0.2654", "0.7246, 0.2754")
    assert any("the figure two/bars" in problem for problem in project.problems())
    assert len(project.problems()) > 1


def test_data_that_no_label_shows_counts(project):
    project.change(project.page, "0.7346, 0.2654", "0.7347, 0.2653")  # the labels stay as they are
    (problem,) = project.problems()
    assert "its labels agree, its data or looks do not" in problem


def test_the_last_bits_of_a_sum_do_not_count(project, monkeypatch):
    no_drawing(monkeypatch)
    project.change(project.page, "0.7346, 0.2654]", "0.7346 + 1e-13, 0.2654]")
    assert project.problems() == []


def test_update_draws_what_changed_and_nothing_else(project):
    before = project.file.read_text(encoding="utf-8")
    assert project.draw() == []
    number_changes(project)
    assert project.draw() == ["docs/assets/figures/two/bars.svg: drawn anew"]
    assert project.problems() == []
    assert svg.texts(project.file.read_text(encoding="utf-8")) != svg.texts(before)


def test_the_command_update_draws_figures_too(project, monkeypatch, capsys):
    monkeypatch.chdir(project.root)
    project.change(project.page, "0.7346, 0.2654", "0.7246, 0.2754")
    assert update.main([str(project.page)]) == 0
    assert "bars.svg: drawn anew" in capsys.readouterr().out
    assert project.problems() == []


# ---- changes by hand ----


def labels_with_a_digit_changed(text: str):
    for match in re.finditer(r"(?<=>)([^<>\n]*\d[^<>\n]*)(?=</text>)", text):
        for digit in re.finditer(r"\d", match[1]):
            at = match.start() + digit.start()
            yield text[:at] + str((int(text[at]) + 1) % 10) + text[at + 1 :]


def test_every_digit_of_every_label_is_noticed(project):
    text = project.file.read_text(encoding="utf-8")
    count = 0
    for changed in labels_with_a_digit_changed(text):
        project.file.write_text(changed, encoding="utf-8")
        page = project.read()
        (problem,) = figures.problems(page, programs.run(programs.units(page)))
        assert "the figure two/bars was changed by hand" in str(problem)
        count += 1
    assert count == 8


def test_a_line_that_was_moved_by_hand_is_noticed(project):
    project.change(project.file, '<path d="M 60', '<path d="M 61')
    (problem,) = project.problems()
    assert "changed by hand" in problem


def test_a_forged_seal_does_not_pass_the_comparison_of_all_figures(project):
    text = project.file.read_text(encoding="utf-8")
    forged = svg.sealed(text.replace(">0.735<", ">0.753<"))
    page = project.read()
    new = redrawn(project.root, "two", "bars", page, programs.run(programs.units(page)))
    assert svg.is_sealed(forged)
    assert svg.texts(forged) != svg.texts(new)
    assert svg.texts(text) == svg.texts(new)


def test_line_ends_of_another_system_are_no_change(project):
    text = project.file.read_text(encoding="utf-8")
    project.file.write_text(text, encoding="utf-8", newline="\r\n")
    assert project.problems() == []


# ---- programs that changed ----


def test_a_comment_in_the_program_costs_no_drawing(project, monkeypatch):
    no_drawing(monkeypatch)
    project.change(project.program, "    on = sheet(60)", "    on = sheet( 60 )  # low")
    assert project.problems() == []


def test_a_program_written_otherwise_that_draws_the_same_holds(project):
    project.change(project.program, "    on = sheet(60)", "    height = 60\n    on = sheet(height)")
    assert project.problems() == []


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("sheet(60)", "sheet(70)"),
        ("ONE", "TWO"),
        ("weights, words", "weights[::-1], words"),
    ],
)
def test_another_size_colour_or_order_is_noticed(project, old, new):
    project.change(project.program, old, new)
    (problem,) = project.problems()
    assert "is not what its function draws now" in problem


def test_another_version_s_bytes_are_no_change(project):
    text = project.file.read_text(encoding="utf-8")
    other = text.replace('y="20', 'y="21').replace(svg.stamp(text, "inputs"), "0" * 16)
    assert other != text
    project.file.write_text(svg.sealed(other), encoding="utf-8")
    assert project.problems() == []


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        (
            "def bars(words, weights)",
            "def bars(words, shares)",
            "asks for shares, which the page does not compute",
        ),
        ("@figure\n", "", "is drawn by no function: snippets/two/figures.py holds no bars under @figure"),
        ("on = sheet(60)", "on = sheet(60) / 0", "could not be drawn: TypeError"),
        ("color=ONE", "color='#ff0000'", "the colour #ff0000 is none of those in sitekit/drawing.py"),
        ("weights, words, ", "weights, ['7 things', 'far'], ", "the text '7 things' holds a number"),
    ],
)
def test_a_program_that_breaks_a_rule_is_told(project, old, new, words):
    project.change(project.program, old, new)
    assert any(words in problem for problem in project.problems())


def test_a_format_is_no_number(project):
    project.change(project.program, "weights, words, ", "weights, [f'{w:.2f}' for w in weights], ")
    assert not any("holds a number" in problem for problem in project.problems())


def test_a_name_that_the_page_assigns_twice_is_no_figure_s_source(project):
    project.change(project.page, "0.2654])\n", "0.2654])\nwords = [word.upper() for word in words]\n")
    assert any(
        "shows words, which the page assigns more than once" in problem for problem in project.problems()
    )


def test_a_file_without_a_function_is_told(project):
    project.file.with_name("old.svg").write_text("<svg/>", encoding="utf-8")
    (problem,) = project.problems()
    assert "no function of snippets/two/figures.py draws the file old.svg" in problem


def test_a_figure_that_was_never_drawn_is_told(project):
    project.file.unlink()
    (problem, *_) = project.problems()
    assert "the figure two/bars has not been drawn yet: run make update" in problem


def test_a_figure_on_another_page_shows_the_numbers_of_its_own(project):
    other = project.root / "docs/lessons/other.md"
    other.write_text("---\ntitle: Other\n---\n# Other\n\n![Bars.](../assets/figures/two/bars.svg)\n", "utf-8")
    assert check.check_page(other, project.root)[1] == []
    number_changes(project)
    (problem,) = check.check_page(other, project.root)[1]
    assert "docs/lessons/other.md:6: the figure two/bars is not what" in str(problem)


# ---- what it costs ----

UNCHANGED = """
import sys
from pathlib import Path
from sitekit import check
problems = check.check_page(Path(sys.argv[1]) / "docs/lessons/two.md", Path(sys.argv[1]))[1]
print(len(problems), "matplotlib" in sys.modules)
"""


def test_matplotlib_is_imported_only_where_something_changed(project):
    def report() -> str:
        command = [sys.executable, "-c", UNCHANGED, str(project.root)]
        return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()

    assert report() == "0 False"
    number_changes(project)
    assert report() == "1 True"


# ---- what the lint lets pass ----


def test_a_drawing_in_a_page_passes_only_where_a_program_drew_it(project):
    content, shown = render.page_html(project.page.read_text(encoding="utf-8"), project.root)

    def drawings(text: str) -> list[str]:
        return [m for m in lint.walk(text, shown.attributes, figures=shown.figures)[0] if "drew" in m]

    assert drawings(content) == []
    assert len(drawings(content.replace(">0.735</text>", ">0.753</text>"))) == 1
    assert len(drawings(content + "<svg><text>7</text></svg>")) == 1
    assert drawings(content + "<svg><text>none</text><path d='M 0 7'/></svg>") == []


@pytest.mark.parametrize(("label", "told"), [("7 keys", 1), ("keys", 0)])
def test_an_image_that_shows_numerals_needs_a_program(project, label, told):
    image = project.root / "docs/assets/keys.svg"
    image.write_text(f'<svg xmlns="{svg.SVG}"><text>{label}</text></svg>', encoding="utf-8")
    project.change(project.page, "# Two weights\n", "# Two weights\n\n![Keys.](../assets/keys.svg)\n")
    assert len([p for p in project.problems() if "shows numerals that no program drew" in p]) == told


def test_a_figure_in_a_sentence_is_told(project):
    project.change(project.page, "![Two bars", "See ![Two bars")
    assert any("stands in a sentence" in problem for problem in project.problems())


def test_alt_and_caption_are_bound_like_any_text(project):
    project.change(project.page, "Two bars, 0.735", "Two bars, 0.753")
    (problem, *_) = project.problems()
    assert problem.startswith("docs/lessons/two.md:14: printed 0.753")
    project.change(project.page, "Two bars, 0.753", "Two bars, 0.735")
    project.change(project.page, "0.735 the larger", "0.753 the larger")
    (problem, *_) = project.problems()
    assert problem.startswith("docs/lessons/two.md:17: printed 0.753")


# ---- in the page ----


def test_a_figure_is_one_named_image_with_its_caption(project):
    content = project.html()
    assert '<svg role="img" aria-label="Two bars, 0.735 and 0.265."' in content
    assert re.search(
        r'<figcaption>The weights, <data class="n"[^>]*>0.735</data> the larger.</figcaption>', content
    )
    assert "<img" not in content
    assert "<style" not in content
    assert "data-seal" not in content


def test_a_caption_whose_claim_is_tested_stays_a_caption(project):
    before = "The weights, 0.735 the larger.*\n"
    text = project.page.read_text(encoding="utf-8")
    at = text.index(before) + len(before)
    assert text[at:].startswith("<!--=")
    project.page.write_text(f"{text[:at]}<!--? weights[0] > weights[1] -->\n{text[at:]}", encoding="utf-8")
    assert project.problems() == []
    assert re.search(
        r"<figcaption>The weights, .* the larger.<data [^>]*>✓</data></figcaption>", project.html()
    )


def test_ids_are_unique_on_a_page_and_every_reference_has_one(project):
    project.change(project.page, "![Two bars", "![Bars.](../assets/figures/two/bars.svg)\n\n![Two bars")
    content = project.html()
    drawings = "".join(re.findall(r"<svg.*?</svg>", content, re.DOTALL))
    ids = re.findall(r'\bid="([^"]*)"', drawings)
    assert len(ids) == len(set(ids)) > 1
    assert set(re.findall(r'url\(#([^)]*)\)|href="#([^"]*)"', drawings)) <= {(i, "") for i in ids} | {
        ("", i) for i in ids
    }


def test_a_figure_that_does_not_hold_is_marked_for_the_reader(project):
    number_changes(project)
    assert '<figure class="figure wrong"><img' in project.html().replace("\n", "")


def test_the_page_reads_without_the_extension():
    content = markdown.markdown(PAGE.partition("---\n# ")[2])
    assert '<img alt="Two bars, 0.735 and 0.265." src="../assets/figures/two/bars.svg"' in content
    assert "<em>The weights, 0.735 the larger.</em>" in content


# ---- the file ----


def test_the_file_stands_alone_on_light_and_dark(project):
    text = project.file.read_text(encoding="utf-8")
    assert 'class="fill-paper ground"' in text  # its own ground, whatever it lies on
    assert "@media (prefers-color-scheme:dark){.fill-ink{fill:#e4e4de}" in text
    assert not re.search(r"https?://(?!www\.w3\.org/)", text)
    assert "date" not in text.lower()


def test_a_shape_that_is_used_again_has_no_colour_of_its_own():
    """A page's stylesheet colours by class, and does not reach into a shape where it is used."""
    text = redrawn(ROOT, "step-by-step", "blend", *run_of("step-by-step"))
    shapes = re.findall(r'<path id="[^>]*>', text)
    assert len(shapes) > 1
    assert not [shape for shape in shapes if "fill=" in shape or "stroke=" in shape]


def test_drawing_is_the_same_whatever_the_machine_s_settings(project):
    import matplotlib

    text = project.file.read_text(encoding="utf-8")
    page = project.read()
    with matplotlib.rc_context({"font.weight": "bold", "font.size": 40, "figure.facecolor": "red"}):
        new = redrawn(project.root, "two", "bars", page, programs.run(programs.units(page)))
    assert new.splitlines()[1:] == text.splitlines()[1:]


def luminance(colour: str) -> float:
    parts = [int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return float(np.dot([0.2126, 0.7152, 0.0722], linear))


def contrast(one: str, two: str) -> float:
    high, low = sorted((luminance(one), luminance(two)), reverse=True)
    return (high + 0.05) / (low + 0.05)


SCHEMES = [
    {name: light for light, (_, name) in svg.COLOURS.items()},
    {n: dark for dark, n in svg.COLOURS.values()},
]


@pytest.mark.parametrize("scheme", SCHEMES, ids=["light", "dark"])
def test_colours_can_be_read_and_told_apart_in_grey(scheme):
    paper = scheme["paper"]
    assert min(contrast(scheme[name], paper) for name in ("ink", "soft")) >= 4.5
    assert min(contrast(scheme[name], paper) for name in ("one", "two")) >= 3
    assert contrast(scheme["one"], scheme["two"]) >= 1.5
    mixed = [
        round(
            drawing.STRONGEST * int(scheme["one"][k : k + 2], 16)
            + (1 - drawing.STRONGEST) * int(paper[k : k + 2], 16)
        )
        for k in (1, 3, 5)
    ]
    assert contrast("#" + "".join(f"{part:02x}" for part in mixed), scheme["ink"]) >= 4.5


def test_the_stylesheet_has_the_same_colours():
    style = (ROOT / "docs/assets/stylesheets/attnref.css").read_text(encoding="utf-8")
    for name in ("one", "two"):
        assert re.findall(rf"--figure-{name}: (#\w+);", style) == [scheme[name] for scheme in SCHEMES]
    for name in SCHEMES[0]:
        assert f".figure-box .fill-{name} " in style
        assert f".figure-box .stroke-{name} " in style


# ---- the helpers ----


def test_an_attention_map_says_each_weight_who_asks_and_the_sum_of_each_row():
    weights = np.array([[0.5, 0.25, 0.25], [0.125, 0.75, 0.125]])
    on = drawing.attention_map(weights, ["it", "is"], ["a", "b", "c"], digits=3)
    shown = [text.get_text() for text in on.axes[0].texts]
    assert [f"{weight:.3f}" for weight in weights.ravel()] == [t for t in shown if t[0] == "0"]
    assert shown.count("1.000") == 2
    assert {"who asks", "who is asked", "row sum", "it", "is", "a", "b", "c"} <= set(shown)
    shades = [patch.get_facecolor()[3] for patch in on.axes[0].patches]
    assert np.argsort(shades).tolist() == np.argsort(weights.ravel()).tolist()


def test_an_attention_map_refuses_names_that_do_not_fit():
    with pytest.raises(ValueError, match="2 rows and 3 columns"):
        drawing.attention_map(np.ones((2, 3)), ["it"], ["a", "b", "c"])


def test_bars_are_as_long_as_their_weights():
    axes = drawing.panel(drawing.sheet(60), 60, 0, 200, 60)
    drawing.weight_bars(axes, [0.75, 0.25], ["near", "far"], digits=2)
    assert [bar.get_width() for bar in axes.patches] == [0.75, 0.25]
    assert [text.get_text() for text in axes.texts] == ["near", "0.75", "far", "0.25"]
    assert axes.get_xlim() == (0, 1)


def test_a_vector_runs_from_its_tail_to_its_tip():
    axes = drawing.panel(drawing.sheet(100), 0, 0, 100, 100)
    drawing.vector(axes, [2, 1], tail=[0, 3])
    (arrow,) = axes.texts
    assert (arrow.xy, arrow.xyann) == ((2, 1), (0, 3))
