# SPDX-License-Identifier: Apache-2.0
"""Normalizing flows of nflows, normflows and zuko."""

import torch
from report import gradients, part

x = torch.randn(5, 4)


def measured(flow, log_prob=None):
    value = (log_prob or flow.log_prob)(x).mean()
    value.backward()
    return {"log_prob": value, "gradients": gradients(flow)}


@part
def nflows_maf():
    from nflows.distributions.normal import StandardNormal
    from nflows.flows.base import Flow
    from nflows.transforms.autoregressive import MaskedAffineAutoregressiveTransform
    from nflows.transforms.base import CompositeTransform
    from nflows.transforms.permutations import ReversePermutation

    steps = [ReversePermutation(4), MaskedAffineAutoregressiveTransform(4, 8)]
    flow = Flow(CompositeTransform(steps), StandardNormal([4]))
    return {**measured(flow), "sample": flow.sample(2)}


@part
def nflows_lu():
    from nflows.distributions.normal import StandardNormal
    from nflows.flows.base import Flow
    from nflows.transforms.lu import LULinear

    return measured(Flow(LULinear(4), StandardNormal([4])))


@part
def nflows_spline():
    from nflows.transforms.autoregressive import (
        MaskedPiecewiseRationalQuadraticAutoregressiveTransform as Spline,
    )

    y, determinant = Spline(4, 8, num_bins=4, tails="linear", tail_bound=3.0)(x)
    return y, determinant


@part
def normflows_real():
    import normflows as nf

    base = nf.distributions.base.DiagGaussian(4)
    mask = torch.tensor([1.0, 0.0, 1.0, 0.0])
    nets = [nf.nets.MLP([4, 8, 4], init_zeros=False) for _ in range(2)]
    flows = [nf.flows.MaskedAffineFlow(mask, nets[0], nets[1]), nf.flows.ActNorm(4)]
    flow = nf.NormalizingFlow(base, flows)
    return {**measured(flow), "sample": flow.sample(2)}


@part
def normflows_spline():
    import normflows as nf

    flow = nf.NormalizingFlow(
        nf.distributions.base.DiagGaussian(4),
        [nf.flows.CoupledRationalQuadraticSpline(4, 1, 8), nf.flows.LULinearPermute(4)],
    )
    return measured(flow)


@part
def normflows_planar():
    import normflows as nf

    flow = nf.flows.Planar((4,))
    return flow(x)


@part
def zuko_maf():
    import zuko

    flow = zuko.flows.MAF(4, 0, transforms=2, hidden_features=(8, 8))
    return {**measured(flow, flow().log_prob), "sample": flow().sample((2,))}


@part
def zuko_nsf():
    import zuko

    flow = zuko.flows.NSF(4, 0, transforms=2, hidden_features=(8, 8), bins=4)
    return measured(flow, flow().log_prob)


@part
def zuko_context():
    import zuko

    flow = zuko.flows.NICE(4, 2, transforms=2, hidden_features=(8,))
    return measured(flow, flow(torch.ones(2)).log_prob)
