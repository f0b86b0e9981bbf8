// SPDX-License-Identifier: Apache-2.0
// Runs folds over a plan: along memory, one result at a time, or across it, a block of results
// whose states stay in the L1 cache while rows are streamed.
#include "kernels/common/families/fold.h"

#include <memory>

#include "kernels/cpu/bind.h"
#include "kernels/cpu/loops/cache_lines.h"
#include "kernels/cpu/loops/conversion.h"
#include "kernels/cpu/loops/fold_loops.h"
#include "kernels/cpu/loops/transpose.h"
#include "kernels/cpu/parallel_loop.h"

namespace tenon::kernels::cpu {
namespace {

constexpr int64_t kStateBytes = 16384;
constexpr int64_t kFoldBlockBytes = 16384;
constexpr int64_t kColumns = 1024;  // maximum number of results at once
constexpr int64_t kFew = 16;        // below this number of results transposing is not worthwhile
// A fold of few results is parallelized over parts of its elements.
constexpr int64_t kPartElements = 4 * kGrain;  // minimum number of elements of a part
// Minimum number of rows of a part that folds across, which has many states to merge.
constexpr int64_t kPartRows = 64;
constexpr int64_t kMostParts = 64;

// The data of a plan that a Folder needs.
struct FoldLayout {
  const Walk& kept;
  const Walk& folded;
  int results;
  Dtype input;
  Dtype result[Reduction::kMaxResults];
  bool kept_is_inner;

  // Return the layout of a part of the results, or of the elements.
  FoldLayout of_results(const Walk& part) const { return over(part, folded); }
  FoldLayout of_elements(const Walk& part) const { return over(kept, part); }

  static FoldLayout of(const Reduction& plan) {
    FoldLayout layout{plan.kept(), plan.folded(),       plan.results(), plan.input_dtype(),
                      {},          plan.kept_is_inner()};
    for (int k = 0; k < layout.results; ++k) layout.result[k] = plan.result_dtype(k);
    return layout;
  }

 private:
  FoldLayout over(const Walk& of_kept, const Walk& of_folded) const {
    FoldLayout layout{of_kept, of_folded, results, input, {}, kept_is_inner};
    std::copy_n(result, Reduction::kMaxResults, layout.result);
    return layout;
  }
};

class Folder {
 public:
  Folder(const FoldType& type, const void* functor, const FoldLayout& plan, Dtype read)
      : type_(type),
        small_loops_(small_loops(type, plan, read)),
        loops_(small_loops_ != nullptr ? *small_loops_ : type.levels[vector_level]),
        functor_(functor),
        plan_(plan),
        read_(read),
        own_size_(size_of(plan.input)),
        computed_size_(size_of(computed(read))),
        converts_(small_loops_ == nullptr && (plan.input != read || read != computed(read))),
        input_(plan.input, read, computed(read)),
        stride_(plan.folded.stride(0, 0)),
        length_(plan.folded.size(0)) {
    for (int k = 0; k < plan.results; ++k) {
      const auto made = static_cast<Dtype>(type.outs[k]);
      is_result_[k] = made == plan.result[k];
      made_size_[k] = size_of(made);
      outputs_[k] = {made, made, plan.result[k]};
    }
  }

  // Folds all results. `base` is the first element of each result, then of the input.
  void run(char* const* base) {
    each_block(base, [&](char* const* data, const int64_t* strides, int64_t count) {
      type_.start(functor_, count, states_);
      fold(data[plan_.results], strides[plan_.results], count, 0, states_);
      finish(data, strides, count, states_);
    });
  }

  // Like run(), but in parallel, by parts of `step` along the outermost folded dim.
  void run_in_parts(char* const* base, int64_t step) {
    const int64_t size = outermost_size();
    const int64_t parts = (size - 1) / step + 1;
    each_block(base, [&](char* const* data, const int64_t* strides, int64_t count) {
      const int64_t width = (count * type_.state_size + 63) / 64 * 64;
      const auto states = cache_lines(parts * width);
      char* const first = states[0].bytes;
      parallel_for(size, step, [&](int64_t begin, int64_t end) {
        char* in = nullptr;
        const Walk part =
            plan_.folded.range(plan_.folded.ndim() - 1, begin, end, &data[plan_.results], &in);
        const FoldLayout layout = plan_.of_elements(part);
        Folder folder(type_, functor_, layout, read_);
        char* const its = first + begin / step * width;
        type_.start(functor_, count, its);
        folder.fold(in, strides[plan_.results], count, plan_.folded.numel() / size * begin, its);
      });
      for (int64_t k = 1; k < parts; ++k) {
        type_.merge(functor_, count, first, first + k * width);
      }
      finish(data, strides, count, first);
    });
  }

  // Returns the number of steps along the outermost folded dim in a part; 0 if parts are not
  // worthwhile.
  int64_t part_step() const {
    const int64_t size = outermost_size();
    const int64_t count = std::min(plan_.kept.size(0), most_results());
    const int64_t elements = plan_.folded.numel() / size * (is_across() ? count : 1);
    int64_t step = (kPartElements - 1) / elements + 1;
    if (is_across()) step = std::max(step, kPartRows);
    step = std::max(step, (size - 1) / kMostParts + 1);
    return step <= size / 2 ? step : 0;
  }

  bool is_across() const {
    return plan_.kept_is_inner && (converts_ || plan_.kept.stride(plan_.results, 0) == own_size_);
  }

 private:
  // Returns the loops that read small floats directly; NULL if there are none, if the elements have
  // gaps, or if they are first rounded to another dtype.
  static const FoldLoops* small_loops(const FoldType& type, const FoldLayout& plan, Dtype read) {
    const bool is_half = plan.input == Dtype::F16;
    if (!is_half && plan.input != Dtype::BF16) return nullptr;
    const FoldLoops& loops = (is_half ? type.half : type.bfloat16)[vector_level];
    const int64_t stride =
        plan.kept_is_inner ? plan.kept.stride(plan.results, 0) : plan.folded.stride(0, 0);
    const bool serves = loops.along != nullptr && stride == size_of(plan.input) &&
                        (read == plan.input || read == Dtype::F32);
    return serves ? &loops : nullptr;
  }

  int64_t outermost_size() const { return plan_.folded.size(plan_.folded.ndim() - 1); }

  int64_t most_results() const {
    const int64_t most = std::min(kStateBytes / type_.state_size, kColumns);
    return is_across() && converts_ ? std::min(most, kColumns / 2) : most;
  }

  // Calls `body(first elements, strides, count)` for blocks of results whose states fit into the L1
  // cache.
  template <class Body>
  void each_block(char* const* base, Body&& body) {
    int64_t strides[Reduction::kMaxResults + 1];
    for (int k = 0; k <= plan_.results; ++k) strides[k] = plan_.kept.stride(k, 0);
    const int64_t most = most_results();
    const int64_t size = plan_.kept.size(0);
    plan_.kept.rows<Walk::kAnyOperands>(base, [&](char* const* row) {
      for (int64_t first = 0; first < size; first += most) {
        char* data[Reduction::kMaxResults + 1];
        for (int k = 0; k <= plan_.results; ++k) data[k] = row[k] + first * strides[k];
        body(static_cast<char* const*>(data), strides, std::min(most, size - first));
      }
    });
  }

  // Folds the elements of `count` results into `states`. `index` is the index of the first element.
  void fold(const char* in, int64_t stride, int64_t count, int64_t index, char* states) {
    if (is_across()) {
      fold_across(in, stride, count, index, states);
    } else {
      fold_along(in, stride, count, index, states);
    }
  }

  // Folds along memory. The elements of `count` results start `next` bytes apart.
  void fold_along(const char* in, int64_t next, int64_t count, int64_t index, char* states) {
    char* const base[] = {const_cast<char*>(in)};
    plan_.folded.rows<1>(base, [&](char* const* row) {
      fold_runs(row[0], next, count, index, states);
      index += length_;
    });
  }

  // Folds one run of elements for each of `count` results.
  void fold_runs(const char* in, int64_t next, int64_t count, int64_t index, char* states) {
    const int64_t size = converts_ ? computed_size_ : own_size_;
    const int64_t most = kFoldBlockBytes / size;
    const bool dense = converts_ || stride_ == own_size_;
    const bool turns = dense && length_ <= type_.short_run && count >= kFew;
    if (!converts_ && !turns) {
      return loops_.along(functor_, in, next, count, stride_, length_, index, states);
    }
    if (length_ > most / 2) {
      for (int64_t k = 0; k < count; ++k) {
        fold_parts(in + k * next, most, index, states + k * type_.state_size);
      }
      return;
    }
    // Several runs fit into the block.
    for (int64_t k = 0; k < count; k += most / length_) {
      const int64_t runs = std::min(most / length_, count - k);
      const char* from = in + k * next;
      int64_t from_next = next;
      if (converts_) {
        convert_rows(from, next, runs, stride_, length_);
        from = block_;
        from_next = length_ * size;
      }
      char* const its = states + k * type_.state_size;
      if (turns) {
        transpose(turned_, from, {size, length_, runs, runs * size, from_next});
        loops_.across(functor_, turned_, runs * size, length_, runs, index, its);
      } else {
        loops_.along(functor_, from, from_next, runs, size, length_, index, its);
      }
    }
  }

  // Folds a long run of one result by parts that fit into the block.
  void fold_parts(const char* in, int64_t most, int64_t index, char* state) {
    for (int64_t i = 0; i < length_; i += most) {
      const int64_t part = std::min(most, length_ - i);
      convert_rows(in + i * stride_, 0, 1, stride_, part);
      loops_.along(functor_, block_, 0, 1, computed_size_, part, index + i, state);
    }
  }

  void fold_across(const char* in, int64_t in_stride, int64_t count, int64_t index, char* states) {
    char* const base[] = {const_cast<char*>(in)};
    const int64_t width = count * computed_size_;
    const int64_t most = kFoldBlockBytes / std::max<int64_t>(width, 1);
    plan_.folded.rows<1>(base, [&](char* const* row) {
      if (!converts_) {
        loops_.across(functor_, row[0], stride_, length_, count, index, states);
      } else {
        for (int64_t i = 0; i < length_; i += most) {
          const int64_t rows = std::min(most, length_ - i);
          convert_rows(row[0] + i * stride_, stride_, rows, in_stride, count);
          loops_.across(functor_, block_, width, rows, count, index + i, states);
        }
      }
      index += length_;
    });
  }

  // Fills the block with contiguous rows of elements in the dtype that the loops read.
  void convert_rows(const char* in, int64_t next, int64_t rows, int64_t stride, int64_t count) {
    char* const from = const_cast<char*>(in);
    if (next == count * stride) {
      return input_.run(block_, computed_size_, from, stride, rows * count, between_);
    }
    for (int64_t r = 0; r < rows; ++r) {
      input_.run(block_ + r * count * computed_size_, computed_size_, from + r * next, stride,
                 count, between_);
    }
  }

  void finish(char* const* outs, const int64_t* strides, int64_t count, const char* states) {
    char* written[Reduction::kMaxResults];
    for (int k = 0; k < plan_.results; ++k) {
      const bool direct = is_result_[k] && (strides[k] == made_size_[k] || count == 1);
      written[k] = direct ? outs[k] : results_[k];
    }
    type_.finish(functor_, states, count, written);
    for (int k = 0; k < plan_.results; ++k) {
      if (written[k] == outs[k]) continue;
      outputs_[k].run(outs[k], strides[k], written[k], made_size_[k], count, between_);
    }
  }

  const FoldType& type_;
  const FoldLoops* small_loops_;  // loops that read small floats directly, or NULL
  const FoldLoops& loops_;
  const void* functor_;
  const FoldLayout plan_;
  const Dtype read_;
  int64_t own_size_;
  int64_t computed_size_;
  bool converts_;
  Conversion input_;
  int64_t stride_;
  int64_t length_;
  bool is_result_[Reduction::kMaxResults];  // the functor writes elements of the result's dtype
  int64_t made_size_[Reduction::kMaxResults];
  Conversion outputs_[Reduction::kMaxResults];
  alignas(64) char states_[kStateBytes];
  alignas(64) char block_[kFoldBlockBytes];
  alignas(64) char turned_[kFoldBlockBytes];
  // Intermediate elements, no wider than those of the block.
  alignas(64) char between_[kFoldBlockBytes];
  alignas(64) char results_[Reduction::kMaxResults][kColumns * kWidest];
};

// A fold without its walks.
struct PlannedFold {
  const FoldType& type;
  Dtype read;
  alignas(16) char functor[kMaxFunctor];
};

PlannedFold plan_fold(const FoldKernel& kernel, Reduction& plan, const Call& call,
                      tenon_dtype dtype) {
  const auto& table = reinterpret_cast<const FoldTable&>(kernel);
  auto read = static_cast<Dtype>(dtype);
  const int index = computed_index(computed_dtype(dtype, Reads::Numbers));
  // The facts refuse dtypes without loops.
  if (index < 0 || table.types[index].make == nullptr) [[unlikely]] {
    fail(TENON_ERROR_INTERNAL, {call.op(), ": a loop must exist for ", read});
  }
  const FoldFacts& facts = call.facts().fold;
  if (facts.keeps_digits) read = computed(read);
  plan.build_walks(facts.in_order);
  PlannedFold kept{table.types[index], read, {}};
  kept.type.make(Args(call.op(), call.args, dtype), plan.folded_numel(), kept.functor);
  return kept;
}

// Fewer results than this are not distributed over threads.
constexpr int64_t kFewResults = 16;
// Number of adjacent results that stay together if rows are streamed.
constexpr int64_t kNeighbours = 512;

// Distributes results over threads, or otherwise the elements of each. The decision depends on the
// shape alone, so that sums are the same for any number of threads.
void fold_shared(const PlannedFold& fold, const FoldLayout& layout, int64_t elements,
                 char* const* base) {
  const Walk& kept = layout.kept;
  if (elements * kept.numel() > 2 * kPartElements) {
    Folder whole(fold.type, fold.functor, layout, fold.read);
    if (whole.is_across() || kept.numel() < kFewResults) {
      if (const int64_t step = whole.part_step(); step != 0) return whole.run_in_parts(base, step);
    }
    if (whole.is_across() && kept.ndim() == 1) {
      const int64_t columns = std::max(kNeighbours, kPartElements / elements);
      return parallel_for(kept.size(0), columns, [&](int64_t begin, int64_t end) {
        char* first[kMaxOperands];
        const Walk part = kept.range(0, begin, end, base, first);
        Folder(fold.type, fold.functor, layout.of_results(part), fold.read).run(first);
      });
    }
  }
  parallel_walk(kept, base, elements, [&](const Walk& part, char* const* first) {
    Folder(fold.type, fold.functor, layout.of_results(part), fold.read).run(first);
  });
}

struct BoundFold {
  PlannedFold fold;
  Operands operands;
  Walk kept;
  Walk folded;
  FoldLayout layout;

  BoundFold(const PlannedFold& its_fold, const Call& call, const Reduction& plan)
      : fold(its_fold),
        operands(call.form),
        kept(plan.kept()),
        folded(plan.folded()),
        layout{kept, folded, plan.results(), plan.input_dtype(), {}, plan.kept_is_inner()} {
    for (int k = 0; k < layout.results; ++k) layout.result[k] = plan.result_dtype(k);
  }
  BoundFold(const BoundFold&) = delete;
  BoundFold& operator=(const BoundFold&) = delete;

  void run(void* const* data) const {
    char* operand[Reduction::kMaxResults + 1];
    operands.fill(data, operand);
    fold_shared(fold, layout, folded.numel(), operand);
  }
};

// Replaces a FoldKernel and records the fold that it would run. `part` must be the first member.
struct FoldCapture {
  FoldKernel part;
  const FoldKernel& own;
  tenon_bound bound;
};

void capture_fold(const FoldKernel& part, Reduction& plan, const Call& call, tenon_dtype dtype) {
  auto& capture = const_cast<FoldCapture&>(reinterpret_cast<const FoldCapture&>(part));
  const PlannedFold fold = plan_fold(capture.own, plan, call, dtype);
  capture.bound = make_bound(std::make_unique<BoundFold>(fold, call, plan));
}

}  // namespace

void run_fold(const FoldKernel& kernel, Reduction& plan, const Call& call, tenon_dtype dtype) {
  const PlannedFold fold = plan_fold(kernel, plan, call, dtype);
  fold_shared(fold, FoldLayout::of(plan), plan.folded_numel(), plan.kept().raw_data());
}

tenon_status bind_fold(void* ctx, const tenon_op*, tenon_keyset, tenon_stack* stack,
                       tenon_bound* out_bound) {
  return tenon::detail::guarded(&stack->error, [&] {
    const auto& form = *static_cast<const OperatorForm*>(ctx);
    FoldCapture capture{{&capture_fold}, *static_cast<const FoldKernel*>(form.kernel), {}};
    if (run_capturing(form, &capture, stack)) *out_bound = capture.bound;
  });
}

}  // namespace tenon::kernels::cpu
