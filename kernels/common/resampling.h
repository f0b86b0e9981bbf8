// SPDX-License-Identifier: Apache-2.0
// Resampling: results each element of which is a weighted sum of a few elements of the input, whose
// places and weights are told for each dim by itself: padding by what is there, upsampling and
// average pooling; and the other way round, which is the gradient of it.
#pragma once

#include <functional>
#include <numeric>
#include <utility>
#include <vector>

#include "kernels/common/families/routine.h"
#include "kernels/common/window.h"

namespace tenon::kernels {

// Along one dim: what each of `out` elements is made of.
//
// A plan has the sizes alone, so that it costs the same for all sizes and nothing is listed for a
// result that no memory holds; the device's loops call fill().
struct Taps {
  int64_t in = 1;
  int64_t out = 1;
  // Lists what each element is made of. Called by fill() only.
  std::function<void(Taps& taps)> list;
  // Element i is made of at[first[i]] to at[end[i] - 1]. Windows of neighbours are runs: `at` then
  // counts the elements of the input once, however many windows see each of them.
  std::vector<int64_t> first;
  std::vector<int64_t> end;
  std::vector<int64_t> at;
  bool has_runs = false;
  std::vector<double> weights;   // of each of these; empty: 1
  std::vector<double> divisors;  // that each sum is divided by; empty: 1

  // Along a dim that stays as it is.
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
  // Adds an element made of neighbours; a line has either such elements or those of add().
  void add_run(int64_t run_first, int64_t run_end) {
    has_runs = true;
    first.push_back(run_first);
    end.push_back(run_end);
  }
  // Whether each element is one of the input's.
  bool is_selection() const {
    return weights.empty() && divisors.empty() && !has_runs && at.size() == first.size();
  }
};

// One call: from a tensor to the result, along the last three dims.
struct Resampling {
  Tensor result;
  tenon_tensor_info self;  // the gradient, the other way round
  Taps along[kMostSlides];
  int64_t planes = 0;
  double divisor = 1;  // of all sums

  void fill() {
    for (Taps& taps : along) taps.fill();
  }
};

// What an operator of so many dims does along each of them, given the size there.
using TapsOf = std::vector<Taps> (*)(const Call& call, Sizes sizes);

// Makes the result, or takes the call's `out`: of argument 0, whose last dims are resampled.
Resampling resampling_plan(const Call& call, int slides, TapsOf taps_of);
// The same of a gradient, argument 0; the input that it is of had sizes `input`.
Resampling resampling_gradient_plan(const Call& call, int slides, Sizes input, TapsOf taps_of);

// How many dims an operator resamples, by its name: "avg_pool2d".
int slides_by_name(const Call& call);

// Hands the result over where that is due.
void end_resampling(const Call& call, Resampling plan);

// Without a device: checks, and the result.
template <Resampling (*kPlan)(const Call&)>
void resampling_meta(const Call& call) {
  end_resampling(call, kPlan(call));
}

}  // namespace tenon::kernels
