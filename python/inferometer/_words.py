"""Values of Python as words of a command line."""

import datetime
import json
import math
import numbers
import os
from typing import Any, Dict, List, Mapping, Optional, Sequence, Union

Path = Union[str, "os.PathLike[str]"]
# A time span: a number is seconds, a text is as in "90s" or "1h30m".
Span = Union[str, float, datetime.timedelta]


def words(given: Mapping[str, Any], shapes: Mapping[str, str]) -> List[str]:
    """The flags of a command. `shapes` says of some how their values are written.

    None leaves a flag out, and so does False, but for a switch that has a --no- beside it.
    """
    out: List[str] = []
    for name, value in given.items():
        out += _flag(name, value, shapes.get(name, ""))
    return out


def word(name: str, value: Any) -> str:
    """One value as one word."""
    if isinstance(value, datetime.timedelta):
        return f"{value.total_seconds():f}s"
    if isinstance(value, bool) or not isinstance(value, (str, numbers.Real, os.PathLike)):
        raise TypeError(f"{name} has {value!r}: give text, a number or a path")
    text = os.fspath(value) if isinstance(value, os.PathLike) else str(value)
    if not isinstance(text, str) or "\0" in text:
        raise ValueError(f"{name} has a value that can't be an argument: {value!r}")
    return text


def _flag(name: str, value: Any, shape: str) -> List[str]:
    flag = "--" + name.rstrip("_").replace("_", "-")
    if value is None:
        return []
    if isinstance(value, bool):
        if value:
            return [flag]
        return ["--no-" + flag[2:]] if shape == "two-way" else []
    if isinstance(value, Mapping):
        return _mapping(name, flag, value, shape)
    if not _is_list(value):
        return [f"{flag}={word(name, value)}"]  # one word, so that a value that begins with - is no flag
    each = [word(name, v) for v in value]
    if shape == "commas":
        if any("," in w for w in each):
            raise ValueError(f"{name} has a value with a comma, which would be two: give it as one text")
        return [f"{flag}={','.join(each)}"] if each else []
    if shape == "words" or shape.startswith("pairs"):
        return _several(name, flag, each)
    raise TypeError(f"{name} takes one value, not the list {value!r}")


def _mapping(name: str, flag: str, value: Mapping[str, Any], shape: str) -> List[str]:
    if shape == "json":
        return [f"{flag}={json.dumps(dict(value), allow_nan=False)}"]
    if not shape.startswith("pairs"):
        raise TypeError(f"{name} takes no mapping: {value!r}")
    between = shape[len("pairs") :]
    if any(between in str(key) for key in value):
        raise ValueError(f"{name} has a key with {between!r} in it: {value!r}")
    return _several(name, flag, [f"{word(name, key)}{between}{word(name, v)}" for key, v in value.items()])


def _several(name: str, flag: str, each: List[str]) -> List[str]:
    if any(w.startswith("-") for w in each):
        raise ValueError(f"{name} has a value that begins with -, which would be a flag: give it to call() as you would type it")
    return [flag, *each] if each else []


def _is_list(value: Any) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, (str, bytes))


def number(value: Any) -> Optional[float]:
    """A number that the program gave; None: it is not known."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or math.isnan(value):
        return None
    return float(value)


def taken(given: Dict[str, Any], *names: str) -> List[Any]:
    """Takes values out of what was given that are no flags."""
    return [given.pop(name) for name in names]
