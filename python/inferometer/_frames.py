"""Parquet files as frames, by the library that the caller has."""

from typing import Any


class FrameMissing(ImportError):
    """The library that was asked for is not installed."""


def read_parquet(path: str, frame: str) -> Any:
    """The table of a Parquet file as a pandas or a Polars frame."""
    check(frame)
    if frame == "polars":
        import polars

        # The whole file now: the caller removes it.
        return polars.read_parquet(path, use_statistics=False, memory_map=False)
    import pandas

    return pandas.read_parquet(path, engine="pyarrow")


def check(frame: str) -> None:
    """Says what to do before any work is done for a frame that can't be made."""
    needs = {"pandas": ("pandas", "pyarrow"), "polars": ("polars",)}.get(frame)
    if needs is None:
        raise ValueError(f"frame is {frame!r}: give 'pandas' or 'polars'")
    for module in needs:
        try:
            __import__(module)
        except ImportError as err:
            raise FrameMissing(f"{module} can't be imported ({err}): pip install 'inferometer[{frame}]'", name=module) from err
