// SPDX-License-Identifier: Apache-2.0
// Folding loops on the CPU: along memory, or several results at once across it.
#pragma once

#include "kernels/common/reduction.h"
#include "kernels/cpu/loops.h"

namespace tenon::kernels::cpu {

// A fold is a type with
//   In, State, Out
//   State start() const
//   State step(State, Compute<In>, int64_t index) const   index counts the folded elements
//   State merge(State, State) const                       of two runs, the first one first
//   Out finish(State) const
//
// kLanes states run side by side where order does not matter, so that additions do not wait for
// each other; 1 keeps the order. A stride that is known makes vectors of them.
template <class Fold, int kLanes, int64_t kStride>
typename Fold::State fold_run(const Fold& fold, const char* in, int64_t given_stride, int64_t count,
                              int64_t index) {
  using In = typename Fold::In;
  const int64_t stride = kStride != 0 ? kStride : given_stride;
  typename Fold::State state = fold.start();
  int64_t i = 0;
  if constexpr (kLanes > 1) {
    typename Fold::State lanes[kLanes];
    for (auto& lane : lanes) lane = fold.start();
    for (; i + kLanes <= count; i += kLanes) {
      for (int k = 0; k < kLanes; ++k) {
        lanes[k] = fold.step(lanes[k], load<In>(in + (i + k) * stride), index + i + k);
      }
    }
    // Halves are merged pairwise.
    for (int width = kLanes / 2; width > 0; width /= 2) {
      for (int k = 0; k < width; ++k) lanes[k] = fold.merge(lanes[k], lanes[k + width]);
    }
    state = lanes[0];
  }
  for (; i < count; ++i) state = fold.step(state, load<In>(in + i * stride), index + i);
  return state;
}

// A fold may know a better way for elements without gaps, whose order and index do not matter:
//   State run(const In*, int64_t count) const
template <class Fold, int kLanes>
typename Fold::State fold_contiguous(const Fold& fold, const char* in, int64_t count,
                                     int64_t index) {
  using In = typename Fold::In;
  if constexpr (requires(const In* elements) { fold.run(elements, count); }) {
    return fold.run(reinterpret_cast<const In*>(in), count);
  } else {
    return fold_run<Fold, kLanes, sizeof(In)>(fold, in, sizeof(In), count, index);
  }
}

// Runs of this many elements are folded on their own before they join: rounding errors grow with
// the number of runs and the length of one, not with their product.
inline constexpr int64_t kRun = 4096;

template <class Fold, int kLanes>
void fold_one(const Fold& fold, const Walk& folded, const char* in, char* out) {
  constexpr int64_t kSize = sizeof(typename Fold::In);
  typename Fold::State state = fold.start();
  const int64_t stride = folded.stride(0, 0);
  const int64_t count = folded.size(0);
  int64_t index = 0;
  char* base[] = {const_cast<char*>(in)};
  folded.rows(base, [&](char* const* row) {
    for (int64_t i = 0; i < count; i += kRun) {
      const int64_t run = std::min(kRun, count - i);
      const char* from = row[0] + i * stride;
      const auto part = stride == kSize
                            ? fold_contiguous<Fold, kLanes>(fold, from, run, index + i)
                            : fold_run<Fold, kLanes, 0>(fold, from, stride, run, index + i);
      state = fold.merge(state, part);
    }
    index += count;
  });
  store<typename Fold::Out>(out, fold.finish(state));
}

// Results that lie next to each other are folded together, a block at a time.
template <class Fold>
void fold_block(const Fold& fold, const Walk& folded, const char* in, int64_t in_stride, char* out,
                int64_t out_stride, int64_t count) {
  constexpr int64_t kBlock = 64;
  using In = typename Fold::In;
  typename Fold::State states[kBlock];
  const int64_t stride = folded.stride(0, 0);
  const int64_t length = folded.size(0);
  for (int64_t first = 0; first < count; first += kBlock) {
    const int64_t block = std::min(kBlock, count - first);
    for (int64_t k = 0; k < block; ++k) states[k] = fold.start();
    int64_t index = 0;
    char* base[] = {const_cast<char*>(in) + first * in_stride};
    folded.rows(base, [&](char* const* row) {
      for (int64_t i = 0; i < length; ++i, ++index) {
        const char* at = row[0] + i * stride;
        if (in_stride == sizeof(In)) {
          TENON_INDEPENDENT
          for (int64_t k = 0; k < block; ++k) {
            states[k] = fold.step(states[k], load<In>(at + k * int64_t{sizeof(In)}), index);
          }
        } else {
          for (int64_t k = 0; k < block; ++k) {
            states[k] = fold.step(states[k], load<In>(at + k * in_stride), index);
          }
        }
      }
    });
    for (int64_t k = 0; k < block; ++k) {
      store<typename Fold::Out>(out + (first + k) * out_stride, fold.finish(states[k]));
    }
  }
}

// Folds everything that a plan, whose walks are built, says.
template <int kLanes, class Fold>
void reduce(const Reduction& plan, const Fold& fold) {
  struct Context {
    const Reduction& plan;
    const Fold& fold;
  } const context{plan, fold};
  plan.kept().run(
      [](char* const* data, const int64_t* strides, int64_t count, const void* ctx) {
        const auto& [plan, fold] = *static_cast<const Context*>(ctx);
        if (plan.kept_is_inner()) {
          fold_block(fold, plan.folded(), data[1], strides[1], data[0], strides[0], count);
          return;
        }
        for (int64_t i = 0; i < count; ++i) {
          fold_one<Fold, kLanes>(fold, plan.folded(), data[1] + i * strides[1],
                                 data[0] + i * strides[0]);
        }
      },
      &context);
}

}  // namespace tenon::kernels::cpu
