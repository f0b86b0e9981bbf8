# SPDX-License-Identifier: Apache-2.0
"""Selective checkpointing, and processes."""

import functools

import torch
import torch.multiprocessing as mp
from torch.utils.checkpoint import (
    CheckpointPolicy,
    checkpoint,
    create_selective_checkpoint_contexts,
)


def work(index, queue, base):
    queue.put((index, (base * index).tolist()))


def fail(index):
    if index == 1:
        raise ValueError("no")


def body(x, w):
    return (x @ w).sin() @ w


def run(contexts):
    torch.manual_seed(0)
    x, w = torch.randn(3, 4), torch.randn(4, 4)
    x.requires_grad_()
    w.requires_grad_()
    y = checkpoint(body, x, w, use_reentrant=False, context_fn=contexts)
    y.sum().backward()
    return [round(float(one.grad.sum()), 4) for one in (x, w)]


calls = []


def policy(ctx, op, *args, **kwargs):
    calls.append((ctx.is_recompute, str(op).rpartition("aten.")[2]))
    saves = op == torch.ops.aten.mm.default
    return CheckpointPolicy.MUST_SAVE if saves else CheckpointPolicy.PREFER_RECOMPUTE


def main():
    create = create_selective_checkpoint_contexts
    print(run(lambda: create([torch.ops.aten.mm.default])))
    print(run(functools.partial(create, policy)))
    print((False, "mm.default") in calls)
    print(run(functools.partial(create, [torch.ops.aten.sin.default])))
    context = mp.get_context("spawn")
    queue = context.SimpleQueue()
    mp.spawn(work, (queue, torch.ones(2)), nprocs=2)
    print(sorted([queue.get(), queue.get()]))
    try:
        mp.spawn(fail, nprocs=2)
    except mp.ProcessRaisedException as error:
        print(error.error_index)


if __name__ == "__main__":
    main()
