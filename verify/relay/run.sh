#!/usr/bin/env bash
# Builds the relay, and lets its parts fail one after the other. Needs Python 3 and `pgrep`.
set -euo pipefail
cd "$(dirname "$0")"
export CARGO_INCREMENTAL=0 CARGO_PROFILE_DEV_DEBUG=0
cargo build --quiet
python3 check.py "${CARGO_TARGET_DIR:-target}/debug/relay"
