# SPDX-License-Identifier: Apache-2.0
"""Probabilistic programs of pyro: variational inference, Hamiltonian sampling, guides."""

import pyro
import pyro.distributions as dist
import torch
from pyro.infer import (
    HMC,
    MCMC,
    NUTS,
    SVI,
    Predictive,
    Trace_ELBO,
    TraceEnum_ELBO,
    config_enumerate,
)
from pyro.infer.autoguide import AutoDiagonalNormal, AutoMultivariateNormal, AutoNormal
from pyro.optim import Adam
from report import part

x = torch.linspace(-1, 1, 10)
y = 2 * x + 0.5


def line(x, y=None):
    slope = pyro.sample("slope", dist.Normal(0.0, 2.0))
    level = pyro.sample("level", dist.Normal(0.0, 1.0))
    noise = pyro.sample("noise", dist.Gamma(2.0, 4.0))
    with pyro.plate("data", len(x)):
        return pyro.sample("obs", dist.Normal(slope * x + level, noise), obs=y)


for kind in (AutoNormal, AutoDiagonalNormal, AutoMultivariateNormal):

    def body(kind=kind):
        pyro.clear_param_store()
        pyro.set_rng_seed(0)
        guide = kind(line)
        svi = SVI(line, guide, Adam({"lr": 0.02}), Trace_ELBO())
        losses = [svi.step(x, y) for _ in range(5)]
        drawn = Predictive(line, guide=guide, num_samples=3)(x)
        return losses, guide.median(x, y), drawn["obs"].mean()

    body.__name__ = kind.__name__
    part(body)


def sampled(kernel):
    pyro.set_rng_seed(1)
    chain = MCMC(kernel, num_samples=5, warmup_steps=5, disable_progbar=True)
    chain.run(x, y)
    return chain.get_samples()


@part
def nuts():
    return sampled(NUTS(line, step_size=0.1, adapt_step_size=False, max_tree_depth=3))


@part
def hmc():
    return sampled(HMC(line, step_size=0.05, num_steps=4))


@part
def enumeration():
    pyro.clear_param_store()
    data = torch.tensor([0.1, 0.2, 5.1, 5.0])

    @config_enumerate
    def model():
        weight = pyro.sample("weight", dist.Dirichlet(torch.ones(2)))
        with pyro.plate("kinds", 2):
            mean = pyro.sample("mean", dist.Normal(0.0, 5.0))
        with pyro.plate("data", 4):
            kind = pyro.sample("kind", dist.Categorical(weight))
            pyro.sample("obs", dist.Normal(mean[kind], 1.0), obs=data)

    guide = AutoNormal(pyro.poutine.block(model, expose=["weight", "mean"]))
    svi = SVI(model, guide, Adam({"lr": 0.05}), TraceEnum_ELBO(max_plate_nesting=1))
    return [svi.step() for _ in range(4)]


@part
def process():
    import pyro.contrib.gp as gp

    pyro.clear_param_store()
    model = gp.models.GPRegression(x, y, gp.kernels.RBF(1), noise=torch.tensor(0.1))
    losses = gp.util.train(model, num_steps=4)
    return losses, model(torch.tensor([0.3]))


@part
def module():
    from pyro.nn import PyroModule, PyroSample

    net = PyroModule[torch.nn.Linear](1, 1)
    net.weight = PyroSample(dist.Normal(0.0, 1.0).expand([1, 1]).to_event(2))
    return net(x[:, None]), pyro.poutine.trace(net).get_trace(x[:, None]).log_prob_sum()


@part
def laws():
    return [
        dist.Delta(torch.tensor(1.0)).log_prob(torch.tensor(1.0)),
        dist.ZeroInflatedPoisson(0.3, rate=torch.tensor(2.0)).log_prob(torch.tensor(0.0)),
        dist.transforms.planar(3)(torch.ones(3)),
        dist.LKJ(3, 1.0).sample(),
    ]
