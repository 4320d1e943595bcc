"""Cut the site's fonts out of their originals: `python -m sitekit.fonts FOLDER`.

FOLDER and the folders below it hold the originals (`Font.original`), from the Debian package fonts-lmodern
and the npm packages source-serif and source-code-pro. The results are committed, so that nobody needs this
to build the site; it needs the packages fonttools and brotli besides. The same originals give the same
bytes. Afterwards write the hashes that it prints into `docs/assets/vendor/manifest.toml`.

The fonts are renamed, as their licences ask of a changed font.
"""

import hashlib
import sys
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

VENDOR = Path(__file__).parents[1] / "docs" / "assets" / "vendor" / "fonts"


def span(first: int, last: int) -> set[int]:
    return set(range(first, last + 1))


def chars(text: str) -> set[int]:
    return {ord(c) for c in text}


ASCII = span(0x20, 0x7E)
SIGNS = chars("\u00a0·±×–—‘’“”…−≤≥≈≠←→↑↓√²")
NAMES = chars("ÁÅÇÉÖØÜßàáâäåçèéêëíîïñóôöøùúüğıŁłńřşšž")  # letters of the authors that lessons cite
CODE = ASCII | SIGNS | chars("█▏▎▍▌▋▊▉░▒▓─│┌┐└┘├┤┬┴┼═▲▼✓")  # bars and frames that programs print
PROSE = ASCII | SIGNS | NAMES | chars("§÷³½′•")
MATH = (
    ASCII
    | chars("ΓΔΘΛΞΠΣΥΦΨΩ")  # TeX sets capitals upright
    | span(0x1D434, 0x1D467)  # a letter alone in <mi> is shown as one of these italics
    | span(0x1D6FC, 0x1D71B)  # the same for small Greek letters
    | span(0x1D400, 0x1D433)  # \mathbf
    | span(0x1D7CE, 0x1D7D7)  # \mathbf of a digit
    | chars("𝒜𝒞𝒟𝒩𝒪𝒮ℬℰℋℒℛ")  # \mathcal
    | chars("𝔼𝕀𝟙ℂℕℚℝℤ")  # \mathbb
    | chars("𝖳ℎℓ")
    | chars("\u00a0·±×÷¬¯´ˆ˜ˇ˘˙⃗–—‘’“”…′″‖†•\u2061\u2062\u2063\u0302\u0303\u0305\u0332")
    | chars("←↑→↓↔↦⇐⇒⇔⟵⟶⟷⟸⟹⟺")
    | chars("∀∂∃∅∇∈∉∋∏∑−∓∕∖∗∘∙√∝∞∣∤∥∧∨∩∪∫∼≃≅≈≔≠≡≤≥≪≫⊂⊆⊕⊖⊗⊘⊙⊤⊥⋀⋁⋅⋆⋮⋯⋰⋱")
    | chars("⌈⌉⌊⌋⟨⟩⏞⏟⎴⎵□")
)


@dataclass(frozen=True)
class Font:
    result: str
    original: str
    family: str
    letters: set[int]
    features: tuple[str, ...]
    axes: dict[str, float | tuple[float, float]] = field(default_factory=dict)


# Source Serif is cut for the size of running text (opsz 12); headings and bold words have weight 600. A page
# loads the italic for a few words only: it goes without kerning (a fifth of its weight) and names.
FONTS = [
    Font(
        "attnref-serif.woff2",
        "SourceSerif4Variable-Roman.ttf",
        "Attnref Serif",
        PROSE,
        ("kern",),
        {"opsz": 12, "wght": (400, 600)},
    ),
    Font(
        "attnref-serif-italic.woff2",
        "SourceSerif4Variable-Italic.ttf",
        "Attnref Serif",
        ASCII | SIGNS,
        (),
        {"opsz": 12, "wght": 400},
    ),
    Font("attnref-code.woff2", "SourceCodePro-Regular.ttf", "Attnref Code", CODE, ("zero",)),
    # Chromium draws brackets and roots that grow only with a font that has a MATH table.
    Font("attnref-math.woff2", "latinmodern-math.otf", "Attnref Math", MATH, ("ssty", "dtls")),
]


def cut(font: Font, original: Path) -> None:
    """Write the letters of one original that the site needs."""
    from fontTools.subset import Options, Subsetter
    from fontTools.ttLib import TTFont
    from fontTools.varLib.instancer import instantiateVariableFont

    face = TTFont(original, recalcTimestamp=False)
    if font.axes:
        face = instantiateVariableFont(face, dict(font.axes))
    options = Options()
    options.layout_features = list(font.features)
    options.hinting = False
    options.name_IDs = [0, 1, 2, 4, 6, 13, 14]  # copyright, names, licence
    subsetter = Subsetter(options)
    subsetter.populate(unicodes=font.letters)
    subsetter.subset(face)
    for name, text in {1: font.family, 4: font.family, 6: font.family.replace(" ", "")}.items():
        for record in [r for r in face["name"].names if r.nameID == name]:
            face["name"].setName(text, name, record.platformID, record.platEncID, record.langID)
    face.flavor = "woff2"
    face.save(VENDOR / font.result, reorderTables=None)


def main(arguments: Iterable[str]) -> None:
    (folder,) = map(Path, arguments)
    VENDOR.mkdir(parents=True, exist_ok=True)
    for font in FONTS:
        cut(font, next(folder.rglob(font.original)))
        data = (VENDOR / font.result).read_bytes()
        print(f"{font.result}: {len(data):,} bytes, sha256 {hashlib.sha256(data).hexdigest()}")


if __name__ == "__main__":
    main(sys.argv[1:])
