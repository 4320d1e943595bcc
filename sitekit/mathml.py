r"""Formulas as MathML: `$…$` within a line, `$$…$$` on lines of their own.

The page is complete when it is built, so that formulas need no script. A Python-Markdown extension:

    markdown.Markdown(extensions=["sitekit.mathml"])

`to_mathml` is the conversion alone, for whoever wants to check a formula where it is written.

TeX may begin with a mark, U+E002 digits U+E003. The mark is not part of the formula: its digits become
the attribute `data-ledger` of the outermost element, so that a formula can be found again in the page.
"""

import html
import logging
import re
import unicodedata
from collections import Counter
from xml.etree import ElementTree as etree

from markdown import Markdown
from markdown.blockparser import BlockParser
from markdown.blockprocessors import BlockProcessor
from markdown.extensions import Extension
from markdown.inlinepatterns import InlineProcessor
from markdown.util import AtomicString
from math_core import LatexError, LatexToMathML

log = logging.getLogger("mkdocs.sitekit.mathml")  # below "mkdocs", so that --strict counts its warnings

MARK = re.compile("\ue002([0-9]+)\ue003")
WHOLE = "\ue004"  # stands before a number that must stay one element

# A closing dollar has no space before it and no digit after it: "$5 and $6" is prose.
INLINE = r"(?<![\\$])\$(?![\s$])((?:\\.|[^\\$\x02\x03])+?)(?<!\s)\$(?![\d$])"
MISPLACED = r"(?<!\\)\$\$((?:\\.|[^\\$\x02\x03])+?)\$\$"
DISPLAY = re.compile(r"^ *\$\$(?P<tex>.*?)(?P<end>\$\$[ \t]*$|\Z)", re.MULTILINE | re.DOTALL)
IN_ALT_TEXT = re.compile(r"!\[[^]]*$")

THOUSANDS = re.compile(r"\d{1,3}(?:\{,\}\d{3})+(?:\.\d+)?")
_NESTS = re.compile(r"(?<!\\)[{}]|\\(?:left|right|begin|end|qquad)(?![a-zA-Z])")
LENGTHS = re.compile(r"(?<!\\)%.*|\\[a-z]*space\*?\{[^}]*\}")
THREE_DOTS = re.compile(r"(?:<mo[^>]*>\.</mo>){3}")


class BadTeX(ValueError):
    """A formula that cannot be shown as it was written."""


_converter = LatexToMathML(fancy_error=False)


def to_mathml(tex: str, display: bool) -> str:
    """Return the `<math>` element of a formula, as XML without named entities.

    Raises `BadTeX`, whose message names the problem and, where it can, the place in the formula.
    """
    tex = MARK.sub("", tex).strip()
    if not tex:
        raise BadTeX("the formula is empty")
    if r"\\" in tex and r"\begin" not in tex:
        raise BadTeX(r"\\ breaks no line outside an environment; use \begin{aligned} … \end{aligned}")
    if r"\\[" in tex:
        raise BadTeX(
            r"math-core would show the length of \\[…]; leave it out, or put a space before a bracket"
        )
    whole = THOUSANDS.sub(lambda m: rf"\text{{{WHOLE}{m[0].replace('{,}', ',')}}}", tex)
    try:
        mathml = _converter.convert_with_local_state(whole, displaystyle=display)
    except LatexError:
        raise BadTeX(_problem(tex, display)) from None
    # math-core sets three full stops, which are read out one by one.
    mathml = THREE_DOTS.sub('<mo lspace="0" rspace="0.1667em">…</mo>', mathml)
    mathml = re.sub(f"<mtext>{WHOLE}([^<]*)</mtext>", r"<mn>\1</mn>", mathml).replace(WHOLE, "")
    mathml = re.sub(r"&(?!amp;|lt;|gt;|quot;|#)\w+;", lambda m: html.unescape(m[0]), mathml)
    written, shown = _digits(LENGTHS.sub("", tex)), _digits(re.sub(r"<[^>]*>", "", mathml))
    if written != shown:  # for example the numbers that {align} gives to its lines
        added, lost = "".join((shown - written).elements()), "".join((written - shown).elements())
        raise BadTeX(f"the digits shown are not those written: added “{added}”, lost “{lost}”")
    alttext = html.escape(" ".join(tex.split()))
    return mathml.replace("<math", f'<math alttext="{alttext}"', 1)


def _digits(text: str) -> Counter[str]:
    return Counter(c for c in unicodedata.normalize("NFKC", text) if c.isdecimal())


def _problem(tex: str, display: bool) -> str:
    """What math-core says of the formula as it was written, with the place in words."""
    try:
        _converter.convert_with_local_state(tex, displaystyle=display)
    except LatexError as error:
        at, _, problem = str(error).partition(": ")
        if not at.isdigit():
            return str(error)
        before = " ".join(tex.encode()[: int(at)].decode(errors="ignore").split())
        return f"{problem.rstrip('.')} ({f'after “{before[-40:]}”' if before else 'at its start'})"
    return "math-core does not accept it"


def _page(md: Markdown) -> str:
    """The page's file where MkDocs tells it, which it does by its processor of relative links."""
    known = "relpath" in md.treeprocessors
    file = getattr(md.treeprocessors["relpath"], "file", None) if known else None
    return str(file.src_uri) if file else "a page"


def parts(tex: str) -> list[str]:
    """A display formula, cut at its wide spaces: on a narrow screen each part can stand in a line of its own."""
    found, depth, start = [], 0, 0
    for match in _NESTS.finditer(tex):
        if match[0] == r"\qquad":
            if depth == 0:
                found.append(tex[start : match.start()])
                start = match.end()
        else:
            depth += 1 if match[0] in ("{", r"\left", r"\begin") else -1
    return [*found, tex[start:]]


def _element(md: Markdown, tex: str, display: bool, problem: str = "") -> etree.Element:
    """The formula as an element of the page, or a visible error and a warning."""
    mark = MARK.match(tex.strip())
    tex = MARK.sub("", tex).strip()
    try:
        if problem:
            raise BadTeX(problem)
        elements = [etree.fromstring(to_mathml(part, display)) for part in (parts(tex) if display else [tex])]
    except BadTeX as error:
        name = " ".join(tex.split())
        log.warning("%s: bad formula: %s. Search the page's source for: %s", _page(md), error, name)
        elements = [etree.Element("span", {"class": "math-error"})]
        elements[0].text = AtomicString(f"{name} — {error}")
    else:
        for element in elements:
            for part in element.iter():  # Markdown inside a formula is none
                part.text = AtomicString(part.text) if part.text else None
                part.tail = AtomicString(part.tail) if part.tail else None
            # A reader searches for words; without this, "d k" would be found in every page.
            element.set("data-search-exclude", "")
    element = elements[0]
    if display:
        box = etree.Element(
            "div", {"class": "math-display", "tabindex": "0", "role": "group", "aria-label": "Formula"}
        )
        box.extend(elements)
        element = box
    if mark:
        element.set("data-ledger", mark[1])
    return element


class _Inline(InlineProcessor):
    def handleMatch(self, m: re.Match[str], data: str) -> tuple[etree.Element, int, int]:
        # An alt text keeps no markup: of \sqrt{2} only the 2 would be left.
        in_alt = IN_ALT_TEXT.search(data[: m.start(0)])
        problem = "an alt text holds no formula; say it in words" if in_alt else ""
        return _element(self.md, m[1], False, problem), m.start(0), m.end(0)


class _Misplaced(InlineProcessor):
    def handleMatch(self, m: re.Match[str], data: str) -> tuple[etree.Element, int, int]:
        problem = "$$ … $$ must stand on lines of its own; within a line write $ … $"
        return _element(self.md, m[1], False, problem), m.start(0), m.end(0)


class _Display(BlockProcessor):
    """`$$ … $$` at the start of a block, or (with `inside`) after a line of its paragraph."""

    def __init__(self, parser: BlockParser, md: Markdown, inside: bool) -> None:
        super().__init__(parser)
        self.md, self.inside = md, inside

    def test(self, parent: etree.Element, block: str) -> bool:
        match = DISPLAY.search(block)
        return bool(match and (self.inside or match.start() == 0))

    def run(self, parent: etree.Element, blocks: list[str]) -> None:
        block = blocks.pop(0)
        match = DISPLAY.search(block)
        assert match
        before, after = block[: match.start()].rstrip(), block[match.end() :].lstrip()
        if before:
            self.parser.parseBlocks(parent, [before])
        problem = "" if match["end"] else "$$ is not closed before the next blank line"
        parent.append(_element(self.md, match["tex"], True, problem))
        if after:
            blocks.insert(0, after)


class MathMLExtension(Extension):
    def extendMarkdown(self, md: Markdown) -> None:
        if "$" not in md.ESCAPED_CHARS:
            md.ESCAPED_CHARS = [*md.ESCAPED_CHARS, "$"]
        # Markdown counts <math> among the blocks and would put white space around it.
        md.block_level_elements = [tag for tag in md.block_level_elements if tag != "math"]
        # Above escapes (TeX is full of backslashes), below code spans.
        md.inlinePatterns.register(_Misplaced(MISPLACED, md), "mathml-misplaced", 186)
        md.inlinePatterns.register(_Inline(INLINE, md), "mathml", 185)
        # Below indented code; above headings, rules and lists, for whose marks a line of TeX may be taken.
        md.parser.blockprocessors.register(_Display(md.parser, md, inside=False), "mathml", 79)
        md.parser.blockprocessors.register(_Display(md.parser, md, inside=True), "mathml-inside", 11)


def makeExtension(**kwargs: object) -> MathMLExtension:
    return MathMLExtension(**kwargs)
