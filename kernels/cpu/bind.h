// SPDX-License-Identifier: Apache-2.0
// Calls of CPU kernels that are planned once and run on other memory: for graphs.
#pragma once

#include "kernels/common/call.h"

namespace tenon::kernels::cpu {

// What plans calls of a family or operator.
tenon_status bind_pointwise(void* ctx, const tenon_op* op, tenon_keyset keys, tenon_stack* stack,
                            tenon_bound* out_bound);
tenon_status bind_fold(void* ctx, const tenon_op* op, tenon_keyset keys, tenon_stack* stack,
                       tenon_bound* out_bound);
tenon_status bind_mm(void* ctx, const tenon_op* op, tenon_keyset keys, tenon_stack* stack,
                     tenon_bound* out_bound);

// Runs the routine of a kernel's form with another device's part than its own, which notes the plan
// in the place of running it. False, and nothing is run, where other tensors than the inputs that
// the arguments begin with take part.
bool run_noting(const OperatorForm& form, const void* part, tenon_stack* stack);

// Operands of a planned call, results first and then inputs, in what tenon_bound.run is handed.
class Operands {
 public:
  explicit Operands(const OperatorForm& form)
      : inputs_(form.inputs), results_(form.results), in_place_(form.kind == kInPlace) {}

  void fill(void* const* data, char** out_operands) const {
    for (int k = 0; k < results_; ++k) {
      out_operands[k] = static_cast<char*>(data[in_place_ ? 0 : inputs_ + k]);
    }
    for (int k = 0; k < inputs_; ++k) out_operands[results_ + k] = static_cast<char*>(data[k]);
  }

 private:
  int inputs_;
  int results_;
  bool in_place_;
};

// The planned call that `bound` is: it has run(void* const* data) const.
template <class Bound>
tenon_bound keep_bound(std::unique_ptr<Bound> bound) {
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

}  // namespace tenon::kernels::cpu
