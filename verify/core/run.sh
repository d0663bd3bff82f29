#!/usr/bin/env bash
# Mutants of the decision core and of the rules about settings, by cargo-mutants.
#
#   verify/core/run.sh                  all of them (hours)
#   verify/core/run.sh 10 SEED          about ten, chosen at random with this seed
#   verify/core/run.sh -f 'PATTERN'     the mutants in matching files; any option of `cargo mutants`
#
# Fails if a mutant survives that `survivors.txt` does not list.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
version=27.1.0
[[ $(cargo mutants --version 2>/dev/null) == *"$version"* ]] ||
    cargo install --quiet --locked --version "$version" cargo-mutants

work=$(mktemp -d "${TMPDIR:-/tmp}/core.XXXXXX")
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/all/core" "$work/all/docs"
cp -r "$root/supervise-core/src" "$work/all/core/src"
cp "$root/docs/semantics-table.md" "$work/all/docs/"
cp "$here/core.toml" "$work/all/core/Cargo.toml"
cp -r "$root/supervise-rules" "$work/all/rules"
cp "$here/workspace.toml" "$work/all/Cargo.toml"
cp "$root/Cargo.lock" "$work/all/Cargo.lock"
cd "$work/all"

options=(--workspace -f 'core/src/decide/**' -f 'core/src/values/backoff.rs' -f 'rules/src/**')
if [[ ${1:-} =~ ^[0-9]+$ ]]; then
    all=$(cargo mutants --list "${options[@]}" 2>/dev/null | wc -l)
    shards=$((all / $1))
    shard=$((${2:-$RANDOM} % shards))
    echo "shard $shard of $shards: about $1 of $all mutants"
    options+=(--shard "$shard/$shards" --sharding round-robin)
elif [[ $# -gt 0 ]]; then
    options=(--workspace "$@")
fi
# In a walk that fails, the first failure is enough.
export DECIDE_SHRINK=0 RUST_BACKTRACE=0
run() {
    local code=0
    cargo mutants --no-times --colors never --timeout "$2" --jobs "${JOBS:-2}" --output "$work/$1" "${@:3}" || code=$?
    [[ $code -eq 0 || $code -eq 2 || $code -eq 3 ]] || exit "$code" # 2: some survived, 3: some did not end
}
# Half of the walks come through every cell, and catch nearly all mutants; the survivors face all walks, and a million children.
mkdir "$work/quick" "$work/whole"
DECIDE_CASES=20000 run quick 90 "${options[@]}" -- -- --skip a_million
cp "$work/quick/mutants.out/missed.txt" "$work/missed.txt"
if [[ -s $work/missed.txt ]]; then
    options=(--workspace)
    while read -r name; do
        options+=(--re "^$(sed 's/[][\\.*^$+?(){}|]/\\&/g' <<<"$name")$")
    done <"$work/missed.txt"
    run whole 300 "${options[@]}"
    cp "$work/whole/mutants.out/missed.txt" "$work/missed.txt"
fi
late=$(cat "$work"/*/mutants.out/timeout.txt | wc -l)
caught=$(cat "$work"/*/mutants.out/caught.txt | wc -l)
# Without line and column, which change with every edit.
sed -E 's/:[0-9]+:[0-9]+: / /' "$work/missed.txt" | sort -u >"$work/survivors.txt"
known=$(grep -v '^#' "$here/survivors.txt" | sed 's/ # .*//' | sort -u || true)
new=$(comm -23 "$work/survivors.txt" <(printf '%s\n' "$known"))
survived=$(grep -c . <<<"$new" || true)
[[ -z $new ]] || printf 'SURVIVED %s\n' "$new"
echo "$((caught + late)) passed, $survived failed"
[[ $((caught + late)) -gt 0 ]] || { echo "no mutant was tried"; exit 2; }
[[ -z $new ]]
