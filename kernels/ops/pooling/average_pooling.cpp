// SPDX-License-Identifier: Apache-2.0
// Argument checks and taps of aten::avg_pool2d and similar operators.
#include "kernels/ops/pooling/average_pooling.h"

#include "kernels/common/checked_size.h"
#include "kernels/common/maths/element.h"
#include "kernels/ops/lines.h"
#include "kernels/ops/symbolic/calls.h"
#include "kernels/ops/symbolic/rules.h"

namespace tenon::kernels {
namespace {

using PooledTypes = Joined<FloatTypes, ElementTypes<int64_t>>;

// Returns the taps of one dim.
Taps pooled_line(const Call& call, const Slide& slide, int64_t size, bool ceil, bool counts_padding,
                 bool has_divisor) {
  if (slide.padding > slide.kernel / 2) {
    fail_argument(call.op(), "padding", "at most half of the kernel size", slide.padding);
  }
  const auto list = [slide, size, counts_padding, has_divisor](Taps& taps) {
    for (int64_t i = 0; i < taps.out; ++i) {
      const int64_t first = i * slide.stride - slide.padding;
      // No window starts after the input and its padding. The end of a kernel may overflow.
      const int64_t kernel = std::min(slide.kernel, size + slide.padding - first);
      const int64_t run_first = std::clamp<int64_t>(first, 0, size);
      const int64_t run_end = first + std::clamp(kernel, run_first - first, size - first);
      taps.add_run(run_first, run_end);
      if (has_divisor) continue;
      taps.divisors.push_back(static_cast<double>(counts_padding ? kernel : run_end - run_first));
    }
  };
  return Taps::listed(size, slide.places(call.op(), size, ceil), list);
}

std::vector<Taps> pooled(const Call& call, int first, Sizes sizes) {
  const auto slides = static_cast<int>(sizes.size());
  const Window window = Window::of(call, first, first + 1, first + 2, -1, slides);
  const bool has_divisor = call.get<std::optional<int64_t>>(first + 5).has_value();
  std::vector<Taps> all;
  for (int d = 0; d < slides; ++d) {
    all.push_back(pooled_line(call, window.along[d], sizes[static_cast<size_t>(d)],
                              call.get<bool>(first + 3), call.get<bool>(first + 4), has_divisor));
  }
  return all;
}

std::vector<Taps> pooled_of_input(const Call& call, Sizes sizes) { return pooled(call, 1, sizes); }
std::vector<Taps> pooled_of_gradient(const Call& call, Sizes sizes) {
  return pooled(call, 2, sizes);
}

double divisor_of(const Call& call, int argument) {
  const int64_t divisor = call.get<std::optional<int64_t>>(argument).value_or(1);
  if (divisor == 0) fail_argument(call.op(), "divisor_override", "nonzero", divisor);
  return static_cast<double>(divisor);
}

// Returns the taps of a given number of outputs that divide the input evenly, rounded outwards
// (adaptive pooling).
Taps shared_line(const Call& call, int64_t size, int64_t count) {
  // The largest number in the loop.
  static_cast<void>(CheckedSize(call.op(), count) * size + count);
  const auto list = [size, count](Taps& taps) {
    for (int64_t i = 0; i < count; ++i) {
      const int64_t first = i * size / count, end = ((i + 1) * size + count - 1) / count;
      taps.add_run(first, end);
      taps.divisors.push_back(static_cast<double>(end - first));
    }
  };
  return Taps::listed(size, count, list);
}

std::vector<Taps> shared(const Call& call, Sizes sizes) {
  const auto slides = static_cast<int>(sizes.size());
  Slide counts[kMostSlides];
  check_count(call, 1, slides);
  read_slides(call, 1, 0, slides, &Slide::kernel, counts);
  std::vector<Taps> all;
  for (int d = 0; d < slides; ++d) {
    all.push_back(shared_line(call, sizes[static_cast<size_t>(d)], counts[d].kernel));
  }
  return all;
}

std::vector<Taps> shared_by_gradient(const Call& call, Sizes sizes) {
  const Sizes counts = call.get<Tensor>(0)->sizes().last(sizes.size());
  std::vector<Taps> all;
  for (size_t d = 0; d < sizes.size(); ++d) all.push_back(shared_line(call, sizes[d], counts[d]));
  return all;
}

void check_pooled(const Call& call, Dtype dtype) {
  check_dtype(call.op(), call.form.names[0], dtype, PooledTypes());
}

}  // namespace

Resampling avg_pool_plan(const Call& call) {
  check_pooled(call, call.get<Tensor>(0)->dtype());
  const double divisor = divisor_of(call, 6);
  // As in PyTorch, averages of volumes are row-major.
  const int slides = slides_by_name(call);
  Resampling plan = resampling_plan(call, slides, &pooled_of_input, slides < 3);
  plan.divisor = divisor;
  return plan;
}

Resampling avg_pool_gradient_plan(const Call& call) {
  check_pooled(call, call.get<Tensor>(0)->dtype());
  const double divisor = divisor_of(call, 7);
  Resampling plan = resampling_gradient_plan(call, slides_by_name(call),
                                             call.get<Tensor>(1)->sizes(), &pooled_of_gradient);
  plan.divisor = divisor;
  return plan;
}

Resampling adaptive_avg_pool_plan(const Call& call) {
  check_dtype(call.op(), "self", call.get<Tensor>(0)->dtype(), FloatTypes());
  const int slides = slides_by_name(call);
  return resampling_plan(call, slides, &shared, slides < 3);
}

Resampling adaptive_avg_pool_gradient_plan(const Call& call) {
  check_dtype(call.op(), "grad_output", call.get<Tensor>(0)->dtype(), FloatTypes());
  return resampling_gradient_plan(call, slides_by_name(call), call.get<Tensor>(1)->sizes(),
                                  &shared_by_gradient);
}

namespace ops {

namespace {

// Adaptive pooling to one element per plane: the mean, in the memory format of the planes.
Tensor mean_of_planes(const Call& call, const Tensor& self, int slides) {
  static constinit const LazyOp<Tensor(const Tensor&, std::optional<Sizes>, bool,
                                       std::optional<Dtype>)>
      mean("aten::mean.dim");
  static constinit const LazyOp<Tensor(const Tensor&, Sizes, Sizes, std::optional<int64_t>)>
      as_strided("aten::as_strided");
  Dims dims;
  for (int64_t d = -slides; d < 0; ++d) dims.push_back(d);
  const Tensor made = mean(self, Sizes(dims), true, std::nullopt);
  const auto strides = channels_last_like(call.op(), self.info(), made.sizes());
  return strides ? as_strided(made, made.sizes(), *strides, std::nullopt) : made;
}

bool is_mean_of_planes(const Tensor& self, Sizes wanted, int slides) {
  const bool is_one = std::ranges::all_of(wanted, [](int64_t size) { return size == 1; });
  return is_one && static_cast<int>(wanted.size()) == slides && is_floating(self.dtype()) &&
         self.numel() > 0 && (self.ndim() == slides + 1 || self.ndim() == slides + 2);
}

}  // namespace

void adaptive_avg_pool(const Call& call) {
  const int slides = slides_by_name(call);
  const Tensor self = *call.get<Tensor>(0);
  const SymbolicDims wanted = sizes_argument(call, 1);
  using Pool = LazyOp<Tensor(const Tensor&, Sizes)>;
  static constinit const Pool flat("aten::_adaptive_avg_pool2d");
  static constinit const Pool deep("aten::_adaptive_avg_pool3d");
  const Pool& pool = slides == 2 ? flat : deep;
  if (!are_numbers(words_of(self)) || !are_numbers(wanted)) {
    return call.give(0, call_with_sizes(pool.name(), self.get(), wanted));
  }
  const auto numbers = call.get<Sizes>(1);
  call.give(0, is_mean_of_planes(self, numbers, slides) ? mean_of_planes(call, self, slides)
                                                        : pool(self, numbers));
}

void avg_pool1d(const Call& call) {
  static constinit const LazyOp<Tensor(const Tensor&, Sizes, Sizes, Sizes, bool, bool,
                                       std::optional<int64_t>)>
      pool("aten::avg_pool2d");
  const Dims kernel = of_one_line(call, 1, 1);
  const Tensor lines =
      pool(one_line(call), kernel, call.args[2].count != 0 ? of_one_line(call, 2, 1) : kernel,
           of_one_line(call, 3, 0), call.get<bool>(4), call.get<bool>(5), std::nullopt);
  call.give(0, without_line(lines));
}

void adaptive_avg_pool1d(const Call& call) {
  static constinit const LazyOp<Tensor(const Tensor&, Sizes)> pool("aten::_adaptive_avg_pool2d");
  call.give(0, without_line(pool(one_line(call), of_one_line(call, 1, 1))));
}

}  // namespace ops

}  // namespace tenon::kernels
