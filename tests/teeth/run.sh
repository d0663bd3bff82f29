#!/usr/bin/env bash
# Shows that the tests bite: each patch in this folder breaks one rule, and the test named in its first
# line must fail then.
#
#   tests/teeth/run.sh                every patch (long)
#   tests/teeth/run.sh 5 [SEED]       five of them, drawn at random
#   tests/teeth/run.sh s16 decide-a   those whose names begin so
#
# A patch begins with a line `# test: ARGUMENTS OF cargo test`. It is applied to a copy of the project.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)

mapfile -t patches < <(cd "$here" && ls -- *.patch)
if [[ $# -gt 0 && $1 =~ ^[0-9]+$ ]]; then
    seed=${2:-$RANDOM}
    echo "drawing $1 of ${#patches[@]} patches, seed $seed"
    mapfile -t patches < <(printf '%s\n' "${patches[@]}" |
        awk -v seed="$seed" 'BEGIN { srand(seed) } { print rand() "\t" $0 }' | sort -n | cut -f2 | head -n "$1")
elif [[ $# -gt 0 ]]; then
    chosen=()
    for name in "${patches[@]}"; do
        for begin in "$@"; do [[ $name == "$begin"* ]] && chosen+=("$name"); done
    done
    patches=("${chosen[@]}")
fi

work=$(mktemp -d "${TMPDIR:-/tmp}/teeth.XXXXXX")
trap 'rm -rf "$work"' EXIT
export CARGO_TARGET_DIR=${TEETH_TARGET_DIR:-$root/target/teeth}
copy() { (cd "$root" && git ls-files -z --cached --others --exclude-standard | tar --null -T - -cf - --ignore-failed-read 2>/dev/null) | tar -xf - -m -C "$work"; }
# (-m: newer than all that an earlier run has built with its patches)
copy

# A crate of many modules is built with the one that is asked for and those it uses: `--test behaviour groups::waits::..`.
only() {
    [[ $1 =~ --test\ ([a-z_]+)\ ([a-z0-9_]+):: ]] || return 0
    local crate=$work/tests/${BASH_REMATCH[1]} wanted=common next=${BASH_REMATCH[2]}
    [[ -f $crate/main.rs ]] || return 0
    while [[ -n $next ]]; do
        wanted="$wanted|$next"
        next=$(cd "$crate" && for module in ${wanted//|/ }; do cat "$module.rs" "$module"/*.rs 2>/dev/null || true; done |
            sed -nE 's/.*use crate::([a-z0-9_]+)::.*/\1/p' | sort -u | grep -vxE "$wanted" | paste -sd'|' || true)
    done
    cp "$root/tests/${BASH_REMATCH[1]}/main.rs" "$crate/main.rs"
    sed -i -E "/^(pub )?mod /{/mod ($wanted);/!d}" "$crate/main.rs"
}

toothless=0
for name in "${patches[@]}"; do
    patch=$here/$name
    test=$(sed -n '1s/^# test: //p' "$patch")
    if [[ -z $test ]]; then
        echo "BAD   $name: its first line names no test"
        toothless=$((toothless + 1))
        continue
    fi
    # (--fuzz=0: a patch whose surroundings have changed may land elsewhere)
    if ! (cd "$work" && patch -p1 --quiet --fuzz=0 --no-backup-if-mismatch <"$patch"); then
        echo "STALE $name: does not apply any more"
        toothless=$((toothless + 1))
        rm -rf "${work:?}"/* && copy
        continue
    fi
    only "$test"
    # shellcheck disable=SC2086  # the arguments are meant to be split
    if ! (cd "$work" && cargo test --quiet --no-run ${test%% -- *}) >"$work.log" 2>&1; then
        echo "BAD   $name: does not compile"
        grep -E '^error' -A5 "$work.log" | head -12
        toothless=$((toothless + 1))
    else
        code=0
        # shellcheck disable=SC2086
        (cd "$work" && timeout 120 cargo test --quiet $test) >"$work.log" 2>&1 || code=$?
        case $code in
            0) echo "NO    $name: $test passes" && toothless=$((toothless + 1)) ;;
            124) echo "HANGS $name: $test does not end" && toothless=$((toothless + 1)) ;;
            *) echo "bites $name" ;;
        esac
    fi
    sed -nE 's|^\+\+\+ b/([^[:space:]]+).*|\1|p' "$patch" | while read -r file; do cp "$root/$file" "$work/$file"; done
done
rm -f "$work.log"
echo "$((${#patches[@]} - toothless)) passed, $toothless failed"
[[ $toothless -eq 0 ]]
