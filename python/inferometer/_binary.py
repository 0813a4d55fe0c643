"""Where the program is."""

import os
import shutil
import sys
import sysconfig
from typing import Iterator

# VARIABLE names a program to be used in place of the installed one.
VARIABLE = "INFEROMETER_BINARY"


class BinaryNotFound(FileNotFoundError):
    """The program is nowhere that an installation puts it."""

    def __str__(self) -> str:
        return str(self.args[0]) if self.args else ""


def find_binary() -> str:
    """The absolute path of the program `inferometer`.

    Looked for in this order: the environment variable INFEROMETER_BINARY, the folder of
    scripts of this Python, of the user's own installations, beside this package (as
    `pip install --target` leaves it), and the folders of PATH.
    """
    named = os.environ.get(VARIABLE)
    if named:
        path = os.path.abspath(named)
        if _is_program(path):
            return path
        raise BinaryNotFound(f"{VARIABLE} is {named!r}, which is no program: set it to the path of inferometer, or unset it")
    looked = []
    for folder in _folders():
        path = os.path.join(folder, _name())
        if _is_program(path):
            return path
        looked.append(folder)
    raise BinaryNotFound(
        "the program inferometer is not in " + ", ".join(looked) + " nor on PATH: install it again with "
        f"pip install --force-reinstall inferometer, or name it by {VARIABLE}"
    )


def _name() -> str:
    return "inferometer.exe" if sys.platform == "win32" else "inferometer"


def _is_program(path: str) -> bool:
    return os.path.isfile(path) and os.access(path, os.X_OK)


def _folders() -> Iterator[str]:
    """The folders to look in, each once."""
    seen = set()
    for folder in _candidates():
        folder = os.path.abspath(folder)
        if folder not in seen:
            seen.add(folder)
            yield folder


def _candidates() -> Iterator[str]:
    yield sysconfig.get_path("scripts")
    if sys.version_info >= (3, 10):
        yield sysconfig.get_path("scripts", scheme=sysconfig.get_preferred_scheme("user"))
    here = os.path.dirname(os.path.abspath(__file__))
    yield os.path.join(os.path.dirname(here), "bin")
    found = shutil.which("inferometer")
    # A relative entry of PATH is whatever folder one stands in: what lies there is not the user's choice.
    if found and os.path.isabs(found):
        yield os.path.dirname(found)
