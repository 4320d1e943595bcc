"""Cut a text into the pieces of a unigram vocabulary: of all ways to cut a word, the one with the highest total score.

A piece's score is the logarithm of how likely it is, so the total is that of the whole cut. The best cut of a word is
found from left to right: the best cut up to a place is the best one up to an earlier place, plus one piece.
"""

import math
import unicodedata
from collections.abc import Sequence

from attnref.trained import Pieces

START = "▁"  # stands at the start of each word, in place of the space before it
UNKNOWN_MALUS = 10.0  # how much lower than the lowest piece an unknown character scores
BEGIN, END, UNKNOWN = "<s>", "</s>", "<unk>"


class Unigram:
    """A vocabulary: its pieces with their scores, and which characters are replaced before a text is cut.

    A piece with the score 0 is a mark such as `<s>`: it is set around a text and never cut out of one.
    """

    def __init__(self, pieces: Sequence[str], scores: Sequence[float], replacements: dict[str, str]) -> None:
        self.scores = {piece: float(score) for piece, score in zip(pieces, scores, strict=True) if score}
        self.ids = {piece: number for number, piece in enumerate(pieces)}
        self.replacements = str.maketrans(replacements)
        self.unknown_score = min(self.scores.values()) - UNKNOWN_MALUS
        self.longest = max(map(len, self.scores))

    def cut(self, sentence: str) -> Pieces:
        """Cut a sentence into words, and each word into the pieces with the highest total score."""
        words = [self.pieces_of(word) for word in self.words(sentence)]
        groups = [[BEGIN], *(group for word in words for group in grouped(word)), [END]]
        tokens = [piece for group in groups for piece in group]
        ends = [sum(map(len, groups[: n + 1])) for n in range(len(groups))]
        spans = tuple((end - len(group), end) for end, group in zip(ends, groups, strict=True))
        marks = {0: BEGIN, len(tokens) - 1: END}
        ids = [
            self.ids[marks.get(n, piece if piece in self.scores else UNKNOWN)]
            for n, piece in enumerate(tokens)
        ]
        names = ["".join(group).removeprefix(START) for group in groups]
        return Pieces(tuple(tokens), tuple(ids), tuple(names), spans)

    def words(self, text: str) -> list[str]:
        """What stands between the spaces of a text, each with the sign of its start."""
        # The replacements know single characters. A letter and an accent that follows it are joined by NFC.
        text = unicodedata.normalize("NFC", text.translate(self.replacements))
        return [START + word for word in text.split(" ") if word]

    def pieces_of(self, word: str) -> list[str]:
        """The pieces of one word; neighbours that are unknown stay together."""
        best = [0.0] + [-math.inf] * len(word)  # the highest total up to each place
        begins = [0] * (len(word) + 1)  # where the last piece of that cut begins
        for start in range(len(word)):
            for end in range(start + 1, min(start + self.longest, len(word)) + 1):
                score = self.scores.get(
                    word[start:end], self.unknown_score if end == start + 1 else -math.inf
                )
                if best[start] + score > best[end]:
                    best[end], begins[end] = best[start] + score, start
        pieces: list[str] = []
        end = len(word)
        while end:
            piece, end = word[begins[end] : end], begins[end]
            if pieces and piece not in self.scores and pieces[0] not in self.scores:
                piece += pieces.pop(0)
            pieces.insert(0, piece)
        return pieces


def grouped(pieces: Sequence[str]) -> list[list[str]]:
    """The pieces of a word, marks apart: a period at its end is a word of its own."""
    groups: list[list[str]] = []
    for piece in pieces:
        alone = is_mark(piece) or (groups and is_mark("".join(groups[-1])))
        if groups and (groups[-1] == [START] or not alone):
            groups[-1].append(piece)
        else:
            groups.append([piece])
    return groups


def is_mark(piece: str) -> bool:
    """Does a piece hold signs of punctuation alone?"""
    text = piece.removeprefix(START)
    return bool(text) and all(unicodedata.category(character).startswith("P") for character in text)
