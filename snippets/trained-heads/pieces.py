"""Cut a text into the pieces of a unigram vocabulary: of all ways to cut a word, the one with the highest total score.

A piece's score is the logarithm of how likely it is, so the total is that of the whole cut. The best cut of a word is
found from left to right: the best cut up to a place is the best one up to an earlier place, plus one piece.
"""

import math
import unicodedata
from collections.abc import Sequence

START = "▁"  # stands at the start of each word, in place of the space before it
UNKNOWN_MALUS = 10.0  # how much lower than the lowest piece an unknown character scores


class Pieces:
    """A vocabulary: its pieces with their scores, and which characters are replaced before a text is cut.

    A piece with the score 0 is a mark such as `<s>`: it is set around a text and never cut out of one.
    """

    def __init__(
        self, pieces: Sequence[str], scores: Sequence[float], replacements: dict[str, str], unknown: int
    ):
        self.scores = [float(score) for score in scores]
        self.ids = {piece: i for i, piece in enumerate(pieces) if self.scores[i]}
        self.replacements = str.maketrans(replacements)
        self.unknown = unknown
        self.unknown_score = min(self.scores) - UNKNOWN_MALUS
        self.longest = max(map(len, pieces))

    def words(self, text: str) -> list[str]:
        """The words of a text, each with the sign of its start."""
        # The replacements know single characters. A letter and an accent that follows it are joined by NFC.
        text = unicodedata.normalize("NFC", text.translate(self.replacements))
        return [START + word for word in text.split(" ") if word]

    def cut(self, word: str) -> list[str]:
        """The pieces of one word; neighbours that are unknown stay together."""
        best = [0.0] + [-math.inf] * len(word)  # the highest total up to each place
        begins = [0] * (len(word) + 1)  # where the last piece of that cut begins
        for start in range(len(word)):
            for end in range(start + 1, min(start + self.longest, len(word)) + 1):
                piece = self.ids.get(word[start:end])
                if piece is None and end > start + 1:
                    continue
                total = best[start] + (self.unknown_score if piece is None else self.scores[piece])
                if total > best[end]:
                    best[end], begins[end] = total, start
        pieces: list[str] = []
        end = len(word)
        while end:
            start = begins[end]
            piece = word[start:end]
            if pieces and piece not in self.ids and pieces[0] not in self.ids:
                pieces[0] = piece + pieces[0]
            else:
                pieces.insert(0, piece)
            end = start
        return pieces

    def id(self, piece: str) -> int:
        """The number of a piece, that of the unknown one if it is not in the vocabulary."""
        return self.ids.get(piece, self.unknown)
