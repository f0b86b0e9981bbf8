// SPDX-License-Identifier: Apache-2.0
// Runs folds over a plan: along memory, one result at a time, or across it, a block of results
// whose states stay in the nearest cache while rows stream by.
#include "kernels/common/fold.h"

#include "kernels/cpu/bind.h"
#include "kernels/cpu/conversion.h"
#include "kernels/cpu/fold_loops.h"
#include "kernels/cpu/shared_loop.h"
#include "kernels/cpu/turn.h"

namespace tenon::kernels::cpu {
namespace {

constexpr int64_t kStateBytes = 16384;
constexpr int64_t kBlockBytes = 16384;
constexpr int64_t kColumns = 1024;  // results at once
constexpr int64_t kFew = 16;        // results that are not worth turning a matrix

// What a folder needs of a plan.
struct FoldLayout {
  const Walk& kept;
  const Walk& folded;
  int results;
  Dtype input;
  Dtype result[Reduction::kMaxResults];
  bool kept_is_inner;

  // The same over a part of the results.
  FoldLayout over(const Walk& part) const {
    FoldLayout layout{part, folded, results, input, {}, kept_is_inner};
    std::copy_n(result, Reduction::kMaxResults, layout.result);
    return layout;
  }

  static FoldLayout of(const Reduction& plan) {
    FoldLayout layout{plan.kept(), plan.folded(),       plan.results(), plan.input_dtype(),
                      {},          plan.kept_is_inner()};
    for (int k = 0; k < layout.results; ++k) layout.result[k] = plan.result_dtype(k);
    return layout;
  }
};

class Folder {
 public:
  Folder(const FoldType& type, const void* functor, const FoldLayout& plan, Dtype read)
      : type_(type),
        loops_(type.levels[vector_level]),
        functor_(functor),
        plan_(plan),
        own_size_(size_of(plan.input)),
        computed_size_(size_of(computed(read))),
        converts_(plan.input != read || read != computed(read)),
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

  // `base` has the first element of each result, then of the input.
  void run(char* const* base) {
    int64_t strides[Reduction::kMaxResults + 1];
    for (int k = 0; k <= plan_.results; ++k) strides[k] = plan_.kept.stride(k, 0);
    plan_.kept.rows(base,
                    [&](char* const* row) { fold_results(row, strides, plan_.kept.size(0)); });
  }

 private:
  void fold_results(char* const* data, const int64_t* strides, int64_t count) {
    const int results = plan_.results;
    const int64_t in_stride = strides[results];
    const bool across = plan_.kept_is_inner && (converts_ || in_stride == own_size_);
    int64_t most = std::min(kStateBytes / type_.state_size, kColumns);
    if (across && converts_) most = std::min(most, kColumns / 2);
    char* outs[Reduction::kMaxResults];
    for (int64_t first = 0; first < count; first += most) {
      const int64_t block = std::min(most, count - first);
      type_.start(functor_, block, states_);
      const char* in = data[results] + first * in_stride;
      if (across) {
        fold_across(in, in_stride, block);
      } else {
        fold_along(in, in_stride, block);
      }
      for (int k = 0; k < results; ++k) outs[k] = data[k] + first * strides[k];
      finish(outs, strides, block);
    }
  }

  // `count` results, whose elements begin `next` bytes apart.
  void fold_along(const char* in, int64_t next, int64_t count) {
    int64_t index = 0;
    char* const base[] = {const_cast<char*>(in)};
    plan_.folded.rows(base, [&](char* const* row) {
      fold_runs(row[0], next, count, index);
      index += length_;
    });
  }

  // One run of elements for each of `count` results.
  void fold_runs(const char* in, int64_t next, int64_t count, int64_t index) {
    const int64_t size = converts_ ? computed_size_ : own_size_;
    const int64_t most = kBlockBytes / size;
    const bool dense = converts_ || stride_ == own_size_;
    const bool turns = dense && length_ <= type_.short_run && count >= kFew;
    if (!converts_ && !turns) {
      return loops_.along(functor_, in, next, count, stride_, length_, index, states_);
    }
    if (length_ > most / 2) {
      for (int64_t k = 0; k < count; ++k) fold_parts(in + k * next, most, index, k);
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
      char* const states = states_ + k * type_.state_size;
      if (turns) {
        turn(turned_, from, {size, length_, runs, runs * size, from_next});
        loops_.across(functor_, turned_, runs * size, length_, runs, index, states);
      } else {
        loops_.along(functor_, from, from_next, runs, size, length_, index, states);
      }
    }
  }

  // A long run of result k, by parts that fit into the block.
  void fold_parts(const char* in, int64_t most, int64_t index, int64_t k) {
    for (int64_t i = 0; i < length_; i += most) {
      const int64_t part = std::min(most, length_ - i);
      convert_rows(in + i * stride_, 0, 1, stride_, part);
      loops_.along(functor_, block_, 0, 1, computed_size_, part, index + i,
                   states_ + k * type_.state_size);
    }
  }

  void fold_across(const char* in, int64_t in_stride, int64_t count) {
    int64_t index = 0;
    char* const base[] = {const_cast<char*>(in)};
    const int64_t width = count * computed_size_;
    const int64_t most = kBlockBytes / std::max<int64_t>(width, 1);
    plan_.folded.rows(base, [&](char* const* row) {
      if (!converts_) {
        loops_.across(functor_, row[0], stride_, length_, count, index, states_);
      } else {
        for (int64_t i = 0; i < length_; i += most) {
          const int64_t rows = std::min(most, length_ - i);
          convert_rows(row[0] + i * stride_, stride_, rows, in_stride, count);
          loops_.across(functor_, block_, width, rows, count, index + i, states_);
        }
      }
      index += length_;
    });
  }

  // Fills the block with rows of elements as the loops read them, without gaps.
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

  void finish(char* const* outs, const int64_t* strides, int64_t count) {
    char* written[Reduction::kMaxResults];
    for (int k = 0; k < plan_.results; ++k) {
      const bool direct = is_result_[k] && (strides[k] == made_size_[k] || count == 1);
      written[k] = direct ? outs[k] : results_[k];
    }
    type_.finish(functor_, states_, count, written);
    for (int k = 0; k < plan_.results; ++k) {
      if (written[k] == outs[k]) continue;
      outputs_[k].run(outs[k], strides[k], written[k], made_size_[k], count, between_);
    }
  }

  const FoldType& type_;
  const FoldLoops& loops_;
  const void* functor_;
  const FoldLayout plan_;
  int64_t own_size_;
  int64_t computed_size_;
  bool converts_;
  Conversion input_;
  int64_t stride_;
  int64_t length_;
  bool is_result_[Reduction::kMaxResults];  // a functor makes elements of the result's dtype
  int64_t made_size_[Reduction::kMaxResults];
  Conversion outputs_[Reduction::kMaxResults];
  alignas(64) char states_[kStateBytes];
  alignas(64) char block_[kBlockBytes];
  alignas(64) char turned_[kBlockBytes];
  alignas(64) char between_[kBlockBytes];  // elements of no more bytes than the block's
  alignas(64) char results_[Reduction::kMaxResults][kColumns * kWidest];
};

// A fold that is ready to run but for its walks.
struct KeptFold {
  const FoldType& type;
  Dtype read;
  alignas(16) char functor[kMaxFunctor];
};

KeptFold settle(const FoldKernel& kernel, Reduction& plan, const Call& call, tenon_dtype dtype) {
  const auto& table = reinterpret_cast<const FoldTable&>(kernel);
  auto read = static_cast<Dtype>(dtype);
  const int index = computed_index(computed_dtype(dtype, Reads::Numbers));
  // The facts refuse what has no loops.
  if (index < 0 || table.types[index].make == nullptr) [[unlikely]] {
    fail(TENON_ERROR_INTERNAL, {call.op(), ": a loop must exist for ", read});
  }
  const FoldFacts& facts = call.facts().fold;
  if (facts.keeps_digits) read = computed(read);
  plan.build_walks(facts.in_order);
  KeptFold kept{table.types[index], read, {}};
  kept.type.make(Args(call.op(), call.args, dtype), plan.folded_numel(), kept.functor);
  return kept;
}

// Each result is one thread's work.
void fold_shared(const KeptFold& fold, const FoldLayout& layout, int64_t elements,
                 char* const* base) {
  share_walk(layout.kept, base, elements, [&](const Walk& kept, char* const* first) {
    Folder(fold.type, fold.functor, layout.over(kept), fold.read).run(first);
  });
}

struct BoundFold {
  KeptFold fold;
  Operands operands;
  Walk kept;
  Walk folded;
  FoldLayout layout;

  BoundFold(const KeptFold& its_fold, const Call& call, const Reduction& plan)
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

// Begins as FoldKernel does.
struct NotingFold {
  FoldKernel part;
  const FoldKernel& own;
  tenon_bound bound;
};

void note_fold(const FoldKernel& part, Reduction& plan, const Call& call, tenon_dtype dtype) {
  auto& noting = const_cast<NotingFold&>(reinterpret_cast<const NotingFold&>(part));
  const KeptFold fold = settle(noting.own, plan, call, dtype);
  noting.bound = keep_bound(std::make_unique<BoundFold>(fold, call, plan));
}

}  // namespace

void run_fold(const FoldKernel& kernel, Reduction& plan, const Call& call, tenon_dtype dtype) {
  const KeptFold fold = settle(kernel, plan, call, dtype);
  fold_shared(fold, FoldLayout::of(plan), plan.folded_numel(), plan.kept().raw_data());
}

tenon_status bind_fold(void* ctx, const tenon_op*, tenon_keyset, tenon_stack* stack,
                       tenon_bound* out_bound) {
  return tenon::detail::guarded(&stack->error, [&] {
    const auto& form = *static_cast<const OperatorForm*>(ctx);
    NotingFold noting{{&note_fold}, *static_cast<const FoldKernel*>(form.kernel), {}};
    if (run_noting(form, &noting, stack)) *out_bound = noting.bound;
  });
}

}  // namespace tenon::kernels::cpu
