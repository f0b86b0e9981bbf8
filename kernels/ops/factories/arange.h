// SPDX-License-Identifier: Apache-2.0
// aten::arange: start, start + step, start + 2 step and so on, excluding end.
#pragma once

#include "kernels/common/families/routine.h"
#include "kernels/common/maths/element.h"

namespace tenon::kernels {

// Returns ceil((end - start) / step) for elements of `dtype`. Refuses steps of 0 or of the wrong
// sign.
int64_t arange_length(const char* op, const Scalar& start, const Scalar& end, const Scalar& step,
                      Dtype dtype);

// Refuses an `out` that cannot be written, and makes it 1-dim if it has another number of elements.
void check_arange_out(const Tensor& out, int64_t length);

namespace ops {

void arange(const Call& call);

inline constexpr Facts kArange{
    .family = &kExplicit,
    .name = "arange",
    .params = "Scalar end, *, $options",
    .forms = kFunctional | kOut,
    .tags = "",
    .gradient = "none: no input",
    .tangent = "none: no input",
    .batching = Batching::None,
    .cast = Cast::None,
    .routine = {&arange, /*writes_out=*/true},
};

void arange_start(const Call& call);

inline constexpr Facts kArangeStart{
    .family = &kExplicit,
    .name = "arange.start",
    .params = "Scalar start, Scalar end, *, $options",
    .tags = "",
    .gradient = "none: no input",
    .tangent = "none: no input",
    .batching = Batching::None,
    .cast = Cast::None,
    .routine = {&arange_start},
};

void arange_step(const Call& call);

inline constexpr Facts kArangeStep{
    .family = &kExplicit,
    .name = "arange.start_step",
    .params = "Scalar start, Scalar end, Scalar step=1, *, $options",
    .tags = "core",
    .gradient = "none: no input",
    .tangent = "none: no input",
    .batching = Batching::None,
    .cast = Cast::None,
    .routine = {&arange_step},
};

void arange_out_meta(const Call& call);

inline constexpr Facts kArangeOut{
    .family = &kRoutine,
    .name = "arange",
    .params = "Scalar start, Scalar end, Scalar step=1",
    .forms = kOut,
    .out = "start_out",
    .tags = "",
    .gradient = "none: no input",
    .tangent = "none: no input",
    .batching = Batching::None,
    .cast = Cast::None,
    .routine = {&arange_out_meta},
};

}  // namespace ops

}  // namespace tenon::kernels
