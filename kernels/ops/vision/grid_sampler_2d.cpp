// SPDX-License-Identifier: Apache-2.0
// Argument checks and results of aten::grid_sampler_2d and aten::grid_sampler_3d, and their
// gradients.
#include "kernels/ops/vision/grid_sampler_2d.h"

#include <algorithm>
#include <string_view>

#include "kernels/common/checked_size.h"
#include "kernels/common/maths/element.h"
#include "kernels/common/overlap.h"
#include "kernels/ops/arithmetic.h"

namespace tenon::kernels {
namespace {

constexpr int64_t kMostDerivatives = 1000;

int64_t one_of_three(const Call& call, int k) {
  const auto number = call.get<int64_t>(k);
  if (number < 0 || number > 2) fail_argument(call.op(), call.form.names[k], "0, 1 or 2", number);
  return number;
}

// Argument 0 is the input, 1 the grid, and those from `first` on are the options; derivatives are
// last.
GridSampling begin_sampling(const Call& call, int first) {
  GridSampling plan{};
  plan.dims = std::string_view(call.facts().name).find("3d") != std::string_view::npos ? 3 : 2;
  plan.elements = call.get<Tensor>(0)->info();
  plan.grid = call.get<Tensor>(1)->info();
  const char* name = call.form.names[0];
  check_defined(call.op(), name, plan.elements);
  check_defined(call.op(), "grid", plan.grid);
  const Dtype dtype = dtype_of_info(plan.elements);
  check_dtype(call.op(), name, dtype, FloatTypes());
  check_dtype_of(call.op(), "grid", dtype_of_info(plan.grid), name, dtype);
  const Sizes grid = sizes_of(plan.grid);
  if (plan.elements.ndim != plan.dims + 2) {
    fail_argument(call.op(), name,
                  plan.dims == 2 ? "have 4 dims (batch, channels, height, width)"
                                 : "have 5 dims (batch, channels, depth, height, width)",
                  sizes_of(plan.elements));
  }
  if (static_cast<int>(grid.size()) != plan.dims + 2 || grid.back() != plan.dims ||
      grid[0] != plan.elements.sizes[0]) {
    fail(TENON_ERROR_INVALID_ARGUMENT,
         {call.op(), ": grid must have sizes [", plan.elements.sizes[0],
          plan.dims == 2 ? ", height, width, 2], got " : ", depth, height, width, 3], got ", grid});
  }
  plan.by_what = static_cast<SampledBy>(one_of_three(call, first));
  plan.beyond = static_cast<BeyondEdges>(one_of_three(call, first + 1));
  plan.aligns_corners = call.get<bool>(first + 2);
  if (call.form.arguments > first + 4) {
    for (int d = 0; d < plan.dims; ++d) {
      const auto order = call.get<int64_t>(first + 3 + d);
      // The cost grows with the order, and each backward pass adds 1.
      if (order < 0 || order > kMostDerivatives) {
        fail_argument(call.op(), call.form.names[first + 3 + d],
                      "from 0 to " + std::to_string(kMostDerivatives), order);
      }
      plan.by[d] = order;
    }
  }
  return plan;
}

void take_sizes(const Call& call, const char* name, GridSampling& plan, Sizes sizes) {
  if (static_cast<int>(sizes.size()) != plan.dims + 2) {
    fail_argument(call.op(), name, plan.dims == 2 ? "have 4 dims" : "have 5 dims", sizes);
  }
  plan.sizes[0] = sizes[0];
  plan.sizes[1] = sizes[1];
  plan.sizes[2] = 1;
  std::copy(sizes.begin() + 2, sizes.end(), plan.sizes + 5 - plan.dims);
  if (std::any_of(plan.sizes + 2, plan.sizes + 5, [](int64_t size) { return size <= 0; })) {
    fail_argument(call.op(), name, "have images that are not empty", sizes);
  }
}

// Returns the sizes of the sampled result.
Dims result_sizes(const GridSampling& plan) {
  Dims sizes{plan.sizes[0], plan.sizes[1], plan.height(), plan.width()};
  if (plan.dims == 3) sizes.insert(2, plan.depth());
  return sizes;
}

}  // namespace

GridSampling grid_sampler_plan(const Call& call) {
  GridSampling plan = begin_sampling(call, 2);
  take_sizes(call, "input", plan, sizes_of(plan.elements));
  check_written_apart(call, plan.elements);
  check_written_apart(call, plan.grid);
  plan.result = result_for(call, result_sizes(plan), dtype_of_info(plan.elements),
                           Device(plan.elements.device));
  return plan;
}

GridSampling grid_sampler_input_plan(const Call& call) {
  GridSampling plan = begin_sampling(call, 3);
  const auto sizes = call.get<Sizes>(2);
  take_sizes(call, "input_size", plan, sizes);
  const Dims wanted = result_sizes(plan);
  if (!std::ranges::equal(sizes_of(plan.elements), wanted)) {
    fail(TENON_ERROR_INVALID_ARGUMENT,
         {call.op(), ": grad_output must have sizes ", wanted, ", got ", sizes_of(plan.elements)});
  }
  plan.result =
      result_for(call, Dims(sizes), dtype_of_info(plan.elements), Device(plan.elements.device));
  return plan;
}

namespace ops {
namespace {

using Sampler = Tensor(const Tensor&, const Tensor&, int64_t, int64_t, bool);

void give_result(const Call& call, GridSampling plan) {
  if (call.form.is_functional()) call.give(0, std::move(plan.result));
}

}  // namespace

void grid_sampler_meta(const Call& call) { give_result(call, grid_sampler_plan(call)); }
void grid_sampler_input_meta(const Call& call) { give_result(call, grid_sampler_input_plan(call)); }

// Handles both operators: arguments after the grid are integers, except for one bool.
void grid_sampler_backward_grid(const Call& call) {
  static constinit const LazyOp<Tensor(const Tensor&, const Tensor&, int64_t, int64_t, bool,
                                       int64_t, int64_t)>
      slope_2d("tenon::grid_sampler_2d_slope");
  static constinit const LazyOp<Tensor(const Tensor&, const Tensor&, int64_t, int64_t, bool,
                                       int64_t, int64_t, int64_t)>
      slope_3d("tenon::grid_sampler_3d_slope");
  const Tensor grad = *call.get<Tensor>(0), input = *call.get<Tensor>(1),
               grid = *call.get<Tensor>(2);
  const auto mode = call.get<int64_t>(3), padding = call.get<int64_t>(4);
  const auto aligns = call.get<bool>(5);
  const bool is_3d = call.form.arguments > 8;
  std::vector<Tensor> parts;
  for (int d = 0; d < (is_3d ? 3 : 2); ++d) {
    const auto order = [&](int k, int of) {
      return (CheckedSize(call.op(), call.get<int64_t>(k)) + (d == of ? 1 : 0)).value();
    };
    const int64_t by_x = order(6, 0), by_y = order(7, 1);
    const Tensor slope = is_3d
                             ? slope_3d(input, grid, mode, padding, aligns, by_x, by_y, order(8, 2))
                             : slope_2d(input, grid, mode, padding, aligns, by_x, by_y);
    parts.push_back(call_sum_of_dim(call_mul(grad, slope), 1));
  }
  call.give(0, call_stack(parts, is_3d ? 4 : 3));
}

void grid_sampler_backward(const Call& call) {
  static constinit const LazyOp<Tensor(const Tensor&, const Tensor&, Sizes, int64_t, int64_t, bool,
                                       int64_t, int64_t)>
      input_2d("tenon::grid_sampler_2d_backward_input");
  static constinit const LazyOp<Tensor(const Tensor&, const Tensor&, const Tensor&, int64_t,
                                       int64_t, bool, int64_t, int64_t)>
      grid_2d("tenon::grid_sampler_2d_backward_grid");
  static constinit const LazyOp<Tensor(const Tensor&, const Tensor&, Sizes, int64_t, int64_t, bool,
                                       int64_t, int64_t, int64_t)>
      input_3d("tenon::grid_sampler_3d_backward_input");
  static constinit const LazyOp<Tensor(const Tensor&, const Tensor&, const Tensor&, int64_t,
                                       int64_t, bool, int64_t, int64_t, int64_t)>
      grid_3d("tenon::grid_sampler_3d_backward_grid");
  const Tensor grad = *call.get<Tensor>(0), input = *call.get<Tensor>(1),
               grid = *call.get<Tensor>(2);
  const auto mode = call.get<int64_t>(3), padding = call.get<int64_t>(4);
  const auto aligns = call.get<bool>(5);
  const auto wanted = call.get<std::span<const uint8_t>>(6);
  if (wanted.size() != 2) {
    fail_argument(call.op(), "output_mask", "2 bools", static_cast<int64_t>(wanted.size()));
  }
  const bool is_3d = std::string_view(call.facts().name).find("3d") != std::string_view::npos;
  Tensor of_input;
  if (wanted[0] != 0) {
    of_input = is_3d ? input_3d(grad, grid, input.sizes(), mode, padding, aligns, 0, 0, 0)
                     : input_2d(grad, grid, input.sizes(), mode, padding, aligns, 0, 0);
  }
  call.give(0, std::move(of_input));
  call.give(1, is_3d ? grid_3d(grad, input, grid, mode, padding, aligns, 0, 0, 0)
                     : grid_2d(grad, input, grid, mode, padding, aligns, 0, 0));
}

void grid_sampler(const Call& call) {
  static constinit const LazyOp<Sampler> flat("aten::grid_sampler_2d"),
      deep("aten::grid_sampler_3d");
  const auto input = call.get<Tensor>(0);
  const auto& sampler = input->ndim() == 5 ? deep : flat;
  call.give(0, sampler(input, call.get<Tensor>(1), call.get<int64_t>(2), call.get<int64_t>(3),
                       call.get<bool>(4)));
}

}  // namespace ops

}  // namespace tenon::kernels
