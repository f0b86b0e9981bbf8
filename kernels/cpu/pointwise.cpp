// SPDX-License-Identifier: Apache-2.0
// Runs pointwise loops over a plan: at once where all operands are contiguous and of the loop's
// dtype, else by blocks that are gathered, converted and stretched in the nearest cache.
#include "kernels/common/pointwise.h"

#include "kernels/common/element.h"
#include "kernels/cpu/cast.h"
#include "kernels/cpu/pointwise_loops.h"

namespace tenon::kernels::cpu {
namespace {

// Measured: blocks of 64 and 1024 elements take a third more time.
constexpr int64_t kBlock = 256;
constexpr int64_t kWidest = 16;  // bytes of an element

Dtype computed(Dtype dtype, const PointwiseFacts& facts) {
  return static_cast<Dtype>(computed_dtype(static_cast<tenon_dtype>(dtype), facts.moves));
}

// One operand of a block: where its elements are, and how they come into the loop's dtype. A cast
// of an integer to float16 rounds to that before it is computed as float: then there are two steps.
struct Operand {
  Dtype own;       // in memory
  Dtype promoted;  // that the plan reads or writes
  Dtype computed;  // of the loop
  int64_t stride;  // along a row, in bytes

  // What is only moved is computed as another dtype of its size.
  bool is_direct() const {
    return own == promoted && size_of(own) == size_of(computed) && stride == size_of(own);
  }
};

class Blocks {
 public:
  Blocks(Elementwise& plan, const PointwiseFacts& facts, PointwiseLoop loop, const void* functor)
      : walk_(plan.walk()), loop_(loop), functor_(functor), count_(plan.inputs() + 1) {
    operands_[0] = {plan.output_dtype(), plan.result_dtype(), computed(plan.result_dtype(), facts),
                    walk_.stride(0, 0)};
    for (int k = 0; k < plan.inputs(); ++k) {
      const Dtype promoted = plan.input_dtype(k);
      operands_[k + 1] = {dtype_of_info(plan.input_info(k)), promoted,
                          k < facts.masks ? Dtype::Bool : computed(promoted, facts),
                          walk_.stride(k + 1, 0)};
    }
    if (facts.keeps_digits && plan.needs_cast(1) && plan.input_info(1).numel == 1) {
      operands_[2].promoted = operands_[2].computed;
    }
    // Elements that are only moved need no step from their dtype to that of the loop.
    if (facts.moves) {
      for (int k = 0; k < count_; ++k) operands_[k].computed = operands_[k].promoted;
    }
  }

  void run() {
    char* base[kMaxOperands];
    for (int k = 0; k < count_; ++k) base[k] = walk_.data(k);
    const int64_t length = walk_.size(0);
    walk_.rows(base, [&](char* const* row) {
      for (int64_t first = 0; first < length; first += kBlock) {
        run_block(row, first, std::min(kBlock, length - first));
      }
    });
  }

 private:
  void run_block(char* const* row, int64_t first, int64_t count) {
    char* data[kMaxOperands];
    for (int k = 1; k < count_; ++k) data[k] = read(k, row[k] + first * operands_[k].stride, count);
    const Operand& out = operands_[0];
    char* at = row[0] + first * out.stride;
    data[0] = out.is_direct() ? at : blocks_[0];
    loop_(data, count, functor_);
    if (!out.is_direct()) write(at, count);
  }

  char* read(int k, char* at, int64_t count) {
    const Operand& operand = operands_[k];
    if (operand.is_direct()) return at;
    const bool twice = operand.own != operand.promoted && operand.promoted != operand.computed;
    if (twice) {
      convert(rounded_, operand.promoted, size_of(operand.promoted), at, operand.own,
              operand.stride, count);
      convert(blocks_[k], operand.computed, size_of(operand.computed), rounded_, operand.promoted,
              size_of(operand.promoted), count);
    } else {
      convert(blocks_[k], operand.computed, size_of(operand.computed), at, operand.own,
              operand.stride, count);
    }
    return blocks_[k];
  }

  void write(char* at, int64_t count) {
    const Operand& out = operands_[0];
    const bool twice = out.own != out.promoted && out.promoted != out.computed;
    if (twice) {
      convert(rounded_, out.promoted, size_of(out.promoted), blocks_[0], out.computed,
              size_of(out.computed), count);
      convert(at, out.own, out.stride, rounded_, out.promoted, size_of(out.promoted), count);
    } else {
      convert(at, out.own, out.stride, blocks_[0], out.computed, size_of(out.computed), count);
    }
  }

  static void convert(char* to, Dtype to_dtype, int64_t to_stride, char* from, Dtype from_dtype,
                      int64_t from_stride, int64_t count) {
    char* const data[] = {to, from};
    const int64_t strides[] = {to_stride, from_stride};
    const char unused = 0;
    cast_loop(to_dtype, from_dtype)(data, strides, count, &unused);
  }

  const Walk& walk_;
  PointwiseLoop loop_;
  const void* functor_;
  int count_;
  Operand operands_[kMaxOperands];
  alignas(64) char blocks_[kMaxOperands][kBlock * kWidest];
  alignas(64) char rounded_[kBlock * kWidest];
};

// The loop for the dtype of `args`, and its functor.
PointwiseLoop loop_of(const PointwiseKernel& kernel, const PointwiseFacts& facts, const Args& args,
                      int variant, char* functor) {
  const auto& table = reinterpret_cast<const PointwiseTable<1>&>(kernel);
  const int index = kComputedIndices.of[facts.moves ? 1 : 0][args.dtype()];
  const PointwiseLoops* loops = index < 0 ? nullptr : &table.loops[variant][index];
  // The facts refuse what has no loops.
  if (loops == nullptr || loops->levels[0] == nullptr) [[unlikely]] {
    fail(TENON_ERROR_INTERNAL,
         {args.op(), ": a loop must exist for ", static_cast<Dtype>(args.dtype())});
  }
  if (loops->make != nullptr) loops->make(args, functor);
  return loops->levels[vector_level];
}

// Whether the loop may run over all operands as they are.
bool is_direct(Elementwise& plan, const PointwiseFacts& facts) {
  const Walk& walk = plan.walk();
  if (size_of(computed(plan.dtype(), facts)) != size_of(plan.dtype())) return false;
  if (walk.ndim() != 1 || plan.has_casts()) return false;
  bool direct = walk.stride(0, 0) == size_of(plan.result_dtype());
  for (int k = 0; k < plan.inputs(); ++k) {
    direct = direct && walk.stride(k + 1, 0) == size_of(plan.input_dtype(k));
  }
  return direct;
}

}  // namespace

void run_flat(const PointwiseKernel& kernel, const Call& call, int variant, tenon_dtype dtype,
              char* const* data, int64_t numel) {
  const PointwiseFacts& facts = call.facts().pointwise;
  alignas(16) char functor[kMaxFunctor];
  // Only div's roundings ask whether there is one divisor.
  const uint32_t singles = numel == 1 ? ~uint32_t{0} : 0;
  const Args args(call.op(), call.args, dtype, singles);
  loop_of(kernel, facts, args, variant, functor)(data, numel, functor);
}

void run_pointwise(const PointwiseKernel& kernel, Elementwise& plan, const Call& call,
                   int variant) {
  const PointwiseFacts& facts = call.facts().pointwise;
  uint32_t singles = 0;
  for (int k = 0; k < plan.inputs(); ++k) singles |= uint32_t{plan.input_info(k).numel == 1} << k;
  alignas(16) char functor[kMaxFunctor];
  const Args args(call.op(), call.args, static_cast<tenon_dtype>(plan.dtype()), singles);
  const PointwiseLoop loop = loop_of(kernel, facts, args, variant, functor);
  if (is_direct(plan, facts)) {
    loop(plan.walk().raw_data(), plan.walk().numel(), functor);
  } else {
    Blocks(plan, facts, loop, functor).run();
  }
}

}  // namespace tenon::kernels::cpu
