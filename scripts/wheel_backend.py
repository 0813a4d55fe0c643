"""What `pip install .` and `python -m build --wheel` call (PEP 517): the wheel of this machine, by scripts/wheels.py.

The program inside is the one that INFEROMETER_BINARY names, else it is built here, for which Go is needed.
"""

import os
import pathlib
import platform
import re
import subprocess
import sys
import tempfile
from typing import Any, Dict, Optional

ROOT = pathlib.Path(__file__).resolve().parent.parent
VARIABLE = "INFEROMETER_BINARY"


class UnsupportedOperation(Exception):
    """A hook that this backend does not have."""


def build_wheel(wheel_directory: str, config_settings: Optional[Dict[str, Any]] = None, metadata_directory: Optional[str] = None) -> str:
    with tempfile.TemporaryDirectory() as room:
        program = os.environ.get(VARIABLE) or _built(room)
        command = [sys.executable, str(ROOT / "scripts" / "wheels.py"), "--platform", _platform(), "--binary", os.path.abspath(program), "--version", _version(program), "--out", wheel_directory]
        done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True)
    return os.path.basename(done.stdout.strip().splitlines()[-1])


def build_sdist(sdist_directory: str, config_settings: Optional[Dict[str, Any]] = None) -> str:
    raise UnsupportedOperation("there is no sdist: the program is written in Go, and a wheel holds it; use python -m build --wheel")


def _built(room: str) -> str:
    path = os.path.join(room, "inferometer")
    command = ["go", "build", "-trimpath", "-ldflags", "-s -w", "-o", path, "./cmd/inferometer"]
    try:
        subprocess.run(command, cwd=ROOT, env={**os.environ, "CGO_ENABLED": "0"}, check=True)
    except FileNotFoundError:
        raise SystemExit(f"inferometer is built with Go, which is not here: install it, or name a program that is built by {VARIABLE}") from None
    return path


def _platform() -> str:
    machine = {"x86_64": "amd64", "amd64": "amd64", "aarch64": "arm64", "arm64": "arm64"}.get(platform.machine().lower(), platform.machine())
    return f"{sys.platform}-{machine}"


def _version(program: str) -> str:
    """The program's own version by PEP 440; one that is of no release is 0.0.0.dev0."""
    said = subprocess.run([os.path.abspath(program), "version"], stdout=subprocess.PIPE, text=True, check=True).stdout
    return pep440(said.split()[1] if len(said.split()) > 1 else "")


def pep440(version: str) -> str:
    m = re.fullmatch(r"(\d+\.\d+\.\d+)(?:-(alpha|beta|rc|dev)\.?(\d*))?(?:\+.*)?", version)
    if not m:
        return "0.0.0.dev0"
    number, kind, count = m.groups()
    return number + ({"alpha": "a", "beta": "b", "rc": "rc", "dev": ".dev"}[kind] + (count or "0") if kind else "")
