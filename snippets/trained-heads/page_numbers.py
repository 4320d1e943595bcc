"""What figures and tables take from the records of the surveys."""

import json
from pathlib import Path

import numpy as np

import attnref

root = Path(attnref.__file__).parents[1]


def surveyed(name):
    file = root / "snippets/trained-heads" / f"{name}.json"
    return json.loads(file.read_text("utf-8"))


kept = [surveyed(name) for name in ("minilm-en", "e5-en", "e5-es")]
surveys = [one["survey"] for one in kept]
first = kept[0]
first_maps = first["sentences"][0]["maps"]
previous_map, next_map, marks_map = (
    np.array(first_maps[surveys[0][job]["head"]])  # (11, 11)
    for job in ("previous", "next", "marks")
)
least_shown = 5  # percent: what a map's figure prints

# Of the heads whose largest weight lies on "river", the one that
# gives it the most.
first_rows = np.array(first["sentences"][0]["row"])  # (72, 11)
deciding = first["sentences"][0]["words"].index("river")
at_deciding = [row.argmax() == deciding for row in first_rows]
best_there = np.where(at_deciding, first_rows[:, deciding], 0)
promising = int(best_there.argmax())
promising_rows = [s["row"][promising] for s in first["sentences"]]
promising_place = (
    promising // first["heads_per_layer"] + 1,
    promising % first["heads_per_layer"] + 1,
)

viewer_file = root / "docs/assets/maps/minilm-en.json"
viewer = json.loads(viewer_file.read_text("utf-8"))
n_words = len(viewer["sentences"][0]["words"])
thousandths = np.array(viewer["sentences"][0]["thousandths"])
all_maps = (thousandths / 1000).reshape(
    viewer["layers"], viewer["heads"], n_words, n_words
)
