# SPDX-License-Identifier: Apache-2.0
"""Distributions: samples, densities, moments, transforms and divergences."""

import torch
import torch.distributions as D


def P(n, *x):
    print(
        n,
        *[
            [round(float(q), 3) + 0.0 for q in v.double().flatten()[:5]] + list(v.shape)
            if isinstance(v, torch.Tensor)
            else v
            for v in x
        ],
    )


def T(n, f):
    try:
        P(n, f())
    except Exception:
        print(n, "error")


t = torch.tensor
p = t([0.2, 0.7, 0.5])
pos = t([0.5, 2.0, 3.5])
ds = {
    "Bin": D.Binomial(t([5.0, 30.0, 100.0]), p),
    "BinL": D.Binomial(4, logits=t([0.0, 1.0, -2.0])),
    "NB": D.NegativeBinomial(t([3.0, 5.0, 2.5]), p),
    "Mult": D.Multinomial(6, t([[0.2, 0.3, 0.5], [0.6, 0.3, 0.1]])),
    "CB": D.ContinuousBernoulli(p),
    "CBl": D.ContinuousBernoulli(logits=t([0.0, 1.0, -2.0])),
    "FS": D.FisherSnedecor(pos + 2, pos + 4),
    "GP": D.GeneralizedPareto(t([0.0, 1.0, 2.0]), pos, t([0.0, 0.3, -0.5])),
    "IG": D.InverseGamma(pos + 2.5, pos),
    "Ku": D.Kumaraswamy(pos + 0.6, pos),
    "W": D.Weibull(pos, pos),
    "RB": D.RelaxedBernoulli(t(0.7), p),
    "RBl": D.RelaxedBernoulli(t(0.7), logits=p),
    "ROH": D.RelaxedOneHotCategorical(t(0.7), t([0.2, 0.3, 0.5])),
    "LN": D.LogisticNormal(t([0.0, 1.0]), t([1.0, 2.0])),
    "VM": D.VonMises(t([0.0, 1.0, 2.0]), pos * 3),
    "LR": D.LowRankMultivariateNormal(
        t([1.0, 2.0, 3.0]), t([[1.0, 0.5], [0.2, 0.3], [0.0, 1.0]]), pos
    ),
    "LKJ": D.LKJCholesky(3, t([0.5, 2.0])),
    "Wi": D.Wishart(t([5.0, 6.0]), torch.eye(3) * 2 + 0.3),
    "Wp": D.Wishart(6.0, precision_matrix=torch.eye(2) * 2),
    "Wt": D.Wishart(t(4.0), scale_tril=torch.eye(2) * 2),
}
for n, d in ds.items():
    torch.manual_seed(0)
    x = d.sample((4,))
    P(n, x, d.batch_shape, d.event_shape, d.log_prob(x))
    for a in ("mean", "mode", "variance", "stddev")[n == "Ku" and 2 or 0 :]:
        T(n + a, lambda: getattr(d, a))
    T(n + "ent", lambda: d.entropy())
    T(n + "cdf", lambda: d.cdf(x))
    T(n + "icdf", lambda: d.icdf(t([0.2, 0.5, 0.9])))
    T(n + "enum", lambda: d.enumerate_support())
    e = d.expand((2,) + tuple(d.batch_shape))
    torch.manual_seed(1)
    P(n + "exp", e.batch_shape, e.log_prob(x[:2]), e.sample().shape)
    P(n + "sup", d.support.check(x).all(), d.has_rsample)
torch.manual_seed(3)
P("binomial", torch.binomial(torch.full((20,), 50.0), torch.rand(20)))
for n in ("CB", "Ku", "W", "RB", "ROH", "LN", "LR", "GP"):
    torch.manual_seed(0)
    d = ds[n]
    P(n + "rs", d.rsample((2,)))
x = torch.linspace(-1, 1, 6)
for tr, x in (
    (D.CorrCholeskyTransform(), torch.linspace(-1, 1, 6)),
    (D.PositiveDefiniteTransform(), torch.arange(9.0).reshape(3, 3) / 9),
    (D.ReshapeTransform((6,), (2, 3)), torch.arange(6.0)),
    (
        D.CatTransform([D.ExpTransform(), D.AffineTransform(1.0, 2.0)], dim=0, lengths=[2, 4]),
        torch.arange(6.0),
    ),
    (
        D.StackTransform([D.ExpTransform(), D.SigmoidTransform()], dim=1),
        torch.arange(6.0).reshape(3, 2),
    ),
    (D.CumulativeDistributionTransform(D.Normal(0.0, 1.0)), torch.linspace(-1, 1, 4)),
):
    y = tr(x)
    P(type(tr).__name__, y, tr.inv(y), tr.bijective)
    T("ladj", lambda: tr.log_abs_det_jacobian(x, y))
    T("fs", lambda: tuple(tr.forward_shape(x.shape)))
c = D.constraints
for k in (
    c.positive,
    c.unit_interval,
    c.simplex,
    c.corr_cholesky,
    c.lower_cholesky,
    c.positive_definite,
    c.less_than(2.0),
    c.interval(1.0, 3.0),
    c.greater_than_eq(1.0),
    c.real_vector,
    c.independent(c.positive, 1),
    c.half_open_interval(0.0, 1.0),
    c.stack([c.positive, c.real], 0),
    c.cat([c.positive, c.real], 0, [1, 2]),
):
    for f in (D.biject_to, D.transform_to):

        def g():
            x = (
                torch.linspace(-1, 1, 4).reshape(2, 2)
                if getattr(k, "event_dim", 0) == 2 and k is not c.corr_cholesky
                else torch.linspace(-1, 1, 3)
            )
            if isinstance(k, type(c.stack([c.real]))):
                x = x[:2]
            y = f(k)(x)
            assert bool(k.check(y).all())
            return y

        T("c", g)
for k, v in (
    (c.square, torch.ones(2, 2)),
    (c.symmetric, t([[1.0, 2.0], [2.0, 3.0]])),
    (c.positive_semidefinite, t([[1.0, 2.0], [2.0, 3.0]])),
    (c.multinomial(3), t([1.0, 1.0])),
    (c.lower_triangular, torch.eye(2)),
    (c.corr_cholesky, torch.eye(2)),
):
    P("chk", k.check(v), k.event_dim)
print(
    isinstance(c.positive, c.greater_than),
    D.utils.vec_to_tril_matrix(torch.arange(1.0, 7.0)).tolist(),
    D.utils.vec_to_tril_matrix(torch.arange(1.0, 4.0), -1).tolist(),
)
fam = {
    "Beta": (D.Beta(pos, pos + 1), D.Beta(pos + 1, pos)),
    "CB": (D.ContinuousBernoulli(p), D.ContinuousBernoulli(p * 0.5)),
    "Exp": (D.Exponential(pos), D.Exponential(pos + 1)),
    "Ga": (D.Gamma(pos, pos + 1), D.Gamma(pos + 1, pos)),
    "Gu": (D.Gumbel(p, pos), D.Gumbel(p + 1, pos + 0.5)),
    "La": (D.Laplace(p, pos), D.Laplace(p + 1, pos + 0.5)),
    "No": (D.Normal(p, pos), D.Normal(p + 1, pos + 0.5)),
    "Pa": (D.Pareto(pos, pos + 1.5), D.Pareto(pos * 0.5, pos + 1)),
    "Un": (
        D.Uniform(t([0.1, 0.5, -1.0]), t([0.9, 2.0, 2.0])),
        D.Uniform(t([0.0, -0.5, -3.0]), t([1.0, 3.0, 4.0])),
    ),
    "Po": (D.Poisson(pos), D.Poisson(pos + 1)),
    "Be": (D.Bernoulli(p), D.Bernoulli(p * 0.5)),
    "Bi": (D.Binomial(5, p), D.Binomial(t([5.0, 5.0, 3.0]), p * 0.5)),
    "Ca": (D.Cauchy(p, pos), D.Cauchy(p + 1, pos)),
    "Geo": (D.Geometric(p), D.Geometric(p * 0.5)),
    "LNo": (D.LogNormal(p, pos), D.LogNormal(p, pos + 1)),
    "Di": (D.Dirichlet(pos), D.Dirichlet(pos + 1)),
    "HN": (D.HalfNormal(pos), D.HalfNormal(pos + 1)),
    "MVN": (
        D.MultivariateNormal(p, torch.eye(3) * 2 + 0.1),
        D.MultivariateNormal(p + 1, torch.eye(3) * 3 + 0.2),
    ),
    "LR": (ds["LR"], D.LowRankMultivariateNormal(p, t([[1.0], [0.2], [0.0]]), pos + 1)),
    "W": (ds["W"], ds["W"]),
    "Ind": (D.Independent(D.Normal(p, pos), 1), D.Independent(D.Normal(p + 1, pos), 1)),
}
for a in fam:
    for b in fam:
        T(f"kl {a} {b}", lambda: D.kl_divergence(fam[a][0], fam[b][1]))
