// SPDX-License-Identifier: Apache-2.0
// parallel_for: a loop that several threads execute in chunks.
#pragma once

#if __cplusplus <= 201703L
#error "tenon/hpp/parallel.hpp needs C++20: compile with -std=c++20 or later"
#else

#include <cstdint>
#include <memory>
#include <type_traits>

#include "tenon/hpp/error.hpp"
#include "tenon/parallel.h"

// Usage:
//
//   std::vector<float> numbers(100000, 1.0f);
//   tenon::parallel_for(100000, 32768, [&](int64_t begin, int64_t end) {
//     for (int64_t i = begin; i < end; ++i) numbers[static_cast<size_t>(i)] *= 2;
//   });

namespace tenon::inline hpp {

// Calls `body(begin, end)` for chunks of `grain` numbers from 0 to `count`, on several threads at
// once. A single chunk runs on the calling thread. Throws the exception of the first chunk that
// failed. The chunks do not depend on the number of threads, and neither do results that are
// computed per chunk.
template <class Body>
void parallel_for(int64_t count, int64_t grain, Body&& body) {
  using Function = std::remove_reference_t<Body>;
  if (count <= grain && count > 0) return static_cast<void>(body(int64_t{0}, count));
  const auto run = [](void* ctx, int64_t begin, int64_t end) {
    return detail::to_slot([&] { (*static_cast<Function*>(ctx))(begin, end); });
  };
  void* const ctx = const_cast<void*>(static_cast<const void*>(std::addressof(body)));
  check(tenon_parallel_for(count, grain, run, ctx));
}

// Get and set the number of threads that work on a loop. 0 means the number of available
// processors.
inline int32_t num_threads() noexcept { return tenon_parallel_get_threads(); }
inline void set_num_threads(int32_t count) { check(tenon_parallel_set_threads(count)); }

}  // namespace tenon::inline hpp

#endif
