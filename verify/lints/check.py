#!/usr/bin/env python3
"""Counts the lints of clippy's `restriction` group in the code that the macros generate, and prints each. Exits with 1
if there is one. Lints at the user's own tokens do not count.
"""
import collections
import json
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
MACROS = ("supervisor!", "child!", "decider!", "strategy!", "#[actor]", "#[derive(Actor)]")


def generated(span):
    """Whether one of our macros generated the span, as opposed to the user's tokens in the macro call."""
    while span:
        expansion = span.get("expansion")
        if expansion is None:
            return False
        if expansion["macro_decl_name"] in MACROS:
            return True
        span = expansion["span"]
    return False


# Rebuilds the crate, since clippy reports nothing for a fresh build.
(HERE / "src" / "lib.rs").touch()
run = subprocess.run(
    ["cargo", "clippy", "--quiet", "--message-format=json", "--", "--cap-lints=warn", "-Wclippy::restriction"],
    cwd=HERE, capture_output=True, text=True)
messages = [json.loads(line) for line in run.stdout.splitlines()]
lints = [m["message"] for m in messages if m["reason"] == "compiler-message" and m["message"]["code"]]
if len(lints) < 20:
    sys.exit(f"clippy found only {len(lints)} lints in the user's code: did it run?\n{run.stderr}")
found = collections.Counter()
for message in lints:
    if any(generated(span) for span in message["spans"] if span["is_primary"]):
        found[message["code"]["code"]] += 1
        if found[message["code"]["code"]] == 1:
            print(message["rendered"])
print(f"{len(lints)} lints of the user's code, {sum(found.values())} of generated code", dict(found))
sys.exit(bool(found))
