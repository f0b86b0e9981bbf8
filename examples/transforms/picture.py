# SPDX-License-Identifier: Apache-2.0
"""Draws the results of the example as one SVG picture."""

import pathlib

from lens import FOCUS, HEIGHTS, ray
from tenon.func import vmap

_INK, _BLUE, _RED = "#333", "#4878a8", "#c0504d"


def _text(x, y, text, anchor="start", size=12):
    return f'<text x="{x:g}" y="{y:g}" font-size="{size}" text-anchor="{anchor}">{text}</text>'


def _line(points, colour, width=1.0):
    joined = " ".join(f"{x:.2f},{y:.2f}" for x, y in points)
    return f'<polyline points="{joined}" fill="none" stroke="{colour}" stroke-width="{width}"/>'


def _grey(level):
    shade = round(255 * (1 - level))
    return f"rgb({shade},{shade},{shade})"


def _image(x, y, side, pixels, colour_of):
    cell = side / len(pixels)
    for row, line in enumerate(pixels):
        for column, value in enumerate(line):
            yield (
                f'<rect x="{x + column * cell:.2f}" y="{y + row * cell:.2f}" width="{cell:.2f}" '
                f'height="{cell:.2f}" fill="{colour_of(value)}"/>'
            )


def hardest(x, y, cases):
    """Draws images with the largest gradients: (pixels, label, prediction, norm of gradient)."""
    yield _text(x, y, "largest gradients of single images: label, what is read, norm", size=13)
    for place, (pixels, label, read, norm) in enumerate(cases):
        left = x + 78 * place
        yield from _image(left, y + 12, 64, pixels, _grey)
        yield _text(left + 32, y + 92, f"{label}, read {read}, {norm:.1f}", "middle", 10)


def matrix(x, y, rows):
    """Draws a Hessian: blue above zero, red below."""
    top = max(abs(value) for row in rows for value in row)

    def colour(value):
        shade = round(255 * (1 - abs(value) / top))
        return f"rgb({shade},{shade},255)" if value > 0 else f"rgb(255,{shade},{shade})"

    yield _text(x, y, "Hessian of the loss by the ten biases", size=13)
    yield from _image(x, y + 12, 200, rows, colour)


def curves(x, y, first, second):
    """Draws losses by epoch."""
    width, height, top = 300, 200, max(*first, *second)

    def points(losses):
        for epoch, value in enumerate(losses):
            yield x + width * epoch / (len(losses) - 1), y + 12 + height * (1 - value / top)

    yield _text(x, y, "loss by epoch: float32 (blue), bfloat16 by autocast (red)", size=13)
    frame = [(x, y + 12), (x + width, y + 12), (x + width, y + 12 + height), (x, y + 12 + height)]
    yield _line([*frame, frame[0]], "#999")
    yield _line(points(first), _BLUE, 2.5)
    yield _line(points(second), _RED, 1.2)
    yield _text(x - 6, y + 20, f"{top:.1f}", "end", 10)
    yield _text(x - 6, y + 12 + height, "0", "end", 10)


def rays(x, y, title, surface):
    """Draws rays from the glass on the left to the focal plane."""
    scale, middle = 140, y + 110
    yield _text(x, y, title, size=13)
    sags, ends = (each.tolist() for each in vmap(ray, in_dims=(None, 0))(surface, HEIGHTS))
    heights = HEIGHTS.tolist()
    vertex = x + 100
    edge = [(vertex - s * scale, middle - h * scale) for s, h in zip(sags, heights, strict=True)]
    glass = [(x, edge[0][1]), *edge, (x, edge[-1][1])]
    joined = " ".join(f"{a:.2f},{b:.2f}" for a, b in glass)
    yield f'<polygon points="{joined}" fill="#dce9f5" stroke="{_INK}"/>'
    focus = vertex + FOCUS * scale
    for (left, height), end in zip(edge, ends, strict=True):
        beyond = 0.15 * FOCUS
        far = middle - end * scale + beyond / FOCUS * ((middle - end * scale) - height)
        yield _line([(x, height), (left, height), (focus + beyond * scale, far)], _RED, 0.7)
    yield _line([(focus, middle - 40), (focus, middle + 40)], _INK)


def write(path, parts):
    """Writes the picture."""
    body = "\n".join(parts)
    pathlib.Path(path).write_text(
        '<svg xmlns="http://www.w3.org/2000/svg" width="900" height="680" '
        'font-family="sans-serif">\n<rect width="100%" height="100%" fill="white"/>\n'
        f"{body}\n</svg>\n"
    )
