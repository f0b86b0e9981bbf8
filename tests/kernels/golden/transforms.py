# SPDX-License-Identifier: Apache-2.0
"""Calls of Fourier transforms."""

import torch

from cases import case, family, ramp
from every_form import every_form

D, C, D2 = torch.float64, torch.complex64, torch.complex128


def wave(*shape, dtype=C):
    row = ramp(*shape, dtype=D)
    return torch.complex(torch.cos(row * 1.3) + 0.1 * row, torch.sin(row * 0.7)).to(dtype)


@family("fft")
def _fft():
    for size in (1, 2, 3, 4, 5, 6, 7, 8, 11, 12, 13, 16, 17, 30, 64):
        for forward in (True, False):
            yield case(
                f"size_{size}_{forward}", "aten::_fft_c2c", wave(size, dtype=D2), [0], 0, forward
            )
        reals = wave(size, dtype=torch.complex128).real.clone()
        yield case(f"reals_{size}", "aten::_fft_r2c", reals, [0], 0, True)
        yield case(f"whole_{size}", "aten::_fft_r2c", reals, [0], 0, False)
        halves = wave(size // 2 + 1, dtype=torch.complex128)
        yield case(f"to_reals_{size}", "aten::_fft_c2r", halves, [0], 2, size)
    for norm in (0, 1, 2):
        yield case(f"norm_{norm}", "aten::_fft_c2c", wave(3, 4), [0, 1], norm, True)
        yield case(f"norm_reals_{norm}", "aten::_fft_r2c", ramp(3, 4), [0, 1], norm, True)
        yield case(f"norm_to_reals_{norm}", "aten::_fft_c2r", wave(3, 3), [0, 1], norm, 4)
    yield case("turned", "aten::_fft_c2c", wave(4, 3).t(), [0], 0, True)
    yield case("middle", "aten::_fft_c2c", wave(2, 3, 4), [1], 0, True)
    yield from every_form("c2c", "aten::_fft_c2c", wave(4), [0], 0, True)
    yield from every_form("r2c", "aten::_fft_r2c", ramp(4), [0], 0, True)
    yield from every_form("c2r", "aten::_fft_c2r", wave(3), [0], 0, 4)
    for name in ("fft", "ifft", "hfft", "irfft"):
        yield from every_form(name, f"aten::fft_{name}", wave(2, 5))
        yield case(f"{name}_longer", f"aten::fft_{name}", wave(2, 5), 7, 1, "ortho")
        yield case(f"{name}_shorter", f"aten::fft_{name}", wave(5, 2), 3, 0, "forward")
        yield from every_form(f"{name}2", f"aten::fft_{name}2", wave(3, 4))
        yield from every_form(f"{name}n", f"aten::fft_{name}n", wave(2, 3, 4), [3, 4])
    for name in ("rfft", "ihfft"):
        yield from every_form(name, f"aten::fft_{name}", ramp(2, 5))
        yield case(f"{name}_longer", f"aten::fft_{name}", ramp(2, 5), 7, 1, "ortho")
    yield from every_form("rfft2", "aten::fft_rfft2", ramp(3, 4))
    yield from every_form("rfftn", "aten::fft_rfftn", ramp(2, 3, 4), [3, 4])
    yield case("ints", "aten::fft_fft", ramp(4).int())
    yield case("shift", "aten::fft_fftshift", ramp(2, 5))
    yield case("shift_back", "aten::fft_ifftshift", ramp(2, 5), [1])
    for n in (1, 4, 5):
        yield case(f"freq_{n}", "aten::fft_fftfreq", n, 0.5)
        yield case(f"rfreq_{n}", "aten::fft_rfftfreq", n, 0.5, dtype=D)
    yield case("freq_out", "aten::fft_fftfreq.out", 4, out=torch.zeros(0))
    yield case("rfreq_out", "aten::fft_rfftfreq.out", 4, out=torch.zeros(0))
    yield case("refuses_reals", "aten::fft_rfft", wave(3), status="TENON_ERROR_NOT_SUPPORTED")
    yield case("refuses_norm", "aten::fft_fft", wave(3), norm="whole")
    yield case("refuses_size", "aten::fft_fft", wave(3), 0)
    yield case("refuses_dim", "aten::fft_fft", wave(3), None, 1)
