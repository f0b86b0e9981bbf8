# SPDX-License-Identifier: Apache-2.0
"""Checkpoints: what is recomputed, compared and refused."""

from __future__ import annotations

import contextlib
import warnings

import pytest
import tenon
from tenon.utils import checkpoint as module
from tenon.utils.checkpoint import checkpoint, checkpoint_sequential

BOTH = pytest.mark.parametrize("reentrant", [False, True])


@pytest.fixture(scope="module", autouse=True)
def reentrant_function():
    """Creates the class that all reentrant checkpoints share."""
    checkpoint(lambda t: t * 1, tenon.ones(1, requires_grad=True), use_reentrant=True)


@BOTH
def test_other_arguments_pass_through(reentrant):
    x = tenon.ones(2, requires_grad=True)
    out, number = checkpoint(
        lambda t, n, other: ((t * n).exp(), other), x, 2.0, "word", use_reentrant=reentrant
    )
    assert number == "word"
    out.sum().backward()
    assert x.grad.tolist() == pytest.approx([2 * 7.389056] * 2)


def test_an_argument_that_was_written_is_noticed():
    x = tenon.ones(1, requires_grad=True)
    h = x * 1
    out = checkpoint(lambda t: t.exp().sin(), h, use_reentrant=False)
    h.add_(1)
    with pytest.raises(RuntimeError, match="inplace"):
        out.backward()


@pytest.mark.parametrize("early", [True, False])
def test_the_second_run_stops_once_all_tensors_are_recomputed(early):
    ends = []

    def function(t):
        result = t.exp().sin() + 1
        ends.append(1)
        return result

    x = tenon.ones(1, requires_grad=True)
    with module.set_checkpoint_early_stop(early):
        out = checkpoint(function, x, use_reentrant=False)
    out.backward()
    assert len(ends) == (1 if early else 2)


def test_contexts_surround_either_run():
    seen = []

    @contextlib.contextmanager
    def noted(name):
        seen.append(name)
        yield

    x = tenon.ones(1, requires_grad=True)
    out = checkpoint(
        lambda t: t.exp(),
        x,
        use_reentrant=False,
        context_fn=lambda: (noted("first"), noted("second")),
    )
    assert seen == ["first"]
    out.backward()
    assert seen == ["first", "second"]


def test_graphs_that_are_kept_are_filled_in_each_time():
    x = tenon.tensor([2.0], requires_grad=True)
    out = checkpoint(lambda t: t.exp().exp(), x, use_reentrant=False)
    (first,) = tenon.autograd.grad(out, x, retain_graph=True)
    (second,) = tenon.autograd.grad(out, x)
    assert first.tolist() == second.tolist()


def test_without_grad_mode_nothing_is_kept():
    x = tenon.ones(1, requires_grad=True)
    with tenon.no_grad():
        assert not checkpoint(lambda t: t.exp(), x, use_reentrant=False).requires_grad


@pytest.mark.parametrize(
    ("options", "error", "text"),
    [
        ({"determinism_check": "always"}, ValueError, "always"),
        ({"debug": True}, NotImplementedError, "debug"),
        ({"use_reentrant": True, "k": 2}, ValueError, "k"),
        ({"use_reentrant": True, "debug": True}, ValueError, "debug"),
    ],
)
def test_what_is_refused(options, error, text):
    with pytest.raises(error, match=text):
        checkpoint(lambda t: t, tenon.ones(1), **{"use_reentrant": False, **options})


def test_segments_must_fit():
    with pytest.raises(ValueError, match="3"):
        checkpoint_sequential([tenon.exp], 3, tenon.ones(1), use_reentrant=False)


def test_a_reentrant_checkpoint_without_tracked_arguments_warns():
    with pytest.warns(UserWarning, match="require grad"):
        checkpoint(lambda t: t, tenon.ones(1), use_reentrant=True)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        checkpoint(lambda t: t, tenon.ones(1), use_reentrant=False)
