# SPDX-License-Identifier: Apache-2.0
"""Whole programs for the benchmark of kernels, written once for our library and PyTorch."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

PROGRAMS = ("MLP step", "transformer block", "image pipeline", "CNN forward")


def filled(m: Any, *sizes: int, scale: float = 1.0) -> Any:
    """Returns the same numbers in both libraries, between -scale / 2 and scale / 2."""
    count = math.prod(sizes)
    numbers = (m.arange(count, dtype=m.float32) * 0.618034) % 1.0
    return ((numbers - 0.5) * scale).reshape(sizes)


def parameter(m: Any, *sizes: int) -> Any:
    made = filled(m, *sizes, scale=2 / math.sqrt(sizes[-1]))
    made.requires_grad = True
    return made


def mlp_step(m: Any) -> Callable[[], object]:
    """Forward, backward and a plain step of two layers of 512 over 128 samples."""
    x, target = filled(m, 128, 512), filled(m, 128, 512)
    weights = [parameter(m, 512, 512), parameter(m, 512, 512)]
    biases = [parameter(m, 512), parameter(m, 512)]

    def step() -> object:
        hidden = m.relu(m.nn.functional.linear(x, weights[0], biases[0]))
        out = m.nn.functional.linear(hidden, weights[1], biases[1])
        loss = ((out - target) ** 2).mean()
        loss.backward()
        with m.no_grad():
            for one in (*weights, *biases):
                one.sub_(one.grad, alpha=1e-4)
                one.grad = None
        return loss

    return step


def transformer_block(m: Any) -> Callable[[], object]:
    """Forward and backward of one block: 4 heads, 128 tokens of 256, batches of 4."""
    batch, tokens, width, heads = 4, 128, 256, 4
    x = filled(m, batch, tokens, width)
    queries_keys_values = parameter(m, 3 * width, width)
    projection = parameter(m, width, width)
    up, down = parameter(m, 4 * width, width), parameter(m, width, 4 * width)
    scales = [parameter(m, width) for _ in range(4)]
    functional = m.nn.functional
    every = (queries_keys_values, projection, up, down, *scales)

    def block() -> object:
        normal = functional.layer_norm(x, (width,), scales[0], scales[1])
        parts = functional.linear(normal, queries_keys_values)
        parts = parts.reshape(batch, tokens, 3, heads, width // heads)
        q, k, v = (parts.select(2, i).transpose(1, 2) for i in range(3))
        scores = m.matmul(q, k.transpose(-2, -1)) * (1 / math.sqrt(width // heads))
        mixed = m.matmul(m.softmax(scores, -1), v).transpose(1, 2).reshape(batch, tokens, width)
        hidden = x + functional.linear(mixed, projection)
        normal = functional.layer_norm(hidden, (width,), scales[2], scales[3])
        out = hidden + functional.linear(functional.gelu(functional.linear(normal, up)), down)
        (out * out).mean().backward()
        for one in every:
            one.grad = None
        return out

    return block


def image_pipeline(m: Any) -> Callable[[], object]:
    """The demo's pipeline over a picture of 512 x 512: linear light, blur, edges, ink, sRGB."""
    side = 512
    image = (filled(m, side, side, 3) + 0.5).clamp(0, 1)
    weights = [1 / 16, 4 / 16, 6 / 16, 4 / 16, 1 / 16]

    def blur(picture: Any, dim: int) -> Any:
        size = picture.shape[dim] - 4
        total = picture.narrow(dim, 0, size) * weights[0]
        for k in range(1, 5):
            total = total + picture.narrow(dim, k, size) * weights[k]
        return total

    def pipeline() -> object:
        dark = image / 12.92
        linear = m.where(image <= 0.04045, dark, ((image + 0.055) / 1.055) ** 2.4)
        blurred = blur(blur(linear, 0), 1)
        grey = blurred.mean(2)
        across = grey.narrow(1, 2, side - 6) - grey.narrow(1, 0, side - 6)
        down = grey.narrow(0, 2, side - 6) - grey.narrow(0, 0, side - 6)
        edges = m.hypot(across.narrow(0, 1, side - 6), down.narrow(1, 1, side - 6))
        strength = (edges * 4.0).clamp(0, 1)
        inner = linear.narrow(0, 3, side - 6).narrow(1, 3, side - 6)
        inked = inner * (1.0 - strength.unsqueeze(-1) * 0.9)
        return m.where(inked <= 0.0031308, inked * 12.92, inked ** (1 / 2.4) * 1.055 - 0.055)

    return pipeline


def cnn_forward(m: Any) -> Callable[[], object]:
    """A small residual net over 4 images of 64 x 64, in evaluation."""
    functional = m.nn.functional
    x = filled(m, 4, 3, 64, 64)
    stem, head = filled(m, 32, 3, 7, 7, scale=0.3), filled(m, 10, 32)
    kernels = [filled(m, 32, 32, 3, 3, scale=0.2) for _ in range(4)]
    mean, variance = filled(m, 32), filled(m, 32) + 1.0

    def normed(image: Any) -> Any:
        return functional.batch_norm(image, mean, variance, variance, mean)

    def forward() -> object:
        with m.no_grad():
            image = m.relu(normed(functional.conv2d(x, stem, stride=2, padding=3)))
            image = functional.max_pool2d(image, 3, 2, 1)
            for first, second in (kernels[:2], kernels[2:]):
                inner = m.relu(normed(functional.conv2d(image, first, padding=1)))
                image = m.relu(image + normed(functional.conv2d(inner, second, padding=1)))
            return functional.linear(functional.adaptive_avg_pool2d(image, 1).flatten(1), head)

    return forward


def program(name: str, m: Any) -> Callable[[], object]:
    made = {
        "MLP step": mlp_step,
        "transformer block": transformer_block,
        "image pipeline": image_pipeline,
        "CNN forward": cnn_forward,
    }
    return made[name](m)
