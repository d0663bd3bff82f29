#!/usr/bin/env bash
# Builds the book of docs into target/book, and checks its pages, links, anchors and pictures.
set -euo pipefail
cd "$(dirname "$0")/../.."
version=0.4.52
[[ $(mdbook --version 2>/dev/null) == *"v$version" ]] || cargo install --quiet --locked --version "$version" mdbook
book=${CARGO_TARGET_DIR:-$PWD/target}/book
log=$(mktemp)
trap 'rm -f "$log"' EXIT
rm -rf "$book"
mdbook build docs --dest-dir "$book" 2>&1 | tee "$log"
# mdbook ends with success after a warning.
if grep -E '\[?(WARN|ERROR)' "$log"; then
    echo "the book is built with warnings"
    exit 1
fi
verify/book/check.py "$book"
