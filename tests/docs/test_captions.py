"""Every figure of the pages has a caption: the paragraph behind it that is emphasised as a whole."""

import re
from pathlib import Path

import pytest

from sitekit import check, figures, pages, render, sources

ROOT = Path(__file__).parents[2]
RECORD = sources.read(ROOT / "docs")
WITH_FIGURES = [path for path in check.page_files() if figures.uses(pages.read(path, ROOT, RECORD))]


@pytest.mark.parametrize("path", WITH_FIGURES, ids=lambda path: path.stem)
def test_every_figure_has_its_caption(path):
    content, _ = render.page_html(pages.source(path), ROOT)
    drawn = re.findall(r'<figure class="figure[^>]*>.*?</figure>', content, re.DOTALL)
    assert len(drawn) == len(figures.uses(pages.read(path, ROOT, RECORD)))
    assert [figure[-200:] for figure in drawn if "<figcaption>" not in figure] == []
