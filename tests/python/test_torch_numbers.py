# SPDX-License-Identifier: Apache-2.0
"""Numbers that PyTorch draws and computes for a seed, stored in torch_numbers.json.

Run `python test_torch_numbers.py` with an interpreter that has PyTorch to write the file again.
"""

from __future__ import annotations

import json
import pathlib
import sys

FILE = pathlib.Path(__file__).with_name("torch_numbers.json")


def initial(torch):
    init, empty = torch.nn.init, torch.empty
    for low, high in ((-2, 2), (0.5, 3), (-0.1, 0.2), (1.0, 2)):
        yield f"trunc_normal_ {low} {high}", init.trunc_normal_(empty(40, 8), 0.0, 1.0, low, high)
    for shape in ((4, 4), (3, 7), (7, 3), (4, 2, 3)):
        yield f"orthogonal_ {shape}", init.orthogonal_(empty(*shape), 1.5)
    yield "sparse_", init.sparse_(empty(6, 5), 0.3)
    for name in ("kaiming_uniform_", "kaiming_normal_", "xavier_uniform_", "xavier_normal_"):
        yield name, getattr(init, name)(empty(5, 6))
    yield "Linear", torch.nn.Linear(3, 4).weight
    yield "Conv2d", torch.nn.Conv2d(2, 3, 2).bias
    yield "LSTM", torch.nn.LSTM(3, 4).weight_hh_l0
    yield "Bilinear", torch.nn.Bilinear(3, 3, 2).weight
    yield "randn_like", torch.randn_like(torch.ones(20))
    yield "rand_like", torch.rand_like(torch.ones(20))
    yield "gumbel_softmax", torch.nn.functional.gumbel_softmax(torch.arange(6.0))


def steps(torch, make, schedule=None):
    torch.manual_seed(1)
    x, y = torch.randn(16, 4), torch.randn(16, 2)
    model = torch.nn.Linear(4, 2)
    optimizer = make(model.parameters())
    rates = schedule(optimizer) if schedule else None

    def closure():
        optimizer.zero_grad()
        loss = ((model(x) - y) ** 2).mean()
        loss.backward()
        return loss

    found = []
    for _ in range(8):
        optimizer.step(closure)
        if rates:
            rates.step()
            found.append(rates.get_last_lr()[0])
    return torch.cat([model.weight.detach().reshape(-1), torch.tensor([*found])])


def optimised(torch):
    optim = torch.optim
    names = ("RMSprop", "Adagrad", "Adadelta", "Adamax", "NAdam", "RAdam", "ASGD", "Rprop")
    for name in names:
        yield name, steps(torch, getattr(optim, name))
        if name != "Rprop":
            kind = getattr(optim, name)
            yield f"{name} 2", steps(torch, lambda p, k=kind: k(p, lr=0.05, weight_decay=0.1))
    yield "LBFGS", steps(torch, lambda p: optim.LBFGS(p, max_iter=3))
    search = {"line_search_fn": "strong_wolfe", "max_iter": 3}
    yield "LBFGS 2", steps(torch, lambda p: optim.LBFGS(p, **search))
    rates = optim.lr_scheduler
    for name, make in {
        "MultiplicativeLR": lambda o: rates.MultiplicativeLR(o, lambda step: 0.9),
        "PolynomialLR": lambda o: rates.PolynomialLR(o, 5, 2.0),
        "CosineAnnealingWarmRestarts": lambda o: rates.CosineAnnealingWarmRestarts(o, 3, 2),
        "CyclicLR": lambda o: rates.CyclicLR(o, 0.01, 0.1, 3, 2, mode="triangular2"),
        "OneCycleLR": lambda o: rates.OneCycleLR(o, 0.3, 9),
        "OneCycleLR 2": lambda o: rates.OneCycleLR(o, 0.3, 15, three_phase=True),
    }.items():
        yield name, steps(torch, lambda p: optim.SGD(p, lr=0.1, momentum=0.9), make)


def drawn(torch):
    d, t = torch.distributions, torch.tensor
    low = t([[2.0, 0.0], [0.5, 1.0]])
    made = (
        *(d.Normal(t([0.0, 1.0]), t([1.0, 2.0])), d.Uniform(t([0.0, 1.0]), 3.0)),
        *(d.Exponential(t([1.0, 2.0])), d.Laplace(t([0.0, 1.0]), 1.0), d.Cauchy(t([0.0]), 1.0)),
        *(d.Bernoulli(t([0.3, 0.7])), d.Geometric(t([0.3, 0.7])), d.Poisson(t([3.0, 0.7]))),
        *(d.Categorical(t([[0.3, 0.7, 1.0]])), d.OneHotCategorical(t([0.3, 0.7, 1.0]))),
        *(d.LogNormal(t([0.0, 1.0]), 1.0), d.HalfNormal(t([1.0, 2.0])), d.HalfCauchy(t([1.0]))),
        *(d.Gumbel(t([0.0, 1.0]), 2.0), d.Pareto(t([1.0]), 2.0)),
        d.MultivariateNormal(t([0.0, 1.0]), scale_tril=low),
        d.Independent(d.Normal(torch.zeros(2, 3), 1.0), 1),
        d.MixtureSameFamily(d.Categorical(t([0.2, 0.8])), d.Normal(t([0.0, 5.0]), t([1.0, 2.0]))),
        d.TransformedDistribution(d.Normal(torch.zeros(3), 1.0), d.TanhTransform()),
        *(d.Gamma(t([2.0, 0.3]), t([3.0, 1.0])), d.Beta(t([2.0, 0.5]), t([3.0, 0.4]))),
        *(d.Dirichlet(t([[2.0, 3.0, 0.5]])), d.Chi2(t([5.0])), d.StudentT(t([4.0]), 1.0, 2.0)),
    )
    for one in made:
        sample = one.sample((3,))
        yield type(one).__name__, sample
        yield f"{type(one).__name__} log_prob", one.log_prob(sample)
    gamma, beta = d.Gamma(t([2.0]), t([3.0])), d.Beta(t([2.0]), t([3.0]))
    yield "Gamma", gamma.log_prob(t([0.3])) + gamma.entropy()
    yield "Beta", beta.log_prob(t([0.3])) + beta.entropy()
    yield "kl Normal", d.kl_divergence(made[0], d.Normal(1.0, 0.5))
    yield (
        "kl MultivariateNormal",
        d.kl_divergence(made[15], d.MultivariateNormal(t([1.0, 0.0]), low @ low.mT)),
    )


def numbers(torch):
    found = {}
    for group in (initial, optimised, drawn):
        torch.manual_seed(3)
        for name, value in group(torch):
            flat = value.detach().reshape(-1)[:24].tolist()
            found[f"{group.__name__}: {name}"] = [round(float(one), 6) for one in flat]
    return found


def test_numbers_are_pytorchs():
    import tenon

    wanted, found = json.loads(FILE.read_text()), numbers(tenon)
    assert list(wanted) == list(found) and len(wanted) > 80
    wrong = [
        name
        for name, values in wanted.items()
        if len(values) != len(found[name])
        or any(
            abs(a - b) > (1e-3 if "LBFGS" in name else 1e-4) * max(1, abs(a))
            for a, b in zip(values, found[name], strict=True)
        )
    ]
    assert wrong == []


if __name__ == "__main__":
    sys.path.pop(0)
    import torch

    FILE.write_text(json.dumps(numbers(torch), indent=0) + "\n")
