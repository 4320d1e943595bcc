"""An element that lives stands around Markdown, which is read as if it stood there alone."""

import markdown

TEXT = (
    "Before.\n\n<attn-planted markdown>\n\n| a | b |\n|---|---|\n| 1 | *2* |\n\n</attn-planted>\n\nAfter.\n"
)


def rendered(*extensions: str) -> str:
    return markdown.markdown(TEXT, extensions=["md_in_html", "tables", *extensions])


def test_markdown_is_read_inside_an_element_that_lives():
    html = rendered("sitekit.widgets")
    inside = html[html.index("<attn-planted>") : html.index("</attn-planted>")]
    assert "<td><em>2</em></td>" in inside
    assert "<p><attn" not in html


def test_without_the_extension_the_element_ends_before_what_stands_in_it():
    assert "<p><attn-planted markdown></p>" in rendered()
