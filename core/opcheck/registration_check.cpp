// SPDX-License-Identifier: Apache-2.0
// Checks that gradients of an operator, if any, come from a kernel at an Autograd key.
#include "autograd/tensor_state.h"
#include "base/concat.h"
#include "dispatch/call_path.h"
#include "introspect/introspect.h"
#include "opcheck/sample.h"

namespace tenon::opcheck {

namespace {

// Returns true if the operator itself has an Autograd kernel or a composite, not just a fallback
// for all operators.
bool has_own_autograd(const Sample& sample) {
  for (const Sample::SampleTensor& input : sample.inputs()) {
    const auto backend = static_cast<tenon_key>(input.tensor->device().type);
    const tenon_key key = TENON_KEY_AUTOGRAD_CPU | backend << 8;
    switch (introspect::slot_info(sample.op(), key).provenance) {
      case TENON_PROVENANCE_KERNEL:
      case TENON_PROVENANCE_MATH_KERNEL:
      case TENON_PROVENANCE_AUTOGRAD_KERNEL:
        return true;
      default:
        break;
    }
  }
  return false;
}

bool any_requires_grad(const std::vector<Sample::SampleTensor>& places) {
  for (const Sample::SampleTensor& each : places) {
    if (autograd::requires_grad(*each.tensor)) return true;
  }
  return false;
}

}  // namespace

std::string check_autograd_registration(const tenon_op& op, Arguments args) {
  if (has_abstract(args)) return {};
  Sample sample(op, args, &copy_input);
  if (!any_requires_grad(sample.inputs()) || has_own_autograd(sample)) return {};
  tenon_keyset keys = 0;
  const Arguments copies = sample.arguments();
  if (dispatch::compute_keys(&op, copies.data(), static_cast<int64_t>(copies.size()), &keys) !=
      TENON_OK) {
    throw Error(base::take_current_error());
  }
  // Call below Autograd, as if no fallback were registered there. Operators that the kernel calls
  // may still be recorded.
  sample.redispatch(keys & ~autograd::kAutograd);
  for (const Sample::SampleTensor& output : sample.outputs()) {
    const bool is_input = sample.input_that_is(*output.tensor) < sample.inputs().size();
    if (is_input || !autograd::requires_grad(*output.tensor)) continue;
    return base::concat(
        op.name(),
        ": at least one output of this operator has requires_grad=True but the operator does not "
        "have an autograd kernel defined at an autograd key (e.g. Autograd). This could mean that "
        "an autograd kernel is registered to a key of a backend, which may lead to silently "
        "incorrect results. An operator that consists of other operators should be registered as "
        "CompositeImplicitAutograd; a Function that is registered to a backend's key should be "
        "registered to the Autograd key");
  }
  return {};
}

}  // namespace tenon::opcheck
