"""What was trained apart, and what the page's figures show."""

import json
import runpy
from pathlib import Path
from types import SimpleNamespace

import numpy as np

import attnref

root = Path(attnref.__file__).parents[1]
folder = root / "snippets" / "induction-head"
program, keep = (
    SimpleNamespace(**runpy.run_path(str(folder / name)))
    for name in ["train.py", "keep.py"]
)  # fmt: skip
record_file = root / "benchmarks" / "records" / "induction.json"
record = json.loads(record_file.read_text(encoding="utf-8"))
curves = record["curves"]
steps = curves["steps"]

kept = keep.read()
unseen_tokens = program.unseen(program.Recipe())
kept_found = program.measure(kept, unseen_tokens)
kept_rest = program.measure(kept, unseen_tokens, without=0)

word = "planet"
read = list(2 * word)[:-1]
asked = np.array([[keep.TOKENS.index(sign) for sign in read]])
dice = np.random.default_rng(keep.SEED)
begun = program.start(dice, program.Recipe())
_, weights_before, _ = program.forward(begun, asked)
maps_before = [w[0] for w in weights_before]
_, weights_after, logits_after = program.forward(kept, asked)
maps_after = [w[0] for w in weights_after]

places = np.arange(len(read))
tops = [list(map(np.argmax, w)) for w in maps_after]
strongest = np.array(tops)
largest = [list(map(max, w)) for w in maps_after]
best = map(np.argmax, logits_after[0])
guesses = [keep.TOKENS[k] for k in best]
guessed = list(map(max, attnref.softmax(logits_after[0])))

recorded_on = [int(part) for part in record["date"].split("-")]
ends = record["trained"]
formed = sum(w >= record["formed"] for w in ends["induction"])
rises = [end - begin for begin, end in record["rise"]]
parted = ["without_first", "without_second", "one_layer"]
columns = [ends, *map(record.get, parted)]
found = [column["accuracy"] for column in columns]
accuracies = [(min(each), max(each)) for each in found]
