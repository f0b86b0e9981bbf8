// SPDX-License-Identifier: Apache-2.0
// aten::im2col: the elements of a window as a column for each position; and aten::col2im, which
// adds columns to the elements that they are from.
#pragma once

#include "kernels/common/batching/facts_batching.h"
#include "kernels/common/families/routine.h"
#include "kernels/common/window.h"

namespace tenon::kernels {

// One call of im2col or col2im; image and columns both have a batch.
struct Unfolding {
  Tensor result;
  tenon_tensor_info image;
  tenon_tensor_info columns;
  Window window;
  int64_t batch;
  int64_t channels;
  int64_t sizes[2];   // of the image
  int64_t places[2];  // of the window
};

// Checks the arguments and returns the result, which may be the call's `out`.
Unfolding im2col_plan(const Call& call);
Unfolding col2im_plan(const Call& call);

namespace ops {

void im2col_meta(const Call& call);

inline constexpr Facts kIm2col{
    .family = &kRoutine,
    .name = "im2col",
    .params = "Tensor self, int[2] kernel_size, int[2] dilation, int[2] padding, int[2] stride",
    .forms = kFunctional | kOut,
    .tags = "",
    .gradient =
        "self: col2im(grad, [self.size(-2), self.size(-1)], kernel_size, dilation, padding, "
        "stride)",
    .tangent = "im2col(self_t, kernel_size, dilation, padding, stride)",
    .batching = Batching::Own,
    .batch = &batch_images,
    .cast = Cast::None,
    .routine = {&im2col_meta},
};

void col2im_meta(const Call& call);

inline constexpr Facts kCol2im{
    .family = &kRoutine,
    .name = "col2im",
    .params =
        "Tensor self, SymInt[2] output_size, int[2] kernel_size, int[2] dilation, "
        "int[2] padding, int[2] stride",
    .forms = kFunctional | kOut,
    .tags = "core",
    .gradient = "self: im2col(grad, kernel_size, dilation, padding, stride)",
    .tangent = "col2im(self_t, output_size, kernel_size, dilation, padding, stride)",
    .batching = Batching::Own,
    .batch = &batch_images,
    .cast = Cast::None,
    .routine = {&col2im_meta},
};

}  // namespace ops

}  // namespace tenon::kernels
