# SPDX-License-Identifier: Apache-2.0
"""The Python role of the matrix: operators that define, implement, differentiate and call."""

from __future__ import annotations

import gc

import tenon
from tenon import graph
from tenon.func import grad, jvp, vmap
from tenon.library import Library, register_autograd, register_fake, register_vmap

MIX = (
    "mix(Tensor a, int n, float f, str s, Tensor? opt, int[] dims, Tensor[] list) -> (Tensor, int)"
)

_role: Library | None = None
_libraries: dict[str, list[Library]] = {}


def _open(ns: str) -> Library:
    library = Library(ns, "FRAGMENT")
    _libraries.setdefault(ns, []).append(library)
    return library


def _mix(a, n, f, s, opt, dims, list):
    offset = f + len(s) + (opt.tolist()[0] if opt is not None else 100.0)
    offset += sum(dims) + sum(tensor.tolist()[0] for tensor in list)
    return tenon.tensor([x * n + offset for x in a.tolist()], dtype=tenon.float32), a.data_ptr()


def _define(ns: str) -> None:
    _open(ns).define(MIX)


def _implement(ns: str) -> None:
    _open(ns).impl("mix", _mix, "CPU")


def _expect(results, a, expected: list[float]) -> None:
    out, address = results
    if out.tolist() != expected:
        raise AssertionError(f"out must be {expected}, got {out.tolist()}")
    if address != a.data_ptr():
        raise AssertionError("the kernel must see the caller's memory")


def _call(ns: str) -> None:
    mix = getattr(tenon.ops, ns).mix
    a = tenon.tensor([1.0, 2.0, 3.0])
    opt = tenon.tensor([7.0])
    tensors = [tenon.tensor([10.0]), tenon.tensor([20.0])]
    _expect(mix(a, 3, 0.5, "tenon", opt, [4, 6], tensors), a, [55.5, 58.5, 61.5])
    _expect(mix(a, 3, 0.5, "tenon", None, [4, 6], tensors), a, [148.5, 151.5, 154.5])


def _close(ns: str) -> None:
    for library in _libraries.pop(ns, []):
        library._destroy()


class PythonLost(Exception):
    """The exception of this role, which must arrive as the same object."""


_raised: PythonLost | None = None


def _raise(path: str) -> None:
    global _raised
    _raised = PythonLost("lost in Python")
    raise _raised


def _relay(path: str) -> None:
    language, _, rest = path.partition(",")
    tenon.find_op(f"matrix_{language}::{'relay' if rest else 'raise'}")(rest)


def _dive(path: str) -> None:
    """Recurses without end: calls the path's first language with the path rotated by one."""
    language, comma, rest = path.partition(",")
    tenon.find_op(f"matrix_{language}::dive")(rest + comma + language)


def _catch(path: str) -> None:
    """Relays along a path that ends here; the exception must arrive as the one raised."""
    _comes_home(lambda: _relay(path))


def _comes_home(body) -> None:
    global _raised
    try:
        body()
    except PythonLost as lost:
        if lost is not _raised:
            raise AssertionError("must be the same exception, got a copy") from lost
    else:
        raise AssertionError("must raise, returned")
    finally:
        _raised = None


def _product(a, b):
    return tenon.tensor(
        [x * y for x, y in zip(a.tolist(), b.tolist(), strict=True)], dtype=tenon.float32
    )


def _products(ns: str) -> None:
    """Defines and implements operators whose gradient formulas another language registers."""
    library = _open(ns)
    library.define("product(Tensor a, Tensor b) -> Tensor")
    library.impl("product", _product, "CPU")
    library.define("relayed(Tensor a, str path) -> Tensor")
    library.impl("relayed", lambda a, path: tenon.tensor(a.tolist(), dtype=a.dtype), "CPU")


def _of_product(ctx, grad):
    a, b = ctx.saved_tensors
    return grad * b, grad * a


def _of_relayed(ctx, grad):
    _relay(ctx.path)


def _formulas(ns: str) -> None:
    library = _open(ns)

    def save(ctx, inputs, output):
        ctx.save_for_backward(*inputs)

    def keep_path(ctx, inputs, output):
        ctx.path = inputs[1]

    register_autograd(f"{ns}::product", _of_product, setup_context=save, lib=library)
    register_autograd(f"{ns}::relayed", _of_relayed, setup_context=keep_path, lib=library)


def _near(tensor, expected: list[float]) -> None:
    if tensor.tolist() != expected:
        raise AssertionError(f"gradient must be {expected}, got {tensor.tolist()}")


def _expect_slopes(cube, x) -> None:
    """Differentiates x^3 twice and checks the results."""
    (slope,) = tenon.autograd.grad(cube.sum(), x, create_graph=True)
    _near(slope, [12.0, 27.0])
    slope.sum().backward()
    _near(x.grad, [12.0, 18.0])


def _slopes(ns: str) -> None:
    """Differentiates x^3 by another language's formula, and checks the error of one that fails."""
    ops = getattr(tenon.ops, ns)
    x = tenon.tensor([2.0, 3.0], requires_grad=True)
    _expect_slopes(ops.product(ops.product(x, x), x), x)
    failing = ops.relayed(x, "python").sum()
    _comes_home(failing.backward)


def _mirrors(ns: str) -> None:
    """Defines `mirror`, for other languages' cast rules, and `echo`, for overriding objects."""
    library = _open(ns)
    library.define("mirror(Tensor a) -> Tensor")
    library.impl("mirror", lambda a: a, "CPU")
    library.define("echo(Tensor a, int n) -> Tensor")
    library.impl("echo", lambda a, n: a, "CPU")


def _casts(ns: str) -> None:
    _open(ns).register_autocast("mirror", "lower_precision_fp", "cpu")


def _expect_dtype(op, expected) -> None:
    dtype = op(tenon.tensor([1.0, 2.0])).dtype
    if dtype != expected:
        raise AssertionError(f"dtype must be {expected}, got {dtype}")


def _cast(ns: str) -> None:
    """Calls `mirror` inside and outside of an autocast region."""
    mirror = getattr(tenon.ops, ns).mirror
    _expect_dtype(mirror, tenon.float32)
    with tenon.autocast("cpu"):
        _expect_dtype(mirror, tenon.bfloat16)


class Cube(tenon.autograd.Function):
    """A custom autograd function that computes x^3."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x * x

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return grad * x * x * 3


def _apply(language: str) -> None:
    x = tenon.tensor([2.0, 3.0], requires_grad=True)
    cube = getattr(tenon.ops, f"matrix_{language}").cube()
    _expect_slopes(cube(x), x)


def _widens(ns: str) -> None:
    """Defines and implements `widen`, whose batching rule another language registers."""
    library = _open(ns)
    library.define("widen(Tensor a) -> Tensor")
    # A loop over the examples would see one dimension less.
    library.impl("widen", lambda a: a * a.ndim, "CPU")


def _rules(ns: str) -> None:
    widen = getattr(tenon.ops, ns).widen

    # [quote.begin rule]
    @register_vmap(f"{ns}::widen", lib=_open(ns))
    def rule(info, in_dims, a):
        return widen(a), in_dims[0]

    # [quote.end]


def _map(ns: str) -> None:
    """Calls `widen` under vmap and checks that the batching rule ran."""
    x = tenon.tensor([[1.0, 2.0], [3.0, 4.0]])
    _near(vmap(getattr(tenon.ops, ns).widen)(x), [[2.0, 4.0], [6.0, 8.0]])


def _shapes(ns: str) -> None:
    # [quote.begin fake]
    @register_fake(f"{ns}::widen", lib=_open(ns))
    def fake(a):
        return tenon.empty_like(a)

    # [quote.end]


def _fake(ns: str) -> None:
    """Calls `widen` with a fake tensor."""
    given = tenon.FakeTensorMode().from_tensor(tenon.tensor([1.0, 2.0]))
    found = getattr(tenon.ops, ns).widen(given)
    if not isinstance(found, tenon.FakeTensor) or found.shape != (2,):
        raise AssertionError(f"result must be fake, of size 2, got {found}")


def _powers(x):
    """Returns x^6, one multiplication per language, and its gradient by all languages' formulas."""
    power = x
    for stage in ("stage_c", "stage_cpp", "stage_python", "stage_java", "stage_rust"):
        power = getattr(tenon.ops, stage).product(power, x)
    (slope,) = tenon.autograd.grad(power.sum(), x, create_graph=True)
    return power, slope


def _expect_powers(power, slope) -> None:
    _near(power, [64.0, 729.0])
    _near(slope, [192.0, 1458.0])


def _record(spec: str) -> None:
    """Records a graph into a file and as an operator; `spec` is "ns,path"."""
    ns, _, path = spec.partition(",")
    recorded = graph.trace(_powers, tenon.tensor([2.0, 3.0], requires_grad=True))
    recorded.save(path)
    recorded.define(_open(ns), "powers")


def _replay(spec: str) -> None:
    """Runs the graph from the file, and as the operator."""
    ns, _, path = spec.partition(",")
    _expect_powers(*graph.Graph.load(path)(tenon.tensor([2.0, 3.0])))
    x = tenon.tensor([2.0, 3.0], requires_grad=True)
    power, slope = getattr(tenon.ops, ns).powers(x)
    _expect_powers(power, slope)
    _expect_powers(power, tenon.autograd.grad(power.sum(), x)[0])


def _transform(function, kind: str):
    """Transforms a function of any language: vmap, grad of the sum, or jvp with ones."""
    if kind == "vmap":
        return vmap(function)
    if kind == "grad":
        return grad(lambda a: function(a).sum())
    return lambda x: jvp(function, (x,), (tenon.ones_like(x),))[1]


def _power(x):
    return x * x * x


def _attempt(function, x) -> None:
    """Calls a function that ends by raising this role's exception, and checks the exception."""
    _comes_home(lambda: function(x))


class Object:
    """Overrides operators: returns "python:" and the second argument."""

    @classmethod
    def __torch_function__(cls, op, types, args, kwargs):
        return f"python:{args[1]}"


def _override(spec: str) -> None:
    """Calls a namespace's echo operator with another language's object; `spec` is "language,ns"."""
    language, _, ns = spec.partition(",")
    other = getattr(tenon.ops, f"matrix_{language}").object()
    result = getattr(tenon.ops, ns).echo(other, 7)
    if result != f"{language}:7":
        raise AssertionError(f"result must be {language}:7, got {result!r}")


def _collect(ns: str) -> None:
    gc.collect()


def register() -> None:
    """Registers the role's operators, each "(str ns) -> ()"."""
    global _role
    _role = Library("matrix_python", "DEF")
    steps = {
        "define": _define,
        "implement": _implement,
        "call": _call,
        "close": _close,
        "override": _override,
        "products": _products,
        "formulas": _formulas,
        "mirrors": _mirrors,
        "casts": _casts,
        "cast": _cast,
        "widens": _widens,
        "rules": _rules,
        "map": _map,
        "shapes": _shapes,
        "fake": _fake,
        "record": _record,
        "replay": _replay,
        "slopes": _slopes,
        "apply": _apply,
        "collect": _collect,
        "raise": _raise,
        "relay": _relay,
        "dive": _dive,
        "catch": _catch,
    }
    for name, step in steps.items():
        _role.define(f"{name}(str ns) -> ()")
        _role.impl(name, step, "CompositeImplicitAutograd")
    _role.define("object() -> Any")
    _role.impl("object", Object, "CompositeImplicitAutograd")
    _role.define("cube() -> Any")
    _role.impl("cube", lambda: Cube.apply, "CompositeImplicitAutograd")
    _role.define("power() -> Any")
    _role.impl("power", lambda: _power, "CompositeImplicitAutograd")
    _role.define("attempt(Any function, Tensor x) -> ()")
    _role.impl("attempt", _attempt, "CompositeImplicitAutograd")
    _role.define("transform(Any function, str kind) -> Any")
    _role.impl("transform", _transform, "CompositeImplicitAutograd")


def unregister() -> None:
    """Closes the role's library, which removes its operators."""
    global _role
    if _role is not None:
        _role._destroy()
        _role = None
    gc.collect()


register()
