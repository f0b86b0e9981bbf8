# SPDX-License-Identifier: Apache-2.0
"""The decisions and refusals of calls with symbolic sizes that are intended, with reasons.

Any other decision or refusal is a defect.
"""

from __future__ import annotations

import re
from typing import NamedTuple


class Reason(NamedTuple):
    """Patterns for whole names of tests and operators and for part of a message; the reason."""

    test: str
    name: str
    message: str
    reason: str


OPERATORS = "operators"
FUNCTIONS = "functions and methods"
BOTH = ".*"

REASONS = (
    Reason(
        BOTH,
        r"split(\.Tensor)?|unbind(\.int)?|chunk",
        "decided by aten::(split.Tensor|unbind.int|chunk)",
        "the number of results must be known, so that the size becomes a number",
    ),
    Reason(
        BOTH,
        r"(nn\.functional\.)?(convolution|conv\dd|conv_transpose\dd)",
        "decided by aten::convolution",
        "groups divide channels, and a window that moves in steps may ask for more than a guess "
        "of the sizes: channels and dims of the kernel are numbers there",
    ),
    Reason(
        BOTH,
        r"(nn\.functional\.)?(native_layer_norm|native_group_norm|layer_norm|rms_norm)",
        r"decided by aten::((native_)?layer_norm|rms_norm|(native_)?group_norm)",
        "the call has sizes of the input as numbers, which specializes these",
    ),
    Reason(
        BOTH,
        r"(linalg_|ops\.aten\.linalg_)?cross",
        r"decided by aten::(linalg_)?cross",
        "vectors must have 3 elements",
    ),
    Reason(
        BOTH,
        r"view_as_complex",
        "decided by aten::view_as_complex",
        "a complex number has 2 parts",
    ),
    Reason(BOTH, r"equal", "decided by aten::equal", "the result is a bool, also of the sizes"),
    Reason(
        BOTH,
        r"block_diag",
        "decided by aten::block_diag",
        "the positions of blocks are computed from numbers: no rule",
    ),
    Reason(
        BOTH,
        r"cholesky_(inverse|solve)",
        "decided by aten::cholesky_",
        "its composite creates an identity matrix, whose size is a number: no rule",
    ),
    Reason(
        BOTH,
        r"diagonal_scatter",
        "decided by aten::diagonal_scatter",
        "a diagonal beside the main one is shorter by a number that its routine compares",
    ),
    Reason(
        OPERATORS,
        r"(squeeze_\.dim|transpose_)",
        "decided by aten::(squeeze_.dim|transpose_)",
        "operators that change a tensor's sizes and strides in place work on numbers",
    ),
    Reason(
        BOTH,
        r"Tensor\.__getitem__|index\.Tensor",
        "decided by aten::index.Tensor",
        "only one of several broadcast indices may have symbolic sizes",
    ),
    Reason(
        BOTH,
        r"(.*\.)?(_pdist_forward|pdist|index_reduce_?|(multi|multilabel)_margin_loss|put_?|"
        r"embedding_bag)",
        "decided by aten::",
        "the number of pairs, or another size, is computed from numbers: no rule",
    ),
    Reason(
        FUNCTIONS,
        r"bilinear|cartesian_prod|combinations|corrcoef|cov|einsum|kron|logdet|take_along_dim|"
        r"(nan)?quantile|ops\.aten\.linalg_(cond|matrix_norm|matrix_power|matrix_rank|multi_dot|"
        r"vander)",
        "decided by aten::",
        "a composite that calculates with sizes in numbers: no rule",
    ),
    Reason(
        BOTH,
        r"gather",
        "refused: .*index must have dtype int64 or int32",
        "an index without elements may have any dtype, but a symbolic index may have elements",
    ),
    Reason(
        FUNCTIONS,
        r"nn\.functional\.interpolate",
        "decided by None",
        "Python computes the product of a size and a fraction",
    ),
    Reason(
        FUNCTIONS,
        r"nn\.functional\.(scaled_dot_product_attention|multi_head_attention_forward)",
        "decided by ",
        "the scale is computed from the width, which the heads divide",
    ),
    Reason(
        FUNCTIONS,
        r"ops\.aten\.fft_(hfft2|irfft2)",
        "decided by aten::_fft_c2r",
        "the size of half a spectrum is computed from numbers, except along the last dim",
    ),
)


def of(test: str) -> list[Reason]:
    """Returns the reasons that hold for a test."""
    return [one for one in REASONS if re.fullmatch(one.test, test)]


def why(test: str, name: str, line: str) -> Reason | None:
    """Returns the reason for a line, or None."""
    name = name.removeprefix("aten::")
    for one in of(test):
        if re.fullmatch(one.name, name) and re.search(one.message, line):
            return one
    return None
