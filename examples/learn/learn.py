# SPDX-License-Identifier: Apache-2.0
"""Trains a small network on handwritten digits, with Tenon's operators and `backward`."""

import math
import pathlib

import tenon

EPOCHS, BATCH, TRAINING = 40, 32, 1437  # images; the remaining ones are held out

file = pathlib.Path(__file__).parent / "data" / "digits.bin"
rows = tenon.frombuffer(bytearray(file.read_bytes()), dtype=tenon.uint8).view(-1, 65)
images = rows[:, :64].to(tenon.float32) / 16
labels = rows[:, 64:].to(tenon.int64)
targets = (labels == tenon.arange(10)).to(tenon.float32)  # 1 at the label, 0 elsewhere

tenon.manual_seed(2)
w1, w2 = (
    tenon.empty(ins, outs).uniform_(-math.sqrt(6 / (ins + outs)), math.sqrt(6 / (ins + outs)))
    for ins, outs in ((64, 32), (32, 10))
)
b1, b2 = tenon.zeros(32), tenon.zeros(10)
parameters = (w1, b1, w2, b2)
for parameter in parameters:
    parameter.requires_grad = True


def logits(x):
    return (x.mm(w1) + b1).relu().mm(w2) + b2


def cross_entropy(z, target):
    z = z - z.detach().amax([1], True)
    return (z.exp().sum([1]).log() - (z * target).sum([1])).mean()


for epoch in range(EPOCHS):
    rate = 0.8 * (EPOCHS - epoch) / EPOCHS
    for start in range(0, TRAINING, BATCH):
        batch = slice(start, min(start + BATCH, TRAINING))
        cross_entropy(logits(images[batch]), targets[batch]).backward()
        with tenon.no_grad():
            for parameter in parameters:
                parameter.sub_(parameter.grad, alpha=rate)
                parameter.grad = None

with tenon.no_grad():
    right = logits(images[TRAINING:]).argmax(1) == labels[TRAINING:, 0]
print(f"{100 * right.to(tenon.float64).mean().item():.1f} % of held-out digits are right")
