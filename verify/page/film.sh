#!/usr/bin/env bash
# Makes docs/images/heals.gif again, the picture of the README: the database of the console's demo fails and is up again.
# Takes a minute. Needs what `run.sh` has installed, and Python 3.
set -euo pipefail
cd "$(dirname "$0")"
export CARGO_INCREMENTAL=0 CARGO_PROFILE_DEV_DEBUG=0

tools=${CARGO_TARGET_DIR:-$PWD/../../target}/film
frames=$(mktemp -d)
trap 'rm -rf "$frames"' EXIT
cargo build --quiet --manifest-path ../../Cargo.toml -p supervise-console --example console
[[ -x $tools/bin/python ]] || python3 -m venv "$tools"
"$tools/bin/python" -c "import PIL" 2>/dev/null || "$tools/bin/pip" install --quiet pillow==13.0.0
said=$(node film.mjs "$frames")
echo "$said"
failed=$(sed -n 's/^failed after \([0-9]*\) ms.*/\1/p' <<<"$said")
"$tools/bin/python" film.py "$frames" "$PWD/../../docs/images/heals.gif" "$failed"
