#!/usr/bin/env bash
# Shows that the tests notice a broken rule: each patch in this folder is a mutant that breaks one rule, and the test
# named in its first line must fail then.
#
#   verify/mutants/run.sh                every mutant (long)
#   verify/mutants/run.sh 5 [SEED]       five of them, chosen at random
#   verify/mutants/run.sh s16 decide-a   the mutants whose names begin like this
#
# A patch begins with a line `# test: ARGUMENTS OF cargo test`. It is applied to a copy of the project.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)

mapfile -t patches < <(cd "$here" && ls -- *.patch)
if [[ $# -gt 0 && $1 =~ ^[0-9]+$ ]]; then
    seed=${2:-$RANDOM}
    echo "drawing $1 of ${#patches[@]} mutants, seed $seed"
    mapfile -t patches < <(printf '%s\n' "${patches[@]}" |
        awk -v seed="$seed" 'BEGIN { srand(seed) } { print rand() "\t" $0 }' | sort -n | cut -f2 | head -n "$1")
elif [[ $# -gt 0 ]]; then
    chosen=()
    for name in "${patches[@]}"; do
        for begin in "$@"; do [[ $name == "$begin"* ]] && chosen+=("$name"); done
    done
    patches=("${chosen[@]}")
fi
[[ ${#patches[@]} -gt 0 ]] || { echo "no mutant has such a name: $*"; exit 2; }

work=$(mktemp -d "${TMPDIR:-/tmp}/mutants.XXXXXX")
trap 'rm -rf "$work"' EXIT
export CARGO_TARGET_DIR=${MUTANTS_TARGET_DIR:-$root/target/mutants}
copy() { (cd "$root" && git ls-files -z --cached --others --exclude-standard | tar --null -T - -cf - --ignore-failed-read 2>/dev/null) | tar -xf - -m -C "$work"; }
# (-m: newer than the build of an earlier run with its patches)
copy

# The module that `$1::$2` names in the crate of tests here: `groups/waits`, or `nodes` if `$1` is a file.
module() {
    if [[ -f $1/mod.rs ]]; then
        [[ -f $1/$2.rs || -f $1/$2/mod.rs ]] && echo "$1/$2"
    elif [[ -f $1.rs ]]; then
        echo "$1"
    fi
}

# A crate of many modules is built only with the requested module and the modules that it uses: for `--test behaviour
# groups::waits::..` these are `groups/waits` and the modules in its `crate::..` paths.
only() {
    [[ $1 =~ --test\ ([a-z_]+)\ ([a-z0-9_]+)::([a-z0-9_]+) ]] || return 0
    local name=${BASH_REMATCH[1]} first=${BASH_REMATCH[2]} second=${BASH_REMATCH[3]}
    cd "$work/tests/$name" 2>/dev/null && [[ -f main.rs ]] || return 0
    local wanted=() next=("$(module "$first" "$second")") found topic file
    [[ ${next[0]} ]] || return 0
    while [[ ${#next[@]} -gt 0 ]]; do
        wanted+=("${next[@]}")
        found=$(for file in "${next[@]}"; do cat "$file.rs" "$file"/*.rs "${file%/*}/mod.rs" 2>/dev/null || true; done |
            grep -oE '\bcrate::[a-z0-9_]+(::[a-z0-9_]+)?' | sort -u | while IFS=: read -r _ _ topic _ file; do
                module "$topic" "$file"
            done | sort -u | grep -vxF "$(printf '%s\n' "${wanted[@]}")" || true)
        mapfile -t next <<<"$found"
        [[ $found ]] || next=()
    done
    local topics files
    topics=$(printf '%s\n' common "${wanted[@]%%/*}" | sort -u | paste -sd'|')
    sed -i -E "/^(pub )?mod /{/mod ($topics);/!d}" main.rs
    for topic in "${wanted[@]}"; do
        [[ $topic == */* ]] || continue
        files=$(printf '%s\n' "${wanted[@]}" | sed -n "s|^${topic%%/*}/||p" | paste -sd'|')
        sed -i -E "/^(pub )?mod /{/mod ($files);/!d}" "${topic%%/*}/mod.rs"
    done
}

# Reverts the changes of `only` in the copy.
whole() {
    local file
    for file in $(cd "$root" && git ls-files 'tests/*/main.rs' 'tests/behaviour/*/mod.rs'); do
        cmp -s "$root/$file" "$work/$file" || cp "$root/$file" "$work/$file"
    done
}

missed=0
for name in "${patches[@]}"; do
    patch=$here/$name
    test=$(sed -n '1s/^# test: //p' "$patch")
    if [[ -z $test ]]; then
        echo "BROKEN   $name: its first line names no test"
        missed=$((missed + 1))
        continue
    fi
    # (--fuzz=0: a patch whose context has changed may be applied elsewhere)
    if ! (cd "$work" && patch -p1 --quiet --force --fuzz=0 --no-backup-if-mismatch <"$patch" >/dev/null); then
        echo "STALE    $name: does not apply any more"
        missed=$((missed + 1))
        rm -rf "${work:?}"/* && copy
        continue
    fi
    whole
    (only "$test")
    # shellcheck disable=SC2086  # the arguments are meant to be split
    if ! (cd "$work" && cargo test --quiet --no-run ${test%% -- *}) >"$work.log" 2>&1; then
        echo "BROKEN   $name: does not compile"
        grep -E '^error' -A5 "$work.log" | head -12
        missed=$((missed + 1))
    else
        code=0
        # shellcheck disable=SC2086
        (cd "$work" && timeout 120 cargo test --quiet $test) >"$work.log" 2>&1 || code=$?
        case $code in
            0) echo "SURVIVED $name: $test passes" && missed=$((missed + 1)) ;;
            124) echo "HANGS    $name: $test does not end" && missed=$((missed + 1)) ;;
            *) echo "caught   $name" ;;
        esac
    fi
    sed -nE 's|^\+\+\+ b/([^[:space:]]+).*|\1|p' "$patch" | while read -r file; do cp "$root/$file" "$work/$file"; done
done
rm -f "$work.log"
echo "$((${#patches[@]} - missed)) caught, $missed survived, stale or broken"
[[ $missed -eq 0 ]]
