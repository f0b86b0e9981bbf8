// SPDX-License-Identifier: Apache-2.0
// Resampling: operators whose result elements are weighted sums of a few input elements, with
// positions and weights given for each dim separately. These are padding with elements of the
// input, upsampling and average pooling, and their gradients.
#pragma once

#include <functional>
#include <numeric>
#include <utility>
#include <vector>

#include "kernels/common/families/routine.h"
#include "kernels/common/window.h"

namespace tenon::kernels {

// The input elements that contribute to each of `out` elements along one dim.
//
// A plan only stores the sizes; the device's loops call fill() to list the taps. Making a plan
// therefore takes constant time, and nothing is listed for a result that is too large to allocate.
struct Taps {
  int64_t in = 1;
  int64_t out = 1;
  // Lists the taps of each element. Called by fill() only.
  std::function<void(Taps& taps)> list;
  // Element i is the sum of the input at at[first[i]] to at[end[i] - 1]. If every element is a run
  // of neighbours (`has_runs`), `at` is the identity over the input, so that it has one entry for
  // each input element no matter how many windows contain it.
  std::vector<int64_t> first;
  std::vector<int64_t> end;
  std::vector<int64_t> at;
  bool has_runs = false;
  std::vector<double> weights;   // weight of each entry of `at`; empty: all 1
  std::vector<double> divisors;  // divisor of each sum; empty: all 1

  // Returns the taps of a dim of size 1 that is not resampled.
  static Taps of_one() {
    return listed(1, 1, [](Taps& taps) { taps.add({0}); });
  }
  static Taps listed(int64_t in, int64_t out, std::function<void(Taps& taps)> list) {
    Taps taps;
    taps.in = in;
    taps.out = out;
    taps.list = std::move(list);
    return taps;
  }
  // Lists all taps, once.
  void fill() {
    if (!list) return;
    std::exchange(list, nullptr)(*this);
    if (!has_runs) return;
    at.resize(static_cast<size_t>(in));
    std::iota(at.begin(), at.end(), int64_t{0});
  }
  void add(std::initializer_list<int64_t> places) {
    first.push_back(static_cast<int64_t>(at.size()));
    at.insert(at.end(), places);
    end.push_back(static_cast<int64_t>(at.size()));
  }
  // Adds an element made of a run of neighbours. A dim uses either this or add() for all elements.
  void add_run(int64_t run_first, int64_t run_end) {
    has_runs = true;
    first.push_back(run_first);
    end.push_back(run_end);
  }
  // Returns true if each result element is a single input element.
  bool is_selection() const {
    return weights.empty() && divisors.empty() && !has_runs && at.size() == first.size();
  }
};

// The plan of one call: from a tensor to the result, along the last three dims.
struct Resampling {
  Tensor result;
  tenon_tensor_info self;  // the input, or the gradient in a backward call
  Taps along[kMostSlides];
  int64_t planes = 0;
  double divisor = 1;  // divisor of all sums

  void fill() {
    for (Taps& taps : along) taps.fill();
  }
};

// Returns an operator's taps for each resampled dim, given the sizes of these dims.
using TapsOf = std::vector<Taps> (*)(const Call& call, Sizes sizes);

// Makes the result, or takes the call's `out`, for argument 0, whose last dims are resampled. The
// result has the argument's memory format, or is row-major if `keeps_format` is false.
Resampling resampling_plan(const Call& call, int slides, TapsOf taps_of, bool keeps_format = true);
// Like resampling_plan(), but for the gradient of an input with sizes `input`; argument 0 is the
// gradient of the result.
Resampling resampling_gradient_plan(const Call& call, int slides, Sizes input, TapsOf taps_of);

// Returns the number of dims that an operator resamples, according to its name: "avg_pool2d".
int slides_by_name(const Call& call);

// Returns the result if the form is functional.
void end_resampling(const Call& call, Resampling plan);

// Meta kernel: checks the arguments and makes the result.
template <Resampling (*kPlan)(const Call&)>
void resampling_meta(const Call& call) {
  end_resampling(call, kPlan(call));
}

}  // namespace tenon::kernels
