"""What the figures and tables of the lesson take from the records of the surveys."""

import json
from pathlib import Path

import numpy as np

import attnref

root = Path(attnref.__file__).parents[1]


def surveyed(name):
    return json.loads((root / "snippets/trained-heads" / f"{name}.json").read_text("utf-8"))


kept = {name: surveyed(name) for name in ("minilm-en", "e5-en", "e5-es")}
first_network = kept["minilm-en"]
surveys = [one["survey"] for one in kept.values()]
first_maps = first_network["sentences"][0]["maps"]
previous_map = np.array(first_maps[first_network["survey"]["previous"]["head"]])  # (11, 11)
next_map = np.array(first_maps[first_network["survey"]["next"]["head"]])  # (11, 11)
marks_map = np.array(first_maps[first_network["survey"]["marks"]["head"]])  # (11, 11)
least_shown = 5  # percent: what a map's figure prints

# The head that gives the most to "river" among those whose largest weight lies there.
first_rows = np.array(first_network["sentences"][0]["row"])  # (72, 11)
decided_by = first_network["sentences"][0]["words"].index("river")
hits = np.array([row.argmax() == decided_by for row in first_rows])
promising_head = int(np.where(hits, first_rows[:, decided_by], 0).argmax())
promising_rows = [one["row"][promising_head] for one in first_network["sentences"]]
promising_place = (
    promising_head // first_network["heads_per_layer"] + 1,
    promising_head % first_network["heads_per_layer"] + 1,
)

viewer = json.loads((root / "docs/assets/maps/minilm-en.json").read_text("utf-8"))
n_words = len(viewer["sentences"][0]["words"])
thousandths = np.array(viewer["sentences"][0]["thousandths"])
all_maps = thousandths.reshape(viewer["layers"], viewer["heads"], n_words, n_words) / 1000
