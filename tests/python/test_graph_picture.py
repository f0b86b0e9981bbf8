# SPDX-License-Identifier: Apache-2.0
"""Pictures of backward graphs: the layout, what is drawn, and the command that draws it."""

from __future__ import annotations

import itertools
import pathlib
import re
import subprocess
import sys
import xml.etree.ElementTree as xml

import pytest
import tenon
from tenon.__main__ import main
from tenon.autograd.graph import draw, get_gradient_edge
from tenon.autograd.layout import layered
from tenon.autograd.picture import picture, text

SVG = "{http://www.w3.org/2000/svg}"
DOCS = pathlib.Path(__file__).resolve().parents[2] / "docs"


def leaf(*sizes):
    return tenon.ones(*sizes, requires_grad=True)


def words(svg):
    """Returns the texts in a picture."""
    return [one.text for one in xml.fromstring(svg).iter(f"{SVG}text")]


# ---- Layout --------------------------------------------------------------------------------------


def test_edges_lead_down_and_boxes_do_not_touch():
    sizes = [(40 + 13 * (box % 5), 20 + 5 * (box % 3)) for box in range(40)]
    edges = [(begin, end) for begin in range(40) for end in range(begin + 1, 40, 7 + begin % 4)]
    laid = layered(sizes, edges, gap=16, rise=30)
    for (begin, end), bends in zip(edges, laid.bends, strict=True):
        path = [laid.boxes[begin], *bends, laid.boxes[end]]
        assert all(upper.y < lower.y for upper, lower in itertools.pairwise(path))
    for one, other in itertools.combinations(range(40), 2):
        (x, y), (right, down) = laid.boxes[one], laid.boxes[other]
        if y == down:
            assert abs(x - right) >= (sizes[one][0] + sizes[other][0]) / 2 + 16 - 1e-6
        else:
            assert abs(y - down) >= (sizes[one][1] + sizes[other][1]) / 2
    for (x, y), (width, height) in zip(laid.boxes, sizes, strict=True):
        assert width / 2 - 1e-6 <= x <= laid.width - width / 2 + 1e-6
        assert height / 2 <= y <= laid.height - height / 2


def test_a_chain_is_straight_and_a_long_edge_bends_in_each_row():
    laid = layered([(50, 20)] * 4, [(0, 1), (1, 2), (2, 3)])
    assert {box.x for box in laid.boxes} == {25.0}
    assert [box.y for box in laid.boxes] == [10, 60, 110, 160]
    laid = layered([(50, 20)] * 4, [(0, 1), (1, 2), (2, 3), (0, 3)])
    assert [len(bends) for bends in laid.bends] == [0, 0, 0, 2]
    assert [bend.y for bend in laid.bends[3]] == [laid.boxes[1].y, laid.boxes[2].y]


def test_edges_are_uncrossed():
    # The edges 0 -> 3 and 1 -> 2 cross unless one row is reordered.
    laid = layered([(50, 20)] * 4, [(0, 3), (1, 2)])
    assert (laid.boxes[0].x < laid.boxes[1].x) == (laid.boxes[3].x < laid.boxes[2].x)


def test_boxes_are_directly_above_their_successors():
    # Box 3 only leads to the last one, so it moves down and no edge spans three rows.
    laid = layered([(50, 20)] * 4, [(0, 1), (1, 2), (3, 2)])
    assert laid.boxes[3].y == laid.boxes[1].y and laid.bends == [[], [], []]


def test_nothing_and_cycles():
    assert layered([], []) == ([], [], 0, 0)
    with pytest.raises(ValueError, match="cycle"):
        layered([(50, 20)] * 2, [(0, 1), (1, 0)])


# ---- What is drawn -------------------------------------------------------------------------------


def model():
    x, w = tenon.ones(4, 3), leaf(3, 5)
    h = (x @ w).relu()
    h[:2].mul_(2)
    return w, (h.t() * h.t()).sum()


def test_text_of_a_graph():
    w, loss = model()
    assert text(picture([loss], {"w": w, "loss": loss})) == (
        "loss () float32 <- 0\n"
        "   0 SumBackward0 <- 1\n"
        "   1 MulBackward0 <- 3, 2\n"
        "   2 PermuteBackward0 (view) <- 4\n"
        "   3 PermuteBackward0 (view) <- 4\n"
        "   4 CopySlices (write through a view) <- 5\n"
        "   5 ReluBackward0 <- 6\n"
        "   6 MmBackward0 <- 7\n"
        "   7 w  (3, 5) float32 (leaf)\n"
    )


def test_picture_has_names_shapes_and_kinds():
    w, loss = model()
    svg = draw(loss, params={"weight": w})
    assert words(svg).count("PermuteBackward0") == 2
    assert {"weight", "(3, 5) float32", "result", "() float32", "CopySlices"} <= set(words(svg))
    assert {"leaf", "call", "view", "write through a view"} <= set(words(svg))
    rects = xml.fromstring(svg).iter(f"{SVG}rect")
    # one of them is in the legend
    assert sum("stroke-dasharray" in rect.attrib for rect in rects) == 3
    assert svg == draw(loss, params=[("weight", w)])


@pytest.mark.parametrize("wide", [1, 12])
def test_everything_is_within_the_picture(wide):
    root = xml.fromstring(draw(sum(leaf(2) for _ in range(wide))))
    width, height = float(root.get("width")), float(root.get("height"))
    (group,) = root.iter(f"{SVG}g")
    shift, fall = map(float, re.findall(r"[\d.]+", group.get("transform")))
    for rect in group.iter(f"{SVG}rect"):
        x, y = float(rect.get("x")) + shift, float(rect.get("y")) + fall
        assert x >= 0 and x + float(rect.get("width")) <= width
        assert y >= 0 and y + float(rect.get("height")) <= height


def test_begins_at_tensors_nodes_and_edges():
    w, loss = model()
    node = loss.grad_fn
    assert words(draw(node)) == words(draw(get_gradient_edge(loss)))
    assert len(words(draw(loss, w.exp()))) > len(words(draw(loss)))
    assert words(draw(w))[:2] == ["leaf", "(3, 5) float32"]


def test_modules_name_their_parameters():
    class Named:
        weight = leaf(2)

        def named_parameters(self):
            yield "inner.weight", self.weight

    module = Named()
    assert "inner.weight" in words(draw(module.weight * 2, params=module))
    del Named.weight


def test_edges_have_result_numbers(library, ops):
    library.define("two(Tensor x) -> (Tensor, Tensor)")
    library.impl("two", lambda x: (x * 1, x * 2), "CPU")
    first, second = ops.two(leaf(2))
    shown = picture([first + second])
    assert " <- 1, 1[1]\n" in text(shown)
    assert [one for one in words(draw(first + second)) if one in "01"] == ["0", "1"]
    assert not [one for one in words(draw(first)) if one in "01"]


def test_saved_tensors_have_their_shapes():
    x, w = tenon.ones(4, 3), leaf(3, 5)
    y = (x @ w).exp()
    assert {"self: (4, 3) float32", "result: (4, 5) float32"} <= set(words(draw(y, saved=True)))
    assert not [one for one in words(draw(y)) if one.startswith(("self:", "result:"))]
    assert "_saved_result" in dir(y.grad_fn) and "_saved_result" not in dir(w.mean().grad_fn)
    y.sum().backward()
    assert "result: freed, or written since" in words(draw(y, saved=True))


def test_functions_show_saved_tensors():
    class Own(tenon.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x, None, x * 2)
            return x.sum()

        @staticmethod
        def backward(ctx, grad):
            return grad

    y = Own.apply(leaf(3))
    assert text(picture([y], saved=True)).splitlines()[1:] == [
        "   0 OwnBackward  saved_tensors: (3,) float32  saved_tensors: (3,) float32 <- 1",
        "   1 leaf  (3,) float32 (leaf)",
    ]


def test_beyond_the_limit_nodes_are_counted():
    w = leaf(2)
    h = w
    for _ in range(30):
        h = h * w
    shown = picture([h], {"w": w}, limit=10)
    assert shown.folded == 20 and len(shown.boxes) == 10 + 1 + 1 + 1
    assert "20 more" in words(draw(h, limit=10))
    # The calls that are left out and the earliest drawn call both use w.
    assert " ... 20 more <- 10\n" in text(shown) and "   9 MulBackward0 <- ..., 10\n" not in shown
    assert "   9 MulBackward0 <- 10, ...\n" in text(shown)
    assert "more" not in " ".join(words(draw(h, limit=30)))


def test_a_deep_graph_is_no_recursion():
    h = leaf(1)
    for _ in range(20000):
        h = h * 2
    assert "19901 more" in words(draw(h, limit=100))


def test_a_leaf_without_its_tensor():
    node = leaf(2).exp().grad_fn
    assert "its tensor is gone" in words(draw(node))


@pytest.mark.parametrize(
    ("begin", "options", "error", "says"),
    [
        (lambda: 3, {}, TypeError, "draw: argument must be a tensor, a node or an edge, got int"),
        (lambda: tenon.ones(2), {}, RuntimeError, "draw: tensor must require grad"),
        (lambda: leaf(2) * 2, {"limit": 0}, TypeError, "draw: limit must be at least 1, got 0"),
    ],
)
def test_wrong_arguments(begin, options, error, says):
    with pytest.raises(error, match=says):
        draw(begin(), **options)


# ---- The command ---------------------------------------------------------------------------------

SCRIPT = """
import sys, tenon
w = tenon.ones(2, requires_grad=True)
ws = [tenon.ones(2, requires_grad=True)]
early = w * 2
late = (early + ws[0]).sum() * len(sys.argv)
plain = tenon.ones(2)
"""


@pytest.fixture
def script(tmp_path):
    path = tmp_path / "script.py"
    path.write_text(SCRIPT)
    return path


def said(capsys, *arguments):
    assert main(["graph", *map(str, arguments)]) == 0
    return capsys.readouterr().out


def test_command_takes_the_last_tracked_global(capsys, script):
    found = said(capsys, script)
    assert found.startswith("late () float32 <- 0\n")
    assert " w  (2,) float32 (leaf)\n" in found and " ws[0]  (2,) float32 (leaf)\n" in found


def test_command_takes_a_name_code_and_arguments(capsys, script):
    assert said(capsys, script, "--tensor", "early").startswith("early (2,) float32 <- 0\n")
    assert said(capsys, "--tensor", "w", "-c", SCRIPT) == "   0 w  (2,) float32 (leaf)\n"
    code = SCRIPT + "\nassert sys.argv[1:] == ['-a', 'b'], sys.argv"
    assert "late" in said(capsys, "-c", code, "--", "-a", "b")
    assert " ... 5 more" in said(capsys, script, "--limit", "1")
    found = said(
        capsys, "--saved", "-c", "import tenon; y = tenon.ones(2, requires_grad=True).exp()"
    )
    assert "ExpBackward0  result: (2,) float32 <- 1" in found


def test_command_draws(capsys, script, tmp_path):
    path = tmp_path / "graph.svg"
    assert said(capsys, "--svg", path, script) == ""
    assert {"late", "ws[0]", "MulBackward0"} <= set(words(path.read_text()))
    assert "<svg" in said(capsys, "--svg", "-", script)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["nowhere.py"], "nowhere.py: script must exist, got none"),
        (["-c", "\n1/0"], "<command>:2: ZeroDivisionError"),
        (["-c", "import sys; sys.exit(3)"], "<command>:1: SystemExit: 3"),
        (["-c", "x = 1"], "script must leave a tracked tensor in a global, got none"),
        (["--tensor", "nope", "-c", SCRIPT], "must name one of the script's globals, got 'nope'"),
        (["--tensor", "sys", "-c", SCRIPT], "must name a tracked tensor, got 'sys': module"),
        (["--tensor", "plain", "-c", SCRIPT], "tensor, got 'plain': one that is not tracked"),
        (["--limit", "0", "-c", SCRIPT], "--limit must be at least 1, got 0"),
        (["--svg", "/nowhere/x.svg", "-c", SCRIPT], "/nowhere/x.svg: No such file"),
    ],
)
def test_errors_are_one_line(capsys, arguments, says):
    assert main(["graph", *arguments]) == 1
    caught = capsys.readouterr()
    assert caught.out == "" and caught.err.startswith("tenon: ") and says in caught.err
    assert len(caught.err.splitlines()) == 1


def test_the_picture_on_the_page_is_current(tmp_path):
    """The code and the command on `docs/autograd.md` draw `docs/graph.svg`."""
    page = (DOCS / "autograd.md").read_text()
    code, command = re.search(
        r"```python\n(# model\.py\n.*?)```\n+```sh\n(python -m tenon graph [^\n]+)\n```", page, re.S
    ).groups()
    (tmp_path / "model.py").write_text(code)
    words_of_it = [sys.executable, *command.split()[1:]]
    done = subprocess.run(words_of_it, cwd=tmp_path, capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert (tmp_path / "graph.svg").read_text() == (DOCS / "graph.svg").read_text(), (
        f"docs/graph.svg must be what this writes, with model.py from docs/autograd.md: {command}"
    )
