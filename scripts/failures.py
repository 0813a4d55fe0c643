"""Reads `go test -json` and prints the output of the tests that failed; with the
argument "skipped", one line for each test that was skipped, with its reason; with
"slow", the packages and tests that took longest; with "alone", the tests that are worth
another try by themselves, as package and pattern: a test that waits for what a busy
machine did not give it in time fails beside others and passes alone. A data race, a
panic, a goroutine left behind or many failures at once are never that."""
import json
import re
import sys

want = "skip" if "skipped" in sys.argv[1:] else "fail"
slow = "slow" in sys.argv[1:]
alone = "alone" in sys.argv[1:]
most_alone = 5
never_alone = re.compile(r"DATA RACE|^panic:|unexpected goroutines|\[build failed\]|test timed out", re.M)
failed = []
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
    elif alone and event.get("Action") == "fail":
        failed.append(key)
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
if alone:
    tests = [k for k in failed if k[1]]
    leaves = [k for k in tests if not any(o[0] == k[0] and o[1].startswith(k[1] + "/") for o in tests)]
    broken = {k[0] for k in failed} - {k[0] for k in tests}
    hopeless = any(never_alone.search("".join(text)) for (package, _), text in output.items() if package in {k[0] for k in failed})
    if not broken and len(leaves) <= most_alone and not hopeless:
        for package, test in leaves:
            print(package, "/".join(f"^{re.escape(part)}$" for part in test.split("/")))
