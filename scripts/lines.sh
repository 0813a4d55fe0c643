#!/usr/bin/env bash
# Lines and files of Go without tests, by folder, of the checkout or of a commit: scripts/lines.sh [COMMIT]
set -euo pipefail
cd "$(dirname "$0")/.."
commit=${1:-}
if [ -n "$commit" ]; then list=$(git ls-tree -r --name-only "$commit"); else list=$(git ls-files); fi
go=$(grep -E '\.go$' <<<"$list" | grep -v '_test\.go$')
while read -r file; do
  if [ -n "$commit" ]; then n=$(git show "$commit:$file" | wc -l); else n=$(wc -l <"$file"); fi
  echo "$n $(dirname "$file")"
done <<<"$go" | awk '
  { lines[$2] += $1; files[$2]++; split($2, part, "/"); top = part[1] (part[1] == "internal" ? "/" part[2] : ""); rooms[top] += $1 }
  END {
    for (d in lines) printf "%7d %3d files  %s\n", lines[d], files[d], d | "sort -k4"
    close("sort -k4")
    print "by room:"
    for (r in rooms) { printf "%7d  %s\n", rooms[r], r | "sort -k2"; if (r !~ /tokenizer$/) all += rooms[r] }
    close("sort -k2")
    printf "%7d  all beside tokenizer/\n", all
  }'
