# SPDX-License-Identifier: Apache-2.0
"""Kullback-Leibler divergences of different families, and of families that few programs use.

The divergence of p from q is E_p[-log q] - H(p). For most pairs the cross entropy E_p[-log q]
needs a few expectations under p only: mean, variance, E[log x], E[log(1 - x)], E[exp(-t x)].
"""

from __future__ import annotations

import math
from typing import Any

from .._tenon import Tensor
from ..linalg import solve_triangular
from ..ops import _packet
from .combined import Gumbel, MultivariateNormal, Pareto, TransformedDistribution
from .continuous import Beta, Cauchy, Exponential, Gamma, Laplace, Normal, Uniform
from .counts import Binomial
from .discrete import Bernoulli, Poisson
from .distribution import Distribution
from .kl import _rules, kl_divergence, register_kl
from .matrices import LowRankMultivariateNormal, _log_det
from .rare import _EULER, ContinuousBernoulli

_lgamma, _digamma, _xlogy = (_packet(f"aten::{name}") for name in ("lgamma", "digamma", "xlogy"))
_LOG_2PI = math.log(2 * math.pi)


def _mean_log(p: Any) -> Tensor:
    """Returns E[log x]."""
    if isinstance(p, Beta):
        return _digamma(p.concentration1) - _digamma(p.concentration1 + p.concentration0)
    if isinstance(p, Exponential):
        return -_EULER - p.rate.log()
    if isinstance(p, Gamma):
        return _digamma(p.concentration) - p.rate.log()
    if isinstance(p, Pareto):
        return p.scale.log() + p.alpha.reciprocal()
    width = p.high - p.low
    return (_xlogy(p.high, p.high) - _xlogy(p.low, p.low)) / width - 1


def _mean_exp(p: Any, t: Tensor) -> Tensor:
    """Returns E[exp(-t x)]."""
    if isinstance(p, Exponential):
        return p.rate / (p.rate + t)
    if isinstance(p, Gamma):
        return (1 + t / p.rate).pow(-p.concentration)
    if isinstance(p, Gumbel):
        return (-t * p.loc + _lgamma(1 + t * p.scale)).exp()
    if isinstance(p, Normal):
        return (-t * p.loc + (t * p.scale).square() / 2).exp()
    return ((-t * p.low).exp() - (-t * p.high).exp()) / (t * (p.high - p.low))


def _cross_beta(p: Any, q: Any) -> Tensor:
    a, b = q.concentration1, q.concentration0
    mirrored = Uniform(1 - p.high, 1 - p.low, validate_args=False)
    norm = _lgamma(a) + _lgamma(b) - _lgamma(a + b)
    result = norm - (a - 1) * _mean_log(p) - (b - 1) * _mean_log(mirrored)
    return result.masked_fill((p.high > 1) | (p.low < 0), math.inf)


def _cross_bernoulli(p: Any, q: Any) -> Tensor:
    result = -p.mean * q.logits - (-q.probs).log1p() - q._log_norm()
    if isinstance(p, Uniform):
        result = result.masked_fill((p.high >= 1) | (p.low <= 0), math.inf)
    return result


def _cross_exponential(p: Any, q: Any) -> Tensor:
    result = q.rate * p.mean - q.rate.log()
    return result.masked_fill(p.low < 0, math.inf) if isinstance(p, Uniform) else result


def _cross_gamma(p: Any, q: Any) -> Tensor:
    norm = _lgamma(q.concentration) - q.concentration * q.rate.log()
    result = norm - (q.concentration - 1) * _mean_log(p) + q.rate * p.mean
    return result.masked_fill(p.low < 0, math.inf) if isinstance(p, Uniform) else result


def _cross_gumbel(p: Any, q: Any) -> Tensor:
    t = q.scale.reciprocal()
    return q.scale.log() + (p.mean - q.loc) * t + (t * q.loc).exp() * _mean_exp(p, t)


def _cross_laplace(p: Any, q: Any) -> Tensor:
    far = (p.loc - q.loc) / p.scale
    below = math.sqrt(2 / math.pi) * (-0.5 * far.square()).exp()
    distance = p.scale * (below + far * (far * math.sqrt(0.5)).erf())
    return (2 * q.scale).log() + distance / q.scale


def _cross_normal(p: Any, q: Any) -> Tensor:
    square = p.variance + (p.mean - q.loc).square()
    return q.scale.log() + 0.5 * _LOG_2PI + square / (2 * q.scale.square())


def _cross_pareto(p: Any, q: Any) -> Tensor:
    result = (q.alpha + 1) * _mean_log(p) - q.alpha.log() - q.alpha * q.scale.log()
    return result.masked_fill(p.low < q.scale, math.inf)


def _cross_poisson(p: Any, q: Any) -> Tensor:
    return q.rate - p.probs * q.rate.log()


def _cross_uniform(p: Any, q: Any) -> Tensor:
    result = (q.high - q.low).log() + p.mean * 0
    outside = (q.low > 0) | (q.high < 1)
    if isinstance(p, ContinuousBernoulli):
        outside = (q.low >= 0) | (q.high <= 1)  # as PyTorch has it
    return result.masked_fill(outside, math.inf)


_CROSS: tuple[tuple[Any, Any, tuple[type, ...]], ...] = (
    (Beta, _cross_beta, (Uniform,)),
    (ContinuousBernoulli, _cross_bernoulli, (Beta, ContinuousBernoulli, Uniform)),
    (Exponential, _cross_exponential, (Beta, ContinuousBernoulli, Gamma, Pareto, Uniform)),
    (Gamma, _cross_gamma, (Beta, Exponential, Pareto, Uniform)),
    (Gumbel, _cross_gumbel, (Exponential, Gamma, Gumbel, Normal, Uniform)),
    (Laplace, _cross_laplace, (Normal,)),
    (
        Normal,
        _cross_normal,
        (Beta, ContinuousBernoulli, Exponential, Gamma, Gumbel, Laplace, Pareto, Uniform),
    ),
    (Pareto, _cross_pareto, (Uniform,)),
    (Poisson, _cross_poisson, (Bernoulli,)),
    (Uniform, _cross_uniform, (Beta, ContinuousBernoulli)),
)
_BOUNDED = (Beta, ContinuousBernoulli, Pareto, Uniform)
_POSITIVE = (*_BOUNDED, Exponential, Gamma)
_INFINITE: tuple[tuple[Any, tuple[type, ...]], ...] = (
    (Beta, (Pareto,)),
    (ContinuousBernoulli, (Pareto,)),
    (Exponential, _BOUNDED),
    (Gamma, _BOUNDED),
    (Gumbel, _POSITIVE),
    (Laplace, _POSITIVE),
    (Normal, _POSITIVE),
    (Pareto, (Beta, ContinuousBernoulli, Uniform)),
    (Poisson, (Bernoulli, Binomial)),
)


def _by_cross_entropy(cross: Any) -> Any:
    def divergence(p: Distribution, q: Distribution) -> Tensor:
        return cross(p, q) - p.entropy()

    return divergence


def _infinite(p: Any, q: Any) -> Tensor:
    return p.mean * 0 + math.inf if not isinstance(p, Pareto) else p.scale * 0 + math.inf


def _register_all() -> None:
    for of_q, cross, of_ps in _CROSS:
        for of_p in of_ps:
            _rules[of_p, of_q] = _by_cross_entropy(cross)
    for of_p, of_qs in _INFINITE:
        for of_q in of_qs:
            _rules[of_p, of_q] = _infinite


_register_all()


@register_kl(Binomial, Binomial)
def _binomial(p: Any, q: Any) -> Tensor:
    if bool((p.total_count < q.total_count).any()):
        raise NotImplementedError(
            "kl_divergence: total_count of the first Binomial must be at least that of the second"
        )
    of_one = p.probs * (p.logits - q.logits) + (-p.probs).log1p() - (-q.probs).log1p()
    return (p.total_count * of_one).masked_fill(p.total_count > q.total_count, math.inf)


@register_kl(Cauchy, Cauchy)
def _cauchy(p: Any, q: Any) -> Tensor:
    far = (p.scale + q.scale).square() + (p.loc - q.loc).square()
    return far.log() - (4 * p.scale * q.scale).log()


@register_kl(Pareto, Pareto)
def _pareto(p: Any, q: Any) -> Tensor:
    ratio, shape = p.scale / q.scale, q.alpha / p.alpha
    result = q.alpha * ratio.log() - shape.log() + shape - 1
    return result.masked_fill(p.scale < q.scale, math.inf)


@register_kl(TransformedDistribution, TransformedDistribution)
def _transformed(p: Any, q: Any) -> Tensor:
    if p.transforms != q.transforms or p.event_shape != q.event_shape:
        raise NotImplementedError("kl_divergence: transforms must be the same, got other ones")
    return kl_divergence(p.base_dist, q.base_dist)


def _square_sum(matrix: Tensor) -> Tensor:
    return matrix.square().sum((-2, -1))


def _of_normals(p: Any, q: Any) -> Tensor:
    """Computes the divergence of normal vectors, of which q or both have low-rank covariances."""
    if p.event_shape != q.event_shape:
        raise NotImplementedError("kl_divergence: vectors must be of the same size, got others")
    p_factor = p.cov_factor if isinstance(p, LowRankMultivariateNormal) else p._tril
    p_diagonal = p.cov_diag.sqrt() if isinstance(p, LowRankMultivariateNormal) else None
    p_det = p._full_log_det() if p_diagonal is not None else 2 * _log_det(p._tril)
    if isinstance(q, LowRankMultivariateNormal):
        q_det, distance = q._full_log_det(), q._distance(q.loc - p.loc)
        solved = solve_triangular(
            q._capacitance_tril, q.cov_factor.mT / q.cov_diag.unsqueeze(-2), upper=False
        )
        root = q.cov_diag.rsqrt().unsqueeze(-1)
        trace = _square_sum(p_factor * root) - _square_sum(solved @ p_factor)
        if p_diagonal is not None:
            trace = trace + (p.cov_diag / q.cov_diag).sum(-1)
            trace = trace - _square_sum(solved * p_diagonal.unsqueeze(-2))
    else:
        q_det = 2 * _log_det(q._tril)
        far = solve_triangular(q._tril, (q.loc - p.loc).unsqueeze(-1), upper=False)
        distance = far.squeeze(-1).square().sum(-1)
        trace = _square_sum(solve_triangular(q._tril, p_factor, upper=False))
        if p_diagonal is not None:
            diagonal = p_diagonal.diag_embed()
            trace = trace + _square_sum(solve_triangular(q._tril, diagonal, upper=False))
    return 0.5 * (q_det - p_det + trace + distance - p.event_shape[0])


for _pair in (
    (LowRankMultivariateNormal, LowRankMultivariateNormal),
    (LowRankMultivariateNormal, MultivariateNormal),
    (MultivariateNormal, LowRankMultivariateNormal),
):
    _rules[_pair] = _of_normals

__all__: list[str] = []
