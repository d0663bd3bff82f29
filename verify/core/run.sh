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
mkdir -p "$work/all/core/src" "$work/all/core/docs"
cp -r "$root"/supervise-runtime/src/{base,values,decide} "$work/all/core/src/"
cp "$root/docs/semantics-table.md" "$work/all/core/docs/"
sed -i 's|../../../../docs/|../../../docs/|' "$work/all/core/src/decide/tests/table.rs"
cp "$here/core.toml" "$work/all/core/Cargo.toml"
cp "$here/lib.rs" "$work/all/core/src/lib.rs"
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
code=0
cargo mutants --no-times --colors never --timeout 120 --output "$work" "${options[@]}" || code=$?
[[ $code -eq 0 || $code -eq 2 || $code -eq 3 ]] || exit "$code" # 2: some survived, 3: some did not end
caught=$(wc -l <"$work/mutants.out/caught.txt")
late=$(wc -l <"$work/mutants.out/timeout.txt")
# Without line and column, which change with every edit.
sed -E 's/:[0-9]+:[0-9]+: / /' "$work/mutants.out/missed.txt" | sort -u >"$work/missed.txt"
known=$(grep -v '^#' "$here/survivors.txt" | sed 's/ # .*//' | sort -u || true)
new=$(comm -23 "$work/missed.txt" <(printf '%s\n' "$known"))
survived=$(grep -c . <<<"$new" || true)
[[ -z $new ]] || printf 'SURVIVED %s\n' "$new"
echo "$((caught + late)) passed, $survived failed"
[[ -z $new ]]
