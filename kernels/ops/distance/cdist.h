// SPDX-License-Identifier: Apache-2.0
// aten::cdist: distances between each row of one matrix and each row of another; aten::pdist:
// distances between the rows of one matrix; their gradients.
#pragma once

#include "kernels/common/families/routine.h"

namespace tenon::kernels {

// Matrices of a call, with leading batch dims that both broadcast to.
struct DistancePlan {
  Tensor result;
  tenon_tensor_info x1;
  tenon_tensor_info x2;
  Dims batch;
  double p;
};
DistancePlan cdist_plan(const Call& call);

struct PairDistances {
  Tensor result;
  tenon_tensor_info self;
  double p;
};
PairDistances pdist_plan(const Call& call);

namespace ops {

void cdist_meta(const Call& call);

inline constexpr Facts kCdistForward{
    .family = &kRoutine,
    .name = "_cdist_forward",
    .params = "Tensor x1, Tensor x2, float p, int? compute_mode",
    .forms = kFunctional | kOut,
    .tags = "core",
    .gradient =
        "x1: _cdist_backward(grad, x1, x2, p, result); "
        "x2: _cdist_backward(grad.transpose(-2, -1), x2, x1, p, result.transpose(-2, -1))",
    .tangent = "derived",
    .batching = Batching::Each,
    .cast = Cast::None,
    .routine = {&cdist_meta},
};

void cdist_backward(const Call& call);

// The gradient of x1.
inline constexpr Facts kCdistBackward{
    .family = &kComposite,
    .name = "_cdist_backward",
    .params = "Tensor grad_output, Tensor x1, Tensor x2, float p, Tensor cdist",
    .forms = kFunctional | kOut,
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&cdist_backward},
};

void cdist(const Call& call);

inline constexpr Facts kCdist{
    .family = &kComposite,
    .name = "cdist",
    .params = "Tensor x1, Tensor x2, float p=2., int? compute_mode=None",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::Fp32,
    .routine = {&cdist},
};

void pdist_meta(const Call& call);

inline constexpr Facts kPdistForward{
    .family = &kRoutine,
    .name = "_pdist_forward",
    .params = "Tensor self, float p=2.",
    .forms = kFunctional | kOut,
    .tags = "core",
    .gradient = "self: _pdist_backward(grad, self, p, result)",
    .tangent = "derived",
    .batching = Batching::Each,
    .cast = Cast::None,
    .routine = {&pdist_meta},
};

void pdist_backward(const Call& call);

inline constexpr Facts kPdistBackward{
    .family = &kComposite,
    .name = "_pdist_backward",
    .params = "Tensor grad_output, Tensor self, float p, Tensor pdist",
    .forms = kFunctional | kOut,
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&pdist_backward},
};

void pdist(const Call& call);

inline constexpr Facts kPdist{
    .family = &kComposite,
    .name = "pdist",
    .params = "Tensor self, float p=2.",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::Fp32,
    .cast_on_cpu = Cast::None,
    .routine = {&pdist},
};

}  // namespace ops

}  // namespace tenon::kernels
