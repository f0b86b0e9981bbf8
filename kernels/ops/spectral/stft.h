// SPDX-License-Identifier: Apache-2.0
// aten::stft: the Fourier transforms of a signal's overlapping frames; aten::istft: its inverse.
#pragma once

#include "kernels/common/facts.h"

namespace tenon::kernels::ops {

void stft(const Call& call);

inline constexpr Facts kStft{
    .family = &kComposite,
    .name = "stft",
    .params =
        "Tensor self, int n_fft, int? hop_length=None, int? win_length=None, Tensor? window=None, "
        "bool normalized=False, bool? onesided=None, bool? return_complex=None, "
        "bool? align_to_window=None",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .cast_on_cpu = Cast::Fp32,
    .routine = {&stft},
};

void stft_center(const Call& call);

// Frames are centred on their positions instead of starting there: the signal is padded at both
// ends.
inline constexpr Facts kStftCenter{
    .family = &kComposite,
    .name = "stft.center",
    .params =
        "Tensor self, int n_fft, int? hop_length=None, int? win_length=None, Tensor? window=None, "
        "bool center=True, str pad_mode=\"reflect\", bool normalized=False, bool? onesided=None, "
        "bool? return_complex=None, bool? align_to_window=None",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .cast_on_cpu = Cast::Fp32,
    .routine = {&stft_center},
};

void istft(const Call& call);

// Frames are multiplied by the window again, added, and divided by the sum of the squared windows
// that overlap each element.
inline constexpr Facts kIstft{
    .family = &kComposite,
    .name = "istft",
    .params =
        "Tensor self, int n_fft, int? hop_length=None, int? win_length=None, Tensor? window=None, "
        "bool center=True, bool normalized=False, bool? onesided=None, int? length=None, "
        "bool return_complex=False",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&istft},
};

}  // namespace tenon::kernels::ops
