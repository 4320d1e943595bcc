"""The site as it is read from disk: no server, no other host, and everything that lives in a page still does."""

import pytest

from tests.browser.conftest import note_complaint

PATIENT = 90_000  # milliseconds; Python takes a few seconds to start, on a busy machine more


@pytest.fixture
def read(browser, disk):
    """Open a page from disk; what it asks elsewhere for and what its console says is collected."""
    contexts = []

    def opened(path: str):
        context = browser.new_context(reduced_motion="reduce")
        contexts.append(context)
        page = context.new_page()
        page.elsewhere, page.complaints = [], []
        ours = (disk.as_uri(), "data:", "blob:", "about:")
        page.on("request", lambda request: request.url.startswith(ours) or page.elsewhere.append(request.url))
        page.on("console", lambda message: note_complaint(page, message))
        page.on("pageerror", lambda error: page.complaints.append(str(error)))
        page.goto((disk / path).as_uri(), wait_until="load")
        return page

    yield opened
    for context in contexts:
        context.close()


def test_every_page_opens_from_disk_without_complaint(read, disk):
    page = read("index.html")
    for path in sorted(disk.rglob("*.html")):
        page.goto(path.as_uri(), wait_until="load")
        page.wait_for_timeout(50)
    assert page.complaints == []
    assert page.elsewhere == []


def test_search_finds_from_disk(read):
    page = read("index.html")
    page.locator(".md-search__input").click()
    page.wait_for_function("typeof __index !== 'undefined'")  # the index has arrived
    page.keyboard.type("sofmax", delay=100)  # a slip of the hand finds what was meant
    page.locator(".md-search-result__link mark", has_text="softmax").first.wait_for(timeout=PATIENT)
    with page.expect_navigation():
        page.locator(".md-search-result__link").first.click()
    assert page.url.startswith("file:")
    assert page.locator("h1").count() == 1
    assert page.elsewhere == []


def test_a_number_shows_its_proof_from_disk(read):
    page = read("lessons/step-by-step.html")
    page.locator("data[data-proof='weights[0]']").first.hover()
    assert "weights[0]" in page.locator("#proof").inner_text()


def test_a_widget_lives_from_disk(read):
    page = read("lessons/soft-lookup.html")
    widget = page.locator("attn-lookup")
    widget.locator("input[type=number]").first.wait_for()
    before = widget.inner_text()
    widget.locator("input[type=number]").first.fill("0")
    widget.locator("input[type=number]").first.press("Enter")
    page.wait_for_function(
        "(before) => document.querySelector('attn-lookup').innerText !== before", arg=before
    )
    assert page.complaints == []


def test_python_runs_from_disk(read):
    page = read("lessons/step-by-step.html")
    page.locator(".live .live-bar [name=run]").nth(1).click()
    page.locator(".live-status", has_text="printed the same").wait_for(timeout=PATIENT)
    assert page.complaints == []
    assert page.elsewhere == []
