// SPDX-License-Identifier: Apache-2.0
// Implements aten::max_unpool2d and aten::max_unpool3d by calling other operators.
#include "kernels/ops/pooling/max_unpooling.h"

#include <algorithm>

#include "kernels/common/window.h"
#include "kernels/ops/arithmetic.h"
#include "kernels/ops/factories/factory.h"

namespace tenon::kernels::ops {
namespace {

// Checks the arguments for `dims` pooled dims.
void check_unpooled(const Call& call, const Tensor& self, const Tensor& indices, Sizes size,
                    int64_t dims) {
  check_floating(call.op(), "self", self.dtype());
  if (self.ndim() != dims + 1 && self.ndim() != dims + 2) {
    fail_argument(call.op(), "self",
                  dims == 2 ? "have 3 dims, or 4 with a batch" : "have 4 dims, or 5 with a batch",
                  self.sizes());
  }
  if (std::ranges::count(self.sizes().subspan(1), 0) != 0) {
    fail_argument(call.op(), "self", "have no empty dim other than its batch", self.sizes());
  }
  if (indices.dtype() != Dtype::I64) {
    fail_argument(call.op(), "indices", "have dtype int64", indices.dtype());
  }
  if (!std::ranges::equal(indices.sizes(), self.sizes())) {
    fail(TENON_ERROR_INVALID_ARGUMENT, {call.op(), ": indices must have the sizes of self, ",
                                        self.sizes(), ", got ", indices.sizes()});
  }
  if (static_cast<int64_t>(size.size()) != dims ||
      std::ranges::any_of(size, [](int64_t each) { return each < 0; })) {
    fail_argument(call.op(), "output_size",
                  dims == 2 ? "a height and a width" : "a depth, a height and a width", size);
  }
}

// Calls scatter and rewords its index errors, which use other argument names.
Tensor scatter_unpooled(const Call& call, const Tensor& zeros, const Tensor& indices,
                        const Tensor& self, Sizes size) {
  try {
    return call_scatter(zeros, 1, indices, self);
  } catch (const Error& error) {
    if (error.code() != TENON_ERROR_INDEX) throw;
    Error refusal(TENON_ERROR_INDEX, std::string(call.op()) + ": indices must be in [0, " +
                                         std::to_string(numel_of(size) - 1) + "] for output_size " +
                                         Part(size).text() + ", got one that is not");
    tenon_error_set_cause(refusal.get(), tenon_error_retain(error.get()));
    throw refusal;
  }
}

// Views planes or volumes as rows: indices count their elements.
void max_unpool(const Call& call, int64_t dims) {
  static constinit const LazyOp<Tensor(const Tensor&, MemoryFormat)> contiguous("aten::contiguous");
  const Tensor self = *call.get<Tensor>(0), indices = *call.get<Tensor>(1);
  const auto size = call.get<Sizes>(2);
  check_unpooled(call, self, indices, size, dims);
  const int64_t before = self.ndim() - dims;
  int64_t seen = 1;
  Dims sizes(self.sizes());
  for (int64_t d = 0; d < dims; ++d) {
    seen *= sizes[before + d];
    sizes[before + d] = size[static_cast<size_t>(d)];
  }
  const int64_t planes = numel_of(self) / seen;
  const Dims rows{planes, seen};
  const Tensor zeros = call_zeros(Dims{planes, numel_of(size)}, options_like(kind_of(self), {}));
  const Tensor flat =
      scatter_unpooled(call, zeros, call_reshape(indices, rows), call_reshape(self, rows), size);
  const Tensor result = call_reshape(flat, sizes);
  const bool is_last =
      dims == 2 && self.ndim() == 4 && channels_last_like(call.op(), self.info(), sizes);
  call.give(0, is_last ? contiguous(result, MemoryFormat::ChannelsLast) : result);
}

}  // namespace

void max_unpool2d(const Call& call) { max_unpool(call, 2); }

// The window is checked but not needed.
void max_unpool3d(const Call& call) {
  Slide along[kMostSlides];
  check_count(call, 3, 3);
  check_count(call, 4, 3);
  read_slides(call, 3, 1, 3, &Slide::stride, along);
  max_unpool(call, 3);
}

}  // namespace tenon::kernels::ops
