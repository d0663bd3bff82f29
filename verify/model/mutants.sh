#!/usr/bin/env bash
# Shows that the schedules catch mutants: six of the pure core (verify/mutants/decide-*.patch) under the real run loop,
# and each patch in mutants/ here, must make at least one schedule fail.
#
#   verify/model/mutants.sh            all
#   verify/model/mutants.sh NAME..     the mutants whose names begin like this
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
export SCHEDULES=${SCHEDULES:-6000}
export CARGO_TARGET_DIR=${MUTANTS_TARGET_DIR:-$root/target/model-mutants}

work=$(mktemp -d "${TMPDIR:-/tmp}/mutants.XXXXXX")
trap 'rm -rf "$work" "$work.log"' EXIT
(cd "$root" && git ls-files -z --cached --others --exclude-standard | tar --null -T - -cf -) | tar -xf - -m -C "$work"
# The build of an earlier copy is removed, because it refers to files at that copy's path.
rm -rf "$CARGO_TARGET_DIR"/debug/.fingerprint/{supervise-,interleavings-,tokio-}* "$CARGO_TARGET_DIR"/debug/incremental

# The mutants that the loop can show; the others of the core are found only by the property test.
core=(absorbs-every-failure a-stop-does-not-cancel-the-backoff ignores-suspensions goes-down-in-order
    a-resume-does-nothing the-range-stays-narrow)

failed=0
for patch in "${core[@]/#/$root/verify/mutants/decide-}" "$here"/mutants/*.patch; do
    patch=${patch%.patch}.patch
    name=$(basename "$patch" .patch)
    if [[ $# -gt 0 ]]; then
        chosen=
        for begin in "$@"; do [[ $name == "$begin"* ]] && chosen=1; done
        [[ $chosen ]] || continue
    fi
    if ! (cd "$work" && patch -p1 --quiet --force --fuzz=0 --no-backup-if-mismatch <"$patch" >/dev/null); then
        echo "STALE    $name: does not apply any more"
        exit 1
    fi
    code=0
    if ! (cd "$work/verify/model" && cargo test --quiet --test it --no-run) >"$work.log" 2>&1; then
        echo "BROKEN   $name: does not compile"
        failed=$((failed + 1))
    else
        (cd "$work/verify/model" && timeout 300 cargo test --quiet --test it) >"$work.log" 2>&1 || code=$?
        case $code in
            0) echo "SURVIVED $name: every schedule passes" && failed=$((failed + 1)) ;;
            124) echo "HANGS    $name: a schedule does not end" && failed=$((failed + 1)) ;;
            *) echo "caught   $name: $(sed -nE 's/^test (.*) \.\.\. FAILED$/\1/p; s/^---- (.*) stdout ----$/\1/p' "$work.log" | sort -u | tr '\n' ' ')" ;;
        esac
    fi
    sed -nE 's|^\+\+\+ b/([^[:space:]]+).*|\1|p' "$patch" | while read -r file; do cp "$root/$file" "$work/$file"; done
done
[[ $failed -eq 0 ]]
