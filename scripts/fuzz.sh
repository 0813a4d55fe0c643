#!/usr/bin/env bash
# Fuzzes every target of the repository, one after the other, with its share of a time on one processor.
#
#   scripts/fuzz.sh [-t SECONDS] [-j WORKERS] [-o FOLDER] [PATTERN]
#
# -t is the time of all targets together (3600: an hour), -j how many workers a target has (1), PATTERN takes only
# targets whose "package Fuzz…" matches. For each one line: executions, how many inputs of a new kind, and what it
# found. What a target finds is in its package's testdata/fuzz, where go test runs it from then on. The exit code is
# 1 if one has found anything. -o keeps what each target printed. On a busy machine a target gets less of the processor
# than its time: the table says how much it had.
set -u -o pipefail
total=3600 workers=1 out=
while getopts "t:j:o:" flag; do
	case $flag in
	t) total=$OPTARG ;;
	j) workers=$OPTARG ;;
	o) out=$OPTARG ;;
	*) exit 2 ;;
	esac
done
shift $((OPTIND - 1))
pattern=${1:-.}
cd "$(dirname "$0")/.." || exit 1
if [ -z "$out" ]; then
	out=$(mktemp -d)
	trap 'rm -rf "$out"' EXIT
fi
mkdir -p "$out"

mapfile -t targets < <(grep -rhoE --include='*_test.go' --with-filename '^func Fuzz[A-Za-z0-9_]+' . |
	sed -E 's|^(.*)/[^/]*:func (.*)$|\1 \2|' | sort -u | grep -E -- "$pattern")
[ ${#targets[@]} -gt 0 ] || { echo "fuzz: no target matches $pattern" >&2; exit 2; }
# A worker each: a target's time is its share of the processor's.
each=$((total / ${#targets[@]} / workers))
[ $each -ge 1 ] || each=1
echo "${#targets[@]} targets, ${each} s each, ${workers} at work"
printf '%-72s %12s %8s %8s  %s\n' target executions new 'CPU s' found
failed=0 executions=0 processor=0
TIMEFORMAT='%U %S'
for target in "${targets[@]}"; do
	read -r package name <<<"$target"
	log=$out/$(tr '/' '_' <<<"${package#./}")_$name.txt
	code=0
	# Left alone, Go tries for a minute to make an input of a new kind smaller: longer than a target has.
	{ time go test -run '^$' -fuzz "^$name\$" -fuzztime "${each}s" -fuzzminimizetime 1s -parallel "$workers" -timeout 0 "$package" >"$log" 2>&1; } 2>"$out/time" || code=$?
	# fuzz: elapsed: 3s, execs: 5000 (1666/sec), new interesting: 12 (total: 30)
	last=$(grep -aE 'execs: ' "$log" | tail -1)
	count=$(sed -E 's/.*execs: ([0-9]+).*/\1/' <<<"$last")
	new=$(sed -E 's/.*new interesting: ([0-9]+).*/\1/' <<<"$last")
	[ "$count" -ge 0 ] 2>/dev/null || count=0 new=0
	executions=$((executions + count))
	used=$(awk '{printf "%d", $1 + $2}' "$out/time")
	processor=$((processor + used))
	found=nothing
	[ $code = 0 ] || found=FOUND failed=$((failed + 1))
	printf '%-72s %12d %8s %8d  %s\n' "$target" "$count" "$new" "$used" "$found"
	if [ $found = FOUND ]; then tail -20 "$log" | sed 's/^/    /'; fi
done
echo "$executions executions of ${#targets[@]} targets in $((processor / 60)) minutes of processor time; $failed found something"
[ $failed = 0 ]
