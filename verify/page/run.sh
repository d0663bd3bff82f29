#!/usr/bin/env bash
# The page of the console, in Debian's Chromium.
#
#   verify/page/run.sh            all tests
#   verify/page/run.sh made-up    those of one file
#   UPDATE=1 verify/page/run.sh   the same, and makes the pictures of docs/console.md again
set -euo pipefail
cd "$(dirname "$0")"
export CARGO_TERM_COLOR=never CARGO_INCREMENTAL=0 CARGO_PROFILE_DEV_DEBUG=0

command -v node >/dev/null || { echo "verify/page: node 20.14 or later is missing"; exit 1; }
if ! [[ -x /usr/bin/chromium ]]; then
    apt-get update -qq
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq chromium >/dev/null
fi
# Packages that are installed already are kept, so that the tests run without a network the second time.
packages=${CARGO_TARGET_DIR:-$PWD/../../target}/page
mkdir -p "$packages"
if ! cmp -s package-lock.json "$packages/installed"; then
    cp package.json package-lock.json "$packages"
    npm ci --prefix "$packages" --silent --no-fund --no-audit
    cp package-lock.json "$packages/installed"
fi
cargo build --quiet --manifest-path ../../Cargo.toml -p supervise-console --example page_tests --example console

files=(tests/*.test.mjs)
if (($#)); then files=("${@/#/tests/}"); files=("${files[@]/%/.test.mjs}"); fi
# One file after the other: the tests have bounds on times.
# A test that fails may leave a server open: it must not keep the whole run waiting.
node --test --test-concurrency=1 --test-force-exit --test-timeout=180000 --test-reporter=spec "${files[@]}"
