# SPDX-License-Identifier: Apache-2.0
"""Random tables and schema strings, compared with PyTorch's results in golden files.

`golden/generate.py` wrote the files. If PyTorch is installed, new random cases are compared too.
"""

from __future__ import annotations

import collections
import pathlib
import sys

import peers
import pytest
import tenon

GOLDEN = pathlib.Path(__file__).resolve().parent / "golden"
sys.path.insert(0, str(GOLDEN))

import categories  # noqa: E402
import schema_strings  # noqa: E402
import table_cases  # noqa: E402

TENON = peers.PEERS[0]
CORPUS = GOLDEN.parents[1] / "conformance" / "schemas" / "pytorch.txt"
# CompositeImplicitAutograd serves these keys before their fallbacks, unlike in PyTorch: see
# docs/design.md#dispatch-keys.
SERVED_HERE = ("ADInplaceOrView", "Batched")


def lines(name):
    return [line for line in (GOLDEN / name).read_text().splitlines() if line[:1] != "#"]


def differences(ours, theirs):
    """Returns the slots that differ, except for the difference in docs/design.md#dispatch-keys."""
    return {
        key: (mine, other)
        for key, mine, other in zip(table_cases.KEYS, ours, theirs, strict=True)
        if mine != other and not (key in SERVED_HERE and other == "." and mine.startswith("m:"))
    }


def test_random_tables_are_those_of_pytorch():
    cases = [line.split("\t") for line in lines("tables.txt")]
    served_here = 0
    for text, row in cases:
        with peers.scratch(TENON) as op:
            ours = table_cases.row(op, table_cases.parse(text))
            tenon.introspect.invariants(op.name)
        theirs = row.split()
        assert not differences(ours, theirs), text
        served_here += ours != theirs
    assert len(cases) >= 1000 and served_here < len(cases) / 2
    assert (
        sum("fall" in row for _, row in cases) > 100 and sum("-" in text for text, _ in cases) > 300
    )


def test_a_wrong_slot_is_found():
    text, row = lines("tables.txt")[0].split("\t")
    wrong = row.split()
    wrong[table_cases.KEYS.index("CPU")] = "k:other"
    with peers.scratch(TENON) as op:
        ours = table_cases.row(op, table_cases.parse(text))
    assert list(differences(ours, wrong)) == ["CPU"]


def attempt(peer, text):
    try:
        return peer.parse(text), ""
    except (tenon.ParseError, RuntimeError, IndexError, ValueError) as error:
        return None, str(error).strip()


def test_random_schemas_are_read_and_printed_as_by_pytorch():
    listed = dict(reversed(line.split("\t")) for line in lines("schema_differences.txt"))
    assert set(listed.values()) <= set(categories.CATEGORIES)
    counts = collections.Counter()
    for line in lines("schemas.txt"):
        text, _, theirs = line.rpartition("\t")
        expected = {"!": None, "=": text}.get(theirs, theirs)
        ours, error = attempt(TENON, text)
        if text in listed:
            assert ours != expected, f"agrees, but is listed: {text}"
            counts["different"] += 1
            continue
        assert ours == expected, f"{text}\n{ours or error}"
        counts["refused" if ours is None else "printed"] += 1
    assert counts["different"] == len(listed)
    assert counts["refused"] >= 2000 and counts["printed"] >= 2000
    assert counts["refused"] + counts["printed"] >= 5000


def test_refused_schemas_say_where():
    for line in lines("schemas.txt")[::7]:
        ours, error = attempt(TENON, line.rpartition("\t")[0])
        assert ours is not None or "at column" in error, error


def test_printed_schemas_parse_to_themselves():
    for line in lines("schemas.txt"):
        ours, _ = attempt(TENON, line.rpartition("\t")[0])
        if ours is not None:
            assert TENON.parse(ours) == ours


SEED = 77  # another one than that of the golden files

torch_only = pytest.mark.skipif(len(peers.PEERS) < 2, reason="PyTorch is not installed")


@torch_only
def test_fresh_random_tables():
    for steps in table_cases.cases(300, SEED):
        rows = []
        for peer in peers.PEERS:
            with peers.scratch(peer) as op:
                rows.append(table_cases.row(op, steps))
        assert not differences(*rows), table_cases.text(steps)


@torch_only
def test_fresh_random_schemas():
    corpus = [line for line in CORPUS.read_text().splitlines() if line[:1] != "#"]
    for text in schema_strings.strings(1500, SEED, corpus):
        (ours, our_error), (theirs, their_error) = (attempt(peer, text) for peer in peers.PEERS)
        if ours != theirs:
            assert categories.kind(text, ours, our_error, theirs, their_error), text
