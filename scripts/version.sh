#!/usr/bin/env bash
# The version that a release of the last commit would have, from git's tags: that of its tag; 1.2.4-dev.5 for the fifth
# commit after v1.2.3; 1.2.3-dev.5 for the fifth after the candidate v1.2.3-rc.1; 0.0.0-dev.N for the Nth of all where
# there is no tag. Usage: version.sh
set -euo pipefail
if ! described=$(git describe --tags --long --match 'v[0-9]*' 2>/dev/null); then
  printf '0.0.0-dev.%d\n' "$(git rev-list --count HEAD)"
  exit
fi
described=${described%-g*}
after=${described##*-} tag=${described%-*}
number=${tag#v}
base=${number%%-*}
if [ "$after" = 0 ]; then
  printf '%s\n' "$number"
elif [ "$base" != "$number" ]; then
  printf '%s-dev.%d\n' "$base" "$after"
else
  printf '%s.%d-dev.%d\n' "${base%.*}" $((${base##*.} + 1)) "$after"
fi
