"""Tables as frames, by the library that the caller has, with the same types whatever the rows hold."""

from typing import TYPE_CHECKING, Any, Dict, Iterable, List, Literal, Mapping, Union

if TYPE_CHECKING:
    import pandas
    import polars

Library = Literal["pandas", "polars"]
Frame = Union["pandas.DataFrame", "polars.DataFrame"]

# The types of columns that are made here. pandas has types of its own for values that may be missing.
_PANDAS: Dict[type, Any] = {str: "string", float: "Float64", int: "Int64", bool: "boolean"}


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

    # By default a column of whole numbers becomes one of floats where a value is missing, and one without values an object.
    return pandas.read_parquet(path, engine="pyarrow", dtype_backend="numpy_nullable")


def of_rows(rows: Iterable[Mapping[str, Any]], columns: Mapping[str, type], frame: str) -> Any:
    """A frame of rows. `columns` says which there are, of which type: str, float, int or bool."""
    check(frame)
    data: Dict[str, List[Any]] = {name: [] for name in columns}
    for row in rows:
        for name, kind in columns.items():
            value = row.get(name)
            data[name].append(None if value is None else kind(value))
    if frame == "polars":
        import polars

        types: Dict[type, Any] = {str: polars.String, float: polars.Float64, int: polars.Int64, bool: polars.Boolean}
        return polars.DataFrame(data, schema={name: types[kind] for name, kind in columns.items()})
    import pandas

    return pandas.DataFrame({name: pandas.array(data[name], dtype=_PANDAS[kind]) for name, kind in columns.items()})


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
