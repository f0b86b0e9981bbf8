// SPDX-License-Identifier: Apache-2.0
// Loops of kernels that are distributed over the process's threads.
#pragma once

#include <algorithm>

#include "kernels/common/walk.h"
#include "tenon/hpp/parallel.hpp"

namespace tenon::kernels::cpu {

// Number of elements that a thread processes at a time: 3 us for the fastest loops, 100 us for the
// slowest. A loop over fewer elements runs on the caller and pays only one comparison.
inline constexpr int64_t kGrain = 32768;

// Returns the dim to split over threads: the outermost if it is large enough, so that rows stay
// whole.
inline int parallel_dim(const Walk& walk) {
  constexpr int64_t kEnough = 16;
  int widest = walk.ndim() - 1;
  if (walk.size(widest) >= kEnough) return widest;
  for (int d = widest - 1; d >= 0; --d) {
    if (walk.size(d) > walk.size(widest)) widest = d;
  }
  return widest;
}

// Calls `run(part, base)` for parts that cover the whole walk. `weight` is the number of elements
// that one step of the walk processes. `base` are the operands' first elements.
template <class Run>
void parallel_walk(const Walk& walk, char* const* base, int64_t weight, Run&& run) {
  const int64_t most = kGrain / std::max<int64_t>(weight, 1);
  if (walk.numel() <= most || walk.numel() <= 1) [[likely]] {
    return run(walk, base);
  }
  const int dim = parallel_dim(walk);
  const int64_t below = walk.numel() / walk.size(dim);
  const int64_t step = std::max<int64_t>(most / below, 1);
  parallel_for(walk.size(dim), step, [&](int64_t begin, int64_t end) {
    char* first[kMaxOperands];
    const Walk part = walk.range(dim, begin, end, base, first);
    run(part, static_cast<char* const*>(first));
  });
}

// Like parallel_walk(), but for contiguous operands: calls `run(begin, end)`.
template <class Run>
void parallel_range(int64_t count, Run&& run) {
  parallel_for(count, kGrain, run);
}

}  // namespace tenon::kernels::cpu
