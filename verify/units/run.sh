#!/usr/bin/env bash
# Shows the printed units to systemd: `systemd-analyze verify` has nothing to say about them, and rejects the one whose
# command was not replaced. The units are those of tests/golden/outside, which the tests compare with what is printed.
set -euo pipefail
cd "$(dirname "$0")/../.."
if ! command -v systemd-analyze >/dev/null; then
    apt-get update -qq
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq systemd >/dev/null
fi
folder=$(mktemp -d "${TMPDIR:-/tmp}/units.XXXXXX")
trap 'rm -rf "$folder"' EXIT

count=0
for unit in tests/golden/outside/*.service; do
    name=$(basename "$unit")
    # As it is printed: the placeholder is no program.
    cp "$unit" "$folder/$name"
    if said=$(systemd-analyze --man=no verify "$folder/$name" 2>&1) && [[ -z $said ]]; then
        echo "$name: the command that has to be replaced was accepted"
        exit 1
    fi
    grep -q 'REPLACE/THIS' <<<"$said" || { echo "$name: another complaint: $said"; exit 1; }
    # With a program.
    sed -i 's|^ExecStart=.*|ExecStart=/bin/true|' "$folder/$name"
    said=$(systemd-analyze --man=no verify "$folder/$name" 2>&1) || { echo "$name: $said"; exit 1; }
    [[ -z $said ]] || { echo "$name: $said"; exit 1; }
    count=$((count + 1))
done
[[ $count -ge 2 ]] || { echo "only $count units found"; exit 1; }

# A mistake would be found.
sed -i 's|^TimeoutStopSec=.*|TimeoutStopSec=soon|' "$folder/corner-shop.service"
said=$(systemd-analyze --man=no verify "$folder/corner-shop.service" 2>&1) || true
grep -q 'Failed to parse' <<<"$said" || { echo "a mistake was accepted: $said"; exit 1; }
echo "$count units verified by $(systemd-analyze --version | head -n 1)"
