"""What a call shows while it waits: the last line that the program said, in a notebook or on a terminal."""

import contextlib
import sys
from typing import Any, Iterator, Optional

from . import _html

# Seconds between two looks at what the program said.
EVERY = 0.5
# No line is shown longer than a terminal is wide.
_WIDTH = 79


class Progress:
    """Shows nothing; the others are of this kind."""

    def show(self, said: str) -> None:
        """Shows the last line of what was said."""

    def end(self) -> None:
        """Takes it away again."""


class _Notebook(Progress):
    """One line below the cell, which is replaced."""

    def __init__(self, display: Any) -> None:
        self._display = display
        self._handle: Any = None

    def show(self, said: str) -> None:
        page = {"text/plain": last(said), "text/html": _html.small(last(said))}
        if self._handle is None:
            self._handle = self._display(page, raw=True, display_id=True)
        else:
            self._handle.update(page, raw=True)

    def end(self) -> None:
        if self._handle is not None:
            self._handle.update({"text/plain": "", "text/html": ""}, raw=True)


class _Terminal(Progress):
    """One line of standard error, which is written over."""

    def show(self, said: str) -> None:
        sys.stderr.write("\r" + last(said)[:_WIDTH].ljust(_WIDTH))
        sys.stderr.flush()

    def end(self) -> None:
        sys.stderr.write("\r" + " " * _WIDTH + "\r")
        sys.stderr.flush()


@contextlib.contextmanager
def begin(show: Optional[bool]) -> Iterator[Progress]:
    """`show` None: where somebody sees it. True and False: nowhere, the first because the program writes by itself."""
    progress = _where() if show is None else Progress()
    try:
        yield progress
    finally:
        progress.end()


def _where() -> Progress:
    ipython = sys.modules.get("IPython")  # a notebook has it imported
    shell = ipython.get_ipython() if ipython else None
    if shell is not None and hasattr(shell, "kernel"):
        from IPython.display import display

        return _Notebook(display)
    return _Terminal() if sys.stderr is not None and sys.stderr.isatty() else Progress()


def last(said: str) -> str:
    """The last line that holds something, without what a terminal would obey."""
    lines = [line for line in said.splitlines() if line.strip()]
    return "".join(c if c.isprintable() else " " for c in lines[-1]) if lines else "…"
