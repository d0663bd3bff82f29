#!/usr/bin/env python3
"""Checks the links between the pages of rustdoc: each leads to a page that is there, and to a place in it.

usage: doclinks.py TARGET/doc

rustdoc checks the links that it resolves itself. A page of the core names an item of the runtime by the address that the
item has in the face crate once that is published, which rustdoc copies as it is.
"""
import pathlib
import re
import sys
from urllib.parse import unquote, urlsplit

root = pathlib.Path(sys.argv[1]).resolve()
PUBLISHED = "https://docs.rs/supervise-tree/latest/"
text = {}


def page(path):
    if path not in text:
        text[path] = path.read_text() if path.is_file() else None
    return text[path]


wrong, read = set(), 0
for path in sorted(root.glob("supervise*/**/*.html")):
    # The links in texts. Those in signatures are rustdoc's own, and have a class.
    for link in re.findall(r'<a href="([^"]*)"(?! class)', page(path)):
        published = link.startswith(PUBLISHED + "supervise/")
        parts = urlsplit(link.removeprefix(PUBLISHED) if published else link)
        if parts.scheme or parts.netloc:
            continue
        read += 1
        to = path if not parts.path else ((root if published else path.parent) / unquote(parts.path)).resolve()
        if to.suffix != ".html" or root / "src" in to.parents:
            continue
        found = page(to)
        if found is None:
            wrong.add(f"{path.relative_to(root)}: no page {link}")
        elif 'http-equiv="refresh"' in found:
            continue  # leads on to the page of a re-export
        elif parts.fragment and not any(f'id="{place}"' in found for place in (parts.fragment, unquote(parts.fragment))):
            wrong.add(f"{path.relative_to(root)}: no place {link}")
print(f"{read} links between pages of the documentation, {len(wrong)} wrong")
print("\n".join(sorted(wrong)[:60]))
sys.exit(bool(wrong) or read < 1000)
