#!/usr/bin/env python3
"""Writes the Python wheel of one platform, with the program inside.

Usage: scripts/wheels.py --platform NAME --binary FILE --version V [--notices FILE] [--out DIR]

The program is the one of the release, never built again: scripts/release-binary.sh calls this beside each
binary. The same program gives the same bytes: times are fixed and entries are sorted. Needs Python's standard
library; without --notices also Go.
"""

import argparse
import base64
import hashlib
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import zipfile

try:
    import tomllib
except ModuleNotFoundError:  # before Python 3.11
    import tomli as tomllib

ROOT = pathlib.Path(__file__).resolve().parent.parent

# A static program needs no libc: one wheel is right for glibc of any age and for musl. Go 1.26
# needs Linux 3.2 and macOS 12; test/wheel compares the latter with what its linker writes.
PLATFORMS = {
    "linux-amd64": "manylinux_2_17_x86_64.manylinux2014_x86_64.musllinux_1_1_x86_64",
    "linux-arm64": "manylinux_2_17_aarch64.manylinux2014_aarch64.musllinux_1_1_aarch64",
    "darwin-amd64": "macosx_12_0_x86_64",
    "darwin-arm64": "macosx_12_0_arm64",
    "windows-amd64": "win_amd64",
    "windows-arm64": "win_arm64",
}

NAME = "inferometer"
TIME = (1980, 1, 1, 0, 0, 0)  # the first that a zip file can hold


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", default="dist", help="where the wheel goes")
    parser.add_argument("--platform", required=True, choices=sorted(PLATFORMS))
    parser.add_argument("--binary", required=True, help="the program of that platform")
    parser.add_argument("--version", required=True, help="of the release, such as 1.2.3 or 1.2.3-rc.1; or by PEP 440")
    parser.add_argument("--notices", help="the third-party notices; default: made here by packaging/pack")
    args = parser.parse_args()
    try:
        version = pep440(args.version)
    except ValueError as err:
        parser.error(str(err))
    out = pathlib.Path(args.out)
    out.mkdir(parents=True, exist_ok=True)
    program = pathlib.Path(args.binary).read_bytes()
    third = pathlib.Path(args.notices).read_bytes() if args.notices else notices(args.binary)
    print(write(out, args.platform, version, program, third))
    return 0


# The canonical spellings of PEP 440, without an epoch.
PEP440 = r"\d+(\.\d+)*((a|b|rc)\d+)?(\.post\d+)?(\.dev\d+)?(\+[a-z0-9]+([.][a-z0-9]+)*)?"


def pep440(version: str) -> str:
    """The version of a wheel by that of its release: 1.2.3-rc.1 is 1.2.3rc1, 0.0.0-dev.5 is 0.0.0.dev5."""
    m = re.fullmatch(r"v?(\d+\.\d+\.\d+)-(alpha|beta|rc|dev)\.?(\d+)", version)
    if m:
        version = m[1] + {"alpha": "a", "beta": "b", "rc": "rc", "dev": ".dev"}[m[2]] + str(int(m[3]))
    elif version.startswith("v"):
        version = version[1:]
    if not re.fullmatch(PEP440, version):
        raise ValueError(f"--version {version}: PEP 440 has no such version; tag releases as v1.2.3 and candidates as v1.2.3-rc.1")
    return version


def notices(binary: str) -> bytes:
    """The licences of all that is compiled into the program, as in every other package."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "notices"
        pack = ["go", "run", "./packaging/pack", "notices", "-binary", str(pathlib.Path(binary).resolve()), "-o", str(path)]
        subprocess.run(pack, cwd=ROOT, check=True)
        return path.read_bytes()


def write(out: pathlib.Path, platform: str, version: str, program: bytes, third: bytes) -> pathlib.Path:
    """Writes one wheel and gives its path."""
    info, data = f"{NAME}-{version}.dist-info", f"{NAME}-{version}.data"
    tags = [f"py3-none-{tag}" for tag in PLATFORMS[platform].split(".")]
    suffix = ".exe" if platform.startswith("windows-") else ""
    files = {f"{data}/scripts/{NAME}{suffix}": program}
    for path in sorted((ROOT / "python" / NAME).glob("*")):
        if path.suffix == ".py" or path.name == "py.typed":
            files[f"{NAME}/{path.name}"] = path.read_bytes()
    files[f"{NAME}/_version.py"] = f'"""The version of this package."""\n\n__version__ = "{version}"\n'.encode()
    files[f"{info}/METADATA"] = metadata(version)
    files[f"{info}/WHEEL"] = ("Wheel-Version: 1.0\nGenerator: inferometer-wheels 1\nRoot-Is-Purelib: false\n" + "".join(f"Tag: {t}\n" for t in tags)).encode()
    files[f"{info}/licenses/LICENSE"] = (ROOT / "LICENSE").read_bytes()
    files[f"{info}/licenses/THIRD-PARTY-NOTICES.txt"] = third
    record = f"{info}/RECORD"
    lines = [f"{name},sha256={digest(body)},{len(body)}" for name, body in sorted(files.items())]
    files[record] = ("\n".join([*lines, f"{record},,"]) + "\n").encode()
    path = out / f"{NAME}-{version}-py3-none-{PLATFORMS[platform]}.whl"
    part = path.with_suffix(".part")
    with zipfile.ZipFile(part, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as wheel:
        # What is of the dist-info comes last, as the format asks for.
        for name in sorted(files, key=lambda n: (n.startswith(info), n == record, n)):
            entry = zipfile.ZipInfo(name, TIME)
            entry.create_system = 3  # Unix, also where this runs on Windows
            entry.external_attr = (0o100755 if name.startswith(data) else 0o100644) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            wheel.writestr(entry, files[name], compresslevel=6)
    os.replace(part, path)
    return path


def digest(body: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(body).digest()).rstrip(b"=").decode()


def metadata(version: str) -> bytes:
    """The wheel's METADATA, of what pyproject.toml says."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    heads = ["Metadata-Version: 2.4", f"Name: {project['name']}", f"Version: {version}", f"Summary: {project['description']}"]
    heads += [f"Keywords: {','.join(project['keywords'])}"]
    heads += [f"Project-URL: {name}, {url}" for name, url in project["urls"].items()]
    heads += [f"License-Expression: {project['license']}"]
    heads += [f"License-File: {name}" for name in project["license-files"]]
    heads += [f"Classifier: {name}" for name in project["classifiers"]]
    heads += [f"Requires-Python: {project['requires-python']}"]
    for extra, needs in project["optional-dependencies"].items():
        heads += [f"Provides-Extra: {extra}"]
        heads += [f'Requires-Dist: {need}; extra == "{extra}"' for need in needs]
    heads += ["Description-Content-Type: text/markdown"]
    return ("\n".join(heads) + "\n\n" + (ROOT / project["readme"]).read_text("utf-8")).encode()


if __name__ == "__main__":
    sys.exit(main())
