#!/usr/bin/env bash
# Compares the public API with the committed text. `UPDATE=1` writes the text.
set -euo pipefail
cd "$(dirname "$0")/../.."
version=0.52.0
tool() { cargo public-api --version 2>/dev/null; }
[[ $(tool) == *"$version"* ]] || cargo install --quiet --locked --version "$version" cargo-public-api
target=${CARGO_TARGET_DIR:-target}
# rustdoc's JSON is an unstable feature, even in a stable compiler.
RUSTC_BOOTSTRAP=1 cargo rustdoc --quiet --package supervise-runtime --all-features --lib -- \
    -Zunstable-options --output-format json
api=$(mktemp)
trap 'rm -f "$api"' EXIT
cargo public-api -sss --rustdoc-json "$target/doc/supervise_runtime.json" >"$api"
if [[ ${UPDATE:-} ]]; then
    cp "$api" verify/api/supervise-runtime.txt
elif ! diff -u verify/api/supervise-runtime.txt "$api"; then
    echo "the public API has changed; if it is meant to, run: UPDATE=1 verify/api/run.sh"
    exit 1
fi
