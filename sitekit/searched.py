"""What the search reads of a page: its words. Programs are left out, and formulas are said in a line.

The theme's search takes a formula for letters ("dk") and a program for prose. So it is given another text than the
page, made here, and the page is put back before it is shown. Some pages count for more than others.
"""

from __future__ import annotations

import re
from html import escape
from typing import Any
from xml.etree import ElementTree as etree

# What a page counts for, and what it is called behind its title. The first that fits holds.
KINDS = (
    ("study/glossary", 3.0, ""),
    ("study/cards", 0.6, ""),
    ("study/quiz", 0.6, ""),
    ("lessons/", 2.0, "lesson"),
    ("labs/", 1.0, "lab"),
    ("exercises/", 1.0, "exercise"),
    ("reference/faults", 0.4, "reference"),
    ("reference/gradients", 0.3, "reference"),
    ("reference/", 0.8, "reference"),
    ("bibliography", 0.4, ""),
    ("", 1.0, ""),
)
HOME = (0.5, "")
_FORMULA = re.compile(r"<math\b.*?</math>", re.DOTALL)
_PROGRAM = re.compile(r'<div class="(?P<classes>[^"]*\bhighlight\b[^"]*)"[^>]*>.*?</pre></div>', re.DOTALL)
_ANSWER = re.compile(
    r'<details class="(?P<kind>choice|card|success|tip|answer)"[^>]*>\s*<summary>(?P<asked>.*?)</summary>.*?</details>',
    re.DOTALL,
)
_TABLE = re.compile(r"<table\b.*?</table>", re.DOTALL)
_CELL = re.compile(r"<td\b[^>]*>(.*?)</td>", re.DOTALL)
_FOLD = re.compile(r'<details class="abstract">.*?</details>', re.DOTALL)
_COUNT = re.compile(r'<aside class="ledger-count.*?</aside>', re.DOTALL)
_CLAIM = re.compile(r"<data\b[^>]*>✓</data>")
_LABELS = re.compile(r'<span class="doc doc-labels">.*?</small>\s*</span>', re.DOTALL)
_BEFORE_TITLE = re.compile(r"^\s*(?:<(?:div|header|section)\b[^>]*>\s*)*(?=<h1)")
_TITLE = re.compile(r"(?=<a [^>]*headerlink[^>]*>.*?</h1>|</h1>)")
_TERM = re.compile(r"^<h2\b.*?(?=^<h2\b|\Z)", re.DOTALL | re.MULTILINE)
_ALSO = re.compile(r"<p><em>Also: (.*?)\.?</em></p>")
_TAUGHT = re.compile(r"<p>Taught in .*?</p>", re.DOTALL)
_SENTENCE = re.compile(r"[A-Za-z]{2,}(?: [a-z]{2,}){3}")
_MARKUP = re.compile(r"<[^>]*>")
_AT_THE_TOP = {"T": "ᵀ", "⊤": "ᵀ", "′": "′"}
_SPACED = {"=", "≈", "<", ">", "≤", "≥", "→", "+", "−", "·", "×", "∈", "≠"}


def formula(mathml: str) -> str:
    """A formula as one line of plain text: √d_k, QKᵀ, n(n−1)/2."""
    said = _said(etree.fromstring(mathml))
    return re.sub(r" +", " ", said).strip()


def _said(element: etree.Element) -> str:
    tag = element.tag.rpartition("}")[2]
    parts = [_said(child) for child in element]
    if tag == "annotation":
        return ""
    if tag == "mfrac":
        return f"{_held(parts[0])}/{_held(parts[1])}"
    if tag == "msqrt":
        return "√" + _held("".join(parts))
    if tag == "msub":
        return f"{parts[0]}_{_held(parts[1])}"
    if tag in ("msup", "msubsup"):
        base = parts[0] if tag == "msup" else f"{parts[0]}_{_held(parts[1])}"
        return base + _AT_THE_TOP.get(parts[-1], f"^{_held(parts[-1])}")
    if tag == "mtr":
        return " ".join(parts) + "; "
    if tag == "mspace":
        return " " if element.get("width") else ""
    text = "".join(c for c in (element.text or "") if c not in "\u2061\u2062\u2063")
    text = text if tag == "mtext" else text.strip()
    if tag == "mo":
        return f" {text} " if text in _SPACED else text + (" " if text == "," else "")
    return text + "".join(parts)


def _held(text: str) -> str:
    text = text.strip()
    return text if re.fullmatch(r"[\w.√ᵀ]*", text) else f"({text})"


def searched(html: str, names: str = "", description: str = "") -> str:
    """The HTML that the search reads in the place of a page's own.

    ``names`` is what the page is called besides its title, ``description`` what it holds in a sentence.
    """
    html = _BEFORE_TITLE.sub("", html)
    for left_out in (_FOLD, _COUNT, _CLAIM, _LABELS):
        html = left_out.sub(" ", html)
    html = _ANSWER.sub(_asked, html)
    html = _PROGRAM.sub(_told, html)
    html = _TABLE.sub(_rows, html)
    if names:
        html = _TITLE.sub(f" ({names})", html, count=1)
    if description:
        html = html.replace("</h1>", f"</h1><p>{escape(description)}</p>", 1)
    html = _TERM.sub(_with_other_names, html)
    html = html.replace("</math><math", "</math> <math")  # the parts of one formula
    return _FORMULA.sub(lambda match: formula(match[0]).replace("&", "&amp;").replace("<", "&lt;"), html)


def _with_other_names(match: re.Match[str]) -> str:
    """A term of the glossary, its other names in its heading, and of its text the definition."""
    also, term = _ALSO.search(match[0]), _TAUGHT.sub("", match[0])
    return term.replace("<a ", f" ({also[1]})<a ", 1).replace(also[0], "", 1) if also else term


def _asked(match: re.Match[str]) -> str:
    """Of a card and of a choice what is asked; who searches is not told what is right."""
    return f"<p>{match['asked']}</p>" if match["kind"] in ("card", "choice") else " "


def _told(match: re.Match[str]) -> str:
    """Of an output a message, as running text; of a program, nothing."""
    text = _MARKUP.sub("", match[0])
    told = "language-text" in match["classes"] and _SENTENCE.search(text)
    return f"<p>{' '.join(text.split())}</p>" if told else " "


def _rows(match: re.Match[str]) -> str:
    """A table as running text, with marks between cells and rows; of a table of numbers, nothing."""
    cells = [_MARKUP.sub("", cell) for cell in _CELL.findall(match[0])]
    if sum(any(c.isalpha() for c in cell) for cell in cells) * 2 <= len(cells):
        return " "
    apart = re.sub(r"</t[dh]>\s*<t[dh]\b[^>]*>", " · ", match[0])
    return f"<p>{re.sub(r'</?(?:table|thead|tbody|t[rdh])[^>]*>', ' ', re.sub(r'</tr>', '; ', apart))}</p>"


def kind(url: str) -> tuple[float, str]:
    """What a page counts for, and what it is called."""
    return next((factor, name) for start, factor, name in KINDS if url.startswith(start))


def before(page: Any) -> None:
    """Give the search its text of a page, and what the page counts for."""
    settings = page.meta.setdefault("search", {})
    factor, name = HOME if page.is_homepage else kind(page.url)
    settings.setdefault("boost", factor)
    names = ", ".join(filter(None, (name, settings.get("also", ""))))
    page.shown, page.content = page.content, searched(page.content, names, page.meta.get("description", ""))


def after(page: Any) -> None:
    """Put back what the page shows."""
    page.content = page.shown
