"""Reads `go test -json` and prints the output of the tests that failed; with the
argument "skipped", one line for each test that was skipped, with its reason; with
"slow", the packages and tests that took longest."""
import json
import sys

want = "skip" if "skipped" in sys.argv[1:] else "fail"
slow = "slow" in sys.argv[1:]
output = {}
took = []
for line in sys.stdin:
    try:
        event = json.loads(line)
    except ValueError:
        continue
    key = (event.get("Package"), event.get("Test"))
    if slow:
        if event.get("Action") in ("pass", "fail"):
            took.append((event.get("Elapsed", 0), (key[0] or "").split("/", 3)[-1], key[1] or ""))
    elif event.get("Action") == "output":
        output.setdefault(key, []).append(event["Output"])
    elif event.get("Action") == want and key[1]:
        text = output.get(key, [])
        if want == "skip":
            words = [t.strip() for t in text if not t.startswith(("===", "---", "    ---"))]
            print(f"      skipped {key[1]}: {' '.join(words)[:200]}")
        else:
            sys.stdout.writelines(text)
if slow:
    packages = sorted((t for t in took if not t[2] and t[0] >= 15), reverse=True)[:6]
    tests = sorted((t for t in took if t[2] and t[0] >= 15), reverse=True)[:8]
    for seconds, package, test in packages + tests:
        print(f"      {seconds:4.0f} s {package} {test}".rstrip())
