# SPDX-License-Identifier: Apache-2.0
"""Known differences between Tenon and PyTorch, each with its reason; all others are defects.

An entry applies if its patterns match the whole name of the operator, the whole kind of the call
(for `out=` and in-place overloads: how `out` or self is laid out) and part of the message.
"""

from __future__ import annotations

import re
from typing import NamedTuple


class Known(NamedTuple):
    """One known difference."""

    name: str
    kind: str
    message: str
    reason: str


# Calls that PyTorch accepts and Tenon refuses.
REFUSED = (
    Known(
        r"(all|any|amax|amin|argmax|argmin|max|mean|min|prod|sum)\.\w+",
        "its own input",
        "must not share memory",
        "a fold reads its input while it writes",
    ),
    Known(
        r"flip\.out|sort\.values(_stable)?",
        "its own input",
        "must not share memory",
        "elements change places while they are read",
    ),
    Known(
        r"(max|min)\.unary_out|(std|var)\.correction_out|(all|any)\.\w+",
        "of .*",
        "out must have dtype",
        "a fold writes the dtype that it computes, and no other",
    ),
    Known(
        r"(_adaptive_)?(avg|max)_pool\dd\.out|adaptive_max_pool\dd\.out|linalg_vector_norm\.out",
        "its own input",
        "must not share memory",
        "a fold reads its input while it writes",
    ),
    Known(
        r"_[cp]dist_forward\.out",
        "its own input",
        "must not share memory",
        "distances of rows are written while rows are read",
    ),
    Known(
        r"grid_sampler_[23]d\.out",
        "its own input",
        "must not share memory",
        "images are sampled while they are written",
    ),
    Known(
        r"_embedding_bag(_forward_only)?\.out",
        ".*",
        "imported memory cannot be resized",
        "Tenon also returns the bag of each index for sums, and needs memory for it",
    ),
    Known(
        r"_fft_\w+\.out|linalg_(lstsq|pinv)\.\w*out|cholesky_(solve|inverse)\.out|bernoulli\.out"
        r"|linalg_(eig|householder_product|matrix_exp)\.out|(_ctc_loss|segment_reduce)\.\w*out",
        "of .*",
        "must have dtype",
        "transforms, factorizations and draws write the dtype that they compute, and no other",
    ),
    Known(
        r"nansum\.out",
        "of bool",
        "can be cast to",
        "a sum does not become a truth value silently",
    ),
    Known(
        r"addbmm_",
        "",
        "must have the sizes of the result",
        "PyTorch resizes the tensor that is written in place",
    ),
    Known(
        r"(nn\.functional\.interpolate|upsample_bi(linear|cubic)2d)(\.\w+)?",
        ".*",
        "not supported for dtype uint8",
        "PyTorch resamples images of bytes with integer weights, Tenon with float weights",
    ),
    Known(
        r"nn\.functional\.batch_norm",
        "",
        "at least 2 dims, got \\[0\\]|got shape \\(0,\\)",
        "PyTorch asks for no channels where there are no elements",
    ),
    Known(
        r"im2col\.out",
        "of .*",
        "out must have dtype",
        "PyTorch does not check the dtype of out if the batch is empty.",
    ),
    Known(
        r"logsumexp\.out",
        "of .*",
        "can be cast to",
        "a complex result does not lose its imaginary part silently",
    ),
    Known(
        r"(lin|log)space\.\w+",
        "of bool",
        "not supported for dtype bool",
        "PyTorch takes these where one step or none is asked for, and no more",
    ),
    Known(
        r"(Tensor\.)?(max|min)",
        "",
        "dim must be in",
        "a tensor of one whole number is a number, here a dim: write maximum(a, b)",
    ),
    Known(
        r"conv2d",
        "",
        "im2col: not supported for dtype",
        "convolutions are of floats and complex numbers",
    ),
    Known(
        r"conv2d",
        "",
        "padding must be",
        "the overload with padding in words is absent",
    ),
    Known(
        r"linspace",
        "",
        "unexpected keyword argument 'layout'",
        "factories take no layout: there is one",
    ),
    Known(
        r"nn\.functional\.embedding(_bag)?",
        "",
        "must be left out",
        "gradients are dense, and weights are not renormalised",
    ),
    Known(
        r".*",
        "no elements",
        "not supported for dtype|must be \\w+ like|must have dtype|must have as many",
        "PyTorch asks for no dtype or sizes where nothing is to compute",
    ),
    Known(
        r"_log_softmax_backward_data",
        ".*",
        "must have the sizes and the dtype",
        "PyTorch does not look whether sizes agree",
    ),
    Known(
        r"silu_backward",
        ".*",
        "not supported for dtype complex",
        "PyTorch's is no derivative of a complex function, which Tenon does not offer",
    ),
    Known(
        r"(lin|log)space(\.\w+)?",
        "",
        "must fit into",
        "PyTorch does not look at an end that one step does not reach",
    ),
    Known(
        r"pow(_\.Scalar|\.Tensor_Scalar)",
        "",
        "not supported for dtype bool",
        "PyTorch copies bools where the exponent is 1, and has no other power of them",
    ),
    Known(
        r"tile",
        "no elements|",
        "repeats must have elements >= 0",
        "PyTorch takes fewer than no repeats of no elements",
    ),
    Known(
        r"_local_scalar_dense",
        ".*",
        "must be a tensor of one element",
        "PyTorch uses the first of several elements",
    ),
    Known(
        r"Tensor\.__r\w+__",
        "",
        "requires a",
        "PyTorch's reflected methods take numbers as self",
    ),
)

# Calls that Tenon accepts and PyTorch refuses.
TAKEN = (
    Known(
        r"max_unpool3d\.out",
        "with gaps|transposed",
        "output must be contiguous",
        "computed aside and then copied to any strides",
    ),
    Known(
        r".*",
        ".*",
        "not implemented for|does not support bool",
        "a dtype that PyTorch has no loop for",
    ),
    Known(
        r"(mm|bmm|addmm|baddbmm)\.dtype.*", ".*", "Could not run", "PyTorch has it on CUDA alone"
    ),
    Known(
        r"(addbmm|addmm|addmv|addr|baddbmm|bernoulli|clamp\w*|ldexp|linalg_cross|polygamma|renorm"
        r"|\w+_loss|index_\w+|masked_fill_|take)(\.\w+)?",
        "(partly|its own) .*|",
        "refer to a single memory location",
        "computed aside and then copied: what they share does no harm",
    ),
    Known(
        r"cov",
        "",
        "weights cannot be negative",
        "elements of weights are not looked at",
    ),
    Known(
        r"(empty_strided|new_\w+)\.out",
        "of one element",
        "more than one element of the written-to tensor",
        "each element gets the same value, or none",
    ),
    Known(
        r"(index|masked)_fill_\..*",
        "of .*",
        "cannot be converted to type",
        "an element becomes another dtype as a cast has it, without a look at its value",
    ),
    Known(
        r"(nn\.functional\.)?group_norm",
        ".*",
        "to be greater than 0",
        "no elements have no norm to compute, and nothing is in the way",
    ),
    Known(
        r"clamp\w*|clip|where\..*|logspace",
        "",
        "cannot be converted to type float without overflow",
        "a number beyond the range of floats is infinite",
    ),
    Known(
        r"hardtanh_?",
        "",
        "outside the representable range|to type int64_t without overflow",
        "bounds are compared as doubles, also with integers",
    ),
    Known(
        r"arange\..*",
        "",
        "step must be finite",
        "the first step leads beyond the end",
    ),
    Known(
        r"normal\..*_out",
        "resized from none",
        "must match the size",
        "an out without elements gets the sizes of the result",
    ),
    Known(
        r"take_along_dim",
        ".*",
        "view size is not compatible",
        "copies where PyTorch can only view",
    ),
    Known(
        r"gelu\w*",
        ".*",
        "could not create a primitive",
        "PyTorch's oneDNN has no plan for some strides",
    ),
)

# Calls whose results differ.
DIFFER = (
    Known(
        r"(ops\.aten\.)?_ctc_loss(\.\w+)?",
        ".*",
        "^got -inf",
        "states that a target has not are never; PyTorch leaves them as memory was",
    ),
    Known(
        r"(special_)?(igammac?|gammaincc?)_?(\.out)?",
        ".*",
        r"^got [01]\.\d+, expected [01]\.\d+",
        "where both are near each other PyTorch's doubles have nine digits: ours are mpmath's",
    ),
    Known(
        r"(ops\.aten\.)?linalg_eig(\.out)?",
        ".*",
        r"^got \(",
        "a vector is one by any phase: LAPACK's have their own",
    ),
    Known(
        r"(linalg_)?matrix_exp(\.out)?",
        ".*",
        "^got [\\d.]+, expected (nan|-?[\\d.]+)",
        "PyTorch's of small floats is of memory that it did not write",
    ),
    Known(
        r"(ormqr|linalg_ldl_solve)\.out",
        "its own input",
        r"^got \(?-?\d",
        "PyTorch writes over the factors before it reads them",
    ),
    Known(
        r"max_unpool[23]d\.out",
        "transposed|with gaps",
        "^got strides",
        "PyTorch lays an out of the right sizes out anew",
    ),
    Known(
        r"(special_)?i[01]_?(\.out)?",
        ".*",
        r"^got -?(inf|\d\.\d+e\+37), expected -?(nan|inf)",
        "PyTorch's exponential is infinite before the root divides it",
    ),
    Known(
        r"(ops\.aten\.special_)?polygamma(\.out)?",
        ".*",
        r"^got -?[\d.]+, expected -?[\d.]+ at",
        "PyTorch's trigamma has ten digits of a double's: ours are mpmath's",
    ),
    Known(
        r"(avg_pool3d|adaptive_max_pool3d)\.out",
        "with gaps|transposed",
        "got ",
        "PyTorch writes these outs as if they were contiguous",
    ),
    Known(
        r"(max_pool3d_with_indices|replication_pad\dd)\.out",
        "with gaps|transposed",
        "got strides",
        "PyTorch lays these outs out anew",
    ),
    Known(
        r"bernoulli\.out",
        "transposed|with gaps",
        "got ",
        "numbers are drawn in the order of memory; PyTorch draws aside and copies",
    ),
    Known(
        r"binary_cross_entropy\.out",
        ".*",
        "got ",
        "PyTorch writes all losses where there is room for their mean, and reads others",
    ),
    Known(
        r"ldexp_",
        "of .*",
        "^got ",
        "the power of 2 is of the dtype that is computed in, PyTorch's of the exponent's",
    ),
    Known(
        r"_fft_c2c\.out",
        "its own input",
        "^got ",
        "the input is of overlapping frames: what is written there has no answer",
    ),
    Known(
        r"_embedding_bag(_forward_only)?(\.out)?",
        ".*",
        r"^got shape \[\d+\], expected \[\d+\]",
        "PyTorch does not tell of sums in which bag each index is, and counts an empty last bag",
    ),
    Known(
        r"(ops\.aten\.)?special_bessel_[jy][01](\.out)?",
        ".*",
        "^got ",
        "PyTorch's doubles have eight digits, and no answer for infinity",
    ),
    Known(
        r"nn\.functional\.embedding_bag",
        "",
        r"^got -?[\d.]+, expected -?[\d.]+ at",
        "small floats are rounded between product and sum",
    ),
    Known(
        r"nansum\.out",
        "its own input",
        "expected 0",
        "PyTorch clears the out, which is the input, first",
    ),
    Known(
        r"_linalg_(det\.result|slogdet\.sign)|linalg_(eig|householder_product|lstsq)\.out"
        r"|ormqr\.out",
        "resized .*",
        "got strides",
        "an out that is resized and copied to is row-major",
    ),
    Known(
        r"(Tensor\.)?(max|min)",
        "",
        "got 2 results, expected 1",
        "a tensor of one whole number is a number, here a dim: write maximum(a, b)",
    ),
    Known(
        r"randint_like\..*out",
        "transposed|with gaps",
        "got ",
        "numbers are drawn in the order of memory; PyTorch draws aside and copies",
    ),
    Known(
        r"(add|sub|mul|div|rsub)\.Scalar_out",
        "resized .*",
        "got strides",
        "an out that is resized gets the strides of the functional result",
    ),
    Known(
        r"(fill|masked_fill|scatter|full_like|new_full).*",
        "",
        "got False, expected True",
        "a bool of a complex number is that of its real part",
    ),
    Known(
        r"hardtanh_?",
        "",
        r"got \d+, expected 1\b",
        "bounds that cross: PyTorch cuts those of integers to integers first",
    ),
    Known(
        r"new_empty_strided\.out",
        "resized .*",
        "got strides",
        "PyTorch forgets the strides that are asked for",
    ),
    Known(
        r"hardsigmoid_backward",
        ".*",
        r"^got (0\.1666666666666\d*|-0\.25\d*), ",
        "PyTorch's sixth of doubles is a float",
    ),
    Known(
        r"(softshrink|hardtanh|hardshrink)_backward",
        ".*",
        "got nan, expected 0.0",
        "for NaN, PyTorch's vector loop has no gradient, and its remainder loop has one",
    ),
    Known(
        r"pow(_\.Tensor|\.Tensor_Tensor)",
        ".*",
        r"got \(1\+0j\), expected \(nan\+nanj\)",
        "a power of 0 is 1; PyTorch takes the logarithm of a complex base",
    ),
    Known(
        r"conj",
        ".*",
        "shares memory",
        "there are no lazy conjugates: the elements are computed",
    ),
    Known(
        r"gelu_?",
        ".*",
        "got -?(inf|0.0), expected nan",
        "PyTorch's oneDNN multiplies infinity by 0 there",
    ),
    Known(
        r"_softmax\.out|_log_softmax\.out|_softmax_backward_data\.out|gelu\.out",
        "with gaps|transposed",
        "got ",
        "PyTorch writes these outs as if they were contiguous",
    ),
    Known(
        r"(Tensor\.)?argsort|(kthvalue|mode|sort|topk)\.values",
        ".*",
        "^got \\d+, expected \\d+",
        "equal elements: PyTorch orders them as its loops meet them",
    ),
    Known(
        r"sinh_",
        "of bfloat16",
        "expected -?inf",
        "PyTorch halves an exponential that is too large already",
    ),
    Known(
        r"(Tensor\.)?conj_physical",
        ".*",
        "shares memory|got strides",
        "the schema declares a new tensor; PyTorch returns a real self itself",
    ),
)


def why(table: tuple, name: str, kind: str, message: str) -> str:
    """Returns the reason of a known difference, "" if there is none."""
    name = name.removeprefix("aten::")
    for known in table:
        matches = re.fullmatch(known.name, name) and re.fullmatch(known.kind, kind)
        if matches and re.search(known.message, message):
            return known.reason
    return ""
