# SPDX-License-Identifier: Apache-2.0
"""Uses of transforms: gradients of single images, a Hessian, a lens, mixed precision.

Prints its results, and writes a picture.
"""

import argparse

import lens
import picture
import tenon
from classifier import TRAINING, accuracy, digits, logits, loss
from tenon.func import grad, hessian, vmap
from training import train


def hardest_images(parameters, images, labels, targets, count):
    """Returns the held-out images with the largest gradients, by one call for all gradients."""
    grads = vmap(grad(loss), in_dims=(None, 0, 0))(parameters, images, targets)
    whole = grad(loss)(parameters, images, targets)
    for each, mean in zip(grads, whole, strict=True):
        assert (each.mean([0]) - mean).abs().max().item() < 1e-5  # the gradient of the mean loss
    norms = sum((each**2).view(len(labels), -1).sum([1]) for each in grads).sqrt()
    read = logits(parameters, images).argmax(-1)
    for place in norms.topk(count)[1].tolist():
        yield (
            images[place].view(8, 8).tolist(),
            labels[place].item(),
            read[place].item(),
            norms[place].item(),
        )


def curvature(parameters, images, targets):
    """Returns the Hessian of the loss by the output biases, and its value computed by hand."""
    w1, b1, w2, b2 = parameters
    found = hessian(lambda bias: loss((w1, b1, w2, bias), images, targets))(b2)
    p = logits(parameters, images).softmax(-1)
    by_hand = tenon.zeros(10, 10)
    by_hand.as_strided((10,), (11,)).copy_(p.mean([0]))
    by_hand = by_hand - p.t().matmul(p) / p.size(0)
    error = (found - by_hand).abs().max().item()
    print(f"Hessian of the output's biases: within {error:.0e} of diag(p) - p p^T")
    assert error < 1e-5
    return found.tolist()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("picture", nargs="?", default="transforms.svg", help="where it is written")
    given = parser.parse_args()
    images, labels, targets = digits()
    held_out = (images[TRAINING:], labels[TRAINING:])
    parameters, full = train(lowers_precision=False)
    lowered_parameters, lowered = train(lowers_precision=True)
    for name, of, losses in (
        ("float32", parameters, full),
        ("bfloat16 by autocast", lowered_parameters, lowered),
    ):
        right = 100 * accuracy(of, *held_out)
        print(f"trained in {name}: loss {losses[-1]:.3f}, {right:.1f} % of held-out digits right")
        assert right > 95

    cases = list(hardest_images(parameters, *held_out, targets[TRAINING:], count=5))
    worst = cases[0]
    print(f"largest gradient of one image: {worst[3]:.1f}, a {worst[1]} read as {worst[2]}")
    rows = curvature(parameters, images[:TRAINING], targets[:TRAINING])

    surfaces = lens.fit(tenon.tensor([0.7, 0.0], dtype=tenon.float64))
    first, last = surfaces[0], surfaces[-1]
    found = last.tolist()
    before, after = (lens.misses(each).abs().max().item() for each in (first, last))
    print(
        f"lens: curvature {found[0]:.4f}, conic constant {found[1]:.4f}; rays miss the focus by "
        f"{after:.0e}, before by {before:.2f}"
    )
    assert max(abs(a - b) for a, b in zip(found, lens.EXACT, strict=True)) < 1e-6

    picture.write(
        given.picture,
        [
            *picture.hardest(30, 30, cases),
            *picture.matrix(640, 30, rows),
            *picture.curves(60, 170, full, lowered),
            *picture.rays(30, 440, "a sphere: rays miss", first),
            *picture.rays(480, 440, "fitted by jacfwd: a hyperbola", last),
        ],
    )
    print(f"picture: {given.picture}")


if __name__ == "__main__":
    main()
