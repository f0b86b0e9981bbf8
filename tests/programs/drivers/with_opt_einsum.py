# SPDX-License-Identifier: Apache-2.0
"""Contractions of opt_einsum on tensors."""

import opt_einsum as oe
import torch
from report import part

shapes = {"a": 2, "b": 3, "c": 4, "d": 5, "e": 2}


def arrays(text):
    torch.manual_seed(4)
    return [torch.randn([shapes[c] for c in one]) for one in text.split("->")[0].split(",")]


for i, text in enumerate(
    [
        "ab,bc,cd->ad",
        "abc,bd,ce->ade",
        "ab,ab->",
        "aab,bc->c",
        "abc->ca",
        "ab,cd->abcd",
        "ab,bc,ca->",
        "abc,abc->b",
    ]
):

    def body(text=text):
        return oe.contract(text, *arrays(text)), oe.contract_path(text, *arrays(text))[0]

    body.__name__ = f"case_{i}"
    part(body)


@part
def expression():
    made = oe.contract_expression("ab,bc,cd->ad", (2, 3), (3, 4), (4, 5))
    fixed = oe.contract_expression("ab,bc,cd->ad", arrays("ab")[0], (3, 4), (4, 5), constants=[0])
    a, b, c = arrays("ab,bc,cd")
    return made(a, b, c), fixed(b, c), made(a, b, c, backend="torch")


@part
def shared():
    with oe.shared_intermediates() as cache:
        found = oe.contract("ab,bc,cd->ad", *arrays("ab,bc,cd"), backend="torch")
    return found, len(cache)


@part
def dispatched():
    from opt_einsum import backends

    a, b = arrays("abc,bd")
    return backends.dispatch.get_func("tensordot", "torch")(a, b, ([1], [0]))
