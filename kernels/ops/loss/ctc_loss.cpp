// SPDX-License-Identifier: Apache-2.0
// Argument checks and results of aten::_ctc_loss, and the implementation of aten::ctc_loss.
#include "kernels/ops/loss/ctc_loss.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "kernels/common/check.h"
#include "kernels/common/checked_size.h"
#include "kernels/common/maths/element.h"
#include "kernels/common/promotion.h"
#include "kernels/ops/factories/factory.h"
#include "kernels/ops/loss/loss_reduction.h"

namespace tenon::kernels::ops {
namespace {

using LossesOp = std::tuple<Tensor, Tensor>(const Tensor&, const Tensor&, Sizes, Sizes, int64_t,
                                            bool);
constinit const LazyOp<LossesOp> ctc_losses("aten::_ctc_loss");

void check_lengths(const Call& call, const char* name, Sizes lengths, int64_t batch, int64_t most) {
  if (static_cast<int64_t>(lengths.size()) != batch) {
    fail_argument(call.op(), name, "have " + std::to_string(batch) + " lengths", lengths);
  }
  for (const int64_t length : lengths) {
    if (length < 0 || length > most) {
      fail_argument(call.op(), name, "in [0, " + std::to_string(most) + "]", lengths);
    }
  }
}

// Reads the integers of a tensor one by one.
std::vector<int64_t> lengths_of(const Call& call, const char* name, const Tensor& lengths) {
  static constinit const LazyOp<Scalar(const Tensor&)> read("aten::_local_scalar_dense");
  if (!is_integral(lengths.dtype())) fail_dtype(call.op(), name, lengths.dtype(), "integers");
  if (!has_data(lengths.info())) {
    fail_without_data(call.op(), std::string(name) + " must have data to be read", lengths.info());
  }
  std::vector<int64_t> numbers;
  if (lengths.ndim() == 0) return {read(lengths).to_int()};
  for (int64_t k = 0; k < lengths.size(0); ++k) {
    numbers.push_back(read(call_select(lengths, 0, k)).to_int());
  }
  return numbers;
}

struct Lengths {
  std::vector<int64_t> input;
  std::vector<int64_t> target;
  // Reads the lengths from tensors, starting at argument `first`.
  Lengths(const Call& call, int first)
      : input(lengths_of(call, "input_lengths", *call.get<Tensor>(first))),
        target(lengths_of(call, "target_lengths", *call.get<Tensor>(first + 1))) {}
};

// Returns the lengths, at least 1, with the dtype and device of the losses. If the losses have no
// memory, numbers cannot be copied there: the lengths are then made by calls of operators, which a
// graph recording sees.
Tensor divisors_of(Sizes target_lengths, const Tensor& losses) {
  static constinit const LazyOp<Tensor(TensorList, int64_t)> cat("aten::cat");
  std::vector<double> lengths(target_lengths.begin(), target_lengths.end());
  for (double& length : lengths) length = std::max(length, 1.0);
  if (!has_data(losses.info())) {
    std::vector<Tensor> each;
    for (const double length : lengths) {
      each.push_back(call_empty(Dims{1}, {losses.dtype(), {}, losses.device(), {}}));
      call_fill(each.back(), Scalar(length));
    }
    return cat(each, 0);
  }
  Tensor divisors = Tensor::from<double>(lengths, Dims{static_cast<int64_t>(lengths.size())});
  if (!losses.is_cpu()) {
    Tensor there = call_empty(divisors.sizes(), {Dtype::F64, {}, losses.device(), {}});
    call_copy(there, divisors);
    divisors = there;
  }
  return cast(divisors, losses.dtype());
}

Tensor joined_losses(const Call& call, Sizes input_lengths, Sizes target_lengths) {
  const Tensor log_probs = *call.get<Tensor>(0);
  const bool is_batch = log_probs.ndim() != 2;
  Tensor losses = std::get<0>(ctc_losses(is_batch ? log_probs : call_unsqueeze(log_probs, 1),
                                         *call.get<Tensor>(1), input_lengths, target_lengths,
                                         call.get<int64_t>(4), call.get<bool>(6)));
  if (call.get<bool>(6)) {
    const Scalar infinity(std::numeric_limits<double>::infinity());
    losses = call_masked_fill(losses, call_eq(losses, infinity), Scalar(0));
  }
  if (call.get<int64_t>(5) == 1) {
    losses = call_div(losses, divisors_of(target_lengths, losses));
  }
  const Tensor result = reduced(call, 5, losses);
  return is_batch || result.ndim() == 0 ? result : call_squeeze(result, 0);
}

}  // namespace

CtcProblem ctc_problem_of(const Call& call, int first) {
  CtcProblem problem{};
  problem.log_probs = call.get<Tensor>(first)->info();
  problem.targets = call.get<Tensor>(first + 1)->info();
  problem.input_lengths = call.get<Sizes>(first + 2);
  problem.target_lengths = call.get<Sizes>(first + 3);
  problem.blank = call.get<int64_t>(first == 0 ? 4 : 7);
  problem.zero_infinity = call.get<bool>(first == 0 ? 5 : 8);
  const char* op = call.op();
  check_dtype(op, "log_probs", dtype_of_info(problem.log_probs), ElementTypes<float, double>());
  check_dtype(op, "targets", dtype_of_info(problem.targets), ElementTypes<int32_t, int64_t>());
  if (problem.log_probs.ndim != 3) {
    fail_argument(op, "log_probs", "have 3 dims (time, batch, labels)",
                  sizes_of(problem.log_probs));
  }
  if (problem.targets.ndim != 1 && problem.targets.ndim != 2) {
    fail_argument(op, "targets", "have 1 or 2 dims", sizes_of(problem.targets));
  }
  if (problem.blank < 0 || problem.blank >= problem.labels()) {
    fail_argument(op, "blank", "in [0, " + std::to_string(problem.labels() - 1) + "]",
                  problem.blank);
  }
  check_lengths(call, "input_lengths", problem.input_lengths, problem.batch(), problem.times());
  const Sizes targets = sizes_of(problem.targets), lengths = problem.target_lengths;
  const int64_t most = targets.back();
  check_lengths(call, "target_lengths", lengths, problem.batch(), most);
  if (targets.size() == 2 && targets[0] != problem.batch()) {
    fail_argument(op, "targets", "rows of a batch of " + std::to_string(problem.batch()), targets);
  }
  CheckedSize sum(op, 0);
  for (const int64_t length : lengths) sum = sum + length;
  const int64_t all = sum.value();
  if (targets.size() == 1 && all != most) {
    fail_argument(op, "targets",
                  "have " + std::to_string(all) + " labels, the sum of target_lengths", targets);
  }
  for (const int64_t length : lengths) problem.longest = std::max(problem.longest, length);
  static_cast<void>(CheckedSize(op, problem.longest) * 2 + 1);  // see CtcProblem::states()
  return problem;
}

CtcLosses ctc_losses_for(const Call& call, const CtcProblem& problem) {
  const Dtype dtype = dtype_of_info(problem.log_probs);
  const Device device(problem.log_probs.device);
  return {result_for(call, Dims{problem.batch()}, dtype, device, nullptr, 0),
          result_for(call, Dims{problem.batch(), problem.times(), problem.states()}, dtype, device,
                     nullptr, 1)};
}

Tensor ctc_gradient_for(const Call& call, const CtcProblem& problem) {
  const Dtype dtype = dtype_of_info(problem.log_probs);
  const Dims batch{problem.batch()};
  const Dims states{problem.batch(), problem.times(), problem.states()};
  const std::pair<int, const Dims*> wanted[] = {{0, &batch}, {5, &batch}, {6, &states}};
  for (const auto& [k, sizes] : wanted) {
    const Tensor tensor = *call.get<Tensor>(k);
    check_dtype_of(call.op(), call.form.names[k], tensor.dtype(), "log_probs", dtype);
    if (!std::ranges::equal(tensor.sizes(), *sizes)) {
      fail(TENON_ERROR_INVALID_ARGUMENT, {call.op(), ": ", call.form.names[k], " must have sizes ",
                                          *sizes, ", got ", tensor.sizes()});
    }
  }
  return result_for(call, sizes_of(problem.log_probs), dtype, Device(problem.log_probs.device));
}

void ctc_losses_meta(const Call& call) {
  CtcLosses results = ctc_losses_for(call, ctc_problem_of(call, 0));
  if (!call.form.is_functional()) return;
  call.give(0, std::move(results.losses));
  call.give(1, std::move(results.log_alpha));
}

void ctc_losses_backward_meta(const Call& call) {
  Tensor result = ctc_gradient_for(call, ctc_problem_of(call, 1));
  if (call.form.is_functional()) call.give(0, std::move(result));
}

void ctc_losses_by_tensors(const Call& call) {
  const Lengths lengths(call, 2);
  auto [losses, log_alpha] = ctc_losses(*call.get<Tensor>(0), *call.get<Tensor>(1), lengths.input,
                                        lengths.target, call.get<int64_t>(4), call.get<bool>(5));
  call.give(0, std::move(losses));
  call.give(1, std::move(log_alpha));
}

void ctc_losses_backward_by_tensors(const Call& call) {
  static constinit const LazyOp<Tensor(const Tensor&, const Tensor&, const Tensor&, Sizes, Sizes,
                                       const Tensor&, const Tensor&, int64_t, bool)>
      backward("aten::_ctc_loss_backward");
  const Lengths lengths(call, 3);
  call.give(0, backward(*call.get<Tensor>(0), *call.get<Tensor>(1), *call.get<Tensor>(2),
                        lengths.input, lengths.target, *call.get<Tensor>(5), *call.get<Tensor>(6),
                        call.get<int64_t>(7), call.get<bool>(8)));
}

void ctc_loss(const Call& call) {
  call.give(0, joined_losses(call, call.get<Sizes>(2), call.get<Sizes>(3)));
}

void ctc_loss_by_tensors(const Call& call) {
  const Lengths lengths(call, 2);
  call.give(0, joined_losses(call, lengths.input, lengths.target));
}

}  // namespace tenon::kernels::ops
