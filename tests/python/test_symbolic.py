# SPDX-License-Identifier: Apache-2.0
"""Symbolic sizes in Python: numbers, guards, meta tensors."""

import math
import threading

import pytest
import tenon


@pytest.fixture
def env():
    return tenon.ShapeEnv()


def texts(env):
    return [text for text, *_ in env.guards]


def meta(*sizes, **options):
    return tenon.empty(list(sizes), device="meta", **options)


def test_arithmetic_stays_symbolic(env):
    s0, s1 = env.new_size(4), env.new_size(5)
    assert [repr(n) for n in (s0, s0 * s1 + 1, 3 - s0, s0 // 3, s0 % 3, s0 / 2, -s0)] == [
        "s0", "s0*s1 + 1", "-s0 + 3", "s0 // 3", "s0 % 3", "s0 / 2", "-s0"]  # fmt: skip
    assert repr(tenon.sym_max(s0, s1)) == "max(s0, s1)" and tenon.sym_min(s0, 2) == 2
    assert (
        repr(tenon.sym_sqrt(s0)) == "sqrt(s0)" and repr(tenon.sym_not(s0 < s1)) == "not (s0 < s1)"
    )
    assert isinstance(s0, tenon.SymInt) and isinstance(s0 / 2, tenon.SymFloat)
    assert isinstance(s0 < s1, tenon.SymBool) and not isinstance(s0, int)
    assert s0.hint == 4 and s0.bounds == (2, None) and (s0 * 2).hint == 8
    assert env.guards == []


def test_decidable_comparisons_are_plain_bools(env):
    s0 = env.new_size(4)
    assert (s0 >= 2) is True and (s0 + 1 == s0) is False and (s0 - s0) == 0
    assert env.new_size(0) == 0 and type(env.new_size(1)) is int
    assert env.guards == []


def test_bool_and_int_record_guards_with_their_line(env):
    s0, s1 = env.new_size(4), env.new_size(5)
    assert not s0 == s1
    assert s0 < s1 and not s0 * 2 > 20
    assert int(s1) == 5 and repr(s1) == "5" and float(env.new_size(3) / 2) == 1.5
    assert texts(env)[:3] == ["s0 < s1", "2*s0 <= 20", "s1 == 5"]
    text, op, file, line = env.guards[0]
    assert op is None and file.endswith("test_symbolic.py") and line > 0


def test_unbacked_symbols_are_decided_by_bounds_alone(env):
    u = env.new_symbol(min=2, max=5)
    assert repr(u) == "u0" and u.hint is None
    assert (u >= 2) is True and (u <= 5) is True and (u > 5) is False and (u + 1 >= 3) is True
    for question in (lambda: int(u), lambda: bool(u > 3), lambda: range(u)):
        with pytest.raises(tenon.Error, match="u0.*test_symbolic.py"):
            question()
    assert env.guards == []


def test_first_failure_of_other_numbers(env):
    s0, s1 = env.new_size(4), env.new_size(4)
    assert s0 == s1 and s0 < 10
    assert env.first_failure({s0: 7, s1: 7}) is None
    assert env.first_failure({s0: 7, s1: 8}).startswith("s0 == s1 (")
    assert env.first_failure({s0: 12, s1: 12}).startswith("s0 < 10")
    assert "s0 >= 2" in env.first_failure({s0: 1, s1: 1})
    with pytest.raises(tenon.Error):
        env.first_failure({s0: 7})
    assert "s1: hint 4" in str(env) and "replaced by s0" in str(env)


def test_symbols_of_two_environments_do_not_mix(env):
    with pytest.raises(tenon.Error, match="one shape environment"):
        env.new_size(4) + tenon.ShapeEnv().new_size(4)


def test_other_objects_are_refused(env):
    s0 = env.new_size(4)
    with pytest.raises(TypeError):
        s0 + "a"
    with pytest.raises(TypeError):
        tenon.SymInt()
    with pytest.raises(tenon.Error, match="name"):
        env.new_symbol("n"), env.new_symbol("n")
    assert (s0 == "a") is False and (s0 == None) is False  # noqa: E711


def test_sizes_of_a_tensor(env):
    s0 = env.new_size(4)
    x = meta(s0, 3)
    assert repr(tuple(x.shape)) == "(s0, 3)" and x.stride() == (3, 1) and repr(x.numel()) == "3*s0"
    assert repr(x.size(0)) == "s0" and x.size(1) == 3 and x.dim() == 2 and x.is_contiguous()
    assert repr(x.t().stride()) == "(1, 3)" and not x.t().is_contiguous()
    assert env.guards == []
    assert len(x) == 4 and x.shape == (4, 3) and texts(env) == ["s0 == 4"]


def rules(s0, s1):
    """Returns calls of operators with shape rules, and the expected sizes of their results."""
    x, y, square = meta(s0, 3), meta(s1, 3), meta(s0, s0)
    return [
        (x + 1, [s0, 3]),
        (x + meta(3), [s0, 3]),
        (x * y.unsqueeze(1), [s1, s0, 3]),
        (x.relu().sqrt(), [s0, 3]),
        (x > 0, [s0, 3]),
        (tenon.where(x > 0, x, 0.0), [s0, 3]),
        (x.sum(), []),
        (x.sum(0), [3]),
        (x.mean(1, keepdim=True), [s0, 1]),
        (x.max(1).values, [s0]),
        (x.t(), [3, s0]),
        (x.transpose(0, 1), [3, s0]),
        (x.view(-1), [3 * s0]),
        (x.view(3, s0), [3, s0]),
        (x.t().reshape(-1), [3 * s0]),
        (x.reshape(s0, 3, 1), [s0, 3, 1]),
        (x.unsqueeze(0).squeeze(), [s0, 3]),
        (x.permute(1, 0), [3, s0]),
        (x[0], [3]),
        (x[-1], [3]),
        (x[1:], [s0 - 1, 3]),
        (x[:, 1], [s0]),
        (x.unsqueeze(0).expand(5, -1, -1), [5, s0, 3]),
        (meta(1, 3).expand(s0, 3), [s0, 3]),
        (tenon.cat([x, y, x]), [2 * s0 + s1, 3]),
        (tenon.mm(x, y.t()), [s0, s1]),
        (tenon.mm(square, x), [s0, 3]),
        (tenon.bmm(meta(7, s0, s1), meta(7, s1, 2)), [7, s0, 2]),
        (tenon.addmm(meta(2), x, meta(3, 2)), [s0, 2]),
        (tenon.addmm(meta(s0, 1), x, y.t()), [s0, s1]),
        (tenon.stack([x, x, x]), [3, s0, 3]),
        (tenon.stack([x, x], -1), [s0, 3, 2]),
        (x.split(2, 1)[0], [s0, 2]),
        (x.split(2, 1)[1], [s0, 1]),
        (x.split([1, 2], 1)[1], [s0, 2]),
        (x.t().chunk(2)[0], [2, s0]),
        (x.index_select(0, meta(5, dtype=tenon.int64)), [5, 3]),
        (x.index_select(1, meta(s1, dtype=tenon.int64)), [s0, s1]),
        (x.gather(0, meta(s1, 2, dtype=tenon.int64)), [s1, 2]),
        (tenon.nn.functional.embedding(meta(s0, s1, dtype=tenon.int64), meta(9, 4)), [s0, s1, 4]),
        (x.masked_fill(x > 0, 2.0), [s0, 3]),
        (x.t().masked_fill(meta(3, 1, dtype=tenon.bool), 2.0), [3, s0]),
        (x.softmax(1), [s0, 3]),
        (x.t().log_softmax(0), [3, s0]),
        (x @ y.t(), [s0, s1]),
        (meta(7, s0, 3) @ meta(3, 2), [7, s0, 2]),
        (meta(s1, 7, s0, 3) @ meta(7, 3, s0), [s1, 7, s0, s0]),
        (x @ meta(s1, 3, 2), [s1, s0, 2]),
        (tenon.nn.functional.linear(x, meta(5, 3), meta(5)), [s0, 5]),
        (tenon.flatten(meta(s0, 3, s1), 1), [s0, 3 * s1]),
        (x.clone(), [s0, 3]),
        (x.t().contiguous(), [3, s0]),
        (tenon.zeros_like(x), [s0, 3]),
        (x.new_zeros([s1, 2]), [s1, 2]),
        (x.new_full([s0], 1), [s0]),
        (tenon.full_like(x, 2.0), [s0, 3]),
        (x.to(tenon.float64), [s0, 3]),
        (x.cumsum(0), [s0, 3]),
        (x.detach(), [s0, 3]),
    ]


@pytest.mark.parametrize("index", range(len(rules(2, 3))))
def test_results_have_symbolic_sizes(env, index):
    """No rule needs a guard here, and substituting numbers returns the sizes for these numbers."""
    s0, s1 = env.new_size(4), env.new_size(5)
    result, sizes = rules(s0, s1)[index]
    assert repr(tuple(result.shape)) == repr(tuple(sizes))
    assert texts(env) == []
    for numbers in ((4, 5), (7, 2), (3, 9)):
        assert env.first_failure({s0: numbers[0], s1: numbers[1]}) is None
        plain, _ = rules(*numbers)[index]
        put_in = [evaluate(env, one, s0, s1, numbers) for one in (*result.shape, *result.stride())]
        assert put_in == [*plain.shape, *plain.stride()]
        assert result.dtype == plain.dtype and result.is_contiguous() == plain.is_contiguous()


def block(x, attend, out, up, down, heads=2):
    """A simple transformer block."""
    batch, length, width = x.shape
    functional = tenon.nn.functional

    def by_head(part):
        return part.view(batch, length, heads, width // heads).transpose(1, 2)

    parts = functional.linear(functional.layer_norm(x, (width,)), attend).chunk(3, -1)
    query, key, value = (by_head(part) for part in parts)
    later = tenon.ones(length, length, device="meta", dtype=tenon.bool)
    scores = (query @ key.transpose(-2, -1)).masked_fill(later, -1e9).softmax(-1)
    mixed = (scores @ value).transpose(1, 2).reshape(batch, length, width)
    x = x + functional.linear(mixed, out)
    return x + functional.linear(tenon.relu(functional.linear(x, up)), down)


def test_a_transformer_block_takes_any_batch_and_length(env):
    batch, length = env.new_size(4), env.new_size(6)
    tokens = tenon.empty([batch, length], dtype=tenon.int64, device="meta")
    x = tenon.nn.functional.embedding(tokens, meta(50, 8))
    y = block(x, meta(24, 8), meta(8, 8), meta(32, 8), meta(8, 32))
    assert repr(tuple(y.shape)) == "(s0, s1, 8)" and y.is_contiguous() and texts(env) == []


def evaluate(env, size, s0, s1, numbers):
    """Evaluates a size for given numbers with Python's ints."""
    if isinstance(size, int):
        return size
    names = {"s0": numbers[0], "s1": numbers[1], "max": max, "min": min}
    return eval(repr(size), {"__builtins__": {}}, names)


def test_in_place_and_views_share(env):
    x = meta(env.new_size(4), 3)
    v = x[1:]
    assert v._base is x and x.add_(1) is x and v.mul_(2)._version == x._version == 2
    assert x.zero_() is x and x.fill_(3.0) is x and env.guards == []


def test_mismatch_is_an_error_that_shows_symbols(env):
    s0 = env.new_size(4)
    with pytest.raises(tenon.Error, match=r"\[s0, 3\] and \[5, 2\]"):
        meta(s0, 3) + meta(5, 2)
    with pytest.raises(tenon.Error, match="mat2"):
        tenon.mm(meta(s0, 3), meta(4, s0))


def test_equal_sizes_become_one_symbol(env):
    s0, s1 = env.new_size(4), env.new_size(4)
    assert repr(tuple((meta(s0) + meta(s1)).shape)) == "(s0,)" and texts(env) == ["s0 == s1"]
    assert repr(tuple(meta(s1).shape)) == "(s0,)" and env.guards[0][1] == "aten::add.Tensor"


def test_operators_without_rules_specialize(env):
    x = meta(env.new_size(4), 3)
    assert x.t_().shape == (3, 4)
    assert env.guards[0][:2] == ("s0 == 4", "aten::t_")
    w = meta(env.new_symbol(min=0), 3)
    with pytest.raises(tenon.Error, match=r"aten::t_: u0 \(of self\)"):
        w.t_()
    assert repr(tuple((w + meta(3)).shape)) == "(u0, 3)"
    assert repr(tuple(tenon.cat([w, w]).shape)) == "(2*u0, 3)"


def test_gradients_have_symbols(env):
    """Gradient formulas work on symbols, and the gradients of broadcast operands are summed."""
    batch = env.new_size(4)
    x, w = meta(batch, 3, requires_grad=True), meta(3, 2, requires_grad=True)
    bias = meta(2, requires_grad=True)
    ((x @ w + bias).relu() / batch).mean().backward()
    assert repr(tuple(x.grad.shape)) == "(s0, 3)"
    assert w.grad.shape == (3, 2) and bias.grad.shape == (2,)
    assert env.guards == []


def test_a_second_gradient_has_symbols(env):
    x = meta(env.new_size(4), 3, requires_grad=True)
    (first,) = tenon.autograd.grad((x.sigmoid() * x).sum(), [x], create_graph=True)
    (second,) = tenon.autograd.grad(first.pow(2).sum(), [x])
    assert repr(tuple(second.shape)) == "(s0, 3)" and env.guards == []


def test_sizes_of_another_tensor(env):
    x, row = meta(env.new_size(4), 3), meta(3)
    for made in (row.expand_as(x), tenon.broadcast_to(row, x.shape), x.view_as(x), x.type_as(row)):
        assert repr(tuple(made.shape)) == "(s0, 3)"
    assert x.var(0).shape == (3,) and x.std().shape == () and env.guards == []


def test_a_symbol_acts_as_a_number_with_a_tensor(env):
    n = env.new_size(4)
    x = meta(n, 3)
    for made in (x * n, n * x, x + n, n - x, x / n, n / x, x == n, x % n, x * (1 / n)):
        assert repr(tuple(made.shape)) == "(s0, 3)"
    assert (x.to(tenon.int32) * n).dtype == tenon.int32
    assert (x.to(tenon.int32) * (n / 2)).dtype == tenon.float32
    assert env.guards == []


def test_real_tensors_take_numbers(env):
    """A tensor with memory turns symbols into numbers, with a guard."""
    s0 = env.new_size(2)
    assert tenon.ones(s0, 3).shape == (2, 3) and tenon.ones(3, 2).view(s0, 3).shape == (2, 3)
    assert texts(env) == ["s0 == 2"]


def test_custom_kernels_get_symbols(env):
    lib = tenon.library.Library("symbolic_test", "DEF")
    lib.define("twice(Tensor x, SymInt n) -> Tensor")
    seen = []

    def twice(x, n):
        seen.append((x.shape, n))
        return meta(x.shape[0] * n, 2)

    lib.impl("twice", twice, "Meta")
    s0 = env.new_size(4)
    y = tenon.ops.symbolic_test.twice(meta(s0), s0)
    assert repr([(tuple(shape), n) for shape, n in seen]) == "[((s0,), s0)]"
    assert repr(tuple(y.shape)) == "(s0*s0, 2)" and env.guards == []


def test_an_estimate_has_symbols(env):
    """One estimate holds for all sizes: substituting numbers returns the estimate for these."""
    estimate = tenon.introspect.estimate

    def model(x, w):
        return (x @ w).relu().sum()

    n = env.new_size(4)
    found = estimate(model, meta(n, 3), meta(3, 5))
    assert repr(found.flops) == "30*s0" and repr(found.allocated) == "40*s0 + 4"
    assert env.guards == []
    for number in (4, 9):
        plain = estimate(model, meta(number, 3), meta(3, 5))
        for name in ("flops", "allocated", "peak"):
            assert evaluate(env, getattr(found, name), number, 0, (number, 0)) == getattr(
                plain, name
            )


def test_threads_share_an_environment(env):
    sizes, results = [env.new_size(k + 2) for k in range(4)], []

    def work():
        total = 1
        for size in sizes:
            total = total * size + 1
        results.append(repr(total))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(results)) == 1 and math.isfinite(len(results[0]))


def test_one_plan_for_all_sizes():
    # [quote.begin plan]
    env = tenon.ShapeEnv()
    batch = env.new_size(4)
    x = tenon.empty([batch, 3], device="meta")
    y = tenon.cat([x, x]).view(-1)
    assert repr(tuple(y.shape)) == "(6*s0,)" and env.guards == []
    assert x.shape[0] < 10  # decided by the hint: a guard
    assert env.first_failure({batch: 7}) is None
    assert env.first_failure({batch: 12}).startswith("s0 < 10")
    # [quote.end]


def test_sizes_that_only_data_tells():
    # [quote.begin unbacked]
    env = tenon.ShapeEnv()
    count = env.new_symbol(min=0, max=100)
    found = tenon.empty([count, 2], device="meta")
    assert repr(tuple((found + 1).shape)) == "(u0, 2)" and count <= 100
    with pytest.raises(tenon.Error, match="u0 > 3 must be true or false for all values"):
        bool(count > 3)
    # [quote.end]


def test_values_read_from_elements_become_symbols():
    # [quote.begin elements]
    env = tenon.ShapeEnv()
    with tenon.FakeTensorMode(shape_env=env):
        x = tenon.ones(4, 3)
        rows = x.nonzero()
        assert repr(tuple(rows.shape)) == "(u0, 2)"
        assert repr(tuple((rows + rows).shape)) == "(u0, 2)"
        assert repr(tuple(x[x > 0].shape)) == "(u1,)"
        assert repr(tuple(x[x[:, 0] > 0].shape)) == "(u2, 3)"
        with pytest.raises(tenon.Error, match="u0 == 3 must be true or false for all values"):
            bool(rows.shape[0] == 3)
    # [quote.end]
    assert rows.dtype == tenon.int64 and rows.shape[0] <= 12
    with tenon.FakeTensorMode(shape_env=env):
        count = (x > 0).sum().item()
        total = x.sum().item()
        flag = (x > 0).any().item()
        with pytest.raises(tenon.Error, match="plain|must"):
            tenon.ones(2, dtype=tenon.complex64).sum().item()
    assert [type(one).__name__ for one in (count, total, flag)] == ["SymInt", "SymFloat", "SymBool"]
    with pytest.raises(tenon.error.DataDependentError, match="must be true or false for all"):
        bool(count > 2)
    with tenon.FakeTensorMode() as mode, pytest.raises(tenon.error.DataDependentError):
        mode.from_tensor(tenon.ones(2)).nonzero()
