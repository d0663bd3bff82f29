#!/usr/bin/env bash
# Compares the files of each package with the committed list, and builds the packages from their archives.
# `UPDATE=1` writes the list.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
cd "$here/../.."
list=$(mktemp)
trap 'rm -f "$list"' EXIT
for package in supervise-rules supervise-core supervise-runtime supervise-macros supervise-lease supervise-observe supervise-testing \
    supervise-tree supervise-console supervise-remote supervise-top supervise-remote-zenoh; do
    root=.
    [[ $package != supervise-remote-zenoh ]] || root=$package # a workspace of its own
    # Cargo adds `.cargo_vcs_info.json` only where the work tree has no changes.
    cargo package --list --quiet --allow-dirty --manifest-path "$root/Cargo.toml" --package "$package" | grep -v '^\.cargo_vcs_info' |
        LC_ALL=C sort | sed "s|^|$package/|"
done >"$list"
if [[ ${UPDATE:-} ]]; then
    cp "$list" "$here/contents.txt"
elif ! diff -u "$here/contents.txt" "$list"; then
    echo "the contents of a package have changed; if they are meant to, run: UPDATE=1 verify/packages/run.sh"
    exit 1
fi
# A package with an unpublished sibling is built against the archive of that sibling. Cargo keeps what it has unpacked and
# built of such an archive by name and version, even if the archive has changed since.
rm -rf "${CARGO_HOME:-$HOME/.cargo}"/registry/src/-*/supervise-* "${CARGO_TARGET_DIR:-target}"/debug/.fingerprint/supervise-*
cargo publish --workspace --dry-run --quiet --allow-dirty
