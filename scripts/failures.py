"""Reads `go test -json` and prints the output of the tests that failed; with the
argument "skipped", one line for each test that was skipped, with its reason."""
import json
import sys

want = "skip" if "skipped" in sys.argv[1:] else "fail"
output = {}
for line in sys.stdin:
    try:
        event = json.loads(line)
    except ValueError:
        continue
    key = (event.get("Package"), event.get("Test"))
    if event.get("Action") == "output":
        output.setdefault(key, []).append(event["Output"])
    elif event.get("Action") == want and key[1]:
        text = output.get(key, [])
        if want == "skip":
            words = [t.strip() for t in text if not t.startswith(("===", "---", "    ---"))]
            print(f"      skipped {key[1]}: {' '.join(words)[:200]}")
        else:
            sys.stdout.writelines(text)
