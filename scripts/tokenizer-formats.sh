#!/bin/sh
# Fetches tokenizers in other formats than tokenizer.json for tests, and prints their folder.
#
# They come inside Python packages: SentencePiece models and tekken.json in mistral-common, two small models in
# sentencepiece's source, OpenAI's ranks in litellm. They are kept in
# ${INFEROMETER_CACHE:-~/.cache/inferometer}/tokenizers/formats, and must have the digests of tokenizer-formats.sha256.
set -eu

here="$(cd "$(dirname "$0")" && pwd)"
folder="${INFEROMETER_CACHE:-$HOME/.cache/inferometer}/tokenizers/formats"

if [ ! -d "$folder" ]; then
	mkdir -p "$(dirname "$folder")"
	temp=$(mktemp -d "$folder.XXXXXX")
	trap 'rm -rf "$temp"' EXIT
	python3 -m pip download -q --no-deps -d "$temp/packages" mistral-common==1.13.0 litellm==1.108.4
	python3 -m pip download -q --no-deps --no-binary :all: -d "$temp/packages" sentencepiece==0.2.1
	mkdir "$temp/unpacked" "$temp/formats"
	for wheel in "$temp"/packages/*.whl; do python3 -m zipfile -e "$wheel" "$temp/unpacked"; done
	tar xzf "$temp"/packages/sentencepiece-*.tar.gz -C "$temp/unpacked"
	cp "$temp"/unpacked/mistral_common/data/* "$temp"/unpacked/sentencepiece-*/test/test_*model.model "$temp/formats"
	ranks="$temp/unpacked/litellm/litellm_core_utils/tokenizers" # by the SHA-1 of their addresses
	cp "$ranks/9b5ad71b2ce5302211f9c61530b329a4922fc6a4" "$temp/formats/cl100k_base.tiktoken"
	cp "$ranks/fb374d419588a4632f3f557e76b4b70aebbca790" "$temp/formats/o200k_base.tiktoken"
	cp "$ranks/ec7223a39ce59f226a68acc30dc1af2788490e15" "$temp/formats/p50k_base.tiktoken"
	(cd "$temp/formats" && if command -v sha256sum >/dev/null; then sha256sum -c "$here/tokenizer-formats.sha256"; else shasum -a 256 -c "$here/tokenizer-formats.sha256"; fi) >&2
	mv "$temp/formats" "$folder"
fi
echo "$folder"
