"""A figure as a file: tidy SVG whose colours can follow a page's scheme, and what can be known from that file.

The file stands alone: it brings its own ground, and its colours turn with the reader's system. In a page the
ground and the file's style are taken out, and the page's stylesheet colours the same classes.
"""

from __future__ import annotations

import hashlib
import html
import io
import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING
from xml.etree import ElementTree as etree

from sitekit import paths

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SVG, XLINK = "http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"
FONT = "'Source Serif 4', Charter, Cambria, Georgia, serif"
COLOURS = {  # as drawing.py names them: the light scheme, the dark one, the class
    "#1f262b": ("#e4e4de", "ink"),
    "#4f5960": ("#abb4b6", "soft"),
    "#a9aca6": ("#5b666b", "rule"),
    "#0b6661": ("#7fd1c4", "one"),
    "#c47a12": ("#c98a2b", "two"),
    "#fbfaf6": ("#15191c", "paper"),
}
_SEAL = re.compile(r' data-seal="\w*"')
_NUMBER = re.compile(r"-?\d+\.\d+(?:e-?\d+)?")
_FONT = re.compile(r"(?:(?P<style>italic)\s+)?(?:(?P<weight>bold|\d+)\s+)?(?P<size>[\d.]+px)\s")


def digest(lines: Iterable[str]) -> str:
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:16]


# ---- from a figure to a file ----


def to_svg(figure: Figure, inputs: str) -> str:
    """The file of a figure; ``inputs`` is the digest of all that it was drawn from."""
    from sitekit.artists import drawn

    buffer = io.StringIO()
    figure.savefig(
        buffer, format="svg", metadata={"Date": None, "Creator": None, "Format": None, "Type": None}
    )
    root = etree.fromstring(buffer.getvalue())
    _tidy(root)
    width, height = root.get("viewBox", "").split()[2:]
    body = "".join(_line(child, 1) for child in root)
    head = (
        f'<svg xmlns="{SVG}" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        f'font-family="{FONT}" stroke-linejoin="round" '
        f'data-inputs="{inputs}" data-drawn="{digest(drawn(figure))}" data-seal="">\n'
    )
    ground = '  <rect class="fill-paper ground" width="100%" height="100%" rx="6" fill="#fbfaf6"/>\n'
    return sealed(f"{head}  <style>{_dark()}</style>\n{ground}{body}</svg>\n")


def _dark() -> str:
    rules = "".join(
        f".fill-{name}{{fill:{dark}}}.stroke-{name}{{stroke:{dark}}}" for dark, name in COLOURS.values()
    )
    return f"@media (prefers-color-scheme:dark){{{rules}}}"


def _tidy(root: etree.Element) -> None:
    """Take out what says nothing, turn styles into attributes and colours into classes as well."""
    for element in root.iter():
        element.tag = element.tag.removeprefix(f"{{{SVG}}}")
    pointed = re.findall(r'(?:url\(|href=")#([\w.-]+)', etree.tostring(root, encoding="unicode"))
    names = {name: f"d{k}" for k, name in enumerate(dict.fromkeys(pointed))}
    _flatten(root, names)
    for element in root.iter():
        if element.tag == "path" and "id" in element.attrib:
            element.attrib.pop("style", None)  # a marker: each place that uses it says its colours
        attributes = dict(element.attrib)
        element.attrib.clear()
        for name, value in [*attributes.items(), *_properties(attributes.pop("style", ""))]:
            name = name.removeprefix(f"{{{XLINK}}}")
            if name == "style" or (name == "transform" and value.startswith("rotate(-0 ")):
                continue
            if name == "id":
                value = names[value]
            elif name in ("href", "clip-path"):
                value = re.sub(r"#([\w.-]+)", lambda match: f"#{names[match[1]]}", value)
            elif name in ("fill", "stroke") and value != "none":
                element.set("class", f"{element.get('class', '')} {name}-{_colour(value)}".strip())
            elif name in ("d", "x", "y", "width", "height", "points", "transform"):
                value = " ".join(_NUMBER.sub(_short, value).split())
            element.set(name, value)


def _flatten(parent: etree.Element, names: dict[str, str]) -> None:
    kept: list[etree.Element] = []
    for child in list(parent):
        _flatten(child, names)
        if child.get("id") not in names:
            child.attrib.pop("id", None)
        style = child.get("style", "")
        unseen = "fill: none" in style and "stroke:" not in style
        if child.tag in ("metadata", "style") or unseen or (child.tag in ("g", "defs") and not len(child)):
            continue
        if child.tag == "g" and not child.attrib:
            kept += list(child)
        else:
            child.tail = None
            kept.append(child)
    parent[:] = kept


def _properties(style: str) -> Iterator[tuple[str, str]]:
    for part in filter(None, (part.strip() for part in style.split(";"))):
        name, _, value = part.partition(":")
        name, value = name.strip(), value.strip()
        if name == "font":
            match = _FONT.match(value)
            if not match:
                raise ValueError(f"the font {value[:40]!r} has a form that is not known")
            yield from (
                (f"font-{key}", found.removesuffix("px")) for key, found in match.groupdict().items() if found
            )
        elif name == "font-size":
            yield name, value.removesuffix("px")
        elif name != "font-family":
            yield name, value


def _colour(value: str) -> str:
    if value.lower() not in COLOURS:
        raise ValueError(f"the colour {value} is none of those in sitekit/drawing.py")
    return COLOURS[value.lower()][1]


def _short(match: re.Match[str]) -> str:
    short = f"{float(match.group()):.2f}".rstrip("0").rstrip(".")
    return "0" if short == "-0" else short


def _line(element: etree.Element, depth: int) -> str:
    """An element on lines of its own, a text's whole content on one."""
    pad = "  " * depth
    attributes = "".join(f' {name}="{html.escape(value)}"' for name, value in element.attrib.items())
    if element.tag == "text":
        element.tail = None
        return f"{pad}{etree.tostring(element, encoding='unicode')}\n"
    if not len(element):
        return f"{pad}<{element.tag}{attributes}/>\n"
    inside = "".join(_line(child, depth + 1) for child in element)
    return f"{pad}<{element.tag}{attributes}>\n{inside}{pad}</{element.tag}>\n"


# ---- what a file says ----


def sealed(text: str) -> str:
    """The file with its seal: the digest of everything else in it."""
    return _SEAL.sub(f' data-seal="{_content(text)}"', text, count=1)


def is_sealed(text: str) -> bool:
    """Whether the file is as it was drawn, untouched by hand."""
    return f' data-seal="{_content(text)}"' in text


def _content(text: str) -> str:
    return digest([_SEAL.sub("", text)])


def stamp(text: str, name: str) -> str:
    """The digest that the file carries: of its ``inputs``, or of what is ``drawn``."""
    match = re.search(rf' data-{name}="(\w*)"', text)
    return match[1] if match else ""


def width(text: str) -> float:
    """How many pixels wide the figure was drawn."""
    match = re.search(r'<svg [^>]*\bwidth="([\d.]+)"', text)
    return float(match[1]) if match else 0


def texts(text: str) -> tuple[str, ...]:
    """Every text that the file shows, in its order, as the lint will meet them."""
    pieces = (p for element in etree.fromstring(text).iter(f"{{{SVG}}}text") for p in element.itertext())
    return tuple(filter(None, (" ".join(piece.split()) for piece in pieces)))


def inlined(text: str, label: str, prefix: str) -> str:
    """The file as an element of a page: one image with a name, its ids made the page's own."""
    text = re.sub(
        r"\s*<style>.*?</style>|\s*<rect class=\"fill-paper ground\"[^>]*/>", "", text, flags=re.DOTALL
    )
    text = re.sub(r'(\bid="|url\(#|href="#)', rf"\g<1>{prefix}-", text)
    # The theme sets the property href of every element that has the attribute, which <use> does not allow.
    text = text.replace(' href="#', ' xlink:href="#')
    text = re.sub(r' xmlns="[^"]*"| data-\w+="\w*"| font-family="[^"]*"', "", text)
    # What has a class takes its colour from the page's scheme; the colour beside it is for the file alone.
    text = re.sub(r'(class="[^"]*")(?: (?:fill|stroke)="#\w+")+', r"\1", text)
    text = re.sub(r'(?<= d=")[^"]*', lambda match: paths.shorter(match[0]), text)
    return text.replace("<svg ", f'<svg role="img" aria-label="{html.escape(label)}" ', 1).strip()
