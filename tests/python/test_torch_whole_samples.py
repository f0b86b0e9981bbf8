# SPDX-License-Identifier: Apache-2.0
"""PyTorch's operator samples (OpInfo), called as one operator each, including composites.

test_torch_samples.py replays calls below autograd, which composites never reach. Here the operator
with the sample's name is called with the sample's arguments, and compared in dtype, shape and
elements. Skipped visibly if PyTorch is not installed; `./dev test --with-torch` installs it.
"""

from __future__ import annotations

import warnings
from typing import Any

import pytest
import tenon

torch = pytest.importorskip("torch", reason="PyTorch is not installed: ./dev test --with-torch")
pytest.importorskip("expecttest", reason="PyTorch's samples need expecttest")

from torch.testing._internal.common_methods_invocations import op_db  # noqa: E402
from torch.utils import _pytree as pytree  # noqa: E402

DTYPES = ["float32", "float64", "int64", "complex64"]
MOST = 25  # samples of one operator
# Allows a few roundings in another order: |ours - theirs| <= bound * max(1, |theirs|).
BOUND = {"float32": 1e-4, "float64": 1e-10, "complex64": 1e-4, "int64": 1e-4}
# Makes results unique, by operator.
UNIQUE: dict[str, Any] = {
    "linalg_svd": lambda parts: (parts[0].abs(), parts[1], parts[2].abs()),
    "linalg_eig": lambda parts: (parts[0], parts[1].abs()),
    "linalg_eigh": lambda parts: (parts[0], parts[1].abs()),
    "linalg_qr": lambda parts: (parts[0].abs(), parts[1].abs()),
    "svd": lambda parts: (parts[0].abs(), parts[1], parts[2].abs()),
}
# The indices of these are not compared, because they may point at any of several equal elements.
VALUES_ALONE = ("median", "nanmedian", "mode", "kthvalue", "sort", "topk", "msort")


# Operators that their samples call directly. Python functions such as einsum take other arguments.
WHOLE = (
    *("addbmm", "addmv", "addr", "aminmax", "angle", "baddbmm", "cholesky_inverse"),
    *("cholesky_solve", "combinations", "complex", "copysign", "corrcoef", "cov", "cross"),
    *("cummax", "cummin", "cumprod", "cumulative_trapezoid", "deg2rad", "diff", "digamma"),
    *("dist", "dot", "erfinv", "fft_fft", "fft_fft2", "fft_fftn", "fft_fftshift", "fft_hfft"),
    *("fft_hfft2", "fft_hfftn", "fft_ifft", "fft_ifft2", "fft_ifftn", "fft_ifftshift"),
    *("fft_ihfft", "fft_ihfft2", "fft_ihfftn", "fft_irfft", "fft_irfft2", "fft_irfftn"),
    *("fft_rfft", "fft_rfft2", "fft_rfftn", "float_power", "gcd", "heaviside", "histogram"),
    *("i0", "inner", "isin", "isneginf", "isposinf", "isreal", "kron", "kthvalue", "lcm"),
    *("ldexp", "lgamma", "linalg_cholesky", "linalg_cholesky_ex", "linalg_cond"),
    *("linalg_cross", "linalg_det", "linalg_eig", "linalg_eigh", "linalg_eigvalsh", "linalg_inv"),
    *("linalg_inv_ex", "linalg_lu_factor", "linalg_lu_factor_ex", "linalg_matrix_norm"),
    *("linalg_matrix_power", "linalg_matrix_rank", "linalg_multi_dot", "linalg_norm"),
    *("linalg_eigvals", "linalg_householder_product", "linalg_lu_solve", "linalg_matrix_exp"),
    *("lu_solve", "ormqr"),
    *("linalg_qr", "linalg_slogdet", "linalg_solve", "linalg_vander", "linalg_vecdot"),
    *("linalg_vector_norm", "logit", "median", "mode", "msort", "mv", "nanmean", "nanmedian"),
    *("nanquantile", "nansum", "nextafter", "polar", "positive", "quantile", "rad2deg", "sinc"),
    *("special_i0e", "special_i1", "special_i1e", "special_xlog1py", "trace", "trapezoid"),
    *("trapz", "vdot"),
)


def own_name(info: Any) -> str | None:
    """Returns the name of the ATen operator of an entry in the database."""
    for name in (info.aten_name, info.name.replace(".", "_"), info.name):
        if name in WHOLE:
            return name
    return None


def ours(leaf: Any) -> Any:
    if isinstance(leaf, torch.Tensor):
        return tenon.from_dlpack(leaf.detach().clone())
    if isinstance(leaf, torch.dtype | torch.memory_format | torch.layout):
        return getattr(tenon, str(leaf).partition(".")[2])
    if isinstance(leaf, torch.device):
        return tenon.device(str(leaf))
    return leaf


def leaves_of(result: Any) -> list:
    return list(result) if isinstance(result, list | tuple) else [result]


def plain(tensor: Any) -> Any:
    return torch.from_dlpack(tensor) if isinstance(tensor, tenon.Tensor) else tensor


def difference(mine: Any, theirs: Any, bound: float) -> str:
    """Describes the difference; "" if there is none."""
    if not isinstance(theirs, torch.Tensor):
        return "" if mine == theirs or mine != mine else f"got {mine!r}, expected {theirs!r}"
    if mine.dtype != theirs.dtype:
        return f"got {mine.dtype}, expected {theirs.dtype}"
    if mine.shape != theirs.shape:
        return f"got shape {list(mine.shape)}, expected {list(theirs.shape)}"
    if torch.isclose(mine, theirs, rtol=bound, atol=bound, equal_nan=True).all():
        return ""
    return f"got {mine.reshape(-1)[:4].tolist()}, expected {theirs.reshape(-1)[:4].tolist()}"


def compare(name: str, sample: Any, info: Any, bound: float) -> str:
    expected = info.op(sample.input, *sample.args, **sample.kwargs)
    args, kwargs = pytree.tree_map(ours, ((sample.input, *sample.args), sample.kwargs))
    got = getattr(tenon.ops.aten, name)(*args, **kwargs)
    mine, theirs = [plain(one) for one in leaves_of(got)], leaves_of(expected)
    if name in UNIQUE:
        mine, theirs = UNIQUE[name](mine), UNIQUE[name](theirs)
    if name in VALUES_ALONE:
        mine, theirs = mine[:1], theirs[:1]
    if len(mine) != len(theirs):
        return f"got {len(mine)} results, expected {len(theirs)}"
    found = [difference(a, b, bound) for a, b in zip(mine, theirs, strict=True)]
    return "; ".join(text for text in found if text)


def samples(info: Any, dtype: Any) -> list:
    if dtype not in info.supported_dtypes("cpu"):
        return []
    found, taken = [], iter(info.sample_inputs("cpu", dtype, requires_grad=False))
    while len(found) < MOST:
        try:
            found.append(next(taken))
        except StopIteration:
            break
        except Exception:  # noqa: BLE001 - samples that this build of PyTorch cannot make
            break
    return found


@pytest.mark.parametrize("dtype", DTYPES)
def test_samples_of_whole_operators(dtype):
    wrong, count, names = [], 0, set()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for info in op_db:
            name = own_name(info)
            if name is None:
                continue
            torch.manual_seed(0)
            for sample in samples(info, getattr(torch, dtype)):
                count += 1
                names.add(name)
                try:
                    text = compare(name, sample, info, BOUND[dtype])
                except Exception as error:  # noqa: BLE001 - all are reported, by operator
                    text = f"{type(error).__name__}: {error}"
                if text:
                    wrong.append(f"{name}: {text}")
    print(f"{dtype}: {count} samples of {len(names)} operators")
    assert len(names) >= 30
    assert not wrong, f"{len(wrong)} of {count} samples differ:\n" + "\n".join(sorted(wrong))
