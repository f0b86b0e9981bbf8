// SPDX-License-Identifier: Apache-2.0
// Argument checks, results and gradients of aten::max_pool2d and similar operators.
#include "kernels/ops/pooling/max_pooling.h"

#include <string_view>

#include "kernels/common/checked_size.h"
#include "kernels/common/maths/element.h"
#include "kernels/common/overlap.h"
#include "kernels/ops/calls.h"
#include "kernels/ops/lines.h"
#include "kernels/ops/symbolic/calls.h"

namespace tenon::kernels {
namespace {

// Returns the number of pooled dims according to the operator's name.
int slides_of(const Call& call) {
  return std::string_view(call.facts().name).find("3d") != std::string_view::npos ? 3 : 2;
}

MaxPooling begin_pooling(const Call& call, int slides) {
  MaxPooling plan{};
  plan.self = call.get<Tensor>(0)->info();
  const tenon_tensor_info& self = plan.self;
  check_defined(call.op(), "self", self);
  if (self.ndim != slides + 1 && self.ndim != slides + 2) {
    fail_argument(call.op(), "self",
                  "have " + std::to_string(slides + 1) + " dims, or " + std::to_string(slides + 2) +
                      " with a batch",
                  sizes_of(self));
  }
  check_dtype(call.op(), "self", dtype_of_info(self), RealTypes());
  for (int32_t d = self.ndim - slides - 1; d < self.ndim; ++d) {
    if (self.sizes[d] == 0) {
      fail_argument(call.op(), "self", "have no empty dim other than its batch", sizes_of(self));
    }
  }
  plan.planes = 1;
  for (int32_t d = 0; d < self.ndim - slides; ++d) plan.planes *= self.sizes[d];
  for (int d = 0; d < kMostSlides; ++d) {
    const int from = self.ndim - kMostSlides + d;
    plan.sizes[d] = d < kMostSlides - slides ? 1 : self.sizes[from];
    if (d < kMostSlides - slides) {
      plan.counts[d] = 1;
      plan.seen[d] = [](int64_t) { return Seen{0, 1, 1}; };
    }
  }
  return plan;
}

void end_pooling(const Call& call, int slides, MaxPooling& plan, bool keeps_format) {
  const tenon_tensor_info& self = plan.self;
  Dims sizes(sizes_of(self));
  for (int d = 0; d < slides; ++d) {
    sizes[self.ndim - slides + d] = plan.places(kMostSlides - slides + d);
  }
  std::optional<Dims> strides;
  if (keeps_format) strides = channels_last_like(call.op(), self, sizes);
  const int64_t* wanted = strides ? strides->begin() : nullptr;
  const Device device(self.device);
  plan.values = result_for(call, sizes, dtype_of_info(self), device, wanted, 0);
  plan.indices = result_for(call, sizes, Dtype::I64, device, wanted, 1);
  if (!call.form.is_functional()) {
    check_no_overlap(call.op(), plan.values.info(), self);
    check_no_overlap(call.op(), plan.indices.info(), self);
    check_outputs_apart(call.op(), plan.values.info(), plan.indices.info());
  }
}

Seen seen_at(const Slide& slide, int64_t place, int64_t size) {
  // A step of the whole size leaves the dim, like any longer one.
  Seen seen{place * slide.stride - slide.padding, 0, std::min(slide.dilation, size)};
  seen.end = seen.first + std::min(slide.reach(), size - seen.first);
  if (seen.first < 0) {
    seen.first += ceil_quotient(-seen.first, slide.dilation) * slide.dilation;
  }
  return seen;
}

}  // namespace

void MaxPooling::fill() {
  for (int d = 0; d < kMostSlides; ++d) {
    along[d].reserve(static_cast<size_t>(counts[d]));
    for (int64_t place = 0; place < counts[d]; ++place) along[d].push_back(seen[d](place));
  }
}

MaxPooling max_pool_plan(const Call& call) {
  const int slides = slides_of(call);
  MaxPooling plan = begin_pooling(call, slides);
  const Window window = Window::of(call, 1, 2, 3, 4, slides);
  for (int d = 0; d < slides; ++d) {
    const Slide& slide = window.along[d];
    if (slide.padding > slide.reach() / 2) {
      fail_argument(call.op(), "padding", "at most half of the effective kernel size",
                    slide.padding);
    }
    const int at = kMostSlides - slides + d;
    const int64_t size = plan.sizes[at];
    plan.counts[at] = slide.places(call.op(), size, call.get<bool>(5));
    plan.seen[at] = [slide, size](int64_t place) { return seen_at(slide, place, size); };
  }
  plan.across = window.along[slides - 1];
  end_pooling(call, slides, plan, true);
  return plan;
}

MaxPooling adaptive_max_pool_plan(const Call& call) {
  const int slides = slides_of(call);
  MaxPooling plan = begin_pooling(call, slides);
  Slide counts[kMostSlides];
  check_count(call, 1, slides);
  read_slides(call, 1, 0, slides, &Slide::kernel, counts);
  for (int d = 0; d < slides; ++d) {
    const int at = kMostSlides - slides + d;
    const int64_t size = plan.sizes[at], count = counts[d].kernel;
    static_cast<void>(CheckedSize(call.op(), count) * size + count);  // the largest number below
    plan.counts[at] = count;
    plan.seen[at] = [size, count](int64_t i) {
      return Seen{i * size / count, ((i + 1) * size + count - 1) / count, 1};
    };
  }
  end_pooling(call, slides, plan, slides < 3);  // row-major for volumes, as in PyTorch
  return plan;
}

namespace ops {
namespace {

void give_both(const Call& call, MaxPooling plan) {
  if (!call.form.is_functional()) return;
  call.give(0, std::move(plan.values));
  call.give(1, std::move(plan.indices));
}

// Views planes as rows: indices count the elements of a plane.
void give_scattered(const Call& call, const Tensor& grad, const Tensor& self,
                    const Tensor& indices) {
  const int64_t slides = slides_of(call);
  const SymbolicDims sizes = words_of(self), given = words_of(grad);
  if (!are_equal(given, words_of(indices)) || given.size() != sizes.size() ||
      sizes.size() < slides + 1) {
    fail(TENON_ERROR_INVALID_ARGUMENT, {call.op(), ": grad_output must have the sizes of indices, ",
                                        text_of(words_of(indices)), ", got ", text_of(given)});
  }
  const auto last = static_cast<size_t>(slides), first = static_cast<size_t>(sizes.size()) - last;
  const SymbolicSize plane = product_of(SymbolicSizes(sizes).last(last));
  const SymbolicSize planes =
      plane == 0 ? SymbolicSize(0) : product_of(SymbolicSizes(sizes).first(first));
  const SymbolicDims rows{planes, product_of(SymbolicSizes(given).last(last))};
  const Tensor flat = call_gather_backward(call_reshape(grad, rows), SymbolicDims{planes, plane}, 1,
                                           call_reshape(indices, rows));
  call.give(0, call_reshape(flat, sizes));
}

// Returns both results without the additional dim.
void give_lines(const Call& call, const std::tuple<Tensor, Tensor>& lines) {
  call.give(0, without_line(std::get<0>(lines)));
  if (call.form.results > 1) call.give(1, without_line(std::get<1>(lines)));
}

}  // namespace

void max_pool_meta(const Call& call) { give_both(call, max_pool_plan(call)); }
void adaptive_max_pool_meta(const Call& call) { give_both(call, adaptive_max_pool_plan(call)); }

using WindowOp =
    LazyOp<std::tuple<Tensor, Tensor>(const Tensor&, Sizes, Sizes, Sizes, Sizes, bool)>;

void max_pool(const Call& call) {
  static constinit const WindowOp flat("aten::max_pool2d_with_indices");
  static constinit const WindowOp deep("aten::max_pool3d_with_indices");
  const WindowOp& pool = slides_of(call) == 3 ? deep : flat;
  auto [values, indices] = pool(call.get<Tensor>(0), call.get<Sizes>(1), call.get<Sizes>(2),
                                call.get<Sizes>(3), call.get<Sizes>(4), call.get<bool>(5));
  call.give(0, std::move(values));
}

void max_pool1d(const Call& call) {
  static constinit const WindowOp pool("aten::max_pool2d_with_indices");
  const Dims kernel = of_one_line(call, 1, 1);
  const bool has_stride = call.args[2].count != 0;
  give_lines(call, pool(one_line(call), kernel, has_stride ? of_one_line(call, 2, 1) : kernel,
                        of_one_line(call, 3, 0), of_one_line(call, 4, 1), call.get<bool>(5)));
}

void adaptive_max_pool1d(const Call& call) {
  static constinit const LazyOp<std::tuple<Tensor, Tensor>(const Tensor&, Sizes)> pool(
      "aten::adaptive_max_pool2d");
  give_lines(call, pool(one_line(call), of_one_line(call, 1, 1)));
}

void max_pool_backward(const Call& call) {
  give_scattered(call, *call.get<Tensor>(0), *call.get<Tensor>(1), *call.get<Tensor>(7));
}

void adaptive_max_pool_backward(const Call& call) {
  give_scattered(call, *call.get<Tensor>(0), *call.get<Tensor>(1), *call.get<Tensor>(2));
}

}  // namespace ops

}  // namespace tenon::kernels
