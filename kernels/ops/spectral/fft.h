// SPDX-License-Identifier: Apache-2.0
// aten::_fft_c2c, aten::_fft_r2c and aten::_fft_c2r: discrete Fourier transforms along dims, of
// complex numbers, from real numbers and to real numbers; and aten::fft_fft and similar operators,
// which call them.
#pragma once

#include "kernels/common/families/routine.h"

namespace tenon::kernels::ops {

void fft_c2c_meta(const Call& call);

inline constexpr Facts kInnerFftC2c{
    .family = &kRoutine,
    .name = "_fft_c2c",
    .params = "Tensor self, SymInt[] dim, int normalization, bool forward",
    .forms = kFunctional | kOut,
    .tags = "",
    .gradient = "self: fft_c2c_backward(grad, dim, normalization, forward)",
    .tangent = "_fft_c2c(self_t, dim, normalization, forward)",
    .batching = Batching::Shift,
    .cast = Cast::None,
    .routine = {&fft_c2c_meta},
};

void fft_r2c_meta(const Call& call);

inline constexpr Facts kInnerFftR2c{
    .family = &kRoutine,
    .name = "_fft_r2c",
    .params = "Tensor self, int[] dim, int normalization, bool onesided",
    .forms = kFunctional | kOut,
    .tags = "core",
    .gradient = "self: fft_r2c_backward(grad, dim, normalization, onesided, self.sizes())",
    .tangent = "_fft_r2c(self_t, dim, normalization, onesided)",
    .batching = Batching::Shift,
    .cast = Cast::None,
    .routine = {&fft_r2c_meta},
};

void fft_c2r_meta(const Call& call);

inline constexpr Facts kInnerFftC2r{
    .family = &kRoutine,
    .name = "_fft_c2r",
    .params = "Tensor self, int[] dim, int normalization, SymInt last_dim_size",
    .forms = kFunctional | kOut,
    .tags = "core",
    .gradient = "self: fft_c2r_backward(grad, dim, normalization)",
    .tangent = "_fft_c2r(self_t, dim, normalization, last_dim_size)",
    .batching = Batching::Shift,
    .cast = Cast::None,
    .routine = {&fft_c2r_meta},
};

void fft_c2c_backward(const Call& call);

inline constexpr Facts kFftC2cBackward{
    .family = &kComposite,
    .name = "fft_c2c_backward",
    .params = "Tensor grad, int[] dim, int normalization, bool forward",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&fft_c2c_backward},
};

void fft_r2c_backward(const Call& call);

inline constexpr Facts kFftR2cBackward{
    .family = &kComposite,
    .name = "fft_r2c_backward",
    .params = "Tensor grad, int[] dim, int normalization, bool onesided, int[] sizes",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&fft_r2c_backward},
};

void fft_c2r_backward(const Call& call);

inline constexpr Facts kFftC2rBackward{
    .family = &kComposite,
    .name = "fft_c2r_backward",
    .params = "Tensor grad, int[] dim, int normalization",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&fft_c2r_backward},
};

void fft_fft(const Call& call);

inline constexpr Facts kFftFft{
    .family = &kComposite,
    .name = "fft_fft",
    .params = "Tensor self, SymInt? n=None, int dim=-1, str? norm=None",
    .forms = kFunctional | kOut,
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .cast_on_cpu = Cast::Fp32,
    .routine = {&fft_fft},
};

void fft_ifft(const Call& call);

inline constexpr Facts kFftIfft{
    .family = &kComposite,
    .name = "fft_ifft",
    .params = "Tensor self, SymInt? n=None, int dim=-1, str? norm=None",
    .forms = kFunctional | kOut,
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .cast_on_cpu = Cast::Fp32,
    .routine = {&fft_ifft},
};

void fft_rfft(const Call& call);

inline constexpr Facts kFftRfft{
    .family = &kComposite,
    .name = "fft_rfft",
    .params = "Tensor self, SymInt? n=None, int dim=-1, str? norm=None",
    .forms = kFunctional | kOut,
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .cast_on_cpu = Cast::Fp32,
    .routine = {&fft_rfft},
};

void fft_irfft(const Call& call);

inline constexpr Facts kFftIrfft{
    .family = &kComposite,
    .name = "fft_irfft",
    .params = "Tensor self, SymInt? n=None, int dim=-1, str? norm=None",
    .forms = kFunctional | kOut,
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .cast_on_cpu = Cast::Fp32,
    .routine = {&fft_irfft},
};

void fft_hfft(const Call& call);

inline constexpr Facts kFftHfft{
    .family = &kComposite,
    .name = "fft_hfft",
    .params = "Tensor self, SymInt? n=None, int dim=-1, str? norm=None",
    .forms = kFunctional | kOut,
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .cast_on_cpu = Cast::Fp32,
    .routine = {&fft_hfft},
};

void fft_ihfft(const Call& call);

inline constexpr Facts kFftIhfft{
    .family = &kComposite,
    .name = "fft_ihfft",
    .params = "Tensor self, SymInt? n=None, int dim=-1, str? norm=None",
    .forms = kFunctional | kOut,
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .cast_on_cpu = Cast::Fp32,
    .routine = {&fft_ihfft},
};

void fft_fftn(const Call& call);

inline constexpr Facts kFftFft2{
    .family = &kComposite,
    .name = "fft_fft2",
    .params = "Tensor self, SymInt[1]? s=None, int[1] dim=[-2, -1], str? norm=None",
    .forms = kFunctional | kOut,
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .cast_on_cpu = Cast::Fp32,
    .routine = {&fft_fftn},
};

inline constexpr Facts kFftFftn{
    .family = &kComposite,
    .name = "fft_fftn",
    .params = "Tensor self, SymInt[1]? s=None, int[1]? dim=None, str? norm=None",
    .forms = kFunctional | kOut,
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .cast_on_cpu = Cast::Fp32,
    .routine = {&fft_fftn},
};

void fft_ifftn(const Call& call);

inline constexpr Facts kFftIfft2{
    .family = &kComposite,
    .name = "fft_ifft2",
    .params = "Tensor self, SymInt[1]? s=None, int[1] dim=[-2, -1], str? norm=None",
    .forms = kFunctional | kOut,
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .cast_on_cpu = Cast::Fp32,
    .routine = {&fft_ifftn},
};

inline constexpr Facts kFftIfftn{
    .family = &kComposite,
    .name = "fft_ifftn",
    .params = "Tensor self, SymInt[1]? s=None, int[1]? dim=None, str? norm=None",
    .forms = kFunctional | kOut,
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .cast_on_cpu = Cast::Fp32,
    .routine = {&fft_ifftn},
};

void fft_rfftn(const Call& call);

inline constexpr Facts kFftRfft2{
    .family = &kComposite,
    .name = "fft_rfft2",
    .params = "Tensor self, SymInt[1]? s=None, int[1] dim=[-2, -1], str? norm=None",
    .forms = kFunctional | kOut,
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .cast_on_cpu = Cast::Fp32,
    .routine = {&fft_rfftn},
};

inline constexpr Facts kFftRfftn{
    .family = &kComposite,
    .name = "fft_rfftn",
    .params = "Tensor self, SymInt[1]? s=None, int[1]? dim=None, str? norm=None",
    .forms = kFunctional | kOut,
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .cast_on_cpu = Cast::Fp32,
    .routine = {&fft_rfftn},
};

void fft_irfftn(const Call& call);

inline constexpr Facts kFftIrfft2{
    .family = &kComposite,
    .name = "fft_irfft2",
    .params = "Tensor self, SymInt[1]? s=None, int[1] dim=[-2, -1], str? norm=None",
    .forms = kFunctional | kOut,
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .cast_on_cpu = Cast::Fp32,
    .routine = {&fft_irfftn},
};

inline constexpr Facts kFftIrfftn{
    .family = &kComposite,
    .name = "fft_irfftn",
    .params = "Tensor self, SymInt[1]? s=None, int[1]? dim=None, str? norm=None",
    .forms = kFunctional | kOut,
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .cast_on_cpu = Cast::Fp32,
    .routine = {&fft_irfftn},
};

void fft_hfftn(const Call& call);

inline constexpr Facts kFftHfft2{
    .family = &kComposite,
    .name = "fft_hfft2",
    .params = "Tensor self, SymInt[1]? s=None, int[1] dim=[-2, -1], str? norm=None",
    .forms = kFunctional | kOut,
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&fft_hfftn},
};

inline constexpr Facts kFftHfftn{
    .family = &kComposite,
    .name = "fft_hfftn",
    .params = "Tensor self, SymInt[1]? s=None, int[1]? dim=None, str? norm=None",
    .forms = kFunctional | kOut,
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&fft_hfftn},
};

void fft_ihfftn(const Call& call);

inline constexpr Facts kFftIhfft2{
    .family = &kComposite,
    .name = "fft_ihfft2",
    .params = "Tensor self, SymInt[1]? s=None, int[1] dim=[-2, -1], str? norm=None",
    .forms = kFunctional | kOut,
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&fft_ihfftn},
};

inline constexpr Facts kFftIhfftn{
    .family = &kComposite,
    .name = "fft_ihfftn",
    .params = "Tensor self, SymInt[1]? s=None, int[1]? dim=None, str? norm=None",
    .forms = kFunctional | kOut,
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&fft_ihfftn},
};

void fft_fftshift(const Call& call);

inline constexpr Facts kFftFftshift{
    .family = &kComposite,
    .name = "fft_fftshift",
    .params = "Tensor self, int[1]? dim=None",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&fft_fftshift},
};

void fft_ifftshift(const Call& call);

inline constexpr Facts kFftIfftshift{
    .family = &kComposite,
    .name = "fft_ifftshift",
    .params = "Tensor self, int[1]? dim=None",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&fft_ifftshift},
};

void fft_fftfreq(const Call& call);

inline constexpr Facts kFftFftfreq{
    .family = &kExplicit,
    .name = "fft_fftfreq",
    .params = "int n, float d=1., *, $options",
    .forms = kFunctional | kOut,
    .tags = "",
    .gradient = "none: no input",
    .tangent = "none: no input",
    .batching = Batching::None,
    .cast = Cast::None,
    .routine = {&fft_fftfreq},
};

void fft_rfftfreq(const Call& call);

inline constexpr Facts kFftRfftfreq{
    .family = &kExplicit,
    .name = "fft_rfftfreq",
    .params = "int n, float d=1., *, $options",
    .forms = kFunctional | kOut,
    .tags = "",
    .gradient = "none: no input",
    .tangent = "none: no input",
    .batching = Batching::None,
    .cast = Cast::None,
    .routine = {&fft_rfftfreq},
};

// One call of a transform: the wrapped dims, of which the last one is halved, and the result.
struct Transform {
  Dims dims;
  int64_t last_size;  // size of the longer side along the last dim
  double scale;
  bool forward;
  Tensor result;
};
Transform c2c_of(const Call& call);
Transform r2c_of(const Call& call);
Transform c2r_of(const Call& call);

}  // namespace tenon::kernels::ops
