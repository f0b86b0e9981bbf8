# SPDX-License-Identifier: Apache-2.0
"""Grad mode and inference mode: contexts, decorators, generators and threads."""

from __future__ import annotations

import threading

import pytest
import tenon
from tenon.library import IncludeDispatchKeyGuard, included_keys
from tenon.thread_state import ThreadState


def modes() -> tuple[bool, bool]:
    return tenon.is_grad_enabled(), tenon.is_inference_mode_enabled()


@pytest.fixture(autouse=True)
def unchanged():
    """Asserts that each test leaves grad mode on and inference mode off."""
    assert modes() == (True, False)
    keys = included_keys()
    yield
    assert (modes(), included_keys()) == ((True, False), keys)


def test_contexts_nest():
    with tenon.no_grad():
        assert modes() == (False, False)
        with tenon.enable_grad():
            assert modes() == (True, False)
            with tenon.no_grad():
                assert modes() == (False, False)
            assert modes() == (True, False)
        assert modes() == (False, False)


def test_contexts_are_left_after_errors_and_entered_again():
    quiet = tenon.no_grad()
    for _ in range(2):
        with pytest.raises(KeyError), quiet:
            assert not tenon.is_grad_enabled()
            raise KeyError
        assert tenon.is_grad_enabled()


@pytest.mark.parametrize("outer", [True, False])
@pytest.mark.parametrize("mode", [True, False])
def test_set_grad_enabled_as_a_context(outer, mode):
    with tenon.set_grad_enabled(outer):
        with tenon.set_grad_enabled(mode):
            assert tenon.is_grad_enabled() is mode
        assert tenon.is_grad_enabled() is outer


def test_set_grad_enabled_as_a_function():
    tenon.set_grad_enabled(False)
    assert not tenon.is_grad_enabled()
    tenon.set_grad_enabled(True)
    with tenon.no_grad():
        tenon.set_grad_enabled(True)
        assert tenon.is_grad_enabled()
    with tenon.enable_grad():
        tenon.set_grad_enabled(False)


def test_set_grad_enabled_made_on_one_thread_and_entered_on_another():
    seen = []
    mode = tenon.set_grad_enabled(False)
    tenon.set_grad_enabled(True)

    def enter():
        with mode:
            seen.append(tenon.is_grad_enabled())
        seen.append(tenon.is_grad_enabled())

    thread = threading.Thread(target=enter)
    thread.start()
    thread.join()
    assert seen == [False, True]


def test_set_grad_enabled_as_a_decorator_changes_nothing_at_once():
    @tenon.set_grad_enabled(False)
    def f():
        return tenon.is_grad_enabled()

    assert tenon.is_grad_enabled()
    assert (f(), f()) == (False, False)


@pytest.mark.parametrize("decorate", [tenon.no_grad, tenon.no_grad(), tenon.inference_mode])
def test_decorators(decorate):
    @decorate
    def f(n, *, up=True):
        """Doc of f."""
        return f(n - 1) if n else (tenon.is_grad_enabled(), up)

    assert f(3) == (False, True) and f(0, up=False) == (False, False)
    assert (f.__name__, f.__doc__) == ("f", "Doc of f.")

    class Model:
        @decorate
        def forward(self):
            return self, tenon.is_grad_enabled()

    model = Model()
    assert model.forward() == (model, False)


def test_only_functions_can_be_decorated():
    with pytest.raises(TypeError, match="no_grad: the decorated object must be a function, got 3"):
        tenon.no_grad()(3)
    with pytest.raises(TypeError, match="decorate its methods"):

        @tenon.no_grad()
        class Model:
            pass


def test_generators_run_in_the_mode_and_their_callers_do_not():
    @tenon.no_grad()
    def numbers():
        got = []
        try:
            for i in range(2):
                got.append((yield i, tenon.is_grad_enabled()))
            try:
                yield "wait"
            except KeyError:
                got.append(tenon.is_grad_enabled())
            yield got
        finally:
            seen.append(tenon.is_grad_enabled())

    seen = []
    steps = numbers()
    assert (next(steps), tenon.is_grad_enabled()) == ((0, False), True)
    assert steps.send("a") == (1, False)
    assert steps.send("b") == "wait"
    assert steps.throw(KeyError()) == ["a", "b", False] and tenon.is_grad_enabled()
    steps.close()
    assert seen == [False] and tenon.is_grad_enabled()

    @tenon.no_grad()
    def returns():
        yield 1
        return 2

    def outer():
        seen.append((yield from returns()))

    assert list(outer()) == [1] and seen == [False, 2]


def test_a_mode_that_a_generator_holds_does_not_leak_out_of_a_decorated_one():
    @tenon.enable_grad()
    def steps():
        with tenon.no_grad():
            yield tenon.is_grad_enabled()
            yield tenon.is_grad_enabled()

    running = steps()
    assert next(running) is False and tenon.is_grad_enabled()
    assert list(running) == [True] and tenon.is_grad_enabled()


def test_contexts_left_late_restore_the_mode_at_entry():
    def steps():
        with tenon.no_grad():
            yield

    running = steps()
    next(running)
    assert not tenon.is_grad_enabled()
    with tenon.enable_grad():
        running.close()
        assert tenon.is_grad_enabled()
    assert not tenon.is_grad_enabled()  # restores the mode that the block was entered with
    tenon.set_grad_enabled(True)


def test_misuse():
    with pytest.raises(RuntimeError, match=r"no_grad: .* got one that was not entered"):
        tenon.no_grad().__exit__(None, None, None)
    met = []

    def leave():
        try:
            quiet.__exit__(None, None, None)
        except RuntimeError as error:
            met.append(str(error))

    with tenon.no_grad() as nothing:
        assert nothing is None
    quiet = tenon.no_grad()
    with quiet:
        thread = threading.Thread(target=leave)
        thread.start()
        thread.join()
    assert met == ["no_grad: must be left on the thread that entered it, got another thread"]


# ---- Inference mode ------------------------------------------------------------------------------


def test_inference_mode_nests():
    with tenon.inference_mode():
        assert modes() == (False, True) and "ADInplaceOrView" not in included_keys()
        with tenon.inference_mode(False):
            assert modes() == (True, False) and "ADInplaceOrView" in included_keys()
            with tenon.inference_mode(mode=True):
                assert modes() == (False, True)
        assert modes() == (False, True)
    with tenon.no_grad(), tenon.inference_mode(False):
        assert modes() == (True, False)


def test_grad_mode_inside_inference_mode():
    with tenon.inference_mode():
        with tenon.enable_grad():
            assert modes() == (True, True) and "ADInplaceOrView" not in included_keys()
            with tenon.no_grad():
                assert modes() == (False, True)
        assert modes() == (False, True)
        tenon.set_grad_enabled(True)
        assert modes() == (True, True)


def test_inference_mode_is_left_in_order():
    outer, inner = tenon.inference_mode(), IncludeDispatchKeyGuard("Tracer")
    with outer, inner, pytest.raises(RuntimeError, match="must be the innermost of its thread"):
        outer.__exit__(None, None, None)
    with pytest.raises(RuntimeError, match="must be entered before it is left"):
        outer.__exit__(None, None, None)


def test_inference_mode_decorates_generators():
    @tenon.inference_mode()
    def steps():
        yield modes()
        yield modes()

    assert [(step, modes()) for step in steps()] == [((False, True), (True, False))] * 2


def test_tensors_made_meanwhile_are_inference_tensors():
    x = tenon.ones(2)
    with tenon.inference_mode():
        made = [x * 2, tenon.ones(2), tenon.tensor([1.0]), tenon.as_tensor([1.0]), x.clone()]
        view = x.reshape(1, 2)
        with tenon.inference_mode(False):
            normal = x * 2
        with tenon.enable_grad():
            made.append(x * 2)
    assert all(one.is_inference() for one in made)
    assert not any(one.is_inference() for one in (x, view, normal, made[0].clone()))
    keys = made[0]._keys
    assert "ADInplaceOrView" not in keys and "ADInplaceOrView" in x._keys
    with pytest.raises(RuntimeError, match="inference tensor"):
        made[0]._version  # noqa: B018
    assert x._version == 0


# ---- Kernels and threads -------------------------------------------------------------------------


def test_a_users_own_autograd_kernel_runs_in_every_mode(library, ops):
    library.define("f(Tensor x) -> str")
    library.impl("f", lambda x: "cpu", "CPU")
    library.impl("f", lambda x: "autograd", "Autograd")
    x = tenon.ones(2)
    for mode in (tenon.no_grad, tenon.enable_grad, tenon.inference_mode):
        with mode():
            assert ops.f(x) == "autograd"


def test_threads_have_modes_of_their_own_and_states_carry_them():
    seen = []

    def note():
        seen.append(modes())

    with tenon.no_grad():
        thread = threading.Thread(target=note)
        thread.start()
        thread.join()
        bound = ThreadState().bind(note)
    with tenon.inference_mode():
        inference = ThreadState().bind(note)
    for function in (bound, inference, note):
        thread = threading.Thread(target=function)
        thread.start()
        thread.join()
    assert seen == [(True, False), (False, False), (False, True), (True, False)]


# ---- Inference tensors outside inference mode ----------------------------------------------------


class _Product(tenon.autograd.Function):
    @staticmethod
    def forward(ctx, x, factor):
        ctx.save_for_backward(factor)
        return x * factor

    @staticmethod
    def backward(ctx, grad):
        return grad * ctx.saved_tensors[0], None


@pytest.mark.parametrize(
    "call",
    [
        lambda x, c: x * c,
        lambda x, c: c * x,
        lambda x, c: (x * 1).mul_(c),
        lambda x, c: tenon.maximum(x, c),
        lambda x, c: _Product.apply(x, c),
    ],
)
def test_inference_tensors_are_not_saved(call):
    with tenon.inference_mode():
        constant = tenon.ones(2)
    x = tenon.ones(2, requires_grad=True)
    with pytest.raises(tenon.error.StateError, match="inference tensors cannot be saved"):
        call(x, constant)
    y = call(x, constant.clone())
    y.sum().backward()
    assert x.grad is not None
    with tenon.no_grad():
        call(x, constant)


def test_inference_tensors_are_accepted_unless_saved():
    with tenon.inference_mode():
        constant = tenon.ones(2)
    x = tenon.ones(2, requires_grad=True)
    (x + constant).sum().backward()
    assert x.grad.tolist() == [1.0, 1.0]


def test_writing_tracked_values_to_inference_tensors_is_refused():
    with tenon.inference_mode():
        constant = tenon.ones(2)
    with pytest.raises(tenon.error.StateError, match="self is an inference tensor"):
        constant.add_(tenon.ones(2, requires_grad=True))
    assert constant.tolist() == [1.0, 1.0] and not constant.requires_grad


def test_inference_tensors_begin_to_require_grad_in_inference_mode_only():
    with tenon.inference_mode():
        made = tenon.ones(2, requires_grad=True)
        layer = tenon.nn.Linear(2, 2)
        assert made.requires_grad and made.is_leaf and not (made * 2).requires_grad
    assert layer.weight.requires_grad
    (made + 1).sum().backward()
    assert made.grad.tolist() == [1.0, 1.0]
    made.requires_grad_(False)
    with pytest.raises(tenon.error.StateError, match="requires_grad cannot be set to True"):
        made.requires_grad_()
