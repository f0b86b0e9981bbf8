// SPDX-License-Identifier: Apache-2.0
// Runs folds over a plan: along memory, one result at a time, or across it, a block of results
// whose states stay in the nearest cache while rows stream by.
#include "kernels/common/fold.h"

#include "kernels/cpu/cast.h"
#include "kernels/cpu/fold_loops.h"

namespace tenon::kernels::cpu {
namespace {

constexpr int64_t kStateBytes = 16384;
constexpr int64_t kBlock = 1024;  // elements
constexpr int64_t kWidest = 16;   // bytes of an element

Dtype computed(Dtype dtype) {
  return static_cast<Dtype>(computed_dtype(static_cast<tenon_dtype>(dtype), false));
}

class Folder {
 public:
  Folder(const FoldType& type, const void* functor, const Reduction& plan, Dtype read)
      : type_(type),
        loops_(type.levels[vector_level]),
        functor_(functor),
        plan_(plan),
        own_(plan.input_dtype()),
        read_(read),
        computed_(computed(read)),
        stride_(plan.folded().stride(0, 0)),
        length_(plan.folded().size(0)) {}

  void run() {
    const Walk& kept = plan_.kept();
    kept.run(
        [](char* const* data, const int64_t* strides, int64_t count, const void* self) {
          auto& folder = *static_cast<Folder*>(const_cast<void*>(self));
          folder.fold_results(data, strides, count);
        },
        this);
  }

 private:
  bool converts() const { return own_ != computed_; }

  void fold_results(char* const* data, const int64_t* strides, int64_t count) {
    const int results = plan_.results();
    const int64_t in_stride = strides[results];
    const bool across = plan_.kept_is_inner() && (converts() || in_stride == size_of(own_));
    const int64_t most = std::min(kStateBytes / type_.state_size, kBlock);
    char* outs[Reduction::kMaxResults];
    for (int64_t first = 0; first < count; first += most) {
      const int64_t block = std::min(most, count - first);
      type_.start(functor_, block, states_);
      const char* in = data[results] + first * in_stride;
      if (across) {
        fold_across(in, in_stride, block);
      } else {
        for (int64_t k = 0; k < block; ++k) {
          fold_along(in + k * in_stride, states_ + k * type_.state_size);
        }
      }
      for (int k = 0; k < results; ++k) outs[k] = data[k] + first * strides[k];
      finish(outs, strides, block);
    }
  }

  void fold_along(const char* in, char* state) {
    int64_t index = 0;
    char* const base[] = {const_cast<char*>(in)};
    plan_.folded().rows(base, [&](char* const* row) {
      if (!converts()) {
        loops_.along(functor_, row[0], stride_, length_, index, state);
      } else {
        for (int64_t i = 0; i < length_; i += kBlock) {
          const int64_t count = std::min(kBlock, length_ - i);
          const char* block = convert(row[0] + i * stride_, stride_, count);
          loops_.along(functor_, block, size_of(computed_), count, index + i, state);
        }
      }
      index += length_;
    });
  }

  void fold_across(const char* in, int64_t in_stride, int64_t count) {
    int64_t index = 0;
    char* const base[] = {const_cast<char*>(in)};
    plan_.folded().rows(base, [&](char* const* row) {
      if (!converts()) {
        loops_.across(functor_, row[0], stride_, length_, count, index, states_);
      } else {
        for (int64_t i = 0; i < length_; ++i) {
          const char* block = convert(row[0] + i * stride_, in_stride, count);
          loops_.across(functor_, block, 0, 1, count, index + i, states_);
        }
      }
      index += length_;
    });
  }

  // Elements as the loops read them. What is asked for in a small float is rounded to that first.
  const char* convert(char* in, int64_t stride, int64_t count) {
    if (own_ != read_ && read_ != computed_) {
      cast_run(rounded_, read_, size_of(read_), in, own_, stride, count);
      cast_run(block_, computed_, size_of(computed_), rounded_, read_, size_of(read_), count);
    } else {
      cast_run(block_, computed_, size_of(computed_), in, own_, stride, count);
    }
    return block_;
  }

  void finish(char* const* outs, const int64_t* strides, int64_t count) {
    char* written[Reduction::kMaxResults];
    bool direct[Reduction::kMaxResults];
    for (int k = 0; k < plan_.results(); ++k) {
      const auto dtype = static_cast<Dtype>(type_.outs[k]);
      direct[k] = dtype == plan_.result_dtype(k) && (strides[k] == size_of(dtype) || count == 1);
      written[k] = direct[k] ? outs[k] : results_[k];
    }
    type_.finish(functor_, states_, count, written);
    for (int k = 0; k < plan_.results(); ++k) {
      if (direct[k]) continue;
      const auto dtype = static_cast<Dtype>(type_.outs[k]);
      cast_run(outs[k], plan_.result_dtype(k), strides[k], written[k], dtype, size_of(dtype),
               count);
    }
  }

  static void cast_run(char* to, Dtype to_dtype, int64_t to_stride, char* from, Dtype from_dtype,
                       int64_t from_stride, int64_t count) {
    char* const data[] = {to, from};
    const int64_t strides[] = {to_stride, from_stride};
    const char unused = 0;
    cast_loop(to_dtype, from_dtype)(data, strides, count, &unused);
  }

  const FoldType& type_;
  const FoldLoops& loops_;
  const void* functor_;
  const Reduction& plan_;
  Dtype own_;       // in memory
  Dtype read_;      // as the call asks for
  Dtype computed_;  // of the loops
  int64_t stride_;
  int64_t length_;
  alignas(64) char states_[kStateBytes];
  alignas(64) char block_[kBlock * kWidest];
  alignas(64) char rounded_[kBlock * kWidest];
  alignas(64) char results_[Reduction::kMaxResults][kBlock * kWidest];
};

}  // namespace

void run_fold(const FoldKernel& kernel, Reduction& plan, const Call& call, tenon_dtype dtype) {
  const auto& table = reinterpret_cast<const FoldTable&>(kernel);
  const auto read = static_cast<Dtype>(dtype);
  const int index = computed_index(computed_dtype(dtype, false));
  // The facts refuse what has no loops.
  if (index < 0 || table.types[index].make == nullptr) [[unlikely]] {
    fail(TENON_ERROR_INTERNAL, {call.op(), ": a loop must exist for ", read});
  }
  const FoldType& type = table.types[index];
  plan.build_walks(call.facts().fold.in_order);
  alignas(16) char functor[kMaxFunctor];
  type.make(Args(call.op(), call.args, dtype), plan.folded_numel(), functor);
  Folder(type, functor, plan, read).run();
}

}  // namespace tenon::kernels::cpu
