# SPDX-License-Identifier: Apache-2.0
"""Calls of window functions, and of the Fourier transforms of a signal's frames."""

import torch

from cases import FLOATS, case, family, ramp, short

INVALID = "TENON_ERROR_INVALID_ARGUMENT"


def _wave(*shape):
    return ramp(*shape) * 7 % 11 * 0.25 - 1


@family("windows")
def _hann_window():
    for name in ("hann", "hamming", "blackman", "bartlett", "kaiser"):
        op = f"aten::{name}_window"
        for length in (0, 1, 2, 3, 7, 16):
            yield case(f"{name}{length}", op, length)
            for periodic in (True, False):
                label = f"{name}{length}_{int(periodic)}"
                yield case(label, f"{op}.periodic", length, periodic)
        for dtype in FLOATS:
            yield case(f"{name}_{short(dtype)}", op, 9, dtype=dtype)
            for length in (1, 6):
                into = torch.zeros(6, dtype=dtype)
                yield case(f"{name}{length}_out_{short(dtype)}", f"{op}.out", length, out=into)
        into = torch.zeros(5)
        yield case(f"{name}_periodic_out", f"{op}.periodic_out", 5, False, out=into)
        yield case(f"{name}_refuses_length", op, -1, status=INVALID)
        wrong = {"dtype": torch.int32, "status": "TENON_ERROR_NOT_SUPPORTED"}
        yield case(f"{name}_refuses_int32", op, 5, **wrong)
    op = "aten::hamming_window"
    for periodic in (True, False):
        alpha = (8, periodic, 0.75)
        yield case(f"alpha_{int(periodic)}", f"{op}.periodic_alpha", *alpha)
        yield case(f"beta_{int(periodic)}", f"{op}.periodic_alpha_beta", *alpha, 0.5)
        beta = (8, periodic, 5.5)
        yield case(f"kaiser_beta_{int(periodic)}", "aten::kaiser_window.beta", *beta)
    into = torch.zeros(8)
    yield case("alpha_out", f"{op}.periodic_alpha_out", 8, True, 0.75, out=into)
    yield case("beta_out", f"{op}.periodic_alpha_beta_out", 8, True, 0.75, 0.5, out=into)
    yield case("kaiser_beta_out", "aten::kaiser_window.beta_out", 8, True, 5.5, out=into)


@family("stft")
def _stft():
    op, center, back = "aten::stft", "aten::stft.center", "aten::istft"
    line, batch = _wave(20), _wave(2, 20)
    window = torch.hann_window(6) + 0.25
    whole = {"return_complex": True}
    for signal, name in ((line, "line"), (batch, "batch"), (batch.double(), "double")):
        yield case(name, op, signal, 8, **whole)
        yield case(f"{name}_parts", op, signal, 8, return_complex=False)
        for mode in ("reflect", "constant", "replicate"):
            args = (signal, 8, 3, 6, window.to(signal.dtype), True, mode)
            yield case(f"{name}_{mode}", center, *args, **whole)
        args = (signal, 7, 2, 5)
        yield case(f"{name}_ones", op, *args, normalized=True, onesided=False, **whole)
        yield case(f"{name}_aligned", op, *args, align_to_window=True, **whole)
        yield case(f"{name}_not_centered", center, *args, None, False, **whole)
    numbers = torch.complex(batch, batch.flip(1))
    yield case("complex", op, numbers, 8, 4)
    yield case("complex_centered", center, numbers, 8, 4, None, None, True, "constant")
    yield case("complex_window", op, batch, 6, 3, 6, torch.complex(window, window.flip(0)))
    yield case("integral", op, batch.int(), 6, status="TENON_ERROR_NOT_SUPPORTED", **whole)
    yield case("refuses_undecided", op, line, 8, status=INVALID)
    yield case("refuses_long", op, line, 21, status=INVALID, **whole)
    yield case("refuses_step", op, line, 8, 0, status=INVALID, **whole)
    yield case("refuses_seen", op, line, 8, 2, 9, status=INVALID, **whole)
    yield case("refuses_window", op, line, 8, 2, 8, window, status=INVALID, **whole)
    yield case("refuses_dims", op, _wave(1, 2, 20), 8, status=INVALID, **whole)
    yield case("refuses_half", op, numbers, 8, onesided=True, status=INVALID)
    yield case("refuses_aligning", center, line, 8, align_to_window=True, status=INVALID, **whole)

    def spectra(signal, *args, **kwargs):
        made = torch.stft(signal, *args, return_complex=True, **kwargs)
        return torch.view_as_complex((torch.view_as_real(made) * 4).round() / 4)

    for signal, name in ((line, "line"), (batch, "batch"), (batch.double(), "double")):
        given = spectra(signal, 8, 2, 6, window.to(signal.dtype))
        args = (given.contiguous(), 8, 2, 6, window.to(signal.dtype))
        yield case(f"{name}_back", back, *args)
        yield case(f"{name}_back_shorter", back, *args, length=15)
        yield case(f"{name}_back_longer", back, args[0], 8, 2, length=30)
        yield case(f"{name}_back_normalized", back, *args, normalized=True)
        yield case(f"{name}_back_from_start", back, args[0], 8, 2, center=False)
        full = spectra(signal, 8, 2, onesided=False).contiguous()
        yield case(f"{name}_back_from_all", back, full, 8, 2, onesided=False)
        yield case(f"{name}_back_complex", back, full, 8, 2, onesided=False, return_complex=True)
    given = spectra(line, 8, 2).contiguous()
    bare = torch.zeros(8)
    yield case("back_refuses_zeros", back, given, 8, 2, 8, bare, status=INVALID, no_meta=True)
    yield case("back_refuses_reals", back, given.real, 8, status="TENON_ERROR_NOT_SUPPORTED")
    yield case("back_refuses_frequencies", back, given, 12, status=INVALID)
    yield case("back_refuses_step", back, given, 8, 9, status=INVALID)
    yield case("back_refuses_half", back, given, 8, return_complex=True, status=INVALID)
    yield case("back_refuses_dims", back, given[0], 8, status=INVALID)
    yield case("back_refuses_none", back, given[None][:0], 8, status=INVALID)
