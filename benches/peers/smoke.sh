#!/bin/sh
# Runs every benchmark of `ours` and of what it is compared with for a moment, without the other crates: one that panics,
# hangs or prints nothing fails. Then makes the tables of the page from what was printed.
set -eu
cd "$(dirname "$0")"
export CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-$PWD/target}" PEERS_SCALE="${PEERS_SCALE:-0.001}"
cargo build --release --quiet --no-default-features --config profile.release.lto=false \
    --config profile.release.codegen-units=16 --config profile.release.debug=0
peers="$CARGO_TARGET_DIR/release/peers" results="$CARGO_TARGET_DIR/smoke.txt"

rows=0
: >"$results"
for row in $("$peers" plan | grep -E ' (limit|lean|floor|ours)$' | tr ' ' '/'); do
    system=${row##*/} bench=${row%%/*} runtime=${row#*/}
    runtime=${runtime%/*}
    printed=$(timeout 60 "$peers" run "$bench" "$runtime" "$system" </dev/null) || { echo "$row: failed" >&2; exit 1; }
    case "$system $bench $printed" in
        # A prototype without bounded mailboxes or rings.
        "floor tell-"*"-bounded " | "floor ring ") continue ;;
        *" ") echo "$row: measured nothing" >&2; exit 1 ;;
    esac
    echo "$printed" | sed 's/^/1 /' >>"$results"
    rows=$((rows + 1))
done
./page.py --draw "$results" --to "$CARGO_TARGET_DIR/smoke.md"
[ "$(grep -c '^| ' "$CARGO_TARGET_DIR/smoke.md")" -ge 60 ] || { echo "the tables lack rows" >&2; exit 1; }
echo "$rows rows work"
[ "$rows" -ge 160 ]
