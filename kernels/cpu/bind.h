// SPDX-License-Identifier: Apache-2.0
// Calls of CPU kernels that are planned once and run on other memory, for graphs.
#pragma once

#include <memory>
#include <utility>

#include "kernels/common/call.h"
#include "kernels/common/families/routine.h"
#include "kernels/common/shape.h"

namespace tenon::kernels::cpu {

// Functions that plan the calls of a family or an operator.
tenon_status bind_pointwise(void* ctx, const tenon_op* op, tenon_keyset keys, tenon_stack* stack,
                            tenon_bound* out_bound);
tenon_status bind_fold(void* ctx, const tenon_op* op, tenon_keyset keys, tenon_stack* stack,
                       tenon_bound* out_bound);
tenon_status bind_mm(void* ctx, const tenon_op* op, tenon_keyset keys, tenon_stack* stack,
                     tenon_bound* out_bound);
tenon_status bind_bmm(void* ctx, const tenon_op* op, tenon_keyset keys, tenon_stack* stack,
                      tenon_bound* out_bound);
tenon_status bind_cat(void* ctx, const tenon_op* op, tenon_keyset keys, tenon_stack* stack,
                      tenon_bound* out_bound);
tenon_status bind_gather(void* ctx, const tenon_op* op, tenon_keyset keys, tenon_stack* stack,
                         tenon_bound* out_bound);
tenon_status bind_index(void* ctx, const tenon_op* op, tenon_keyset keys, tenon_stack* stack,
                        tenon_bound* out_bound);
tenon_status bind_copy(void* ctx, const tenon_op* op, tenon_keyset keys, tenon_stack* stack,
                       tenon_bound* out_bound);
tenon_status bind_fill(void* ctx, const tenon_op* op, tenon_keyset keys, tenon_stack* stack,
                       tenon_bound* out_bound);
tenon_status bind_layer_norm(void* ctx, const tenon_op* op, tenon_keyset keys, tenon_stack* stack,
                             tenon_bound* out_bound);
// Return the function for the four operators of softmax.h and the two of tril.h; NULL for others.
tenon_bind_fn bind_of_softmax(const Facts& facts);
tenon_bind_fn bind_of_triangle(const Facts& facts);

// Runs the routine of a form with `part` as the device's kernel, which records the plan instead of
// running it. Returns false, without running anything, if tensors other than the leading inputs
// take part.
bool run_capturing(const OperatorForm& form, const void* part, tenon_stack* stack);

// Maps the data pointers that tenon_bound.run receives to operands: results first, then inputs.
class Operands {
 public:
  explicit Operands(const OperatorForm& form)
      : inputs_(form.inputs), results_(form.results), in_place_(form.kind == kInPlace) {}

  void fill(void* const* data, char** out_operands) const {
    for (int k = 0; k < results_; ++k) {
      out_operands[k] = static_cast<char*>(data[in_place_ ? 0 : inputs_ + k]);
    }
    // Most calls have one or two inputs: too few for the memcpy that compilers make of a loop.
    char** const inputs = out_operands + results_;
    if (inputs_ > 0) inputs[0] = static_cast<char*>(data[0]);
    if (inputs_ > 1) inputs[1] = static_cast<char*>(data[1]);
    for (int k = 2; k < inputs_; ++k) inputs[k] = static_cast<char*>(data[k]);
  }

 private:
  int inputs_;
  int results_;
  bool in_place_;
};

// A tensor's metadata without its data pointer.
class BoundInfo {
 public:
  explicit BoundInfo(const tenon_tensor_info& info)
      : info_(info), sizes_(sizes_of(info)), strides_(strides_of(info)) {}

  tenon_tensor_info at(void* data) const {
    tenon_tensor_info info = info_;
    info.data = data;
    info.sizes = sizes_.begin();
    info.strides = strides_.begin();
    return info;
  }

 private:
  tenon_tensor_info info_;
  Dims sizes_;
  Dims strides_;
};

// Makes a tenon_bound of a planned call, which has a method run(void* const* data) const.
template <class Bound>
tenon_bound make_bound(std::unique_ptr<Bound> bound) {
  tenon_bound kept{};
  kept.run = [](const void* state, void* const* data) {
    tenon_error* error = nullptr;
    const tenon_status status =
        tenon::detail::guarded(&error, [&] { static_cast<const Bound*>(state)->run(data); });
    return status == TENON_OK ? TENON_OK : tenon_error_set(error);
  };
  kept.state = bound.release();
  kept.deleter = [](void* state) { delete static_cast<Bound*>(state); };
  return kept;
}

// Replaces a routine and records the call that it would run. `part` must be the first member, since
// note() casts a Routine to this type.
struct RoutineCapture {
  Routine part;
  tenon_bound bound;
};

template <class Bound>
void capture_bound(const Call& call, std::unique_ptr<Bound> bound) {
  auto& capture =
      *const_cast<RoutineCapture*>(static_cast<const RoutineCapture*>(call.form.kernel));
  capture.bound = make_bound(std::move(bound));
}

// Binds a form that is not an out form, by a routine that calls note().
template <void (*kCapture)(const Call&)>
tenon_status bind_routine(void* ctx, const tenon_op*, tenon_keyset, tenon_stack* stack,
                          tenon_bound* out_bound) {
  return tenon::detail::guarded(&stack->error, [&] {
    const auto& form = *static_cast<const OperatorForm*>(ctx);
    if (form.is_out()) return;
    RoutineCapture capture{{kCapture}, {}};
    if (run_capturing(form, &capture, stack)) *out_bound = capture.bound;
  });
}

// Binds the functional form by `kPlan`, which sets the results and returns a call to run on other
// memory, or returns an empty one and sets no results.
template <tenon_bound (*kPlan)(const Call&)>
tenon_status bind_functional(void* ctx, const tenon_op*, tenon_keyset, tenon_stack* stack,
                             tenon_bound* out_bound) {
  return tenon::detail::guarded(&stack->error, [&] {
    const auto& form = *static_cast<const OperatorForm*>(ctx);
    if (form.is_functional()) *out_bound = kPlan(Call{form, stack->args, stack->rets});
  });
}

}  // namespace tenon::kernels::cpu
