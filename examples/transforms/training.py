# SPDX-License-Identifier: Apache-2.0
"""Trains in full precision, and in bfloat16 by autocast."""

import contextlib

import tenon
from classifier import TRAINING, digits, loss, new_parameters
from tenon.func import grad_and_value

EPOCHS, BATCH = 20, 32


def train(lowers_precision):
    """Trains; returns the parameters, and the mean loss of each epoch."""
    images, _, targets = digits()
    parameters = new_parameters(seed=2)
    step = grad_and_value(loss)
    losses = []
    for epoch in range(EPOCHS):
        rate, total = 0.8 * (EPOCHS - epoch) / EPOCHS, 0.0
        for start in range(0, TRAINING, BATCH):
            batch = slice(start, min(start + BATCH, TRAINING))
            region = tenon.autocast("cpu", tenon.bfloat16)
            with region if lowers_precision else contextlib.nullcontext():
                grads, value = step(parameters, images[batch], targets[batch])
            parameters = tuple(p - rate * g for p, g in zip(parameters, grads, strict=True))
            total += value.item() * (batch.stop - batch.start)
        losses.append(total / TRAINING)
    return parameters, losses
