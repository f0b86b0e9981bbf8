# SPDX-License-Identifier: Apache-2.0
"""L-BFGS with an optional line search that meets the strong Wolfe conditions.

After Nocedal and Wright, Numerical Optimization (2006), algorithms 7.4, 3.5 and 3.6.
"""

from __future__ import annotations

import math

from ..error import InvalidArgumentError
from ..functional import cat
from ..grad_mode import enable_grad, no_grad
from .optimizer import Optimizer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from .._tenon import Tensor


class LBFGS(Optimizer):
    """A quasi-Newton method: `step` needs a closure that computes the loss and its gradients.

    Args:
        params: One group of parameters.
        lr: Length of a step; the first one is divided by the sum of absolute gradients.
        max_iter: Iterations of a call of `step`.
        max_eval: Calls of the closure in it; by default 1.25 of max_iter.
        tolerance_grad: `step` ends if no element of the gradient is larger.
        tolerance_change: `step` ends if the change of parameters or loss is smaller.
        history_size: Number of changes that are remembered.
        line_search_fn: None, or "strong_wolfe".
    """

    def __init__(
        self,
        params: Any,
        lr: float = 1,
        max_iter: int = 20,
        max_eval: int | None = None,
        tolerance_grad: float = 1e-7,
        tolerance_change: float = 1e-9,
        history_size: int = 100,
        line_search_fn: str | None = None,
        maximize: bool = False,
    ) -> None:
        """Stores the group."""
        if line_search_fn not in (None, "strong_wolfe"):
            raise InvalidArgumentError(
                f"LBFGS: line_search_fn must be None or 'strong_wolfe', got {line_search_fn!r}"
            )
        options = {
            "lr": lr,
            "max_iter": max_iter,
            "max_eval": max_iter * 5 // 4 if max_eval is None else max_eval,
            "tolerance_grad": tolerance_grad,
            "tolerance_change": tolerance_change,
            "history_size": history_size,
            "line_search_fn": line_search_fn,
            "maximize": maximize,
        }
        super().__init__(params, options)
        if len(self.param_groups) != 1:
            raise InvalidArgumentError("LBFGS: params must be one group, got several")
        self._params = self.param_groups[0]["params"]

    def _gradient(self) -> Tensor:
        parts = [
            one.new_zeros(one.numel()) if one.grad is None else one.grad.reshape(-1)
            for one in self._params
        ]
        whole = cat(parts)
        return whole.neg() if self.param_groups[0].get("maximize") else whole

    def _loss(self, value: Any) -> float:
        return -float(value) if self.param_groups[0].get("maximize") else float(value)

    def _move(self, direction: Tensor, length: float) -> None:
        offset = 0
        for one in self._params:
            count = one.numel()
            one.add_(direction[offset : offset + count].view_as(one), alpha=length)
            offset += count

    def _evaluate(
        self, closure: Any, start: list[Tensor], direction: Tensor, length: float
    ) -> tuple[float, Tensor]:
        """Returns loss and gradient at a distance from `start`, and restores the parameters."""
        self._move(direction, length)
        loss = self._loss(closure())
        gradient = self._gradient()
        for one, old in zip(self._params, start, strict=True):
            one.copy_(old)
        return loss, gradient

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Runs up to max_iter iterations; returns the loss before the first."""
        if closure is None:
            raise InvalidArgumentError("LBFGS: step must be given a closure, got none")
        with no_grad():
            loss = self._run(enable_grad()(closure))
        return loss

    def _run(self, closure: Any) -> Any:
        group = self.param_groups[0]
        state = self.state[self._params[0]]
        state.setdefault("func_evals", 0)
        state.setdefault("n_iter", 0)
        first = closure()
        loss, calls = self._loss(first), 1
        state["func_evals"] += 1
        gradient = self._gradient()
        if float(gradient.abs().max()) <= group["tolerance_grad"]:
            return first
        direction, length = state.get("d"), state.get("t")
        olds: list[Any] = state.get("old_dirs", [])
        steps: list[Any] = state.get("old_stps", [])
        weights: list[Any] = state.get("ro", [])
        diagonal, before = state.get("H_diag", 1), state.get("prev_flat_grad")
        last_loss = state.get("prev_loss")
        done = 0
        while done < group["max_iter"]:
            done += 1
            state["n_iter"] += 1
            if state["n_iter"] == 1:
                direction, olds, steps, weights, diagonal = gradient.neg(), [], [], [], 1
            else:
                y, s = gradient.sub(before), direction.mul(length)
                curvature = float(y.dot(s))
                if curvature > 1e-10:
                    if len(olds) == group["history_size"]:
                        olds.pop(0), steps.pop(0), weights.pop(0)
                    olds.append(y), steps.append(s), weights.append(1.0 / curvature)
                    diagonal = curvature / y.dot(y)
                direction = _two_loops(gradient, olds, steps, weights, diagonal)
            before = gradient.clone() if before is None else before.copy_(gradient)
            last_loss = loss
            length = group["lr"]
            if state["n_iter"] == 1:
                length = min(1.0, 1.0 / float(gradient.abs().sum())) * group["lr"]
            slope = float(gradient.dot(direction))
            if slope > -group["tolerance_change"]:
                break
            evaluations = 0
            if group["line_search_fn"] is not None:
                start = [one.clone() for one in self._params]
                loss, gradient, length, evaluations = _strong_wolfe(
                    lambda t, start=start, d=direction: self._evaluate(closure, start, d, t),
                    *(length, direction, loss, gradient, slope, group["tolerance_change"]),
                )
                self._move(direction, length)
            else:
                self._move(direction, length)
                if done != group["max_iter"]:
                    loss = float(closure())
                    gradient = self._gradient()
                    evaluations = 1
            calls += evaluations
            state["func_evals"] += evaluations
            if (
                done == group["max_iter"]
                or calls >= group["max_eval"]
                or float(gradient.abs().max()) <= group["tolerance_grad"]
                or float(direction.mul(length).abs().max()) <= group["tolerance_change"]
                or abs(loss - last_loss) < group["tolerance_change"]
            ):
                break
        state.update(d=direction, t=length, old_dirs=olds, old_stps=steps, ro=weights)
        state.update(H_diag=diagonal, prev_flat_grad=before, prev_loss=last_loss)
        return first


def _two_loops(
    gradient: Tensor, olds: list[Any], steps: list[Any], weights: list[Any], diagonal: Any
) -> Tensor:
    """Returns minus the gradient times the approximate inverse of the Hessian."""
    q = gradient.neg()
    shares = [0.0] * len(olds)
    for place in range(len(olds) - 1, -1, -1):
        shares[place] = float(steps[place].dot(q)) * weights[place]
        q.add_(olds[place], alpha=-shares[place])
    result = q.mul(diagonal)
    for place in range(len(olds)):
        share = float(olds[place].dot(result)) * weights[place]
        result.add_(steps[place], alpha=shares[place] - share)
    return result


class _Point:
    """A point on the search line: its distance, loss, gradient and slope."""

    def __init__(self, t: float, loss: float, gradient: Tensor, slope: float) -> None:
        self.t, self.loss, self.gradient, self.slope = t, loss, gradient, slope


def _strong_wolfe(
    evaluate: Any,
    t: float,
    direction: Tensor,
    loss: float,
    gradient: Tensor,
    slope: float,
    tolerance: float,
    c1: float = 1e-4,
    c2: float = 0.9,
    most: int = 25,
) -> tuple[float, Tensor, float, int]:
    """Returns loss, gradient and distance of a place that meets the conditions, and the calls."""
    scale = float(direction.abs().max())

    def at(place: float) -> _Point:
        value, grads = evaluate(place)
        return _Point(place, value, grads.clone(), float(grads.dot(direction)))

    start = _Point(0.0, loss, gradient.clone(), slope)
    before, now, calls, turns = start, at(t), 1, 0
    bracket: list[_Point] = []
    is_done = False
    while turns < most:
        if now.loss > loss + c1 * now.t * slope or (turns > 1 and now.loss >= before.loss):
            bracket = [before, now]
        elif abs(now.slope) <= -c2 * slope:
            bracket, is_done = [now], True
        elif now.slope >= 0:
            bracket = [before, now]
        if bracket:
            break
        low, high = now.t + 0.01 * (now.t - before.t), now.t * 10
        place = _cubic_minimum(before, now, low, high)
        before, now = now, at(place)
        calls += 1
        turns += 1
    if turns == most:
        bracket = [start, now]
    bracket.sort(key=lambda one: one.loss)  # the better one first
    stuck = False
    while not is_done and turns < most and len(bracket) == 2:
        edges = sorted(one.t for one in bracket)
        if (edges[1] - edges[0]) * scale < tolerance:
            break
        a, b = sorted(bracket, key=lambda one: one.t)
        place = _cubic_minimum(a, b, *edges)
        margin = 0.1 * (edges[1] - edges[0])
        if min(edges[1] - place, place - edges[0]) < margin:
            if stuck or place >= edges[1] or place <= edges[0]:
                near_high = abs(place - edges[1]) < abs(place - edges[0])
                place = edges[1] - margin if near_high else edges[0] + margin
                stuck = False
            else:
                stuck = True
        else:
            stuck = False
        found = at(place)
        calls += 1
        turns += 1
        best, other = bracket
        if found.loss > loss + c1 * found.t * slope or found.loss >= best.loss:
            bracket = [best, found]
            bracket.sort(key=lambda one: one.loss)
        else:
            if abs(found.slope) <= -c2 * slope:
                is_done = True
            elif found.slope * (other.t - best.t) >= 0:
                other = best
            bracket = [found, other]
    chosen = bracket[0]
    return chosen.loss, chosen.gradient, chosen.t, calls


def _cubic_minimum(a: _Point, b: _Point, low: float, high: float) -> float:
    """Returns the minimum of the cubic through two values and slopes, within bounds."""
    d1 = a.slope + b.slope - 3 * (a.loss - b.loss) / (a.t - b.t)
    square = d1 * d1 - a.slope * b.slope
    if square < 0:
        return (low + high) / 2
    d2 = math.sqrt(square)
    if a.t <= b.t:
        place = b.t - (b.t - a.t) * ((b.slope + d2 - d1) / (b.slope - a.slope + 2 * d2))
    else:
        place = a.t - (a.t - b.t) * ((a.slope + d2 - d1) / (a.slope - b.slope + 2 * d2))
    return min(max(place, low), high)


__all__ = ["LBFGS"]
