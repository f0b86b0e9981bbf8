// SPDX-License-Identifier: Apache-2.0
// Runs pointwise loops over a plan: at once where all operands are contiguous and of the loop's
// dtype, else by blocks.
#include "kernels/common/pointwise.h"

#include "kernels/common/element.h"
#include "kernels/cpu/conversion.h"
#include "kernels/cpu/pointwise_blocks.h"

namespace tenon::kernels::cpu {
namespace {

// The loop for the dtype of `args`, and its functor.
PointwiseLoop loop_of(const PointwiseKernel& kernel, const PointwiseFacts& facts, const Args& args,
                      int variant, char* functor) {
  const auto& table = reinterpret_cast<const PointwiseTable<1>&>(kernel);
  const int index = kComputedIndices.of[static_cast<int>(facts.reads)][args.dtype()];
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
  if (size_of(computed(plan.dtype(), facts.reads)) != size_of(plan.dtype())) return false;
  if (walk.ndim() != 1 || plan.has_casts()) return false;
  const int outs = plan.outputs();
  bool direct = walk.stride(0, 0) == size_of(plan.result_dtype());
  for (int k = 1; k < outs; ++k) {
    direct = direct && walk.stride(k, 0) == size_of(plan.result_dtype(k));
  }
  for (int k = 0; k < plan.inputs(); ++k) {
    direct = direct && walk.stride(outs + k, 0) == size_of(plan.input_dtype(k));
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
    run_blocks(plan, facts, loop, functor);
  }
}

}  // namespace tenon::kernels::cpu
