# SPDX-License-Identifier: Apache-2.0
"""Tensors that one thread reads while another one resizes, deletes or replaces them."""

from __future__ import annotations

import gc
import os
import threading
from collections.abc import Callable

import pytest
import tenon

ROUNDS = 20_000 if os.environ.get("TENON_STRESS") == "long" else 300
# The shapes that a tensor grows along; some have more dims than fit into a tensor's header.
SHAPES = [(1,), (2, 3), (1, 1, 2, 1, 1, 1, 4), (5, 3), (40, 50), (3, 1, 30_000), (300_000,)]
STRIDES = {shape: tenon.zeros(shape).stride() for shape in SHAPES}
TERMS = [tenon.ones(shape) for shape in SHAPES]


def run_beside(change: Callable[[], None], *readers: Callable[[], None]) -> None:
    """Runs `change` on the calling thread, and the readers on other threads until it ends."""
    done = threading.Event()
    errors = []

    def repeat(read: Callable[[], None]) -> None:
        try:
            while True:
                read()
                if done.is_set():
                    return
        except BaseException as error:  # the calling thread reports it
            errors.append(error)

    threads = [threading.Thread(target=repeat, args=(read,)) for read in readers]
    for thread in threads:
        thread.start()
    try:
        change()
    finally:
        done.set()
        for thread in threads:
            thread.join()
    if errors:
        raise errors[0]


class Growing:
    """A tensor that `out=` calls resize from the first shape to the last one, repeatedly."""

    def __init__(self) -> None:
        self.tensor = tenon.empty(0)

    def run(self) -> None:
        for _ in range(max(ROUNDS // 30, 5)):
            self.tensor = tenon.empty(0)
            for term in TERMS:
                tenon.mul(term, 1, out=self.tensor)


def expect_shape(tensor: tenon.Tensor) -> None:
    shape = tuple(tensor.shape)
    assert shape in STRIDES or shape == (0,), shape
    assert tensor.dim() in {len(known) for known in SHAPES}


def expect_strides(tensor: tenon.Tensor) -> None:
    strides = tuple(tensor.stride())
    assert strides in STRIDES.values(), strides


def flat(nested: object) -> list:
    return [one for each in nested for one in flat(each)] if isinstance(nested, list) else [nested]


def expect_elements(tensor: tenon.Tensor) -> None:
    assert len(flat(tensor.tolist())) in {0, *(term.numel() for term in TERMS)}


def expect_buffer(tensor: tenon.Tensor) -> None:
    with memoryview(tensor) as view:
        assert view.shape in STRIDES or view.shape == (0,)
        assert len(view.tobytes()) == view.nbytes


def expect_numpy(tensor: tenon.Tensor) -> None:
    array = tensor.numpy()
    assert array.shape in STRIDES or array.shape == (0,)
    assert array.copy().shape == array.shape


def expect_text(tensor: tenon.Tensor) -> None:
    assert repr(tensor).startswith("tensor(")


def expect_view(tensor: tenon.Tensor) -> None:
    view = tensor.detach()
    assert tuple(view.shape) in STRIDES or view.numel() == 0
    assert len(flat(view.tolist())) == view.numel()


def expect_address(tensor: tenon.Tensor) -> None:
    assert tensor.data_ptr() % 4 == 0


READS = {
    read.__name__.removeprefix("expect_"): read
    for read in (
        expect_shape,
        expect_strides,
        expect_elements,
        expect_buffer,
        expect_numpy,
        expect_text,
        expect_view,
        expect_address,
    )
}


@pytest.mark.filterwarnings("ignore:.*is resized")
@pytest.mark.parametrize("read", READS)
def test_reader_sees_one_shape_while_another_thread_resizes(read):
    if read == "numpy":
        pytest.importorskip("numpy")
    growing = Growing()
    run_beside(growing.run, *[lambda: READS[read](growing.tensor)] * 2)


@pytest.mark.filterwarnings("ignore:.*is resized")
def test_memory_that_was_outgrown_stays_readable():
    tensor = tenon.ones(3000)
    views = [tensor.detach().view(50, 60)]
    buffers = [memoryview(tensor)]
    for count in (3001, 20_000, 200_000):
        tenon.mul(tenon.ones(count), 1, out=tensor)
        others = [tenon.zeros(size) for size in (3000, 3001, 20_000) for _ in range(4)]
        assert all(view.eq(1).all() for view in views)
        assert all(one == 1.0 for buffer in buffers for one in buffer[:3000])
        buffers.append(memoryview(tensor))
        del others
    del tensor, views
    gc.collect()
    assert all(one == 1.0 for buffer in buffers for one in buffer[:3000])


# ---- Deleting ------------------------------------------------------------------------------------


def test_arguments_deleted_by_another_thread_live_until_the_call_returns():
    live = tenon.introspect.live_handles()["tensor"]
    entered, deleted = threading.Event(), threading.Event()
    library = tenon.library.Library("shared_tensors", "DEF")
    library.define("wait(Tensor a, Tensor[] b) -> Tensor")

    def wait(a, b):
        entered.set()
        assert deleted.wait(60)
        return a + b[0]

    library.impl("wait", wait, "CPU")
    held = {"a": tenon.ones(1000), "b": [tenon.ones(1000)]}
    results = []

    def call() -> None:
        results.append(tenon.ops.shared_tensors.wait(held.pop("a"), held.pop("b")))

    caller = threading.Thread(target=call)
    caller.start()
    assert entered.wait(60)
    held.clear()
    gc.collect()
    others = [tenon.zeros(1000) for _ in range(8)]
    deleted.set()
    caller.join()
    assert results.pop().eq(2).all()
    library.close()
    del others
    gc.collect()
    assert tenon.introspect.live_handles()["tensor"] == live


def test_threads_read_a_slot_whose_tensor_others_replace():
    slot = [tenon.ones(1000)]

    def replace() -> None:
        for _ in range(ROUNDS):
            slot[0] = tenon.ones(1000)

    def read() -> None:
        tensor = slot[0]
        assert (tensor + tensor).sum().item() == 2000
        assert tenon.cat([slot[0], slot[0]]).sum().item() == 2000
        assert tenon.mul(slot[0], 2, out=tenon.empty(0)).sum().item() == 2000

    run_beside(replace, read, read)


def test_handles_are_dropped_on_other_threads_than_they_were_made_on():
    live = tenon.introspect.live_handles()["tensor"]
    made: list = []

    def make() -> None:
        for _ in range(ROUNDS):
            x = tenon.ones(3, requires_grad=True)
            made.append((x * x).sum())

    def drop() -> None:
        while made:
            try:
                made.pop().backward()
            except IndexError:  # the other thread took the last one
                return

    run_beside(make, drop, drop)
    made.clear()
    gc.collect()
    assert tenon.introspect.live_handles()["tensor"] == live
