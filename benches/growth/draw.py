"""A line plot as SVG, readable in dark and in light mode."""

import math
from xml.sax.saxutils import escape

WIDTH, HEIGHT = 760, 440
LEFT, RIGHT, TOP, BOTTOM = 80, 20, 50, 60
# Colours that stay apart for colour-blind readers, for a light and a dark background. Lines of one system differ by dash.
COLOURS = {"ours": ("#0060c0", "#58a6ff"), "limit": ("#b45309", "#f0a040")}
DASHES = ["", "7 4", "2 4"]
MARKS = ["circle", "square", "diamond"]


def fnv(text):
    """A hash, by which a test knows the numbers that a picture shows."""
    value = 0xCBF29CE484222325
    for byte in text.encode():
        value = (value ^ byte) * 0x100000001B3 % 2**64
    return f"{value:016x}"


def label(value):
    for limit, unit in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if value >= limit:
            return f"{value / limit:g}{unit}"
    return f"{value:g}"


class Axis:
    """Maps values to pixels on a logarithmic scale, or categories to equal distances."""

    def __init__(self, values, begin, end, categories=None):
        self.begin, self.end, self.categories = begin, end, categories
        if categories:
            self.places = sorted(set(values))
            self.ticks = [(at, name) for at, name in zip(self.places, categories)]
            self.fine = []
            return
        low, high = math.log10(min(values)), math.log10(max(values))
        spread = max(high - low, 0.3)
        self.low, self.high = low - 0.06 * spread, high + 0.06 * spread
        decades = range(math.floor(self.low), math.ceil(self.high) + 1)
        steps = [1] if self.high - self.low > 2 else [1, 2, 5] if self.high - self.low > 0.7 else range(1, 10)
        inside = lambda value: self.low <= math.log10(value) <= self.high
        self.ticks = [(value, label(value)) for value in (m * 10**d for d in decades for m in steps) if inside(value)]
        self.fine = [value for value in (m * 10**d for d in decades for m in range(2, 10)) if inside(value)]

    def at(self, value):
        if self.categories:
            share = (self.places.index(value) + 0.5) / len(self.places)
        else:
            share = (math.log10(value) - self.low) / (self.high - self.low)
        return round(self.begin + share * (self.end - self.begin), 1)


def mark(kind, x, y, name):
    match kind:
        case "circle":
            return f'<circle class="{name} mark" cx="{x}" cy="{y}" r="3.5"/>'
        case "square":
            return f'<rect class="{name} mark" x="{x - 3:.1f}" y="{y - 3:.1f}" width="6" height="6"/>'
        case "diamond":
            return f'<path class="{name} mark" d="M{x} {y - 4.5:.1f}l4.5 4.5l-4.5 4.5l-4.5 -4.5z"/>'


def svg(title, x_name, y_name, lines, categories, numbers):
    xs = [x for points in lines.values() for x, _ in points]
    ys = [y for points in lines.values() for _, y in points]
    # The legend is below the picture, two entries in a row.
    names = list(lines)
    rows = (len(names) + 1) // 2
    height = HEIGHT + 20 * rows
    across = Axis(xs, LEFT, WIDTH - RIGHT, categories)
    upwards = Axis(ys, HEIGHT - BOTTOM, TOP)
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img" '
        f'font-family="system-ui, sans-serif" font-size="13">',
        f"<title>{escape(title)}</title>",
        f"<!-- numbers {fnv(numbers)} -->",
        "<style>",
        ".paper{fill:#ffffff}.text{fill:#1f2328}.grid{stroke:#d8dee4}.fine{stroke:#eff2f5}.frame{stroke:#656d76}",
        *(f".{name}{{stroke:{light};color:{light}}}" for name, (light, _) in COLOURS.items()),
        ".mark{fill:currentColor;stroke:none}.line{fill:none;stroke-width:2}.frame{fill:none}",
        "@media(prefers-color-scheme:dark){",
        ".paper{fill:#0d1117}.text{fill:#e6edf3}.grid{stroke:#30363d}.fine{stroke:#1c2128}.frame{stroke:#8b949e}",
        *(f".{name}{{stroke:{dark};color:{dark}}}" for name, (_, dark) in COLOURS.items()),
        "}",
        "</style>",
        f'<rect class="paper" width="{WIDTH}" height="{height}"/>',
        f'<text class="text" x="{LEFT}" y="28" font-size="17" font-weight="600">{escape(title)}</text>',
    ]
    for axis, along in ((across, True), (upwards, False)):
        for value, kind in [(value, "fine") for value in axis.fine] + [(value, "grid") for value, _ in axis.ticks]:
            at = axis.at(value)
            ends = (at, TOP, at, HEIGHT - BOTTOM) if along else (LEFT, at, WIDTH - RIGHT, at)
            out.append('<line class="{}" x1="{}" y1="{}" x2="{}" y2="{}"/>'.format(kind, *ends))
        for value, name in axis.ticks:
            place = (axis.at(value), HEIGHT - BOTTOM + 18) if along else (LEFT - 8, axis.at(value) + 4)
            anchor = "middle" if along else "end"
            out.append(f'<text class="text" x="{place[0]}" y="{place[1]:.1f}" text-anchor="{anchor}">{name}</text>')
    middle = ((LEFT + WIDTH - RIGHT) / 2, (TOP + HEIGHT - BOTTOM) / 2)
    out += [
        f'<rect class="frame" x="{LEFT}" y="{TOP}" width="{WIDTH - LEFT - RIGHT}" height="{HEIGHT - TOP - BOTTOM}"/>',
        f'<text class="text" x="{middle[0]}" y="{HEIGHT - 20}" text-anchor="middle">{escape(x_name)}</text>',
        f'<text class="text" transform="translate(20 {middle[1]}) rotate(-90)" text-anchor="middle">'
        f"{escape(y_name)}</text>",
    ]
    drawn = dict.fromkeys(COLOURS, 0)
    for number, name in enumerate(names):
        system = name.split(",")[0]
        style, dash = drawn[system] % len(DASHES), DASHES[drawn[system] % len(DASHES)]
        drawn[system] += 1
        dashed = f' stroke-dasharray="{dash}"' if dash else ""
        places = [(across.at(x), upwards.at(y)) for x, y in lines[name]]
        path = " ".join(f"{x},{y}" for x, y in places)
        out.append(f'<polyline class="{system} line"{dashed} points="{path}"/>')
        out += [mark(MARKS[style], x, y, system) for x, y in places]
        x, y = LEFT + (number % 2) * 330, HEIGHT + 4 + 20 * (number // 2)
        out.append(f'<line class="{system} line"{dashed} x1="{x}" y1="{y}" x2="{x + 34}" y2="{y}"/>')
        out.append(mark(MARKS[style], x + 17, y, system))
        out.append(f'<text class="text" x="{x + 42}" y="{y + 4}">{escape(name)}</text>')
    return "\n".join([*out, "</svg>"]) + "\n"
