# SPDX-License-Identifier: Apache-2.0
"""Special functions of float32, compared with those of float64 over all magnitudes."""

import math

import numpy
import pytest
import tenon

EVERY = 30011  # a prime, so that all exponents and many mantissas occur


def floats():
    """Returns floats of both signs and all exponents, and many near the functions' zeros."""
    bits = numpy.arange(0, 2**32, EVERY, dtype=numpy.uint64).astype(numpy.uint32)
    near = numpy.float32([1, 2, 1.4616321, -0.5040830, -2.4570247, -2.7476826, -1.5734985])
    steps = numpy.arange(-20, 21, dtype=numpy.int32)
    close = (near.view(numpy.int32)[:, None] + steps).ravel().view(numpy.float32)
    plain = numpy.linspace(-20, 20, 40001, dtype=numpy.float32)
    return numpy.concatenate([bits.view(numpy.float32), close, plain])


@pytest.mark.parametrize("name", ["lgamma", "digamma", "erfinv"])
def test_floats_are_within_four_units_of_doubles(name):
    function = getattr(tenon, name)
    values = floats()
    found = function(tenon.tensor(values)).numpy()
    with numpy.errstate(over="ignore", invalid="ignore"):
        wide = function(tenon.tensor(values.astype(numpy.float64))).numpy()
        wanted = wide.astype(numpy.float32)
        unit = numpy.spacing(numpy.abs(wanted)).astype(numpy.float64)
        away = numpy.abs(found.astype(numpy.float64) - wide) / unit
    is_finite = numpy.isfinite(wanted)
    same = (found == wanted) | (numpy.isnan(found) & numpy.isnan(wanted))
    assert same[~is_finite].all()
    assert numpy.isfinite(found[is_finite]).all()
    assert away[is_finite].max() <= 4


def test_inverse_error_function_of_doubles():
    """erf and erfc invert it: up to some ulps of the argument, or of its distance to 1."""
    values = numpy.concatenate(
        [numpy.linspace(-0.999, 0.999, 9999), 10.0 ** -numpy.arange(1, 300, 7.0)]
    )
    found = tenon.erfinv(tenon.tensor(values))
    numpy.testing.assert_allclose(tenon.erf(found).numpy(), values, rtol=1e-13)
    powers = numpy.arange(2, 53)
    beyond = tenon.erfinv(tenon.tensor(1 - 0.5**powers))
    numpy.testing.assert_allclose(tenon.erfc(beyond).numpy(), 0.5**powers, rtol=1e-12)


def test_special_values():
    inf, nan = math.inf, math.nan

    def of(name, *values):
        return getattr(tenon, name)(tenon.tensor(values)).tolist()

    assert of("erfinv", 1.0, -1.0, 0.0) == [inf, -inf, 0.0]
    assert math.copysign(1, of("erfinv", -0.0)[0]) == -1
    assert all(map(math.isnan, of("erfinv", 1.5, -2.0, nan, inf)))
    assert of("lgamma", 1.0, 2.0, 0.0, -0.0, -3.0, inf, -inf) == [0, 0, inf, inf, inf, inf, inf]
    assert of("digamma", 0.0, -0.0, inf) == [-inf, inf, inf]
    assert all(map(math.isnan, of("digamma", -1.0, -7.0, -inf, nan)))
