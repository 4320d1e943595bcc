"""Trained encoders: read their files, cut a sentence, see every head's weights. Loaded when first asked for."""

from attnref.trained._bert import EncoderParameters, Encoding, encoder
from attnref.trained._folder import Bert, SentenceMaps, load_bert
from attnref.trained._safetensors import read_safetensors
from attnref.trained._wordpiece import Pieces, WordPiece
from attnref.trained._words import word_map

__all__ = [
    "Bert",
    "EncoderParameters",
    "Encoding",
    "Pieces",
    "SentenceMaps",
    "WordPiece",
    "encoder",
    "load_bert",
    "read_safetensors",
    "word_map",
]
