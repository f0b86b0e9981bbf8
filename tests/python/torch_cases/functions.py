# SPDX-License-Identifier: Apache-2.0
"""Special functions, decompositions, storages and windows."""

import torch
import torch.cpu
from torch.func import replace_all_batch_norm_modules_


def P(n, *x):
    print(
        n,
        *[
            [
                round(float(q), 4) + 0.0
                for q in (
                    v.to(torch.float64) if not v.is_complex() else v.abs().double()
                ).flatten()[:6]
            ]
            + list(v.shape)
            if isinstance(v, torch.Tensor)
            else v
            for v in x
        ],
    )


def T(n, f):
    try:
        r = f()
        P(n, *(r if isinstance(r, (tuple, list)) else [r]))
    except Exception:
        print(n, "error")


S = torch.special
x = torch.linspace(-1.5, 1.5, 7)
d = torch.linspace(-12, 6, 25, dtype=torch.float64)
p = torch.tensor([1e-09, 0.001, 0.1, 0.5, 1.0, 2.0, 5.0, 30.0])
for n in (
    "chebyshev_polynomial_t",
    "chebyshev_polynomial_u",
    "chebyshev_polynomial_v",
    "chebyshev_polynomial_w",
    "hermite_polynomial_h",
    "hermite_polynomial_he",
    "laguerre_polynomial_l",
    "legendre_polynomial_p",
):
    f = getattr(S, n)
    P(n, f(x * 0.6, 3), f(x * 0.6, torch.arange(7)), f(torch.tensor(0.3), torch.arange(5)))
for n in "tuvw":
    f = getattr(S, "shifted_chebyshev_polynomial_" + n)
    P(n, f(x * 0.3 + 0.5, 3), f(x * 0.3 + 0.5, 0))
for n in (
    "modified_bessel_i0",
    "modified_bessel_i1",
    "modified_bessel_k0",
    "modified_bessel_k1",
    "scaled_modified_bessel_k0",
    "scaled_modified_bessel_k1",
):
    f = getattr(S, n)
    P(n, f(p[1:]), f(p[1:].double()))
P("j0", S.spherical_bessel_j0(x))
P(
    "airy",
    S.airy_ai(d),
    S.airy_ai(d[6:]),
    S.airy_ai(d[12:]),
    S.airy_ai(d[18:].float()),
    S.airy_ai(torch.tensor([20.0, 10.0])),
)
torch.manual_seed(0)
A = torch.randn(2, 4, 4, dtype=torch.float64)
W = torch.randn(5, 3, dtype=torch.float64)
P("lu", *torch.linalg.lu(A))
P("luw", *torch.linalg.lu(W))
P("lu_unpack", *torch.lu_unpack(*torch.linalg.lu_factor(A)))
P("lut", *torch.lu(A)[:2])
P("polar", *torch.linalg.polar(W))
P("sqrth", torch.linalg.matrix_sqrth(A @ A.mT))
P(
    "tinv",
    torch.linalg.tensorinv(torch.eye(4 * 6, dtype=torch.float64).reshape(4, 6, 8, 3) + 0.1),
    torch.linalg.tensorsolve(torch.eye(2 * 3 * 4).reshape(6, 4, 2, 3, 4) + 0.01, torch.ones(6, 4)),
)
P(
    "tri",
    *torch.triangular_solve(torch.ones(4, 2, dtype=torch.float64), A[0].triu() + 3 * torch.eye(4)),
    *torch.triangular_solve(
        torch.ones(4, 2, dtype=torch.float64), A[0] + 3 * torch.eye(4), upper=False, transpose=True
    ),
)
torch.manual_seed(0)
P("svdlow", torch.svd_lowrank(W @ W.T, q=3)[1], torch.pca_lowrank(W, q=2)[1])
P("fro", torch.frobenius_norm(A, (1, 2)), torch.nuclear_norm(W), torch.norm_except_dim(W, 2, 0))
T("eig", lambda: torch.eig(A))
P(
    "un",
    *torch.unbind_copy(W)[:1],
    *torch.split_copy(W, 2),
    *torch.unsafe_split(W, 2),
    *torch.unsafe_chunk(W, 2),
    *W.unsafe_chunk(2),
)
P("ass", torch.as_strided_scatter(torch.zeros(6), torch.ones(2), (2,), (2,), 1))
print(torch.empty_permuted((2, 3, 4), (2, 0, 1)).stride())
P("cs", torch.native_channel_shuffle(torch.arange(8.0).reshape(1, 4, 2), 2))
P(
    "tbc",
    torch.conv_tbc(torch.arange(12.0).reshape(3, 2, 2), torch.ones(2, 2, 3), torch.zeros(3), 1),
)
h = torch.histogramdd(torch.rand(50, 2), [3, 4])
P("hdd", h.hist, *h.bin_edges)
h = torch.histogramdd(
    torch.tensor([[0.0, 1.0], [1.0, 0.0], [2.0, 0.0], [2.0, 2.0]]),
    bins=[3, 3],
    range=[0.0, 2.0, 0.0, 2.0],
    weight=torch.tensor([1.0, 2.0, 3.0, 4.0]),
    density=True,
)
P("hd2", h.hist)
P("sym", torch.sym_sum([1, 2]), torch.sym_int(2.7), torch.sym_ite(True, 1, 2))
t = torch.arange(6.0)
u = torch.empty(0)
u.set_(t)
P("set", u, u.data_ptr() == t.data_ptr())
u.set_(t.untyped_storage(), 1, (2, 2), (2, 1))
P("set2", u)
u.set_(t.storage(), 2, (2,))
P("set3", u, u.is_set_to(t[2:4]), u.is_set_to(t))
u.set_()
print(u.shape)
s = t.storage()
print(len(s), s[1], s.tolist(), s.dtype, s.nbytes(), s.element_size())
s[0] = 9.0
P("st", t)
t.apply_(lambda v: v * 2)
P("apply", t)
t.map_(torch.ones(6), lambda a, b: a + b)
P("map", t, t.polygamma(1), t.floor_divide_(2))
print(t.reshape(2, 3).t().dim_order(), t.to_dense().shape, torch.zeros(2).dense_dim())
w = torch.signal.windows
for n in w.__all__ if hasattr(w, "__all__") else []:
    if n == "general_cosine":
        P(n, w.general_cosine(7, a=[0.4, 0.5, 0.1]))
        continue
    f = getattr(w, n)
    P(n, f(7), f(8, sym=False), f(1), f(0))
print(
    torch.has_lapack if False else "",
    torch.get_deterministic_debug_mode(),
    torch.is_distributed(t),
    torch.is_autocast_cpu_enabled(),
    torch.get_autocast_cpu_dtype(),
)
torch.set_default_tensor_type(torch.DoubleTensor)
print(torch.zeros(1).dtype)
torch.set_default_tensor_type("torch.FloatTensor")
print(torch.zeros(1).dtype)

with torch.cpu.stream(torch.cpu.current_stream()):
    pass

m = torch.nn.Sequential(torch.nn.BatchNorm1d(3))
replace_all_batch_norm_modules_(m)
print(m[0].running_mean)
print(issubclass(torch.linalg.LinAlgError, RuntimeError))
try:
    torch.linalg.cholesky(-torch.eye(2))
except torch.linalg.LinAlgError:
    print("caught")
