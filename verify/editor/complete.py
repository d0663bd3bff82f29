#!/usr/bin/env python3
"""Asks rust-analyzer for completions at the cursors of `cases.txt`, and checks them.

usage: complete.py [PART OF A CASE'S NAME]

Prints a line for each case and `N/M cases complete`; the exit status is 1 if any case fails. Nothing is
written to disk. Needs the `rust-analyzer` and `rust-src` components of the pinned toolchain.
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
SOURCE = HERE / "src" / "main.rs"


class Client:
    """A minimal language client: requests by id, notifications, and the server's status."""

    def __init__(self):
        self.server = subprocess.Popen(
            ["rust-analyzer"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd=HERE)
        self.last, self.replies, self.status = 0, {}, None
        self.news = threading.Condition()
        threading.Thread(target=self.listen, daemon=True).start()
        root = HERE.as_uri()
        self.request("initialize", {
            "processId": os.getpid(),
            "rootUri": root,
            "workspaceFolders": [{"uri": root, "name": "ide"}],
            "capabilities": {
                "textDocument": {"hover": {"contentFormat": ["plaintext"]}},
                "experimental": {"serverStatusNotification": True},
            },
            "initializationOptions": {
                "checkOnSave": False,
                "cachePriming": {"enable": False},
                "procMacro": {"enable": True},
                "cargo": {"buildScripts": {"enable": True}},
                "completion": {"autoimport": {"enable": False}, "postfix": {"enable": False}},
            },
        })
        self.notify("initialized", {})

    def send(self, message):
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.server.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        self.server.stdin.flush()

    def notify(self, method, params):
        self.send({"method": method, "params": params})

    def request(self, method, params):
        self.last += 1
        number = self.last
        self.send({"id": number, "method": method, "params": params})
        self.wait(lambda: number in self.replies, method)
        return self.replies.pop(number).get("result")

    def wait(self, done, what, seconds=300):
        end = time.monotonic() + seconds
        with self.news:
            while not done():
                if time.monotonic() > end or self.server.poll() is not None:
                    sys.exit(f"rust-analyzer gave no answer: {what}")
                self.news.wait(1)

    def ready(self):
        self.wait(lambda: self.status and self.status.get("quiescent"), "it is not ready")
        if self.status.get("health") == "error":
            sys.exit(f"rust-analyzer: {self.status.get('message')}")

    def listen(self):
        out = self.server.stdout
        while header := out.readline():
            length = int(header.split(b":")[1]) if header.lower().startswith(b"content-length") else None
            while out.readline().strip():
                pass
            message = json.loads(out.read(length))
            with self.news:
                if "method" in message and "id" in message:
                    self.send({"id": message["id"], "result": None})
                elif "id" in message:
                    self.replies[message["id"]] = message
                elif message["method"] == "experimental/serverStatus":
                    self.status = message["params"]
                self.news.notify_all()


def cases():
    """(name, kind, wanted, [(old, [new, ..])])"""
    found = []
    for line in (HERE / "cases.txt").read_text().splitlines():
        sign, _, rest = line.partition(" ")
        if not line or sign == "#":
            continue
        if sign == "=":
            found.append([rest, None, None, []])
        elif sign in ("expect:", "hover:"):
            found[-1][1:3] = sign[:-1], rest
        elif sign == "-":
            found[-1][3].append((rest, []))
        elif sign == "+":
            found[-1][3][-1][1].append(rest)
        else:
            sys.exit(f"cases.txt: not understood: {line}")
    return found


def with_cursor(source, name, changes):
    """The changed source without its cursor, and the position of the cursor."""
    lines = source.splitlines()
    for old, new in changes:
        places = [i for i, line in enumerate(lines) if line.strip() == old]
        if len(places) != 1:
            sys.exit(f"{name}: {len(places)} lines of src/main.rs read `{old}`")
        indent = lines[places[0]][:len(lines[places[0]]) - len(old)]
        lines[places[0]:places[0] + 1] = [indent + line for line in new]
    row = next((i for i, line in enumerate(lines) if "$0" in line), None)
    if row is None:
        sys.exit(f"{name}: no cursor")
    place = {"line": row, "character": lines[row].index("$0")}
    return "\n".join(lines).replace("$0", "", 1) + "\n", place


def main(wanted_name=""):
    source, uri = SOURCE.read_text(), SOURCE.as_uri()
    client = Client()
    client.notify("textDocument/didOpen", {
        "textDocument": {"uri": uri, "languageId": "rust", "version": 1, "text": source}})
    client.ready()
    chosen = [case for case in cases() if wanted_name in case[0]]
    passed = 0
    for version, (name, kind, wanted, changes) in enumerate(chosen, start=2):
        text, place = with_cursor(source, name, changes)
        client.notify("textDocument/didChange", {
            "textDocument": {"uri": uri, "version": version}, "contentChanges": [{"text": text}]})
        at = {"textDocument": {"uri": uri}, "position": place}
        if kind == "hover":
            reply = client.request("textDocument/hover", at)
            offered = [reply["contents"]["value"]] if reply else []
            good = any(wanted in text for text in offered)
        else:
            reply = client.request("textDocument/completion", {**at, "context": {"triggerKind": 1}}) or []
            items = reply["items"] if isinstance(reply, dict) else reply
            offered = [item["label"] for item in items]
            labels = [label.strip() for label in wanted.split(",")]
            # An item may continue with its arguments: `Bounded(…)`, `within =`.
            is_it = lambda item, label: re.split(r"\W", item.rsplit("::", 1)[-1])[0] == label or item == label
            good = all(any(is_it(item, label) for item in offered) for label in labels)
        passed += good
        print("ok  " if good else "FAIL", name, "" if good else f"({kind}: {wanted}; got {offered[:12]})")
    client.server.kill()
    print(f"{passed}/{len(chosen)} cases complete")
    return 0 if passed == len(chosen) and chosen else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
