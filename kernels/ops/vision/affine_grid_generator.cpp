// SPDX-License-Identifier: Apache-2.0
// Implements aten::affine_grid_generator and its gradient by calling other operators.
#include "kernels/ops/vision/affine_grid_generator.h"

#include <algorithm>

#include "kernels/ops/arithmetic.h"
#include "kernels/ops/factories/factory.h"

namespace tenon::kernels::ops {
namespace {

// Returns argument 1: batch, channels, and the sizes of an image or a volume.
Sizes image_sizes(const Call& call) {
  const auto size = call.get<Sizes>(1);
  if (size.size() != 4 && size.size() != 5) {
    fail_argument(call.op(), "size", "have 4 dims for images, or 5 for volumes", size);
  }
  for (const int64_t each : size) {
    if (each < 1) fail_argument(call.op(), "size", "have sizes of at least 1", size);
  }
  return size;
}

// Returns coordinates from -1 to 1, which are the centres of the outer elements or their outer
// edges.
Tensor places_along(int64_t size, bool aligns_corners, const FactoryOptions& options) {
  static constinit const LazyOp<Tensor(const Scalar&, const Scalar&, int64_t, std::optional<Dtype>,
                                       std::optional<Layout>, std::optional<Device>,
                                       std::optional<bool>)>
      linspace("aten::linspace");
  if (size <= 1) return call_zeros(Dims{size}, options);
  const Tensor line = linspace(Scalar(-1), Scalar(1), size, options.dtype, options.layout,
                               options.device, options.pin_memory);
  if (aligns_corners) return line;
  return call_div(call_mul(line, Scalar(size - 1)), Scalar(size));
}

// Returns rows x, y, (z,) 1 for all elements in order, once for each image.
Tensor base_rows(Sizes size, bool aligns_corners, const Tensor& like) {
  const FactoryOptions options = options_like(kind_of(like), {});
  const Sizes image = size.subspan(2);
  const auto dims = static_cast<int64_t>(image.size());
  std::vector<Tensor> parts;
  for (int64_t d = dims - 1; d >= 0; --d) {
    Dims one = Dims::filled(dims, 1);
    one[d] = image[static_cast<size_t>(d)];
    const Tensor line = places_along(one[d], aligns_corners, options);
    parts.push_back(call_expand(call_reshape(line, one), image));
  }
  parts.push_back(call_add(call_mul(parts.front(), 0.0), 1.0));
  const Tensor rows = call_reshape(call_stack(parts, dims), Dims{1, numel_of(image), dims + 1});
  return call_expand(rows, Dims{size[0], numel_of(image), dims + 1});
}

}  // namespace

void affine_grid_generator(const Call& call) {
  const Sizes size = image_sizes(call);
  const Tensor theta = *call.get<Tensor>(0);
  check_floating(call.op(), "theta", theta.dtype());
  const auto dims = static_cast<int64_t>(size.size()) - 2;
  const Dims wanted{size[0], dims, dims + 1};
  if (!std::ranges::equal(theta.sizes(), wanted)) {
    fail(TENON_ERROR_INVALID_ARGUMENT,
         {call.op(), ": theta must have sizes ", wanted, ", got ", theta.sizes()});
  }
  const Tensor rows = base_rows(size, call.get<bool>(2), theta);
  Dims sizes{size[0]};
  for (const int64_t each : size.subspan(2)) sizes.push_back(each);
  sizes.push_back(dims);
  call.give(0, call_reshape(call_bmm(rows, call_mT(theta)), sizes));
}

void affine_grid_generator_backward(const Call& call) {
  const Sizes size = image_sizes(call);
  const Tensor grad = *call.get<Tensor>(0);
  const auto dims = static_cast<int64_t>(size.size()) - 2;
  Dims wanted{size[0]};
  for (const int64_t each : size.subspan(2)) wanted.push_back(each);
  wanted.push_back(dims);
  if (!std::ranges::equal(grad.sizes(), wanted)) {
    fail(TENON_ERROR_INVALID_ARGUMENT,
         {call.op(), ": grad must have sizes ", wanted, ", got ", grad.sizes()});
  }
  const Tensor rows = base_rows(size, call.get<bool>(2), grad);
  const Tensor flat = call_reshape(grad, Dims{size[0], numel_of(size.subspan(2)), dims});
  call.give(0, call_mT(call_bmm(call_mT(rows), flat)));
}

}  // namespace tenon::kernels::ops
