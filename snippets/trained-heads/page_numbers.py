"""What the figures and tables take from the surveys' records."""

import json
from pathlib import Path

import numpy as np

import attnref

root = Path(attnref.__file__).parents[1]


def surveyed(name):
    file = root / "snippets/trained-heads" / f"{name}.json"
    return json.loads(file.read_text("utf-8"))


file_names = ("minilm-en", "e5-en", "e5-es")
kept = [surveyed(name) for name in file_names]
surveys = [each["survey"] for each in kept]
network = kept[0]
one, other = network["sentences"]


def map_of(job):
    return np.array(one["maps"][surveys[0][job]["head"]])


previous_map = map_of("previous")  # (11, 11)
next_map = map_of("next")  # (11, 11)
marks_map = map_of("marks")  # (11, 11)
least_shown = 5  # percent: what a map's figure prints

# Of the heads whose largest weight lies on "river", the one that
# gives it the most.
first_rows = np.array(one["row"])  # (72, 11)
deciding = one["words"].index("river")
at_deciding = [row.argmax() == deciding for row in first_rows]
best_there = np.where(at_deciding, first_rows[:, deciding], 0)
promising = int(best_there.argmax())
promising_rows = [one["row"][promising], other["row"][promising]]
promising_place = (
    promising // network["heads_per_layer"] + 1,
    promising % network["heads_per_layer"] + 1,
)

viewer_file = root / "docs/assets/maps/minilm-en.json"
viewer = json.loads(viewer_file.read_text("utf-8"))
n_words = len(viewer["sentences"][0]["words"])
thousandths = np.array(viewer["sentences"][0]["thousandths"])
sides = (viewer["layers"], viewer["heads"], n_words, n_words)
all_maps = (thousandths / 1000).reshape(sides)
