// SPDX-License-Identifier: Apache-2.0
// Runs pointwise loops over a plan: directly if all operands are contiguous and of the loop's
// dtype, otherwise by blocks.
#include "kernels/common/families/pointwise.h"

#include <cstring>

#include "kernels/common/maths/element.h"
#include "kernels/cpu/bind.h"
#include "kernels/cpu/loops/conversion.h"
#include "kernels/cpu/loops/pointwise_blocks.h"
#include "kernels/cpu/parallel_loop.h"

namespace tenon::kernels::cpu {
namespace {

// Returns the loop for the dtype of `args`, and makes its functor.
PointwiseLevel loop_of(const PointwiseKernel& kernel, const PointwiseFacts& facts, const Args& args,
                       int variant, char* functor) {
  const auto& table = reinterpret_cast<const PointwiseTable<1>&>(kernel);
  const int index = kComputedIndices.of[static_cast<int>(facts.reads)][args.dtype()];
  const PointwiseLoops* loops = index < 0 ? nullptr : &table.loops[variant][index];
  // The facts refuse dtypes without loops.
  if (loops == nullptr || loops->levels[0].loop == nullptr) [[unlikely]] {
    fail(TENON_ERROR_INTERNAL,
         {args.op(), ": a loop must exist for ", static_cast<Dtype>(args.dtype())});
  }
  if (loops->make != nullptr) loops->make(args, functor);
  return loops->levels[vector_level];
}

// Returns a mask with bit k set if input k has a single element.
uint32_t singles_of(const Elementwise& plan) {
  uint32_t singles = 0;
  for (int k = 0; k < plan.inputs(); ++k) singles |= uint32_t{plan.input_info(k).numel == 1} << k;
  return singles;
}

// Returns the loop that reads and writes small floats directly; NULL if there is none.
PointwiseLoop small_loop(const PointwiseLevel& level, Dtype dtype) {
  if (dtype == Dtype::F16) return level.half;
  return dtype == Dtype::BF16 ? level.bfloat16 : nullptr;
}

// Returns the loop that can process all operands directly; NULL if there is none.
PointwiseLoop direct_loop(Elementwise& plan, const PointwiseFacts& facts,
                          const PointwiseLevel& level) {
  const Walk& walk = plan.walk();
  if (walk.ndim() != 1 || plan.has_casts()) return nullptr;
  const bool is_computed = size_of(computed(plan.dtype(), facts.reads)) == size_of(plan.dtype());
  const PointwiseLoop loop = is_computed ? level.loop : small_loop(level, plan.dtype());
  const int outs = plan.outputs();
  bool direct = walk.stride(0, 0) == size_of(plan.result_dtype());
  for (int k = 1; k < outs; ++k) {
    direct = direct && walk.stride(k, 0) == size_of(plan.result_dtype(k));
  }
  for (int k = 0; k < plan.inputs(); ++k) {
    direct = direct && walk.stride(outs + k, 0) == size_of(plan.input_dtype(k));
  }
  return direct ? loop : nullptr;
}

// Runs the loop directly over all operands. `sizes` are their element sizes in bytes.
void run_direct(PointwiseLoop loop, const void* functor, char* const* data, const int64_t* sizes,
                int count, int64_t numel) {
  if (numel <= kGrain) [[likely]] {
    return loop(data, numel, functor);
  }
  parallel_range(numel, [&](int64_t begin, int64_t end) {
    char* first[kMaxOperands];
    for (int k = 0; k < count; ++k) first[k] = data[k] + begin * sizes[k];
    loop(first, end - begin, functor);
  });
}

// Sets the operands' element sizes for a call of PointwiseKernel::run_flat().
void flat_sizes(const Call& call, int variant, tenon_dtype dtype, int64_t* sizes) {
  const bool is_truth = rule_of(call.facts().pointwise, variant).gives[0] == Gives::Bool;
  const int64_t size = size_of(static_cast<Dtype>(dtype));
  std::fill_n(sizes, call.form.inputs + 1, size);
  if (is_truth) sizes[0] = size_of(Dtype::Bool);
}

// A loop and its functor.
struct PlannedLoop {
  PointwiseLevel level;
  alignas(16) char functor[kMaxFunctor];
};

// A planned call whose loop processes all operands directly.
struct BoundLoop {
  PlannedLoop kept;
  Operands operands;
  int64_t numel;
  int count;                    // number of operands
  int64_t sizes[kMaxOperands];  // element sizes of the operands, in bytes

  void run(void* const* data) const {
    char* operand[kMaxOperands];
    operands.fill(data, operand);
    run_direct(kept.level.loop, kept.functor, operand, sizes, count, numel);
  }
};

// A planned call that converts operands by blocks.
struct BoundBlocks {
  PlannedLoop kept;
  Operands operands;
  PlannedBlocks blocks;

  void run(void* const* data) const {
    char* operand[kMaxOperands];
    operands.fill(data, operand);
    blocks.run(kept.level, kept.functor, operand);
  }
};

// Replaces a PointwiseKernel and records the call that it would run. `part` must be the first
// member, since bound_of() and own_of() cast it to this type.
struct PlanCapture {
  PointwiseKernel part;
  const PointwiseKernel& own;
  tenon_bound bound;
};

tenon_bound& bound_of(const PointwiseKernel& part) {
  return const_cast<PlanCapture&>(reinterpret_cast<const PlanCapture&>(part)).bound;
}
const PointwiseKernel& own_of(const PointwiseKernel& part) {
  return reinterpret_cast<const PlanCapture&>(part).own;
}

void capture_flat(const PointwiseKernel& part, const Call& call, int variant, tenon_dtype dtype,
                  char* const*, int64_t numel) {
  auto bound = std::make_unique<BoundLoop>(
      BoundLoop{{}, Operands(call.form), numel, call.form.inputs + 1, {}});
  flat_sizes(call, variant, dtype, bound->sizes);
  const Args args(call.op(), call.args, dtype, numel == 1 ? ~uint32_t{0} : 0);
  bound->kept.level =
      loop_of(own_of(part), call.facts().pointwise, args, variant, bound->kept.functor);
  bound_of(part) = make_bound(std::move(bound));
}

void capture_plan(const PointwiseKernel& part, Elementwise& plan, const Call& call, int variant) {
  const PointwiseFacts& facts = call.facts().pointwise;
  PlannedLoop kept;
  const Args args(call.op(), call.args, static_cast<tenon_dtype>(plan.dtype()), singles_of(plan));
  kept.level = loop_of(own_of(part), facts, args, variant, kept.functor);
  const Operands operands(call.form);
  if (const PointwiseLoop loop = direct_loop(plan, facts, kept.level)) {
    kept.level.loop = loop;
    auto bound = std::make_unique<BoundLoop>(
        BoundLoop{kept, operands, plan.walk().numel(), plan.outputs() + plan.inputs(), {}});
    for (int k = 0; k < bound->count; ++k) bound->sizes[k] = plan.walk().stride(k, 0);
    bound_of(part) = make_bound(std::move(bound));
  } else {
    bound_of(part) = make_bound(
        std::make_unique<BoundBlocks>(BoundBlocks{kept, operands, PlannedBlocks(plan, facts)}));
  }
}

}  // namespace

tenon_status bind_pointwise(void* ctx, const tenon_op*, tenon_keyset, tenon_stack* stack,
                            tenon_bound* out_bound) {
  return tenon::detail::guarded(&stack->error, [&] {
    const auto& form = *static_cast<const OperatorForm*>(ctx);
    const auto& own = *static_cast<const PointwiseKernel*>(form.kernel);
    PlanCapture capture{{&capture_plan, &capture_flat, own.flat}, own, {}};
    if (run_capturing(form, &capture, stack)) *out_bound = capture.bound;
  });
}

void run_flat(const PointwiseKernel& kernel, const Call& call, int variant, tenon_dtype dtype,
              char* const* data, int64_t numel) {
  const PointwiseFacts& facts = call.facts().pointwise;
  alignas(16) char functor[kMaxFunctor];
  // Only the rounding modes of div use `singles`, to test for a single divisor.
  const uint32_t singles = numel == 1 ? ~uint32_t{0} : 0;
  const Args args(call.op(), call.args, dtype, singles);
  const PointwiseLoop loop = loop_of(kernel, facts, args, variant, functor).loop;
  if (numel <= kGrain) [[likely]] {
    return loop(data, numel, functor);
  }
  int64_t sizes[kMaxOperands];
  flat_sizes(call, variant, dtype, sizes);
  run_direct(loop, functor, data, sizes, call.form.inputs + 1, numel);
}

void run_pointwise(const PointwiseKernel& kernel, Elementwise& plan, const Call& call,
                   int variant) {
  const PointwiseFacts& facts = call.facts().pointwise;
  alignas(16) char functor[kMaxFunctor];
  const Args args(call.op(), call.args, static_cast<tenon_dtype>(plan.dtype()), singles_of(plan));
  const PointwiseLevel level = loop_of(kernel, facts, args, variant, functor);
  if (const PointwiseLoop loop = direct_loop(plan, facts, level)) {
    const Walk& walk = plan.walk();
    int64_t sizes[kMaxOperands];
    const int count = plan.outputs() + plan.inputs();
    for (int k = 0; k < count; ++k) sizes[k] = walk.stride(k, 0);
    run_direct(loop, functor, walk.raw_data(), sizes, count, walk.numel());
  } else {
    run_blocks(plan, facts, level, functor);
  }
}

}  // namespace tenon::kernels::cpu
