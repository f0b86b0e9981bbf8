# SPDX-License-Identifier: Apache-2.0
"""Extreme integers and sizes: results or clear errors, which come at once if memory is short."""

from __future__ import annotations

import pathlib
import subprocess
import sys

import pytest
import tenon

aten = tenon.ops.aten
LEAST, MOST = -(2**63), 2**63 - 1
STRESS = pathlib.Path(__file__).resolve().parents[1] / "stress" / "extremes.py"


def meta(*sizes):
    return tenon.empty(list(sizes), device="meta")


# ---- Integers are integers -----------------------------------------------------------------------


@pytest.mark.parametrize("number", [LEAST, LEAST + 1, -(2**62) - 1])
def test_a_number_too_small_for_a_word_is_refused_with_symbols(number):
    env = tenon.ShapeEnv()
    size = env.new_size(4)
    for calculate in (
        lambda: size + number,
        lambda: size * number,
        lambda: number - size,
        lambda: size > number,
        lambda: size == number,
        lambda: tenon.sym_max(size, number),
    ):
        with pytest.raises(tenon.Error, match=r"-2\^62"):
            calculate()
    x = tenon.empty([size, 3], device="meta")
    for call in (
        lambda: x.reshape(size, number),
        lambda: x.expand(number, 3),
        lambda: x.repeat(1, number),
        lambda: x.narrow(0, number, 1),
    ):
        with pytest.raises((tenon.Error, TypeError)):
            call()
    assert repr(tuple(x[number:].shape)) == "(s0, 3)"


@pytest.mark.parametrize("number", [LEAST, LEAST + 1, -(2**62) - 1, 2**62, MOST])
def test_roll_takes_any_shift(number):
    x = tenon.arange(12).reshape(4, 3)
    assert x.roll(number, 0).tolist() == x.roll(number % 4, 0).tolist()
    assert x.roll(number).tolist() == x.roll(number % 12).tolist()
    assert tenon.func.vmap(lambda row: row.roll(number, 0))(x).tolist() == [
        row.roll(number % 3, 0).tolist() for row in x
    ]


def test_symbols_are_not_read_as_numbers():
    def counts(x):
        return aten.histogram.bin_ct(x, 4)

    with pytest.raises(tenon.error.DataDependentError):
        tenon.graph.trace(counts, tenon.rand(5), dynamic=True)


def test_coefficients_are_numbers():
    env = tenon.ShapeEnv()
    size = env.new_size(4)
    product = size * -(2**61) * 2
    assert repr(product + 1) == f"-{2**62}*s0 + 1"
    bool(size == 4)  # simplifies the expressions that contain it
    with pytest.raises(tenon.Error):
        int(product)


# ---- Sizes ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "call",
    [
        lambda x: aten.constant_pad_nd(x, [MOST, MOST]),
        lambda x: aten.constant_pad_nd(x, [LEAST, LEAST]),
        lambda x: aten.reflection_pad1d_backward(x, x, [LEAST, LEAST]),
        lambda x: aten.reflection_pad1d_backward(x, x, [-4, 4]),
        lambda x: aten.replication_pad1d(x, [MOST, MOST]),
        lambda x: aten.avg_pool1d(x, MOST, 1, MOST),
        lambda x: aten.max_pool1d(x, MOST, 1, MOST),
        lambda x: aten._adaptive_avg_pool2d(x.unsqueeze(0), [MOST, MOST]),
        lambda x: aten.upsample_nearest1d(x, [MOST]),
        lambda x: aten._upsample_nearest_exact1d(x, [MOST]),
        lambda x: aten.diag_embed(x, MOST),
        lambda x: aten.pixel_shuffle(x.unsqueeze(0), 2**32),
        lambda x: aten.tril_indices(MOST, MOST),
        lambda x: aten.triu_indices(MOST, MOST, LEAST),
        lambda x: aten.combinations(x.reshape(-1), MOST, True),
        lambda x: aten.repeat(x, [MOST, MOST, MOST]),
        lambda x: aten.split(x.expand(2**40, 2, 4), 1, 0),
        lambda x: aten.convolution(x, x, None, [1], [0], [1], False, [0], 2**62),
        lambda x: aten.conv1d.padding(x, x, None, [1], "same", [MOST]),
        lambda x: aten.conv1d.padding(x, x, None, [1], "same", [1, 1, 1]),
        lambda x: aten.arange(0, LEAST, -1),
        lambda x: aten.arange(0, 1e30, 1e29, dtype=tenon.int64),
        lambda x: aten.random(x, LEAST),
        lambda x: aten.randint.low(MOST, LEAST, [2]),
        lambda x: aten.upsample_nearest1d.vec(x, None, [1e300]),
        lambda x: aten.embedding_dense_backward(x[0], tenon.zeros(2, dtype=tenon.int64), LEAST, 0),
        lambda x: tenon.ops.tenon.strided_scatter(x, [2], [], 2**62, [], [-1], -1),
    ],
)
@pytest.mark.parametrize("device", ["cpu", "meta", "fake"])
def test_sizes_that_do_not_fit_are_refused(call, device):
    x = tenon.ones(1, 2, 4)
    if device == "meta":
        x = x.to("meta")
    mode = tenon.FakeTensorMode() if device == "fake" else None
    if mode is not None:
        x = mode.from_tensor(x)
    with pytest.raises((tenon.Error, MemoryError)):
        call(x)


def test_a_plan_on_meta_costs_the_same_for_all_sizes():
    wide = 2**40
    image = meta(1, 1, 4, 4)
    assert aten._adaptive_avg_pool2d(image, [wide, 2]).shape == (1, 1, wide, 2)
    assert aten.adaptive_max_pool2d(image, [2, wide])[0].shape == (1, 1, 2, wide)
    assert aten.upsample_nearest2d(image, [wide, 3]).shape == (1, 1, wide, 3)
    assert aten.upsample_bilinear2d(image, [wide, 3], False).shape == (1, 1, wide, 3)
    assert aten.replication_pad2d(image, [wide, 0, 0, 0]).shape == (1, 1, 4, wide + 4)
    assert aten.avg_pool2d(meta(1, 1, wide, 2), [2, 2]).shape == (1, 1, wide // 2, 1)
    assert aten.max_pool2d(meta(1, 1, wide, 2), [2, 2]).shape == (1, 1, wide // 2, 1)
    below = aten.tril_indices(wide, 4, device="meta")
    assert below.shape == (2, 10 + (wide - 4) * 4)


@pytest.mark.parametrize("rows", range(5))
@pytest.mark.parametrize("columns", range(5))
def test_triangles_have_the_places_of_a_matrix(rows, columns):
    for offset in (*range(-6, 7), LEAST, MOST):
        for is_lower, indices in ((True, aten.tril_indices), (False, aten.triu_indices)):
            places = [
                (row, column)
                for row in range(rows)
                for column in range(columns)
                if (column - row <= offset if is_lower else column - row >= offset)
            ]
            found = indices(rows, columns, offset)
            assert found.shape == (2, len(places))
            assert list(zip(*found.tolist(), strict=True)) == places
    assert aten.tril_indices(2**62, 1, 1 - 2**62).tolist() == [[2**62 - 1], [0]]


def test_indices_that_count_from_the_end_are_refused():
    rows = tenon.arange(6.0).reshape(3, 2)
    for index in ([-1], [0, 3]):
        at = tenon.tensor(index)
        for call in (
            lambda at=at: aten.index_select(rows, 0, at),
            lambda at=at: aten.embedding(rows, at),
            lambda at=at: aten.index_add(rows, 0, at, rows[: len(at)]),
            lambda at=at: aten.index_copy(rows, 0, at, rows[: len(at)]),
        ):
            with pytest.raises(IndexError, match="must be from 0 to 2"):
                call()
    assert rows[tenon.tensor([-1])].tolist() == [[4.0, 5.0]]


def test_out_is_not_warned_about_before_a_refusal(recwarn):
    for call in (
        lambda out: aten.zeros.out([-1], out=out),
        lambda out: aten.zeros.out([2**62], out=out),
        lambda out: aten.full.out([2**46], 1.0, out=out),
        lambda out: aten.arange.start_out(0, 2**46, 1, out=out),
    ):
        with pytest.raises((tenon.Error, MemoryError)):
            call(tenon.ones(3))
    assert not recwarn.list


# ---- Numbers at the limits, with results ---------------------------------------------------------


def test_a_step_beyond_the_end_takes_the_first_element():
    x = tenon.arange(12.0).reshape(3, 4)
    for step in (4, 2**40, 2**62, MOST):
        assert x[:, ::step].tolist() == [[0.0], [4.0], [8.0]]
        assert x[::step][:, ::step].tolist() == [[0.0]]
        assert (x[:, ::step] * 2 + 1).sum().item() == 27.0
        assert aten.unfold(x, 1, 2, step).tolist() == [[[0.0, 1.0]], [[4.0, 5.0]], [[8.0, 9.0]]]
        assert x[:, ::step].diagonal().tolist() == [0.0]
        assert aten.tril(x[::step]).tolist() == [[0.0, 0.0, 0.0, 0.0]]


@pytest.mark.parametrize("size", [2**20, 2**40, 2**60])
def test_work_is_bounded_by_the_input_if_the_window_is_larger(size):
    x = tenon.arange(12.0).reshape(1, 3, 4)
    half = size // 2
    values, indices = aten.max_pool2d_with_indices(x, [size, size], [1, 1], [half, half])
    assert values.shape == (1, 4, 5)
    assert values.max().item() == 11.0
    assert indices.max().item() == 11
    means = aten.avg_pool2d(x, [size, size], [1, 1], [half, half], False, False)
    assert means[0, 1, 1].item() == pytest.approx(x.mean().item())
    grad = aten.avg_pool2d_backward(
        tenon.ones(1, 4, 5), x, [size, size], [1, 1], [half, half], False, False, None
    )
    assert grad.sum().item() == pytest.approx(20.0, abs=1e-3)


def test_averages_of_many_windows_are_not_listed():
    x = tenon.ones(1, 20000)
    means = aten.avg_pool1d(x, 10001, 1)
    assert means.shape == (1, 10000)
    assert means.min().item() == means.max().item() == 1.0


def test_zeta_far_below_zero_ends():
    zeta = aten.special_zeta
    base = tenon.tensor([-20000.25, -20000.25], dtype=tenon.float64)
    power = tenon.tensor([2.0, 3.0], dtype=tenon.float64)
    # Sums the terms below 0 one by one; zeta of the first positive base is the remaining sum.
    rest = zeta(power, tenon.tensor([0.75, 0.75], dtype=tenon.float64)).tolist()
    for found, s, above in zip(zeta(power, base).tolist(), (2, 3), rest, strict=True):
        below = sum((-20000.25 + k) ** -s for k in range(20001))
        assert found == pytest.approx(below + above, rel=1e-12)
    far = tenon.tensor([-(2.0**51) - 0.5], dtype=tenon.float64)
    assert aten.polygamma(1, far).item() == pytest.approx(9.8696044, rel=1e-6)
    assert aten.polygamma(MOST, tenon.ones(1)).shape == (1,)


def test_least_squares_of_infinities_are_refused():
    for number in (float("inf"), float("nan")):
        a = tenon.tensor([[number, 0.0], [0.0, 1.0], [4.0, 5.0]])
        with pytest.raises(tenon.Error, match="self must have finite elements"):
            aten.linalg_lstsq(a, tenon.ones(3, 1))


# ---- The tool ------------------------------------------------------------------------------------


def test_the_stress_tool_finds_each_kind_of_failure():
    done = subprocess.run([sys.executable, STRESS, "--self-test"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
