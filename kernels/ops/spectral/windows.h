// SPDX-License-Identifier: Apache-2.0
// Windows, with which a signal's frames are multiplied: aten::hann_window, hamming_window and
// blackman_window are sums of cosines, bartlett_window is a triangle, and kaiser_window uses Bessel
// functions.
#pragma once

#include "kernels/common/facts.h"

namespace tenon::kernels::ops {

void hann_window(const Call& call);

inline constexpr Facts kHannWindow{
    .family = &kExplicit,
    .name = "hann_window",
    .params = "int window_length, *, $options",
    .forms = kFunctional | kOut,
    .tags = "",
    .gradient = "none: no input",
    .tangent = "none: no input",
    .batching = Batching::None,
    .cast = Cast::None,
    .routine = {&hann_window},
};

inline constexpr Facts kHannWindowPeriodic{
    .family = &kExplicit,
    .name = "hann_window.periodic",
    .params = "int window_length, bool periodic, *, $options",
    .forms = kFunctional | kOut,
    .out = "periodic_out",
    .tags = "",
    .gradient = "none: no input",
    .tangent = "none: no input",
    .batching = Batching::None,
    .cast = Cast::None,
    .routine = {&hann_window},
};

void hamming_window(const Call& call);

inline constexpr Facts kHammingWindow{
    .family = &kExplicit,
    .name = "hamming_window",
    .params = "int window_length, *, $options",
    .forms = kFunctional | kOut,
    .tags = "",
    .gradient = "none: no input",
    .tangent = "none: no input",
    .batching = Batching::None,
    .cast = Cast::None,
    .routine = {&hamming_window},
};

inline constexpr Facts kHammingWindowPeriodic{
    .family = &kExplicit,
    .name = "hamming_window.periodic",
    .params = "int window_length, bool periodic, *, $options",
    .forms = kFunctional | kOut,
    .out = "periodic_out",
    .tags = "",
    .gradient = "none: no input",
    .tangent = "none: no input",
    .batching = Batching::None,
    .cast = Cast::None,
    .routine = {&hamming_window},
};

inline constexpr Facts kHammingWindowPeriodicAlpha{
    .family = &kExplicit,
    .name = "hamming_window.periodic_alpha",
    .params = "int window_length, bool periodic, float alpha, *, $options",
    .forms = kFunctional | kOut,
    .out = "periodic_alpha_out",
    .tags = "",
    .gradient = "none: no input",
    .tangent = "none: no input",
    .batching = Batching::None,
    .cast = Cast::None,
    .routine = {&hamming_window},
};

inline constexpr Facts kHammingWindowPeriodicAlphaBeta{
    .family = &kExplicit,
    .name = "hamming_window.periodic_alpha_beta",
    .params = "int window_length, bool periodic, float alpha, float beta, *, $options",
    .forms = kFunctional | kOut,
    .out = "periodic_alpha_beta_out",
    .tags = "",
    .gradient = "none: no input",
    .tangent = "none: no input",
    .batching = Batching::None,
    .cast = Cast::None,
    .routine = {&hamming_window},
};

void blackman_window(const Call& call);

inline constexpr Facts kBlackmanWindow{
    .family = &kExplicit,
    .name = "blackman_window",
    .params = "int window_length, *, $options",
    .forms = kFunctional | kOut,
    .tags = "",
    .gradient = "none: no input",
    .tangent = "none: no input",
    .batching = Batching::None,
    .cast = Cast::None,
    .routine = {&blackman_window},
};

inline constexpr Facts kBlackmanWindowPeriodic{
    .family = &kExplicit,
    .name = "blackman_window.periodic",
    .params = "int window_length, bool periodic, *, $options",
    .forms = kFunctional | kOut,
    .out = "periodic_out",
    .tags = "",
    .gradient = "none: no input",
    .tangent = "none: no input",
    .batching = Batching::None,
    .cast = Cast::None,
    .routine = {&blackman_window},
};

void bartlett_window(const Call& call);

inline constexpr Facts kBartlettWindow{
    .family = &kExplicit,
    .name = "bartlett_window",
    .params = "int window_length, *, $options",
    .forms = kFunctional | kOut,
    .tags = "",
    .gradient = "none: no input",
    .tangent = "none: no input",
    .batching = Batching::None,
    .cast = Cast::None,
    .routine = {&bartlett_window},
};

inline constexpr Facts kBartlettWindowPeriodic{
    .family = &kExplicit,
    .name = "bartlett_window.periodic",
    .params = "int window_length, bool periodic, *, $options",
    .forms = kFunctional | kOut,
    .out = "periodic_out",
    .tags = "",
    .gradient = "none: no input",
    .tangent = "none: no input",
    .batching = Batching::None,
    .cast = Cast::None,
    .routine = {&bartlett_window},
};

void kaiser_window(const Call& call);

inline constexpr Facts kKaiserWindow{
    .family = &kExplicit,
    .name = "kaiser_window",
    .params = "int window_length, *, $options",
    .forms = kFunctional | kOut,
    .tags = "",
    .gradient = "none: no input",
    .tangent = "none: no input",
    .batching = Batching::None,
    .cast = Cast::None,
    .routine = {&kaiser_window},
};

inline constexpr Facts kKaiserWindowPeriodic{
    .family = &kExplicit,
    .name = "kaiser_window.periodic",
    .params = "int window_length, bool periodic, *, $options",
    .forms = kFunctional | kOut,
    .out = "periodic_out",
    .tags = "",
    .gradient = "none: no input",
    .tangent = "none: no input",
    .batching = Batching::None,
    .cast = Cast::None,
    .routine = {&kaiser_window},
};

inline constexpr Facts kKaiserWindowBeta{
    .family = &kExplicit,
    .name = "kaiser_window.beta",
    .params = "int window_length, bool periodic, float beta, *, $options",
    .forms = kFunctional | kOut,
    .out = "beta_out",
    .tags = "",
    .gradient = "none: no input",
    .tangent = "none: no input",
    .batching = Batching::None,
    .cast = Cast::None,
    .routine = {&kaiser_window},
};

}  // namespace tenon::kernels::ops
