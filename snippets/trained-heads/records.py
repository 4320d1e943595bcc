"""Records of a survey: JSON that people can read, and what differs between one that is kept and one computed anew."""

import json
from pathlib import Path
from typing import Any

TOLERANCE = 1e-4  # of a weight, between machines
DIGITS = 5


def text_of(found: Any, depth: int = 0) -> str:
    """JSON with a line for each row of numbers, rounded."""
    if isinstance(found, float):
        return repr(round(found, DIGITS))
    if isinstance(found, dict | list) and any(isinstance(x, dict | list) for x in items(found)):
        blanks, (begin, end) = " " * (depth + 1), "{}" if isinstance(found, dict) else "[]"
        keys = [f"{json.dumps(key)}: " for key in found] if isinstance(found, dict) else [""] * len(found)
        lines = [blanks + key + text_of(x, depth + 1) for key, x in zip(keys, items(found), strict=True)]
        return f"{begin}\n" + ",\n".join(lines) + f"\n{' ' * depth}{end}"
    if isinstance(found, dict):
        return "{" + ", ".join(f"{json.dumps(key)}: {text_of(x)}" for key, x in found.items()) + "}"
    if isinstance(found, list):
        return "[" + ", ".join(map(text_of, found)) + "]"
    return json.dumps(found, ensure_ascii=False)


def items(found: dict[str, Any] | list[Any]) -> list[Any]:
    return list(found.values()) if isinstance(found, dict) else found


def differences(kept: Any, found: Any, where: str = "") -> list[str]:
    """What of a committed record is not what was computed now: numbers within the tolerance, all else to the letter."""
    if isinstance(kept, float) and isinstance(found, float):
        off = abs(kept - found)
        return [] if off <= TOLERANCE else [f"{where}: {kept} is kept, {found:.6f} was computed"]
    if isinstance(kept, dict) and isinstance(found, dict) and list(kept) == list(found):
        return [line for key in kept for line in differences(kept[key], found[key], f"{where} {key}".strip())]
    if isinstance(kept, list) and isinstance(found, list) and len(kept) == len(found):
        pairs = enumerate(zip(kept, found, strict=True))
        return [line for n, (a, b) in pairs for line in differences(a, b, f"{where}[{n}]")]
    return [] if kept == found else [f"{where}: {str(kept)[:60]} is kept, {str(found)[:60]} was computed"]


def keep(path: Path, found: dict[str, Any], check: bool) -> int:
    """Write a record, or compare it with the one that is kept; return what the program exits with."""
    if not check:
        path.write_text(text_of(found) + "\n", "utf-8")
        print(f"{path.name}: {path.stat().st_size} bytes")
        return 0
    said = differences(json.loads(path.read_text("utf-8")), found)
    print("\n".join(said[:10]) or f"{path.name} is what the weights give, within {TOLERANCE}")
    return int(bool(said))
