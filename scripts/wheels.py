#!/usr/bin/env python3
"""Builds the Python wheels, one a platform, each with the program inside.

Usage: scripts/wheels.py [--out DIR] [--platform NAME]… [--version V] [--binary FILE] [--notices FILE]

Two builds of one commit give the same bytes: times are fixed, entries are sorted, and the
program is built with -trimpath and without the build id. Needs Go and Python's standard library.
"""

import argparse
import base64
import hashlib
import os
import pathlib
import re
import subprocess
import sys
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
}

NAME = "inferometer"
TIME = (1980, 1, 1, 0, 0, 0)  # the first that a zip file can hold


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", default="dist/wheels", help="where the wheels go")
    parser.add_argument("--platform", action="append", choices=sorted(PLATFORMS), help="default: all that build")
    parser.add_argument("--version", help="by PEP 440; default: from the git tag, else 0.0.0.devN")
    parser.add_argument("--binary", help="a program that is built already, of the one --platform")
    parser.add_argument("--notices", help="the third-party notices; default: THIRD-PARTY-NOTICES.txt of the root, else made here")
    args = parser.parse_args()
    version = args.version or version_of(git("describe", "--tags", "--long", "--match", "v[0-9]*"), git("rev-list", "--count", "HEAD"))
    if not re.fullmatch(PEP440, version):
        parser.error(f"--version {version}: this is none by PEP 440; give one such as 1.2.3 or 1.2.3rc1")
    if args.binary and len(args.platform or []) != 1:
        parser.error("--binary is of one platform: give --platform too")
    out = pathlib.Path(args.out)
    out.mkdir(parents=True, exist_ok=True)
    failed = 0
    for platform in args.platform or PLATFORMS:
        if args.binary:
            program = pathlib.Path(args.binary).read_bytes()
        else:
            program = build(platform)
        if program is None:
            print(f"{platform} does not build: no wheel", file=sys.stderr)
            failed += bool(args.platform)  # one that was asked for must be there
            continue
        print(write(out, platform, version, program, notices(args.notices)))
    return 1 if failed else 0


# The canonical spellings of PEP 440, without an epoch.
PEP440 = r"\d+(\.\d+)*((a|b|rc)\d+)?(\.post\d+)?(\.dev\d+)?(\+[a-z0-9]+([.][a-z0-9]+)*)?"


def version_of(described: str, commits: str) -> str:
    """The version by PEP 440 of what `git describe --tags --long` says: v1.2.3-rc.1-0-gabc is 1.2.3rc1.

    Commits after a tag make a development version of the next one; without a tag it is 0.0.0.devN.
    """
    m = re.fullmatch(r"v(\d+)\.(\d+)\.(\d+)(?:-(alpha|beta|rc)\.?(\d+))?-(\d+)-g[0-9a-f]+", described)
    if not m:
        return f"0.0.0.dev{commits or 0}"
    major, minor, patch, kind, number, after = m.groups()
    short = {"alpha": "a", "beta": "b", "rc": "rc"}
    if int(after) == 0:
        return f"{major}.{minor}.{patch}" + (short[kind] + number if kind else "")
    if kind:
        return f"{major}.{minor}.{patch}{short[kind]}{int(number) + 1}.dev{after}"
    return f"{major}.{minor}.{int(patch) + 1}.dev{after}"


def git(*args: str) -> str:
    done = subprocess.run(["git", "-C", str(ROOT), *args], capture_output=True, text=True)
    return done.stdout.strip() if done.returncode == 0 else ""


def build(platform: str):
    """The program for a platform; None: it does not build there."""
    system, arch = platform.split("-")
    path = ROOT / "dist" / f"wheel-{platform}"
    path.parent.mkdir(exist_ok=True)
    env = {**os.environ, "GOOS": system, "GOARCH": arch, "CGO_ENABLED": "0", "GOFLAGS": "-trimpath"}
    command = ["go", "build", "-buildvcs=true", "-ldflags", "-s -w -buildid=", "-o", str(path), "./cmd/inferometer"]
    try:
        done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True)
        if done.returncode != 0:
            print(done.stderr[-2000:], file=sys.stderr)
            return None
        return path.read_bytes()
    finally:
        path.unlink(missing_ok=True)


def notices(named) -> bytes:
    """The licences of all that is compiled into the program."""
    path = pathlib.Path(named) if named else ROOT / "THIRD-PARTY-NOTICES.txt"
    if named or path.exists():
        return path.read_bytes()
    form = "{{with .Module}}{{if not .Main}}{{.Path}}\t{{.Version}}\t{{.Dir}}{{end}}{{end}}"
    env = {**os.environ, "GOOS": "linux", "GOARCH": "amd64", "CGO_ENABLED": "0"}
    listed = subprocess.run(["go", "list", "-deps", "-f", form, "./cmd/inferometer"], cwd=ROOT, env=env, capture_output=True, text=True, check=True)
    parts = []
    for line in sorted(set(filter(None, listed.stdout.splitlines()))):
        module, version, folder = line.split("\t")
        texts = sorted(p for p in pathlib.Path(folder).iterdir() if p.is_file() and re.match(r"(?i)(licen[cs]e|notice|copying|patents)", p.name))
        if not texts:
            raise SystemExit(f"{module} {version} has no file with its licence: its notices can't be written")
        parts += [f"{'=' * 80}\n{module} {version}: {p.name}\n\n{p.read_text('utf-8', 'replace').strip()}\n" for p in texts]
    return "\n".join(parts).encode()


def write(out: pathlib.Path, platform: str, version: str, program: bytes, third: bytes) -> pathlib.Path:
    """Writes one wheel and gives its path."""
    info, data = f"{NAME}-{version}.dist-info", f"{NAME}-{version}.data"
    ending = ".exe" if platform.startswith("windows") else ""
    tags = [f"py3-none-{tag}" for tag in PLATFORMS[platform].split(".")]
    files = {f"{data}/scripts/{NAME}{ending}": program}
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
