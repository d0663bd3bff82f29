#!/bin/sh
# Runs every benchmark of `ours` for a moment, without the other crates: one that panics, hangs or prints nothing fails.
set -eu
cd "$(dirname "$0")"
export CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-$PWD/target}" PEERS_SCALE="${PEERS_SCALE:-0.001}"
cargo build --release --quiet --no-default-features --config profile.release.lto=false \
    --config profile.release.codegen-units=16 --config profile.release.debug=0
peers="$CARGO_TARGET_DIR/release/peers"

rows=0
for row in $("$peers" plan | sed -n 's/ ours$//p' | tr ' ' '/'); do
    bench=${row%/*} runtime=${row#*/}
    printed=$(timeout 60 "$peers" run "$bench" "$runtime" ours </dev/null) || { echo "$bench $runtime: failed" >&2; exit 1; }
    [ -n "$printed" ] || { echo "$bench $runtime: measured nothing" >&2; exit 1; }
    rows=$((rows + 1))
done
echo "$rows rows of ours work"
[ "$rows" -ge 30 ]
