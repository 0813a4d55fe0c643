#!/usr/bin/env bash
# What the tests of the HTML report need: a Chromium (Debian's package chromium, or another one in the path)
# and, from npm, puppeteer-core and axe-core. The packages are kept under the cache folder: the second run costs nothing.
# Usage: browser.sh            prints two lines: the browser, the folder of the packages
#        browser.sh install    the same; where there is no Chromium it installs Debian's package first, as root
set -euo pipefail
cache=${INFEROMETER_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/inferometer}
puppeteer=24.43.1
axe=4.14.0
home=$cache/browser-$puppeteer-$axe

find_chromium() {
  for name in chromium chromium-browser google-chrome; do
    if chromium=$(command -v "$name"); then return; fi
  done
}
find_chromium || true
if [ -z "${chromium:-}" ] && [ "${1:-}" = install ] && command -v apt-get >/dev/null && [ "$(id -u)" = 0 ]; then
  { apt-get install -y --no-install-recommends chromium || { apt-get update && apt-get install -y --no-install-recommends chromium; }; } >/dev/null 2>&1 || true
  find_chromium || true
fi
if [ -z "${chromium:-}" ]; then
  echo "browser.sh: there is no Chromium: install the package chromium" >&2
  exit 1
fi
if ! command -v npm >/dev/null || ! command -v node >/dev/null; then
  echo "browser.sh: there is no node or npm: install the packages nodejs and npm" >&2
  exit 1
fi
if [ ! -f "$home/node_modules/axe-core/axe.min.js" ] || [ ! -d "$home/node_modules/puppeteer-core" ]; then
  mkdir -p "$home"
  npm install --silent --no-audit --no-fund --prefix "$home" "puppeteer-core@$puppeteer" "axe-core@$axe" >&2
fi
printf '%s\n%s\n' "$chromium" "$home"
