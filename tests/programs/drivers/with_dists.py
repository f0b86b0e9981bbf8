# SPDX-License-Identifier: Apache-2.0
"""Probability distributions: densities, samples, divergences and transforms."""

import torch
from report import part
from torch import distributions as D

one, two = torch.tensor([0.7, 1.3]), torch.tensor([0.4, 2.1])
ALL = {
    "normal": D.Normal(one, two),
    "beta": D.Beta(one, two),
    "gamma": D.Gamma(one, two),
    "dirichlet": D.Dirichlet(torch.tensor([[0.5, 1.0, 2.0]])),
    "chi2": D.Chi2(two),
    "student": D.StudentT(two + 2),
    "laplace": D.Laplace(one, two),
    "cauchy": D.Cauchy(one, two),
    "gumbel": D.Gumbel(one, two),
    "exponential": D.Exponential(two),
    "poisson": D.Poisson(two),
    "bernoulli": D.Bernoulli(one / 2),
    "binomial": D.Binomial(5, one / 2),
    "categorical": D.Categorical(torch.tensor([0.2, 0.3, 0.5])),
    "multinomial": D.Multinomial(4, torch.tensor([0.2, 0.3, 0.5])),
    "geometric": D.Geometric(one / 2),
    "log_normal": D.LogNormal(one, two),
    "half_normal": D.HalfNormal(two),
    "half_cauchy": D.HalfCauchy(two),
    "uniform": D.Uniform(one - 1, one + two),
    "weibull": D.Weibull(one, two),
    "pareto": D.Pareto(one, two + 2),
    "kumaraswamy": D.Kumaraswamy(one, two),
    "von_mises": D.VonMises(one, two),
    "fisher": D.FisherSnedecor(one + 3, two + 5),
    "mvn": D.MultivariateNormal(torch.zeros(2), torch.tensor([[2.0, 0.3], [0.3, 1.0]])),
    "low_rank": D.LowRankMultivariateNormal(torch.zeros(3), torch.ones(3, 1), torch.ones(3)),
    "one_hot": D.OneHotCategorical(torch.tensor([0.2, 0.8])),
    "relaxed": D.RelaxedBernoulli(torch.tensor(0.5), probs=one / 2),
    "negative_binomial": D.NegativeBinomial(torch.tensor(5.0), one / 2),
    "wishart": D.Wishart(torch.tensor(4.0), torch.eye(2)),
    "lkj": D.LKJCholesky(3, 0.8),
    "independent": D.Independent(D.Normal(one, two), 1),
    "mixture": D.MixtureSameFamily(D.Categorical(torch.ones(2)), D.Normal(one, two)),
    "logistic": D.TransformedDistribution(
        D.Uniform(torch.zeros(2), torch.ones(2)),
        [D.SigmoidTransform().inv, D.AffineTransform(one, two)],
    ),
}
for name, law in ALL.items():

    def body(law=law):
        drawn = law.sample((3,))
        found = {"sample": drawn, "log_prob": law.log_prob(drawn)}
        for what in ("mean", "variance", "entropy"):
            try:
                value = getattr(law, what)
                found[what] = value() if callable(value) else value
            except NotImplementedError:
                found[what] = "not implemented"
        if law.has_rsample:
            found["rsample"] = law.rsample()
        return found

    body.__name__ = name
    part(body)


@part
def divergence():
    pairs = [
        ("normal", "normal"),
        ("beta", "beta"),
        ("gamma", "gamma"),
        ("laplace", "laplace"),
        ("gumbel", "gumbel"),
        ("mvn", "mvn"),
        ("dirichlet", "dirichlet"),
        ("bernoulli", "bernoulli"),
        ("exponential", "gamma"),
        ("uniform", "normal"),
    ]
    return [D.kl_divergence(ALL[a], ALL[b]) for a, b in pairs]


@part
def transforms():
    x = torch.tensor([0.2, -0.4, 1.1])
    kinds = [
        D.ExpTransform(),
        D.SigmoidTransform(),
        D.TanhTransform(),
        D.SoftplusTransform(),
        D.StickBreakingTransform(),
        D.SoftmaxTransform(),
        D.PowerTransform(torch.tensor(3.0)),
    ]
    return [t(x) for t in kinds] + [D.biject_to(D.constraints.simplex)(x)]


@part
def gradient():
    rate = torch.tensor([0.7, 2.0], requires_grad=True)
    D.Gamma(rate, 1.0).rsample((4,)).sum().backward()
    return rate.grad
