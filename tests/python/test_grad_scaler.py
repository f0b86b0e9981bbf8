# SPDX-License-Identifier: Apache-2.0
"""GradScaler: scales and unscales, skips steps with infinite gradients, and adapts its scale."""

from __future__ import annotations

import math
import pickle

import pytest
import tenon
from tenon import amp


def parameter(*elements, grad=None):
    made = tenon.tensor(list(elements), dtype=tenon.float32, requires_grad=True)
    if grad is not None:
        made.grad = tenon.tensor(grad, dtype=tenon.float32)
    return made


def scaler(**options):
    options = {"init_scale": 4.0, "growth_interval": 2, **options}
    return amp.GradScaler("cpu", **options)


def begun(**options):
    """Returns a scaler that has scaled a loss."""
    made = scaler(**options)
    made.scale(tenon.ones(()))
    return made


def test_scale_multiplies_tensors_in_containers():
    one, made = tenon.ones(2), scaler()
    assert made.scale(one).tolist() == [4, 4]
    pair = made.scale((one, [one]))
    assert isinstance(pair, tuple) and pair[1][0].tolist() == [4, 4]
    assert [each.tolist() for each in made.scale(iter([one]))] == [[4, 4]]
    assert made.scale(tenon.ones(2, dtype=tenon.float16)).dtype == tenon.float16
    with pytest.raises(TypeError, match="must be a Tensor or an iterable of them, got int"):
        made.scale(3)


def test_step_divides_gradients_and_steps():
    w = parameter(1.0, 2.0)
    optimizer, made = tenon.optim.SGD([w], lr=1.0), scaler()
    made.scale((w * w).sum()).backward()
    assert w.grad.tolist() == [8, 16]
    made.step(optimizer)
    assert w.grad.tolist() == [2, 4] and w.tolist() == [-1, -2]
    made.update()
    assert made.get_scale() == 4


@pytest.mark.parametrize("wrong", [math.inf, -math.inf, math.nan])
def test_steps_with_infinite_gradients_are_left_out(wrong):
    w, other = parameter(1.0, 2.0, grad=[1.0, wrong]), parameter(1.0, grad=[1.0])
    made, optimizer = begun(), tenon.optim.SGD([w, other], lr=1.0)
    assert made.step(optimizer) is None
    assert w.tolist() == [1, 2] and other.tolist() == [1]
    made.update()
    assert made.get_scale() == 2


def test_one_optimizer_may_step_while_another_skips():
    good, bad = parameter(1.0, grad=[4.0]), parameter(1.0, grad=[math.inf])
    made = begun()
    first, second = tenon.optim.SGD([good], lr=1.0), tenon.optim.SGD([bad], lr=1.0)
    made.step(first)
    made.step(second)
    made.update()
    assert good.tolist() == [0] and bad.tolist() == [1] and made.get_scale() == 2


def test_scale_grows_after_good_steps_in_a_row():
    made, scales = begun(), []
    for elements in ([1.0], [1.0], [math.inf], [1.0], [1.0]):
        made.step(tenon.optim.SGD([parameter(1.0, grad=elements)], lr=1.0))
        made.update()
        scales.append(made.get_scale())
    assert scales == [4, 8, 4, 4, 8]


def test_scale_never_grows_to_infinity():
    made = begun(init_scale=2.0**127, growth_interval=1)
    made.step(tenon.optim.SGD([parameter(1.0, grad=[1.0])], lr=1.0))
    made.update()
    assert made.get_scale() == 2.0**127


def test_unscale_once_before_clipping():
    w = parameter(1.0, grad=[40.0])
    made, optimizer = begun(), tenon.optim.SGD([w], lr=1.0)
    made.unscale_(optimizer)
    assert w.grad.tolist() == [10]
    with pytest.raises(RuntimeError, match="has already been called on this optimizer"):
        made.unscale_(optimizer)
    tenon.nn.utils.clip_grad_norm_([w], 1.0)
    made.step(optimizer)
    assert w.tolist() == pytest.approx([0], abs=1e-5)
    with pytest.raises(RuntimeError, match="called after step"):
        made.unscale_(optimizer)
    with pytest.raises(RuntimeError, match="already been called since the last update"):
        made.step(optimizer)
    made.update()
    w.grad = None
    with pytest.raises(RuntimeError, match="must have a gradient, got none"):
        made.step(optimizer)


def test_calls_in_the_wrong_order_are_refused():
    made, optimizer = scaler(), tenon.optim.SGD([parameter(1.0, grad=[1.0])], lr=1.0)
    for call in (made.step, made.unscale_):
        with pytest.raises(RuntimeError, match="a loss must have been scaled before"):
            call(optimizer)
    with pytest.raises(RuntimeError, match="a loss must have been scaled before"):
        made.update()
    made.scale(tenon.ones(()))
    with pytest.raises(RuntimeError, match="must have been checked by unscale_"):
        made.update()
    with pytest.raises(RuntimeError, match="closure must not be given"):
        made.step(optimizer, closure=lambda: 0)


def test_float16_gradients_are_refused():
    half = tenon.ones(1, dtype=tenon.float16, requires_grad=True)
    half.grad = tenon.ones(1, dtype=tenon.float16)
    with pytest.raises(ValueError, match="FP16"):
        begun().unscale_(tenon.optim.SGD([half], lr=1.0))


def test_update_to_a_new_scale():
    made = begun()
    made.update(8.0)
    assert made.get_scale() == 8
    made.update(tenon.tensor(16.0))
    assert made.get_scale() == 16
    for wrong in (tenon.ones(2), parameter(1.0), tenon.empty(1, device="meta")):
        with pytest.raises(ValueError, match="new_scale must be a number"):
            made.update(wrong)


def test_disabled_scalers_do_nothing():
    w = parameter(1.0, grad=[1.0])
    made, optimizer = amp.GradScaler("cpu", enabled=False), tenon.optim.SGD([w], lr=1.0)
    loss = tenon.ones(())
    assert made.scale(loss) is loss and not made.is_enabled() and made.get_scale() == 1
    made.unscale_(optimizer)
    made.step(optimizer)
    made.update()
    assert w.tolist() == [0] and made.state_dict() == {}
    made.load_state_dict({})


@pytest.mark.skipif(tenon.is_available("cuda"), reason="cuda has a device")
def test_cuda_without_device_disables_with_a_warning():
    with pytest.warns(UserWarning, match="device must be available, got cuda"):
        assert not amp.GradScaler().is_enabled()


def test_factors_on_the_wrong_side_of_one_are_refused():
    with pytest.raises(ValueError, match="growth_factor must be above 1, got 1.0"):
        scaler(growth_factor=1.0)
    with pytest.raises(ValueError, match="backoff_factor must be below 1, got 1.0"):
        scaler(backoff_factor=1.0)
    with pytest.raises((ValueError, LookupError), match="nosuch"):
        amp.GradScaler("nosuch")


def test_states_carry_over():
    made = begun(growth_factor=3.0)
    made.step(tenon.optim.SGD([parameter(1.0, grad=[1.0])], lr=1.0))
    made.update()
    state = made.state_dict()
    assert state == {
        "scale": 4.0,
        "growth_factor": 3.0,
        "backoff_factor": 0.5,
        "growth_interval": 2,
        "_growth_tracker": 1,
    }
    other = amp.GradScaler("cpu")
    other.load_state_dict(state)
    assert other.state_dict() == state and other.get_growth_factor() == 3
    with pytest.raises(ValueError, match="enabled scaler"):
        other.load_state_dict({})


def test_pickles_between_steps_only():
    made = begun()
    optimizer = tenon.optim.SGD([parameter(1.0, grad=[1.0])], lr=1.0)
    made.unscale_(optimizer)
    with pytest.raises(RuntimeError, match="inside of a step"):
        pickle.dumps(made)
    made.step(optimizer)
    made.update()
    assert pickle.loads(pickle.dumps(made)).state_dict() == made.state_dict()


def test_setters():
    made = scaler()
    made.set_growth_factor(5.0)
    made.set_backoff_factor(0.25)
    made.set_growth_interval(9)
    found = made.get_growth_factor(), made.get_backoff_factor(), made.get_growth_interval()
    assert found == (5.0, 0.25, 9)


def test_training_in_float16_follows_float32():
    """Without scaling, many of the small gradients would be zero in float16."""

    def train(scaled: bool) -> list[float]:
        tenon.manual_seed(3)
        layer = tenon.nn.Linear(8, 4)
        optimizer = tenon.optim.SGD(layer.parameters(), lr=0.1)
        made = amp.GradScaler("cpu", init_scale=2.0**10, enabled=scaled)
        x, target, losses = tenon.randn(16, 8), tenon.randn(16, 4), []
        for _ in range(20):
            optimizer.zero_grad()
            with tenon.autocast("cpu", dtype=tenon.float16, enabled=scaled):
                loss = tenon.nn.functional.mse_loss(layer(x), target)
            made.scale(loss).backward()
            made.step(optimizer)
            made.update()
            losses.append(loss.item())
        return losses

    plain, mixed = train(False), train(True)
    assert mixed[-1] < mixed[0] and mixed == pytest.approx(plain, rel=0.02)
