# SPDX-License-Identifier: Apache-2.0
"""Discrete Fourier transforms, with their types."""

from ._aten import fft_fft as fft
from ._aten import fft_fft2 as fft2
from ._aten import fft_fftfreq as fftfreq
from ._aten import fft_fftn as fftn
from ._aten import fft_fftshift as fftshift
from ._aten import fft_hfft as hfft
from ._aten import fft_hfft2 as hfft2
from ._aten import fft_hfftn as hfftn
from ._aten import fft_ifft as ifft
from ._aten import fft_ifft2 as ifft2
from ._aten import fft_ifftn as ifftn
from ._aten import fft_ifftshift as ifftshift
from ._aten import fft_ihfft as ihfft
from ._aten import fft_ihfft2 as ihfft2
from ._aten import fft_ihfftn as ihfftn
from ._aten import fft_irfft as irfft
from ._aten import fft_irfft2 as irfft2
from ._aten import fft_irfftn as irfftn
from ._aten import fft_rfft as rfft
from ._aten import fft_rfft2 as rfft2
from ._aten import fft_rfftfreq as rfftfreq
from ._aten import fft_rfftn as rfftn

__all__ = [
    "fft",
    "fft2",
    "fftfreq",
    "fftn",
    "fftshift",
    "hfft",
    "hfft2",
    "hfftn",
    "ifft",
    "ifft2",
    "ifftn",
    "ifftshift",
    "ihfft",
    "ihfft2",
    "ihfftn",
    "irfft",
    "irfft2",
    "irfftn",
    "rfft",
    "rfft2",
    "rfftfreq",
    "rfftn",
]
