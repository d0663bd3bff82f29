#!/usr/bin/env bash
# Compares the public API of each crate with its committed text. `UPDATE=1` writes the texts.
#
#   verify/api/run.sh           the crates of the workspace
#   verify/api/run.sh zenoh     `supervise-remote-zenoh`, whose dependencies build for minutes
set -euo pipefail
cd "$(dirname "$0")/../.."
version=0.52.0
tool() { cargo public-api --version 2>/dev/null; }
[[ $(tool) == *"$version"* ]] || cargo install --quiet --locked --version "$version" cargo-public-api
api=$(mktemp)
trap 'rm -f "$api"' EXIT
changed=0
# The JSON has the name of the library: that of the package `supervise-tree` is `supervise`.
crates=(supervise-tree/supervise supervise-macros/supervise_macros supervise-core/supervise_core
    supervise-runtime/supervise_runtime supervise-observe/supervise_observe supervise-testing/supervise_testing
    supervise-rules/supervise_rules supervise-console/supervise_console supervise-lease/supervise_lease
    supervise-remote/supervise_remote)
[[ ${1:-} != zenoh ]] || crates=(supervise-remote-zenoh/supervise_remote_zenoh)
for names in "${crates[@]}"; do
    package=${names%/*}
    root=.
    [[ $package != supervise-remote-zenoh ]] || root=$package # a workspace of its own
    target=${CARGO_TARGET_DIR:-$root/target}
    # rustdoc's JSON is an unstable feature, even in a stable compiler.
    RUSTC_BOOTSTRAP=1 cargo rustdoc --quiet --manifest-path "$root/Cargo.toml" --package "$package" --all-features --lib -- \
        -Zunstable-options --output-format json
    cargo public-api -sss --rustdoc-json "$target/doc/${names#*/}.json" >"$api"
    if [[ ${UPDATE:-} ]]; then
        cp "$api" "verify/api/$package.txt"
    elif ! diff -u "verify/api/$package.txt" "$api"; then
        changed=1
    fi
done
if [[ $changed == 1 ]]; then
    echo "the public API has changed; if it is meant to, run: UPDATE=1 verify/api/run.sh $*"
    exit 1
fi
