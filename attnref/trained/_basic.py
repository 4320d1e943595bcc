"""BERT's first cut: a text into words and marks, before the vocabulary is asked.

Control characters go, accents and capitals too where the model was trained without them, and every punctuation mark
and every Chinese character stands by itself.
"""

import unicodedata

# Blocks of Chinese characters, first and last; these are written without blanks between words.
CHINESE = (
    (0x4E00, 0x9FFF), (0x3400, 0x4DBF), (0x20000, 0x2A6DF), (0x2A700, 0x2B73F), (0x2B740, 0x2B81F),
    (0x2B920, 0x2CEAF), (0xF900, 0xFAFF), (0x2F800, 0x2FA1F),
)  # fmt: skip
SIGNS = frozenset("$+<=>^`|~")  # ASCII signs that Unicode counts as symbols and BERT as punctuation


def basic_words(text: str, *, lower: bool, strip_accents: bool, split_chinese: bool) -> list[str]:
    """The words and marks of a text, in order."""
    text = "".join(" " if is_blank(c) else c for c in text if is_blank(c) or not is_dropped(c))
    if split_chinese:
        text = "".join(f" {c} " if is_chinese(c) else c for c in text)
    if strip_accents:
        text = "".join(c for c in unicodedata.normalize("NFD", text) if unicodedata.category(c) != "Mn")
    if lower:
        text = "".join(c.lower() for c in text)  # one by one: the end of a Greek word makes no difference
    words: list[str] = []
    for chunk in text.split():
        begun = False
        for c in chunk:
            if is_mark(c):
                words.append(c)
            elif begun:
                words[-1] += c
            else:
                words.append(c)
            begun = not is_mark(c)
    return words


def is_blank(c: str) -> bool:
    """Whether this ends a word and is nothing itself."""
    return c in "\t\n\r" or unicodedata.category(c) in ("Zs", "Zl", "Zp")


def is_dropped(c: str) -> bool:
    """Whether this is left out: control and format characters, and those kept for private use."""
    return c == "\ufffd" or unicodedata.category(c) in ("Cc", "Cf", "Cs", "Co")


def is_chinese(c: str) -> bool:
    """Whether this lies in a block of Chinese characters."""
    return any(first <= ord(c) <= last for first, last in CHINESE)


def is_mark(c: str) -> bool:
    """Whether this is punctuation, which is a word by itself."""
    return c in SIGNS or unicodedata.category(c)[0] == "P"
