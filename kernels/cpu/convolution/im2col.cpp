// SPDX-License-Identifier: Apache-2.0
// aten::im2col and aten::col2im on the CPU.
#include "kernels/ops/convolution/im2col.h"

#include "kernels/common/checked_size.h"
#include "kernels/cpu/factories/fill.h"
#include "kernels/cpu/loops/loops.h"
#include "kernels/cpu/routine_of.h"

namespace tenon::kernels::cpu {
namespace {

// A plane of the image, or a row of the columns, which has an element for each place.
struct Plane {
  char* data;
  int64_t strides[2];  // in bytes
};

// Calls `each(element of the image or NULL for padding, element of the columns)` for all columns.
template <class Each>
void each_column(const Unfolding& plan, Each&& each) {
  const int64_t size = size_of(dtype_of_info(plan.image));
  const auto strides = [size](const tenon_tensor_info& info, int32_t behind) {
    return behind > info.ndim ? 0 : wrapped_product(info.strides[info.ndim - behind], size);
  };
  const Slide& rows = plan.window.along[0];
  const Slide& columns = plan.window.along[1];
  const int64_t kernel = rows.kernel * columns.kernel;
  for (int64_t i = 0; i < plan.batch * plan.channels * kernel; ++i) {
    const int64_t at[] = {i / kernel % plan.channels, i % kernel / columns.kernel,
                          i % columns.kernel};
    const int64_t batch = i / kernel / plan.channels;
    const char* image = static_cast<const char*>(plan.image.data) + batch * strides(plan.image, 4) +
                        at[0] * strides(plan.image, 3);
    const char* column = static_cast<const char*>(plan.columns.data) +
                         batch * strides(plan.columns, 3) +
                         (i % (plan.channels * kernel)) * strides(plan.columns, 2);
    const int64_t step = strides(plan.columns, 1);
    for (int64_t y = 0; y < plan.places[0]; ++y) {
      const int64_t row = y * rows.stride - rows.padding + at[1] * rows.dilation;
      const bool is_row = row >= 0 && row < plan.sizes[0];
      for (int64_t x = 0; x < plan.places[1]; ++x) {
        const int64_t place = x * columns.stride - columns.padding + at[2] * columns.dilation;
        const bool is_inside = is_row && place >= 0 && place < plan.sizes[1];
        each(is_inside ? const_cast<char*>(image) + row * strides(plan.image, 2) +
                             place * strides(plan.image, 1)
                       : nullptr,
             const_cast<char*>(column));
        column += step;
      }
    }
  }
}

void im2col(const Call& call) {
  Unfolding plan = im2col_plan(call);
  visit(call.op(), "self", dtype_of_info(plan.image), Joined<FloatAndComplexTypes, BoolType>(),
        [&]<class T>(Element<T>) {
          each_column(plan, [](const char* image, char* column) {
            *reinterpret_cast<T*>(column) = image != nullptr ? *reinterpret_cast<const T*>(image)
                                                             : static_cast<T>(Compute<T>(0));
          });
        });
  if (call.form.is_functional()) call.give(0, std::move(plan.result));
}

void col2im(const Call& call) {
  Unfolding plan = col2im_plan(call);
  visit(call.op(), "self", dtype_of_info(plan.image), FloatAndComplexTypes(),
        [&]<class T>(Element<T>) {
          fill(call.op(), plan.image, Scalar(int64_t{0}));
          each_column(plan, [](char* image, const char* column) {
            if (image != nullptr) store<T>(image, load<T>(image) + load<T>(column));
          });
        });
  if (call.form.is_functional()) call.give(0, std::move(plan.result));
}

}  // namespace

Operator operator_kIm2col() { return routine_of<ops::kIm2col, &im2col>(); }
Operator operator_kCol2im() { return routine_of<ops::kCol2im, &col2im>(); }

}  // namespace tenon::kernels::cpu
