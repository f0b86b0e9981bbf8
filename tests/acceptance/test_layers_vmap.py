# SPDX-License-Identifier: Apache-2.0
"""vmap: which dim is mapped, what the function sees, what is returned and what is refused."""

import functools
import itertools
import threading
from collections import OrderedDict, namedtuple

import pytest
from seed import flat, sub, torch


def allclose(a, b, atol=1e-6):
    return flat(a) == pytest.approx(flat(b), rel=1e-5, abs=atol)


def vmap(*a, **k):
    return sub("func").vmap(*a, **k)


def ar(*shape):
    n = 1
    for s in shape:
        n *= s
    return torch.arange(n).reshape(shape).to(torch.float32)


def same(a, b):
    assert tuple(a.shape) == tuple(b.shape), (a.shape, b.shape)
    assert a.dtype == b.dtype and allclose(a, b), (a, b)


pytestmark = pytest.mark.filterwarnings("ignore")
Pair = namedtuple("Pair", "left right")


def test_function_runs_once_and_sees_one_example():
    """f is called a single time, with tensors that lack the mapped dimension"""
    seen = []

    def f(x):
        seen.append((tuple(x.shape), x.dim(), x.numel(), x.size(-1)))
        return x.sum()

    assert vmap(f)(ar(5, 2, 3)).tolist() == ar(5, 2, 3).sum((1, 2)).tolist()
    assert seen == [((2, 3), 2, 6, 3)]


def test_inside_value_is_a_tensor_with_dtype_and_device():
    """inside, an argument is a Tensor with the dtype and device of the whole"""

    def f(x):
        assert isinstance(x, torch.Tensor)
        assert x.dtype == torch.int64 and x.device.type == "cpu" and not x.is_floating_point()
        return x + 1

    assert vmap(f)(torch.arange(3)).tolist() == [1, 2, 3]


def test_top_level_name_and_func_name_agree():
    """torch.vmap and torch.func.vmap do the same"""
    x = ar(3, 2)
    same(torch.vmap(lambda r: r.cumsum(0))(x), vmap(lambda r: r.cumsum(0))(x))


def test_wrapped_name_and_partial():
    """the mapped function keeps its name; a functools.partial can be mapped too"""

    def scaled(x, k):
        return x * k

    assert vmap(scaled).__name__ == "scaled"
    assert vmap(functools.partial(scaled, k=3))(ar(3)).tolist() == [0, 3, 6]


def test_non_tensor_with_none_passes_by_identity():
    """a Python object with in_dims None is passed as the same object"""

    class Token:
        pass

    token, got = Token(), []
    vmap(lambda x, t: (got.append(t), x)[1], in_dims=(0, None))(ar(2), token)
    assert got[0] is token


def test_in_dims_nested_structure():
    """in_dims may follow the nesting of dicts and tuples"""
    d = {"w": ar(3, 2), "b": ar(2)}
    out = vmap(
        lambda p, q: p["w"] + p["b"] + q[0] * q[1], in_dims=({"w": 0, "b": None}, (1, None))
    )(d, (ar(2, 3), 2))
    same(out, d["w"] + d["b"] + ar(2, 3).t() * 2)


def test_out_dims_none_passes_unmapped_values():
    """out_dims None returns an unmapped tensor unexpanded, and any Python value"""
    const = ar(3)
    out, word = vmap(lambda r: (const, "word"), out_dims=(None, None))(ar(4))
    assert out.shape == (3,) and word == "word"


def test_unmapped_output_is_expanded():
    """an output that does not depend on the mapped arguments is repeated"""
    out = vmap(lambda r: torch.arange(2))(ar(3, 5))
    assert out.tolist() == [[0, 1]] * 3


def test_return_of_a_number_is_refused():
    """returning a Python number with an integer out_dim is a ValueError"""
    with pytest.raises(ValueError, match="(?i)tensor"):
        vmap(lambda r: 3)(ar(3))
    assert vmap(lambda r: torch.tensor(3))(ar(3)).tolist() == [3, 3, 3]


def test_output_containers_keep_their_types():
    """dict, OrderedDict, list, tuple and namedtuple outputs keep type and order"""

    def f(r):
        return OrderedDict([("z", r), ("a", [r, Pair(r + 1, (r,))])])

    out = vmap(f)(ar(2))
    assert type(out) is OrderedDict and list(out) == ["z", "a"]
    assert type(out["a"]) is list and type(out["a"][1]) is Pair and type(out["a"][1].right) is tuple
    assert out["a"][1].left.tolist() == [1, 2]


def test_refused_calls_without_anything_to_map():
    """no inputs at all, or only None in in_dims, is a ValueError"""
    with pytest.raises(ValueError):
        vmap(lambda: ar(2))()
    with pytest.raises(ValueError):
        vmap(lambda x: x, in_dims=(None,))(ar(3))
    assert vmap(lambda x, y: y, in_dims=(0, None))(ar(3), ar(1)).shape == (3, 1)


def test_refused_in_dims_values():
    """in_dims out of range, on a non-tensor, or of the wrong structure is a ValueError"""
    with pytest.raises(ValueError):
        vmap(lambda x: x, in_dims=2)(ar(3, 2))
    with pytest.raises(ValueError):
        vmap(lambda x: x, in_dims=-3)(ar(3, 2))
    with pytest.raises(ValueError):
        vmap(lambda x, k: x * k, in_dims=(0, 0))(ar(3), 2)
    with pytest.raises(ValueError):
        vmap(lambda x, y: x + y, in_dims=(0,))(ar(3), ar(3))
    with pytest.raises(ValueError):
        vmap(lambda x: x, in_dims="zero")(ar(3))
    assert vmap(lambda x, k: x * k, in_dims=(-2, None))(ar(3, 2), 2).shape == (3, 2)


def test_refused_zero_dim_argument():
    """a tensor without dimensions cannot be mapped"""
    with pytest.raises(ValueError):
        vmap(lambda x: x)(torch.tensor(1.0))
    assert vmap(lambda x, y: x + y, in_dims=(0, None))(ar(2), torch.tensor(1.0)).tolist() == [1, 2]


def test_nested_outer_product():
    """nesting one vmap in another makes an outer product, outer dimension first"""
    a, b, c = ar(2), ar(3) + 1, ar(4) + 2
    out = vmap(lambda x: vmap(lambda y: vmap(lambda z: x * y + z)(c))(b))(a)
    same(out, a.view(2, 1, 1) * b.view(1, 3, 1) + c)


def test_nested_in_dims_count_remaining_dims():
    """an inner in_dims counts the dimensions the inner level sees"""
    x, y = ar(5, 2, 3), ar(3, 5, 2)
    out = vmap(vmap(vmap(torch.sub), in_dims=(1, 0)), in_dims=(1, 2))(x, y)
    same(out, x.permute(1, 2, 0) - y.permute(2, 0, 1))


def test_iteration_len_and_unbind_inside():
    """len and iteration walk the first dimension of one example"""

    def f(r):
        assert len(r) == 3
        rows = [q for q in r]
        return rows[0] + rows[2] - torch.unbind(r)[1]

    x = ar(4, 3, 2)
    same(vmap(f)(x), x[:, 0] + x[:, 2] - x[:, 1])


def test_cat_and_stack_mix_mapped_and_plain():
    """cat and stack take mapped and unmapped tensors together"""
    x, c = ar(4, 2), torch.tensor([7.0])
    same(vmap(lambda r: torch.cat([c, r, c]))(x), torch.stack([torch.cat([c, r, c]) for r in x]))
    same(
        vmap(lambda r: torch.stack([ar(2), r], 1))(x),
        torch.stack([torch.stack([ar(2), r], 1) for r in x]),
    )


def test_in_place_writes_through_to_the_argument():
    """an in-place operator inside changes the tensor that was passed in"""
    x = torch.zeros(3, 2)
    out = vmap(lambda r, k: r.add_(k))(x, torch.tensor([1.0, 2.0, 3.0]))
    assert x[:, 0].tolist() == [1, 2, 3] and torch.equal(out, x)


def test_in_place_through_a_view_inside():
    """writing into a view of a clone changes the clone, not the argument"""
    x = ar(3, 2)

    def f(r):
        y = r.clone()
        y[0] = 9.0
        y[1:].mul_(2)
        return y

    out = vmap(f)(x)
    assert out.tolist() == [[9, 2], [9, 6], [9, 10]] and torch.equal(x, ar(3, 2))


def test_item_bool_and_dynamic_shape_are_refused():
    """item(), truth value and masks that change the shape are RuntimeErrors"""
    with pytest.raises(RuntimeError):
        vmap(lambda r: r.item())(ar(3))
    with pytest.raises(RuntimeError):
        vmap(lambda r: r if r > 0 else -r)(ar(3))
    with pytest.raises(RuntimeError):
        vmap(lambda r: r[r > 0])(ar(3, 2))
    with pytest.raises(RuntimeError):
        vmap(lambda r: r.nonzero())(ar(3, 2))
    same(vmap(lambda r: torch.where(r > 0, r, -r))(ar(3, 2)), ar(3, 2))


def test_randomness_error_is_the_default():
    """a random operator inside raises unless randomness is given"""
    with pytest.raises(RuntimeError, match="random"):
        vmap(lambda r: r + torch.rand(2))(ar(3, 2))
    with pytest.raises(RuntimeError, match="random"):
        vmap(lambda r: torch.nn.functional.dropout(r, 0.5))(ar(3, 2))
    same(vmap(lambda r: torch.nn.functional.dropout(r, 0.5, training=False))(ar(3, 2)), ar(3, 2))


def test_randomness_unknown_word():
    """an unknown value of randomness is refused"""
    with pytest.raises((RuntimeError, ValueError), match="random"):
        vmap(lambda r: r, randomness="sometimes")(ar(3))
    same(vmap(lambda r: r, randomness="error")(ar(3)), ar(3))


def test_randomness_of_nested_maps():
    """each nested map follows its own randomness mode"""

    def inner(rnd):
        return lambda a: vmap(lambda b: torch.rand(()), randomness=rnd)(ar(4))

    out = vmap(inner("different"), randomness="same")(ar(3))
    assert torch.equal(out[0], out[1]) and len(set(out[0].tolist())) == 4
    out = vmap(inner("same"), randomness="different")(ar(3))
    assert len(set(out[:, 0].tolist())) == 3 and all(len(set(r.tolist())) == 1 for r in out)


def test_chunk_size_bounds():
    """a chunk larger than the map runs once; chunk_size 0 is a ValueError"""
    calls = []
    same(vmap(lambda r: (calls.append(1), r)[1], chunk_size=100)(ar(3)), ar(3))
    assert len(calls) == 1
    with pytest.raises(ValueError, match="chunk"):
        vmap(lambda r: r, chunk_size=0)(ar(3))


def test_autograd_through_a_map():
    """ordinary backward passes through a vmapped call"""
    x = ar(3, 2).requires_grad_()
    w = torch.tensor([1.0, 2.0], requires_grad=True)
    vmap(lambda r: (r * w).sum() ** 2)(x).sum().backward()
    s = (x.detach() * w.detach()).sum(1, keepdim=True)
    same(x.grad, 2 * s * w.detach())
    same(w.grad, (2 * s * x.detach()).sum(0))


def test_identity_returns_the_same_memory():
    """the identity with moved dimensions is a view of the argument"""
    x = ar(2, 3)
    out = vmap(lambda r: r, in_dims=1)(x)
    assert out.data_ptr() == x.data_ptr() and out.stride() == (1, 3)


def test_zero_examples():
    """a map over zero examples returns empty results of the right shape"""
    out = vmap(lambda r: (r.sum(), r * 2))(torch.ones(0, 3))
    assert out[0].shape == (0,) and out[1].shape == (0, 3)


def test_map_in_another_thread():
    """two threads map at the same time without seeing each other's level"""
    barrier, got = threading.Barrier(2), {}

    def work(n):
        def f(r):
            barrier.wait(10)
            got[n] = tuple(r.shape)
            return r * n

        got["out", n] = vmap(f)(ar(n, n + 1))

    ts = [threading.Thread(target=work, args=(n,)) for n in (2, 3)]
    [t.start() for t in ts]
    [t.join(20) for t in ts]
    assert got[2] == (3,) and got[3] == (4,)
    same(got["out", 2], ar(2, 3) * 2)
    same(got["out", 3], ar(3, 4) * 3)


def test_layers_per_example():
    """linear, embedding, layer_norm and cross_entropy compute per-example results"""
    F = torch.nn.functional
    x, w = torch.randn(4, 2, 3), torch.randn(5, 3)
    same(vmap(lambda r: F.linear(r, w))(x), F.linear(x, w))
    same(vmap(lambda r: F.layer_norm(r, (3,)))(x), F.layer_norm(x, (3,)))
    i, table = torch.tensor([[0, 1], [2, 2]]), torch.randn(2, 3, 4)
    same(vmap(F.embedding)(i, table), torch.stack([F.embedding(a, b) for a, b in zip(i, table)]))
    t = torch.tensor([[0, 2], [1, 1]])
    lg = torch.randn(2, 2, 3)
    same(vmap(F.cross_entropy)(lg, t), torch.stack([F.cross_entropy(a, b) for a, b in zip(lg, t)]))


def test_conv_with_mapped_weights():
    """conv2d with the weight mapped and the input not"""
    F = torch.nn.functional
    x, w = torch.randn(1, 2, 5, 5), torch.randn(3, 4, 2, 3, 3)
    same(vmap(lambda k: F.conv2d(x, k))(w), torch.stack([F.conv2d(x, k) for k in w]))


def test_comparison_and_bool_results():
    """comparisons inside return bool tensors; reductions such as any are per example"""
    x = ar(3, 2)
    if not hasattr(torch.Tensor, "any"):
        pytest.skip("any and all are to come")
    out = vmap(lambda r: (r > 2).any())(x)
    assert out.dtype == torch.bool and out.tolist() == [False, True, True]
    assert vmap(lambda r: (r >= 2).logical_not().all())(x).tolist() == [True, False, False]


def test_factories_inside():
    """full_like, new_full and ones_like follow the per-example shape"""
    x = ar(3, 2)
    out = vmap(lambda r: torch.full_like(r, 2) + r.new_full((2,), 3.0) + torch.ones_like(r))(x)
    same(out, torch.full((3, 2), 6.0))


def test_mapped_value_in_a_closure_of_generator():
    """lazily evaluated inner work still belongs to the running level"""

    def f(r):
        return sum((q * q for q in itertools.islice(r, 2)), torch.zeros(()))

    x = ar(3, 3)
    same(vmap(f)(x), x[:, 0] ** 2 + x[:, 1] ** 2)
