# SPDX-License-Identifier: Apache-2.0
"""Kullback-Leibler divergences, by pairs of classes; programs register more."""

from __future__ import annotations

import math
from typing import Any

from .._tenon import Tensor
from ..linalg import solve_triangular
from ..ops import _packet
from .combined import HalfNormal, Independent, LogNormal, MultivariateNormal
from .continuous import Beta, Dirichlet, Exponential, Gamma, Laplace, Normal, Uniform
from .discrete import Bernoulli, Categorical, Geometric, OneHotCategorical, Poisson
from .distribution import Distribution

_lgamma, _digamma = _packet("aten::lgamma"), _packet("aten::digamma")
_rules: dict[tuple[type, type], Any] = {}


def register_kl(type_p: type, type_q: type) -> Any:
    """Returns a decorator of the function that computes the divergence of a pair of classes."""

    def decorate(function: Any) -> Any:
        _rules[type_p, type_q] = function
        return function

    return decorate


def kl_divergence(p: Distribution, q: Distribution) -> Tensor:
    """Returns the divergence of p from q.

    Raises:
        NotImplementedError: no function is registered for their classes or bases of these.
    """
    for of_p in type(p).__mro__:
        for of_q in type(q).__mro__:
            if (of_p, of_q) in _rules:
                return _rules[of_p, of_q](p, q)
    raise NotImplementedError(
        f"kl_divergence: classes must be registered, got {type(p).__name__}, {type(q).__name__}"
    )


@register_kl(Normal, Normal)
def _normal(p: Any, q: Any) -> Tensor:
    ratio, far = (p.scale / q.scale).pow(2), ((p.loc - q.loc) / q.scale).pow(2)
    return 0.5 * (ratio + far - 1 - ratio.log())


@register_kl(LogNormal, LogNormal)
def _log_normal(p: Any, q: Any) -> Tensor:
    return _normal(p.base_dist, q.base_dist)


@register_kl(HalfNormal, HalfNormal)
def _half_normal(p: Any, q: Any) -> Tensor:
    return _normal(p.base_dist, q.base_dist)


@register_kl(Bernoulli, Bernoulli)
def _bernoulli(p: Any, q: Any) -> Tensor:
    from ..nn.functional import softplus

    one = p.probs * (softplus(-q.logits) - softplus(-p.logits))
    return one + (1 - p.probs) * (softplus(q.logits) - softplus(p.logits))


@register_kl(Categorical, Categorical)
def _categorical(p: Any, q: Any) -> Tensor:
    terms = p.probs * (p.logits - q.logits)
    return terms.masked_fill(p.probs == 0, 0).masked_fill(q.probs == 0, math.inf).sum(-1)


@register_kl(OneHotCategorical, OneHotCategorical)
def _one_hot(p: Any, q: Any) -> Tensor:
    return _categorical(p._categorical, q._categorical)


@register_kl(Exponential, Exponential)
def _exponential(p: Any, q: Any) -> Tensor:
    ratio = q.rate / p.rate
    return ratio - ratio.log() - 1


@register_kl(Gamma, Gamma)
def _gamma(p: Any, q: Any) -> Tensor:
    first = q.concentration * (p.rate / q.rate).log()
    second = _lgamma(q.concentration) - _lgamma(p.concentration)
    third = (p.concentration - q.concentration) * _digamma(p.concentration)
    return first + second + third + (q.rate - p.rate) * (p.concentration / p.rate)


@register_kl(Beta, Beta)
def _beta(p: Any, q: Any) -> Tensor:
    a, b, c, d = p.concentration1, p.concentration0, q.concentration1, q.concentration0
    first = _lgamma(c) + _lgamma(d) + _lgamma(a + b)
    second = _lgamma(a) + _lgamma(b) + _lgamma(c + d)
    third = (a - c) * _digamma(a) + (b - d) * _digamma(b)
    return first - second + third + (c + d - a - b) * _digamma(a + b)


@register_kl(Dirichlet, Dirichlet)
def _dirichlet(p: Any, q: Any) -> Tensor:
    a, b = p.concentration, q.concentration
    total = a.sum(-1)
    first = _lgamma(total) - _lgamma(b.sum(-1))
    second = (_lgamma(a) - _lgamma(b)).sum(-1)
    return first - second + ((a - b) * (_digamma(a) - _digamma(total).unsqueeze(-1))).sum(-1)


@register_kl(Geometric, Geometric)
def _geometric(p: Any, q: Any) -> Tensor:
    return -p.entropy() - (-q.probs).log1p() / p.probs - q.logits


@register_kl(Poisson, Poisson)
def _poisson(p: Any, q: Any) -> Tensor:
    return p.rate * (p.rate.log() - q.rate.log()) - (p.rate - q.rate)


@register_kl(Laplace, Laplace)
def _laplace(p: Any, q: Any) -> Tensor:
    ratio, far = p.scale / q.scale, (p.loc - q.loc).abs()
    return -ratio.log() + far / q.scale + ratio * (-far / p.scale).exp() - 1


@register_kl(Uniform, Uniform)
def _uniform(p: Any, q: Any) -> Tensor:
    result = ((q.high - q.low) / (p.high - p.low)).log()
    return result.masked_fill((q.low > p.low) | (q.high < p.high), math.inf)


@register_kl(MultivariateNormal, MultivariateNormal)
def _multivariate(p: Any, q: Any) -> Tensor:
    def half(one: Any) -> Tensor:
        return one._tril.diagonal(dim1=-2, dim2=-1).log().sum(-1)

    solved = solve_triangular(q._tril, p._tril, upper=False)
    far = solve_triangular(q._tril, (q.loc - p.loc).unsqueeze(-1), upper=False)
    trace = solved.pow(2).sum((-2, -1)) + far.pow(2).sum((-2, -1))
    return half(q) - half(p) + 0.5 * (trace - p.event_shape[0])


@register_kl(Independent, Independent)
def _independent(p: Any, q: Any) -> Tensor:
    if p.reinterpreted_batch_ndims != q.reinterpreted_batch_ndims:
        raise NotImplementedError(
            "kl_divergence: Independent distributions must have the same number of dims"
        )
    result = kl_divergence(p.base_dist, q.base_dist)
    dims = p.reinterpreted_batch_ndims
    return result.flatten(-dims).sum(-1) if dims else result


__all__ = ["kl_divergence", "register_kl"]
