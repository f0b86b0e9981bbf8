# SPDX-License-Identifier: Apache-2.0
"""Gaussian processes of gpytorch: exact, variational, kernels, linear operators."""

import gpytorch
import torch
from linear_operator import operators as L
from report import gradients, part

x = torch.linspace(0, 1, 12)
y = torch.sin(x * 6.0)


class Exact(gpytorch.models.ExactGP):
    def __init__(self, likelihood, kernel):
        super().__init__(x, y, likelihood)
        self.mean_module = gpytorch.means.ConstantMean()
        self.covar_module = gpytorch.kernels.ScaleKernel(kernel)

    def forward(self, inputs):
        return gpytorch.distributions.MultivariateNormal(
            self.mean_module(inputs), self.covar_module(inputs)
        )


@part
def exact():
    likelihood = gpytorch.likelihoods.GaussianLikelihood()
    model = Exact(likelihood, gpytorch.kernels.RBFKernel())
    score = gpytorch.mlls.ExactMarginalLogLikelihood(likelihood, model)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.1)
    losses = []
    for _ in range(5):
        optimizer.zero_grad()
        loss = -score(model(x), y)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    model.eval()
    likelihood.eval()
    with torch.no_grad(), gpytorch.settings.fast_pred_var():
        found = likelihood(model(torch.linspace(0, 1, 5)))
        return losses, found.mean, found.variance, found.confidence_region()


KERNELS = {
    "matern": gpytorch.kernels.MaternKernel(nu=1.5),
    "periodic": gpytorch.kernels.PeriodicKernel(),
    "linear": gpytorch.kernels.LinearKernel(),
    "cosine": gpytorch.kernels.CosineKernel(),
    "polynomial": gpytorch.kernels.PolynomialKernel(power=2),
    "rq": gpytorch.kernels.RQKernel(),
    "sum": gpytorch.kernels.RBFKernel() + gpytorch.kernels.LinearKernel(),
    "product": gpytorch.kernels.RBFKernel() * gpytorch.kernels.PeriodicKernel(),
    "spectral": gpytorch.kernels.SpectralMixtureKernel(num_mixtures=2),
    "piecewise": gpytorch.kernels.PiecewisePolynomialKernel(q=2),
}
for name, kernel in KERNELS.items():

    def body(kernel=kernel):
        made = kernel(x.unsqueeze(1)).to_dense()
        made.sum().backward()
        return made, gradients(kernel)

    body.__name__ = name
    part(body)


@part
def variational():
    class Model(gpytorch.models.ApproximateGP):
        def __init__(self):
            points = x[::3].unsqueeze(1)
            law = gpytorch.variational.CholeskyVariationalDistribution(4)
            super().__init__(gpytorch.variational.VariationalStrategy(self, points, law))
            self.mean_module = gpytorch.means.LinearMean(1)
            self.covar_module = gpytorch.kernels.ScaleKernel(gpytorch.kernels.RBFKernel())

        def forward(self, inputs):
            return gpytorch.distributions.MultivariateNormal(
                self.mean_module(inputs), self.covar_module(inputs)
            )

    model, likelihood = Model(), gpytorch.likelihoods.GaussianLikelihood()
    score = gpytorch.mlls.VariationalELBO(likelihood, model, num_data=12)
    optimizer = torch.optim.Adam([*model.parameters(), *likelihood.parameters()], lr=0.05)
    losses = []
    for _ in range(4):
        optimizer.zero_grad()
        loss = -score(model(x.unsqueeze(1)), y)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


@part
def multitask():
    kernel = gpytorch.kernels.MultitaskKernel(gpytorch.kernels.RBFKernel(), num_tasks=2, rank=1)
    return kernel(x[:4]).to_dense()


@part
def algebra():
    root = torch.randn(4, 4)
    dense = root @ root.mT + 4 * torch.eye(4)
    one = L.DenseLinearOperator(dense)
    both = L.KroneckerProductLinearOperator(one, L.DiagLinearOperator(torch.ones(2) * 2))
    return {
        "solve": one.solve(torch.ones(4, 1)),
        "logdet": one.logdet(),
        "kron": both.to_dense(),
        "cholesky": one.cholesky().to_dense(),
        "added": one.add_diagonal(torch.ones(4)).to_dense(),
        "toeplitz": L.ToeplitzLinearOperator(torch.tensor([3.0, 1.0, 0.5])).to_dense(),
        "quad": one.inv_quad_logdet(torch.ones(4, 1), logdet=True),
        "sum": (one + one * 2).matmul(torch.ones(4)),
        "root": L.RootLinearOperator(root).to_dense(),
    }


@part
def sample():
    law = gpytorch.distributions.MultivariateNormal(
        torch.zeros(4), gpytorch.kernels.RBFKernel()(x[:4]).add_jitter(1e-2)
    )
    return law.rsample(torch.Size([2])), law.log_prob(torch.zeros(4))
