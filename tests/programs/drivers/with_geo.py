# SPDX-License-Identifier: Apache-2.0
"""Manifolds and Riemannian optimizers of geoopt."""

import geoopt
import torch
from report import part

MANIFOLDS = {
    "ball": geoopt.PoincareBall(),
    "sphere": geoopt.Sphere(),
    "stiefel": geoopt.Stiefel(),
    "lorentz": geoopt.Lorentz(),
    "euclidean": geoopt.Euclidean(ndim=1),
}
for name, manifold in MANIFOLDS.items():

    def body(manifold=manifold):
        x = manifold.projx(torch.rand(4, 3) * 0.5)
        v = manifold.proju(x, torch.randn(4, 3) * 0.1)
        return x, v, manifold.retr(x, v), manifold.inner(x, v, v)

    body.__name__ = name
    part(body)


@part
def distance():
    ball = geoopt.PoincareBall(c=0.7)
    x, y = ball.projx(torch.randn(2, 4, 3) * 0.3)
    return ball.dist(x, y), ball.mobius_add(x, y), ball.logmap0(x), ball.expmap0(y)


def learned(kind, **options):
    def body():
        sphere = geoopt.Sphere()
        x = geoopt.ManifoldParameter(sphere.projx(torch.randn(3, 3)), manifold=sphere)
        x.requires_grad_()
        optimizer = kind([x], lr=0.1, **options)
        losses = []
        for _ in range(4):
            optimizer.zero_grad()
            loss = (x - torch.eye(3)).pow(2).sum()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
        return losses, x

    body.__name__ = kind.__name__
    part(body)


learned(geoopt.optim.RiemannianAdam, stabilize=2)
learned(geoopt.optim.RiemannianSGD, momentum=0.9)
