"""`python -m inferometer …` becomes the program itself: no Python is left between it and the terminal."""

import os
import subprocess
import sys

from ._binary import BinaryNotFound, find_binary


def main() -> int:
    try:
        binary = find_binary()
    except BinaryNotFound as err:
        print(f"inferometer: {err}", file=sys.stderr)
        return 1
    command = [binary, *sys.argv[1:]]
    if sys.platform != "win32":
        os.execv(binary, command)
    # Windows has no exec: the caller would see this process end before the program does.
    process = subprocess.Popen(command)
    while True:
        try:
            return process.wait()
        except KeyboardInterrupt:  # the console has told the program too: wait for its result
            continue


if __name__ == "__main__":
    sys.exit(main())
