# SPDX-License-Identifier: Apache-2.0
"""A small network on handwritten digits, as a function of its parameters."""

import math
import pathlib

import tenon

TRAINING = 1437  # images; the remaining ones are held out

_data = pathlib.Path(__file__).parents[1] / "learn" / "data" / "digits.bin"


def digits():
    """Returns images, [n, 64] from 0 to 1, labels, [n], and targets, [n, 10]: 1 at the label."""
    rows = tenon.frombuffer(bytearray(_data.read_bytes()), dtype=tenon.uint8).view(-1, 65)
    labels = rows[:, 64].to(tenon.int64)
    targets = (rows[:, 64:].to(tenon.int64) == tenon.arange(10)).to(tenon.float32)
    return rows[:, :64].to(tenon.float32) / 16, labels, targets


def new_parameters(seed):
    """Makes weights and biases of the two layers: w1, b1, w2, b2."""
    tenon.manual_seed(seed)
    w1, w2 = (
        tenon.empty(ins, outs).uniform_(-math.sqrt(6 / (ins + outs)), math.sqrt(6 / (ins + outs)))
        for ins, outs in ((64, 32), (32, 10))
    )
    return w1, tenon.zeros(32), w2, tenon.zeros(10)


def logits(parameters, x):
    """Returns the logits of one image, or of a batch."""
    w1, b1, w2, b2 = parameters
    return (x.matmul(w1) + b1).relu().matmul(w2) + b2


def loss(parameters, x, target):
    """Returns the cross-entropy of one image, or the mean of several."""
    z = logits(parameters, x).to(tenon.float32)
    z = z - z.detach().amax([-1], True)
    return (z.exp().sum([-1]).log() - (z * target).sum([-1])).mean()


def accuracy(parameters, images, labels):
    """Returns the share of images that are classified correctly."""
    right = logits(parameters, images).argmax(-1) == labels
    return right.to(tenon.float64).mean().item()
