# SPDX-License-Identifier: Apache-2.0
"""Graphs with symbolic sizes: recorded on fakes, run with other sizes, equal to eager calls."""

import pytest
import tenon
from tenon import func, fx, graph
from tenon.nn import functional as F


def randn(*sizes):
    return tenon.randn(*sizes)


def tensors_of(result):
    return list(result) if isinstance(result, (list, tuple)) else [result]


def assert_same(graph_or_module, function, *inputs):
    got, wanted = tensors_of(graph_or_module(*inputs)), tensors_of(function(*inputs))
    assert len(got) == len(wanted)
    for a, b in zip(got, wanted, strict=True):
        assert tenon.equal(a, b)


# ---- What is dynamic ----------------------------------------------------------------------------


def test_one_recording_serves_all_sizes():
    # [quote.begin dynamic]
    def block(x, w):
        return (x @ w).relu().reshape(-1)

    traced = graph.trace(block, randn(4, 3), randn(3, 5), dynamic={"x": {0: "batch"}})
    for batch in (2, 4, 9):
        x, w = randn(batch, 3), randn(3, 5)
        assert tenon.equal(traced(x, w), block(x, w))
    # [quote.end]
    assert [size.name for size in traced.sizes] == ["batch"]
    assert traced.guards == []


def test_nothing_is_computed():
    def huge(x):
        return (x @ x.t()).sum()

    with tenon.FakeTensorMode():
        x = tenon.empty(1 << 20, 1 << 20)
    traced = graph.trace(huge, x, dynamic=True)
    assert traced.sizes[0].hint == 1 << 20
    assert_same(traced, huge, randn(3, 2))


def test_true_makes_each_size_a_symbol_of_its_own():
    traced = graph.trace(lambda x, w: x @ w, randn(4, 3), randn(3, 5), dynamic=True)
    assert [(s.name, s.dim, s.min, s.hint) for s in traced.sizes] == [
        ("s0", 0, 2, 4),
        ("s1", 1, 2, 3),
        ("s2", 0, 2, 3),
        ("s3", 1, 2, 5),
    ]
    (text, op, file, line) = traced.guards[0]
    assert (text, op) == ("s1 == s2", "aten::mm")
    assert file == __file__
    assert line > 0


@pytest.mark.parametrize(
    ("dynamic", "names"),
    [
        (({0: "n"}, None), ["n"]),
        ([("n", None), {}], ["n"]),
        ({0: {0: graph.Dim("n")}, 1: {1: "m"}}, ["n", "m"]),
        ({"x": True}, ["s0", "s1"]),
        (({0: graph.Dim.AUTO}, (graph.Dim.STATIC, graph.Dim.DYNAMIC)), ["s0", "s1"]),
        (({-1: "k"}, {0: "k"}), ["k"]),
        (({0: 4}, None), []),
        (({}, None), []),
    ],
)
def test_specifications(dynamic, names):
    traced = graph.trace(lambda x, w: x @ w, randn(4, 3), randn(3, 5), dynamic=dynamic)
    assert [size.name for size in traced.sizes] == names


def test_trees_of_inputs():
    def total(parts):
        return parts["a"].sum() + parts["b"][0].sum()

    given = {"a": randn(4), "b": [randn(4, 2)]}
    traced = graph.trace(total, given, dynamic=({"a": {0: "n"}, "b": [{0: "n"}]},))
    assert_same(traced, total, {"a": randn(6), "b": [randn(6, 2)]})
    with pytest.raises(
        tenon.error.InvalidArgumentError, match="x1 must be of size 7, which is n, at dim 0, got 6"
    ):
        traced({"a": randn(7), "b": [randn(6, 2)]})


@pytest.mark.parametrize(
    ("dynamic", "message"),
    [
        (({0: "n"},), "an entry for each of 2 inputs"),
        ({"y": True}, "x, w or 0 to 1, got 'y'"),
        (({2: "n"}, None), "from -2 to 1, got 2"),
        (((None,), None), "a tuple of 2"),
        (({0: 5}, None), "a size must be 4, got 5"),
        (({0: 1.5}, None), "a size must be a Dim"),
        (({0: "n", 1: "n"}, None), "n must be one size, got 4 and 3"),
        (({0: "not a name"}, None), "identifier"),
    ],
)
def test_wrong_specifications(dynamic, message):
    with pytest.raises(tenon.error.InvalidArgumentError, match=message):
        graph.trace(lambda x, w: x @ w, randn(4, 3), randn(3, 5), dynamic=dynamic)


def test_a_named_size_is_two_or_more():
    with pytest.raises(tenon.error.InvalidArgumentError, match="n must be 2 or more"):
        graph.trace(lambda x, w: x @ w, randn(1, 3), randn(3, 5), dynamic=({0: "n"}, None))


# ---- What a run checks --------------------------------------------------------------------------


def test_sizes_within_bounds():
    n = graph.Dim("n", min=3, max=6)
    traced = graph.trace(lambda x: x * 2, randn(4, 3), dynamic=({0: n},))
    assert_same(traced, lambda x: x * 2, randn(6, 3))
    with pytest.raises(tenon.error.InvalidArgumentError) as failure:
        traced(randn(7, 3))
    assert "x0 must be of size 3 or more and 6 or less at dim 0, which is n, got 7" in str(
        failure.value
    )


def test_a_size_that_stayed_a_number():
    traced = graph.trace(lambda x: x * 2, randn(4, 3), dynamic=({0: "n"},))
    with pytest.raises(tenon.error.InvalidArgumentError, match="of size 3, at dim 1, got 4"):
        traced(randn(4, 4))


def test_a_guard_has_its_source_location():
    # [quote.begin guard]
    def padded(x):
        if x.shape[0] < 8:
            return tenon.cat([x, x])
        return x

    traced = graph.trace(padded, randn(4, 3), dynamic=True)
    x = randn(7, 3)
    assert tenon.equal(traced(x), padded(x))
    with pytest.raises(tenon.error.InvalidArgumentError, match="sizes must satisfy s0 < 8"):
        traced(randn(9, 3))
    # [quote.end]
    assert traced.guards[0][2] == __file__


def test_a_size_converted_to_int_is_guarded():
    traced = graph.trace(lambda x: x * int(x.shape[0]), randn(4, 3), dynamic=True)
    assert traced.guards[0][0] == "s0 == 4"
    with pytest.raises(tenon.error.InvalidArgumentError, match="s0 == 4"):
        traced(randn(5, 3))


# ---- Sizes as numbers in the function -----------------------------------------------------------


def scaled(x):
    n, m = x.shape
    return x * n, x / m, n - x, (x + (n + 1)) * (m // 2), x.new_zeros(n, 2), n * m


def test_sizes_are_numbers_of_each_run():
    traced = graph.trace(scaled, randn(4, 6), dynamic=True)
    x = randn(5, 8)
    results, expected = traced(x), scaled(x)
    for got, wanted in zip(results[:-1], expected[:-1], strict=True):
        assert tenon.equal(got, wanted)
    assert results[-1] == 40


# ---- Models -------------------------------------------------------------------------------------


def mlp(x, w1, b1, w2):
    return F.gelu(x @ w1 + b1) @ w2


MLP = ((6, 8), (8,), (8, 3))


def attention(x, wq, wk, wv, wo, w1, w2, g, b):
    batch, length, width = x.shape
    h = F.layer_norm(x, (8,), g, b)

    def heads(w):
        return (h @ w).view(batch, length, 2, 4).transpose(1, 2)

    scores = heads(wq) @ heads(wk).transpose(-2, -1) / 2.0
    mixed = (F.softmax(scores, dim=-1) @ heads(wv)).transpose(1, 2).reshape(batch, length, width)
    x = x + mixed @ wo
    return x + F.gelu(x @ w1) @ w2


BLOCK = (*[(8, 8)] * 4, (8, 16), (16, 8), (8,), (8,))


def step_of(model):
    """Returns one training step: forward, backward and parameter update."""

    def step(x, *given):
        parameters = [one.detach().requires_grad_() for one in given]
        loss = model(x, *parameters).pow(2).mean()
        grads = tenon.autograd.grad(loss, parameters)
        with tenon.no_grad():
            return [loss, *(p - 0.1 * grad for p, grad in zip(parameters, grads, strict=True))]

    return step


def fixed(count):
    return (None,) * count


def test_a_forward_pass_of_any_batch_and_length():
    x, weights = randn(3, 5, 8), [randn(*sizes) for sizes in BLOCK]
    traced = graph.trace(attention, x, *weights, dynamic=({0: "batch", 1: "length"}, *fixed(8)))
    assert traced.guards == []
    for sizes in ((3, 5), (2, 9), (7, 2)):
        assert_same(traced, attention, randn(*sizes, 8), *weights)


def test_a_training_step_of_an_mlp():
    # [quote.begin step]
    step = step_of(mlp)
    weights = [randn(*sizes) for sizes in MLP]
    traced = graph.trace(step, randn(4, 6), *weights, dynamic=({0: "batch"}, *fixed(3)))
    for batch in (4, 2, 11):
        assert_same(traced, step, randn(batch, 6), *weights)
    # [quote.end]
    assert traced.guards == []


def test_a_training_step_of_a_transformer_block():
    step = step_of(attention)
    x, weights = randn(3, 5, 8), [randn(*sizes) for sizes in BLOCK]
    traced = graph.trace(step, x, *weights, dynamic=({0: "batch", 1: "length"}, *fixed(8)))
    assert traced.guards == []
    for sizes in ((3, 5), (2, 9), (7, 2)):
        assert_same(traced, step, randn(*sizes, 8), *weights)


def classes_of(*sizes):
    return (tenon.rand(*sizes) * 5).to(tenon.int64)


def normed_rows(x, at, w, g, b):
    return F.cross_entropy(F.layer_norm(x @ w, (5,), g, b), at)


def normed_batch(x, at, w, g, b):
    h = F.batch_norm(x @ w, None, None, g, b, training=True)
    return F.cross_entropy(h, at, label_smoothing=0.1)


def dropped(x, at, w, g, b):
    return F.cross_entropy(F.dropout(x @ w, 0.5, training=True) * g + b, at)


def smooth(x, at, w, g, b):
    return F.nll_loss(F.log_softmax(x @ w * g + b, dim=1), at, g.exp())


def deviation(x, at, w, g, b):
    return ((x @ w).var(0) * g).sum() + (x @ w).std(1).mean() + b.sum()


def halves(x, at, w, g, b):
    return (F.glu(x, dim=1).sum() * w.sum() * g.sum()) + b.logsumexp(0)


def replay_equals(model, x, at, *weights, dynamic, others):
    """Returns true if a recorded step returns what eager steps return, including random draws."""
    step = step_of_classes(model)
    traced = graph.trace(step, x, at, *weights, dynamic=dynamic)
    for x, at in (*others, (x, at)):
        tenon.manual_seed(7)
        got = tensors_of(traced(x, at, *weights))
        tenon.manual_seed(7)
        wanted = tensors_of(step(x, at, *weights))
        assert len(got) == len(wanted)
        for a, b in zip(got, wanted, strict=True):
            assert tenon.equal(a, b)
    return traced


def step_of_classes(model):
    """Returns one training step with targets."""

    def step(x, at, *given):
        parameters = [one.detach().requires_grad_() for one in given]
        loss = model(x, at, *parameters)
        grads = tenon.autograd.grad(loss, parameters)
        return [loss.detach(), *grads]

    return step


@pytest.mark.parametrize("model", [normed_rows, normed_batch, dropped, smooth, deviation, halves])
def test_a_training_step_of_any_batch(model):
    weights = randn(6, 5), randn(5), randn(5)
    traced = replay_equals(
        model,
        randn(4, 6),
        classes_of(4),
        *weights,
        dynamic=({0: "batch"}, {0: "batch"}, *fixed(3)),
        others=[(randn(n, 6), classes_of(n)) for n in (2, 3, 9)],
    )
    assert traced.guards == []


def test_a_training_step_of_attention_of_any_length():
    def attend(x, at, w):
        q, k, v = (x @ w).chunk(3, -1)
        mixed = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return F.cross_entropy(mixed.transpose(1, 2), at)

    traced = replay_equals(
        attend,
        randn(3, 4, 6),
        classes_of(3, 4),
        randn(6, 18),
        dynamic=({0: "batch", 1: "length"}, {0: "batch", 1: "length"}, None),
        others=[(randn(n, m, 6), classes_of(n, m)) for n, m in ((2, 7), (5, 2), (3, 3))],
    )
    assert traced.guards == []


def test_a_convolution_of_any_batch_and_sizes():
    def convolve(x, w, b):
        h = F.max_pool2d(F.conv2d(x, w, b, stride=2, padding=1).relu(), 2)
        return F.avg_pool2d(h, 2, stride=1).mean((2, 3))

    traced = graph.trace(
        convolve,
        randn(2, 3, 16, 14),
        randn(4, 3, 3, 3),
        randn(4),
        dynamic=({0: "n", 2: "h", 3: "w"}, None, None),
    )
    for n, h, w in ((2, 16, 14), (3, 21, 18), (5, 12, 33)):
        assert_same(traced, convolve, randn(n, 3, h, w), randn(4, 3, 3, 3), randn(4))


def test_a_training_step_of_a_convolution_of_any_batch_and_sizes():
    def classify(x, at, w, b):
        h = F.conv2d(x, w, b, stride=2, padding=1).relu()
        return F.cross_entropy(F.max_pool2d(h, 2).mean((2, 3)), at)

    def stacked(x, at, w, b, v):
        return classify(F.conv2d(x, v, padding=1), at, w, b)

    weights = randn(5, 3, 3, 3), randn(5), randn(3, 3, 3, 3)
    traced = replay_equals(
        stacked,
        randn(2, 3, 16, 14),
        classes_of(2),
        *weights,
        dynamic=({0: "n", 2: "h", 3: "w"}, {0: "n"}, *fixed(3)),
        others=[(randn(n, 3, h, w), classes_of(n)) for n, h, w in ((3, 21, 18), (5, 12, 33))],
    )
    assert not [text for text, *_ in traced.guards if "==" in text and text[-2:].strip().isdigit()]


def test_a_recurrent_layer_of_any_batch():
    def layer(x, h, c, *params):
        run = tenon.ops.aten.lstm.input
        return run(x, [h, c], list(params), True, 1, 0.0, False, False, True)[0]

    params = randn(16, 3), randn(16, 4), randn(16), randn(16)
    batch = ({0: "n"}, {1: "n"}, {1: "n"}, *fixed(4))
    traced = graph.trace(
        layer, randn(5, 2, 3), randn(1, 5, 4), randn(1, 5, 4), *params, dynamic=batch
    )
    assert traced.guards == []
    for n in (2, 3, 7):
        assert_same(traced, layer, randn(n, 2, 3), randn(1, n, 4), randn(1, n, 4), *params)


def test_rows_of_a_table():
    def grads(table, at):
        leaf = table.detach().requires_grad_()
        rows = F.embedding(at, leaf)
        return [rows.detach(), *tenon.autograd.grad((rows * rows).sum(), [leaf])]

    def indices(*sizes):
        return (tenon.rand(*sizes) * 5).to(tenon.int64)

    dims = {0: "batch", 1: "length"}
    traced = graph.trace(grads, randn(5, 3), indices(2, 4), dynamic=(None, dims))
    assert traced.guards == []
    assert_same(traced, grads, randn(5, 3), indices(3, 7))


def test_gradients_of_parts():
    def function(x, table, at):
        rows = tenon.cat([table[at], x], dim=0)
        return (rows[1:].sigmoid() * rows[:-1]).mean(0).clamp(min=0).sum()

    def grads(x, table, at):
        leaves = [x.detach().requires_grad_(), table.detach().requires_grad_()]
        return tenon.autograd.grad(function(*leaves, at), leaves)

    at = tenon.tensor([1, 0, 1])
    traced = graph.trace(
        grads, randn(4, 3), randn(2, 3), at, dynamic=({0: "n"}, None, {0: "count"})
    )
    assert_same(traced, grads, randn(7, 3), randn(2, 3), tenon.tensor([0, 1, 1, 0, 0]))


# ---- fx -----------------------------------------------------------------------------------------


def test_make_fx_symbolic():
    # [quote.begin make_fx]
    def loss(w, x):
        return (x @ w).relu().sum()

    module = fx.make_fx(func.grad(loss), tracing_mode="symbolic")(randn(3, 2), randn(5, 3))
    w, x = randn(3, 2), randn(8, 3)
    assert tenon.equal(module(w, x), func.grad(loss)(w, x))
    # [quote.end]
    placeholders = module.graph.find_nodes(op="placeholder")
    assert [node.meta["shape"] for node in placeholders] == [("s0", "s1"), ("s2", "s3")]
    assert [guard[0] for guard in module.shape_env.guards] == ["s3 == s0"]


def test_make_fx_reads_sizes_at_their_uses():
    module = fx.make_fx(lambda x: x.view(-1) * x.shape[0], tracing_mode="symbolic")(randn(4, 3))
    assert "x_1.size(0)" in module.code
    x = randn(6, 2)
    assert tenon.equal(module(x), x.view(-1) * 6)


def test_make_fx_symbolic_refuses_real_tensors_unless_told():
    weight = randn(3, 3)
    with pytest.raises(tenon.Error, match="must be a fake tensor"):
        fx.make_fx(lambda x: x @ weight, tracing_mode="symbolic")(randn(4, 3))
    module = fx.make_fx(lambda x: x @ weight, tracing_mode="symbolic", _allow_non_fake_inputs=True)(
        randn(4, 3)
    )
    x = randn(7, 3)
    assert tenon.equal(module(x), x @ weight)


# ---- Data-dependent sizes ------------------------------------------------------------------------


def test_rows_of_nonzero():
    def rows(x):
        found = x.nonzero()
        return found.float() * 2, found.shape[0]

    traced = graph.trace(rows, tenon.tensor([[1.0, 0.0], [0.0, 2.0]]), dynamic=True)
    x = tenon.tensor([[1.0, 0.0, 3.0], [0.0, 2.0, 1.0]])
    result, count = traced(x)
    assert tenon.equal(result, x.nonzero().float() * 2)
    assert count == 4


def test_an_element_as_a_size():
    def filled(x, n):
        return x.new_ones(n.item())

    traced = graph.trace(filled, randn(2), tenon.tensor(5), dynamic=True)
    assert traced(randn(2), tenon.tensor(3)).shape == (3,)


# ---- Nested graphs, texts, passes ----------------------------------------------------------------


def test_a_text_reads_back():
    traced = graph.trace(scaled, randn(4, 6), dynamic=True)
    again = graph.Graph.parse(str(traced))
    assert str(again) == str(traced)
    x = randn(5, 8)
    assert again(x)[-1] == 40


def test_passes_leave_the_results():
    weight = tenon.ones(3)

    def repeated(x):
        x.sin().reshape(-1)  # an unused result
        a = x.reshape(-1, 3).reshape(-1) + 1
        b = x.reshape(-1, 3).reshape(-1) + 1
        return a * b, x * (weight + weight)

    traced = graph.trace(repeated, randn(4, 3), dynamic=({0: "n"},))
    changed = traced.fold_constants().merge_common().remove_dead()
    assert len(changed.nodes) <= len(traced.nodes) - 3
    assert [size.name for size in changed.sizes] == ["n"]
    assert_same(changed, repeated, randn(9, 3))


def test_functionalize_keeps_sizes():
    def written(x):
        y = x + 1
        y.view(-1).mul_(2)
        y[1].mul_(3)
        return y.add_(x.shape[1])

    traced = graph.trace(written, randn(4, 3), dynamic=True)
    pure = traced.functionalize()
    assert not any(node.op._schema.name.endswith("_") for node in pure.nodes)
    assert_same(traced, written, randn(5, 2))
    assert_same(pure, written, randn(5, 2))


def test_a_file_of_python_has_its_sizes(tmp_path):
    traced = graph.trace(lambda x: x.reshape(-1) + 1, randn(4, 3), dynamic=({0: "batch"},))
    traced.save(tmp_path / "flat.tenon")
    again = graph.Graph.load(tmp_path / "flat.tenon")
    assert_same(again, lambda x: x.reshape(-1) + 1, randn(9, 3))


def test_a_graph_in_a_recording_is_symbolic_again():
    inner = graph.trace(lambda x: x.reshape(-1) * 2, randn(4, 3), dynamic=True)
    library = tenon.library.Library("dynamic_graphs", "DEF")
    op = inner.define(library, "flat")
    outer = graph.trace(lambda x: op(x + 1), randn(5, 2), dynamic=True)
    assert_same(outer, lambda x: (x + 1).reshape(-1) * 2, randn(3, 7))


def test_built_by_hand():
    made = graph.Graph()
    x = made.add_input("x")
    n = made.add_size(x, 0, "n", min=2)
    half = made.add_number(tenon._tenon.TENON_SYMBOL_FLOORDIV, n, 2)
    made.add_guard(tenon._tenon.TENON_SYMBOL_LT, n, 10)
    made.add_output(made.append(tenon.ops.aten.view.default, x, [half, 2]))
    assert made.number_text(half) == "n // 2"
    assert made(randn(8)).shape == (4, 2)
    with pytest.raises(tenon.error.InvalidArgumentError, match="n < 10"):
        made(randn(12))


# ---- Checks and patterns -------------------------------------------------------------------------


def rows_of(x):
    return (x + 1).reshape(x.shape[0], -1)


def test_checks_look_at_symbolic_sizes():
    traced = graph.trace(rows_of, randn(4, 3, 2), dynamic={"x": {0: "batch"}})
    traced.check()
    text = str(traced)
    assert "float32[batch, 6]" in text
    with pytest.raises(tenon.error.ArgumentTypeError, match=r"\[4, 6\] cpu, got float32\[4, 5\]"):
        graph.Graph.parse(text.replace("float32[batch, 6]", "float32[batch, 5]")).check()


def test_checks_find_sizes_that_are_right_by_chance():
    text = str(graph.trace(rows_of, randn(4, 3, 2), dynamic={"x": {0: "batch"}}))
    with pytest.raises(tenon.error.ArgumentTypeError, match=r"\[7, 6\] cpu, got float32\[4, 6\]"):
        graph.Graph.parse(text.replace("float32[batch, 6]", "float32[4, 6]")).check()


def test_a_pattern_matches_sizes():
    def model(x, y):
        return rows_of(x.exp()), y.exp().reshape(y.shape[0], y.shape[1] * 6)

    dynamic = {"x": {0: "batch"}, "y": {0: "rows", 1: "columns"}}
    args = randn(4, 3, 2), randn(5, 2, 6)
    traced = graph.trace(model, *args, dynamic=dynamic)
    of_pattern = {"x": {0: "n"}}
    pattern = graph.trace(rows_of, randn(2, 3, 2), dynamic=of_pattern)
    replacement = graph.trace(
        lambda x: x.reshape(x.shape[0], -1) + 2, randn(2, 3, 2), dynamic=of_pattern
    )
    changed, count = traced.replace_pattern(pattern, replacement)
    assert count == 1
    for batch in (4, 7):
        args = randn(batch, 3, 2), randn(3, batch, 6)
        got, same = changed(*args)
        assert tenon.allclose(got, rows_of(args[0].exp()) + 1)
        assert tenon.equal(same, model(*args)[1])


def test_a_pattern_does_not_match_sizes_of_another_tensor():
    def model(x, y):
        return (x + 1).reshape(y.shape[0], -1)

    args = randn(4, 6), randn(2, 3)
    traced = graph.trace(model, *args, dynamic={"x": {0: "n"}, "y": {0: "m"}})
    pattern = graph.trace(rows_of, randn(3, 12), dynamic={"x": {0: "n"}})
    changed, count = traced.replace_pattern(pattern, pattern, ignore_literals=True)
    assert count == 0 and tenon.equal(changed(*args), model(*args))


@pytest.mark.parametrize("sizes", [(3, 7), (2, 2), (4, 100), (9, 10)])
def test_arange_between_sizes(sizes):
    def ranges(a, b):
        m, n = a.shape[0], b.shape[0]
        return (
            tenon.arange(m, n),
            tenon.arange(m),
            tenon.arange(2, n, 3),
            tenon.arange(n, m, -2),
            tenon.arange(m, 2 * n + 1, 2, dtype=tenon.float32),
            tenon.arange(m + 1, n + m + 1),
        )

    traced = graph.trace(ranges, tenon.ones(3), tenon.ones(7), dynamic=True)
    given = tuple(tenon.ones(size) for size in sizes)
    for got, want in zip(traced(*given), ranges(*given), strict=True):
        assert got.dtype == want.dtype
        assert got.tolist() == want.tolist()


def test_arange_that_leads_the_other_way_is_refused():
    def between(a, b):
        return tenon.arange(a.shape[0], b.shape[0])

    traced = graph.trace(between, tenon.ones(3), tenon.ones(7), dynamic=True)
    with pytest.raises(tenon.InvalidArgumentError):
        traced(tenon.ones(7), tenon.ones(3))


# ---- Composites and views of symbolic sizes -----------------------------------------------------


@pytest.mark.parametrize("call", [lambda x: x[1][:, 1:3], lambda x: x[2].chunk(3, -1)[1]])
def test_a_part_of_one_of_several_rows(call):
    """The offset of the part is a product of sizes."""
    x, other = randn(4, 3, 6), randn(5, 2, 6)
    traced = graph.trace(call, x, dynamic=True)
    assert_same(traced, call, x)
    assert_same(traced, call, other)


@pytest.mark.parametrize("memory_format", [tenon.contiguous_format, tenon.channels_last])
def test_contiguous_copies_other_layouts(memory_format):
    def function(x):
        return tenon.ops.aten.contiguous(x, memory_format=memory_format)

    x = randn(2, 4, 4, 3).permute(3, 1, 2, 0)
    traced = graph.trace(function, x, dynamic=True)
    assert not traced.attributes
    assert_same(traced, function, x)
    assert traced(x).stride() == function(x).stride()


def test_divisors_of_ctc_loss_are_recorded():
    def function(log_probs, targets):
        return F.ctc_loss(log_probs, targets, [5, 4], [2, 1])

    inputs = randn(5, 2, 4).log_softmax(2), tenon.tensor([[1, 2], [3, 1]])
    assert_same(graph.trace(function, *inputs, dynamic=True), function, *inputs)


def test_random_composites_draw_once():
    def function(x):
        return tenon.ops.aten.rrelu_(x, 0.1, 0.3, True)

    x = randn(4)
    traced = graph.trace(function, x.clone(), dynamic=True)
    calls = [node.op.name() for node in traced.nodes]
    assert calls.count("aten::rrelu_with_noise_functional") == 1, calls
