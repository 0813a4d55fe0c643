"""The version of this package. The program that builds the wheels writes another file in its place."""

__version__ = "0.0.0.dev0"
