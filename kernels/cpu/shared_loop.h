// SPDX-License-Identifier: Apache-2.0
// Loops of kernels that the process's threads share.
#pragma once

#include <algorithm>

#include "kernels/common/walk.h"
#include "tenon/hpp/parallel.hpp"

namespace tenon::kernels::cpu {

// So many elements are a thread's work at a time: 3 us of the quickest loops, 100 of the slowest. A
// loop over fewer is not shared, and pays one compare.
inline constexpr int64_t kGrain = 32768;

// The dim whose ranges are shared: the outermost, so that rows stay whole, where it has enough.
inline int shared_dim(const Walk& walk) {
  constexpr int64_t kEnough = 16;
  int widest = walk.ndim() - 1;
  if (walk.size(widest) >= kEnough) return widest;
  for (int d = widest - 1; d >= 0; --d) {
    if (walk.size(d) > walk.size(widest)) widest = d;
  }
  return widest;
}

// Runs `run(part, base)` for parts of a walk that together are all of it; `weight` is how many
// elements one step stands for. `base` has the operands' first elements.
template <class Run>
void share_walk(const Walk& walk, char* const* base, int64_t weight, Run&& run) {
  const int64_t most = kGrain / std::max<int64_t>(weight, 1);
  if (walk.numel() <= most || walk.numel() <= 1) [[likely]] {
    return run(walk, base);
  }
  const int dim = shared_dim(walk);
  const int64_t below = walk.numel() / walk.size(dim);
  const int64_t step = std::max<int64_t>(most / below, 1);
  parallel_for(walk.size(dim), step, [&](int64_t begin, int64_t end) {
    char* first[kMaxOperands];
    const Walk part = walk.range(dim, begin, end, base, first);
    run(part, static_cast<char* const*>(first));
  });
}

// The same for operands without gaps: `run(begin, end)`.
template <class Run>
void share_range(int64_t count, Run&& run) {
  parallel_for(count, kGrain, run);
}

}  // namespace tenon::kernels::cpu
