# SPDX-License-Identifier: Apache-2.0
"""Fixtures of the behaviour suite: the peers, scratch operators, and a count of live handles."""

from __future__ import annotations

import gc

import peers
import pytest
import tenon


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Runs a case that takes `peer` on Tenon and, if installed, on PyTorch."""
    if "peer" in metafunc.fixturenames:
        metafunc.parametrize("peer", peers.PEERS, ids=lambda peer: peer.name)


def pytest_report_header() -> str:
    """Prints which peers the cases run on."""
    return "peers: " + " ".join(peer.name for peer in peers.PEERS)


@pytest.fixture(scope="session", autouse=True)
def kernels():
    """Loads the operators of ATen before the first count."""
    tenon.ones(2) + 1
    gc.collect()
    gc.freeze()  # keeps what PyTorch allocated at import out of the collections around every test


@pytest.fixture(autouse=True)
def no_leaks():
    """Fails a test that leaves more live handles of Tenon than there were before it."""
    gc.collect()
    before = tenon.introspect.live_handles()
    yield
    gc.collect()
    after = tenon.introspect.live_handles()
    grown = {kind: (before[kind], after[kind]) for kind in after if after[kind] > before[kind]}
    assert not grown, f"handles (before, after): {grown}"


@pytest.fixture
def op(peer):
    """A scratch operator `op(Tensor x) -> Tensor`."""
    with peers.scratch(peer) as one:
        yield one
