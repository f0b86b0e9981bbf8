// SPDX-License-Identifier: Apache-2.0
// aten::_ctc_loss and its gradient on the CPU. The states of a target are its labels with blanks
// before, between and after them. alpha is the log probability of reaching a state with the frames
// up to a time, and beta that of the frames from there on.
#include "kernels/ops/loss/ctc_loss.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "kernels/cpu/loops/cast.h"
#include "kernels/cpu/loops/row_major.h"
#include "kernels/cpu/parallel_loop.h"
#include "kernels/cpu/routine_of.h"

namespace tenon::kernels::cpu {
namespace {

template <class T>
constexpr T kNever = -std::numeric_limits<T>::infinity();

// Returns log(exp(a) + exp(b) + exp(c)).
template <class T>
T log_of_sum(T a, T b, T c) {
  T largest = std::max(std::max(a, b), c);
  if (largest == kNever<T>) largest = 0;
  return std::log(std::exp(a - largest) + std::exp(b - largest) + std::exp(c - largest)) + largest;
}

// The target and the frames of one example of the batch.
template <class T>
class TargetLabels {
 public:
  TargetLabels(const char* op, const ops::CtcProblem& problem, const int64_t* targets, int64_t k)
      : times(problem.input_lengths[static_cast<size_t>(k)]),
        states(2 * problem.target_lengths[static_cast<size_t>(k)] + 1),
        targets_(targets),
        blank_(problem.blank),
        frames_(static_cast<const T*>(problem.log_probs.data) + k * problem.log_probs.strides[1]),
        time_stride_(problem.log_probs.strides[0]),
        label_stride_(problem.log_probs.strides[2]) {
    for (int64_t s = 1; s < states; s += 2) {
      if (label(s) < 0 || label(s) >= problem.labels()) {
        fail(TENON_ERROR_INDEX,
             {op, ": targets must be in [0, ", problem.labels() - 1, "], got ", label(s)});
      }
    }
  }

  int64_t label(int64_t state) const { return state % 2 == 0 ? blank_ : targets_[state / 2]; }
  T frame(int64_t time, int64_t label) const {
    return frames_[time * time_stride_ + label * label_stride_];
  }
  // Returns true if a state may directly follow the label before it, skipping the blank between
  // them.
  bool may_skip(int64_t state) const { return state >= 2 && label(state) != label(state - 2); }

  const int64_t times;
  const int64_t states;

 private:
  const int64_t* targets_;
  int64_t blank_;
  const T* frames_;
  int64_t time_stride_;
  int64_t label_stride_;
};

// The labels of all targets, contiguous, and the first one of each example.
struct Labels {
  Tensor all;
  std::vector<const int64_t*> first;

  explicit Labels(const ops::CtcProblem& problem)
      : all(Tensor::empty(sizes_of(problem.targets), Dtype::I64)) {
    cast(all.info(), problem.targets);
    const auto* at = static_cast<const int64_t*>(all.raw_data());
    for (const int64_t length : problem.target_lengths) {
      first.push_back(at);
      at += problem.targets.ndim == 2 ? problem.targets.sizes[1] : length;
    }
  }
};

template <class T>
std::vector<TargetLabels<T>> spellings_of(const char* op, const ops::CtcProblem& problem,
                                          const Labels& labels) {
  std::vector<TargetLabels<T>> all;
  for (int64_t k = 0; k < problem.batch(); ++k) {
    all.emplace_back(op, problem, labels.first[static_cast<size_t>(k)], k);
  }
  return all;
}

// Fills alpha, whose rows have `row` states, and returns the loss.
template <class T>
T losses_of(const TargetLabels<T>& of, T* alpha, int64_t row) {
  if (of.times == 0) return of.states == 1 ? T(0) : std::numeric_limits<T>::infinity();
  for (int64_t s = 0; s < std::min<int64_t>(of.states, 2); ++s) alpha[s] = of.frame(0, of.label(s));
  for (int64_t t = 1; t < of.times; ++t) {
    const T* const before = alpha + (t - 1) * row;
    for (int64_t s = 0; s < of.states; ++s) {
      const T stays = before[s], steps = s > 0 ? before[s - 1] : kNever<T>;
      const T skips = of.may_skip(s) ? before[s - 2] : kNever<T>;
      alpha[t * row + s] = log_of_sum(stays, steps, skips) + of.frame(t, of.label(s));
    }
  }
  const T* const last = alpha + (of.times - 1) * row + of.states - 1;
  return of.states == 1 ? -last[0] : -log_of_sum(last[0], last[-1], kNever<T>);
}

void ctc_losses(const Call& call) {
  const ops::CtcProblem problem = ops::ctc_problem_of(call, 0);
  ops::CtcLosses results = ops::ctc_losses_for(call, problem);
  const Labels labels(problem);
  const int64_t row = problem.states(), each = problem.times() * row;
  visit(call.op(), "log_probs", dtype_of_info(problem.log_probs), ElementTypes<float, double>(),
        [&]<class T>(Element<T>) {
          const auto spellings = spellings_of<T>(call.op(), problem, labels);
          std::vector<T> alpha(static_cast<size_t>(problem.batch() * each), kNever<T>);
          std::vector<T> losses(spellings.size());
          parallel_for(problem.batch(), 1, [&](int64_t begin, int64_t end) {
            for (int64_t k = begin; k < end; ++k) {
              const auto at = static_cast<size_t>(k);
              losses[at] = losses_of(spellings[at], alpha.data() + k * each, row);
            }
          });
          const Dims batch{problem.batch()}, states{problem.batch(), problem.times(), row};
          cast(results.losses.info(), Tensor::from<T>(losses, batch).info());
          cast(results.log_alpha.info(), Tensor::from<T>(alpha, states).info());
        });
  if (!call.form.is_functional()) return;
  call.give(0, std::move(results.losses));
  call.give(1, std::move(results.log_alpha));
}

// Computes the gradient of a loss, of shape (time, labels).
template <class T>
void gradient_of(const TargetLabels<T>& of, const T* alpha, int64_t row, T loss, T grad,
                 int64_t labels, T* result) {
  std::fill(result, result + of.times * labels, kNever<T>);
  std::vector<T> beta(static_cast<size_t>(of.states)), next(beta.size());
  for (int64_t t = of.times - 1; t >= 0; --t) {
    std::swap(beta, next);
    const auto later = [&](int64_t s) {
      return s < of.states ? next[static_cast<size_t>(s)] : kNever<T>;
    };
    for (int64_t s = 0; s < of.states; ++s) {
      T rest;
      if (t == of.times - 1) {
        rest = s >= of.states - 2 ? T(0) : kNever<T>;
      } else {
        const bool skips = s + 2 < of.states && of.may_skip(s + 2);
        rest = log_of_sum(later(s), later(s + 1), skips ? later(s + 2) : kNever<T>);
      }
      beta[static_cast<size_t>(s)] = rest + of.frame(t, of.label(s));
      T& sum = result[t * labels + of.label(s)];
      sum = log_of_sum(sum, alpha[t * row + s] + beta[static_cast<size_t>(s)], kNever<T>);
    }
    for (int64_t label = 0; label < labels; ++label) {
      T& at = result[t * labels + label];
      const T frame = of.frame(t, label);
      at = (std::exp(frame) - std::exp(at + loss - frame)) * grad;
    }
  }
}

void ctc_losses_backward(const Call& call) {
  const ops::CtcProblem problem = ops::ctc_problem_of(call, 1);
  Tensor result = ops::ctc_gradient_for(call, problem);
  const Labels labels(problem);
  const int64_t row = problem.states(), times = problem.times(), count = problem.labels();
  visit(call.op(), "log_probs", result.dtype(), ElementTypes<float, double>(),
        [&]<class T>(Element<T>) {
          const RowMajor grads(call.get<Tensor>(0)->info(), result.dtype()),
              losses(call.get<Tensor>(5)->info(), result.dtype()),
              alphas(call.get<Tensor>(6)->info(), result.dtype());
          Tensor whole = Tensor::empty(Dims{problem.batch(), times, count}, result.dtype());
          auto* const to = static_cast<T*>(whole.raw_data());
          std::fill(to, to + whole.numel(), T(0));
          const auto spellings = spellings_of<T>(call.op(), problem, labels);
          parallel_for(problem.batch(), 1, [&](int64_t begin, int64_t end) {
            for (int64_t k = begin; k < end; ++k) {
              const T loss = losses.data<T>()[k];
              if (problem.zero_infinity && loss == std::numeric_limits<T>::infinity()) continue;
              gradient_of(spellings[static_cast<size_t>(k)], alphas.data<T>() + k * times * row,
                          row, loss, grads.data<T>()[k], count, to + k * times * count);
            }
          });
          const Dims sizes{times, problem.batch(), count}, strides{count, times * count, 1};
          cast(result.info(), whole.alias(sizes, strides, 0).info());
        });
  if (call.form.is_functional()) call.give(0, std::move(result));
}

}  // namespace

Operator operator_kInnerCtcLoss() { return routine_of<ops::kInnerCtcLoss, &ctc_losses>(); }
Operator operator_kInnerCtcLossBackward() {
  return routine_of<ops::kInnerCtcLossBackward, &ctc_losses_backward>();
}

}  // namespace tenon::kernels::cpu
