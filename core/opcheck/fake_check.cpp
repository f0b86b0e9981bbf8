// SPDX-License-Identifier: Apache-2.0
// Checks that results on fake tensors match the real ones.
#include "autograd/tensor_state.h"
#include "base/concat.h"
#include "dispatch/argument_check.h"
#include "fake/conversion.h"
#include "opcheck/compare.h"
#include "opcheck/fake_call.h"

namespace tenon::opcheck {

namespace {

using Places = std::vector<Sample::SampleTensor>;

// Returns, for each pair of tensors, whether they share memory and whether they are one tensor.
std::vector<bool> sharing(const Places& a, const Places& b) {
  std::vector<bool> pairs;
  for (const Sample::SampleTensor& one : a) {
    for (const Sample::SampleTensor& other : b) {
      pairs.push_back(shares_memory(*one.tensor, *other.tensor));
      pairs.push_back(one.tensor.get() == other.tensor.get());
    }
  }
  return pairs;
}

std::string compare_aliasing(const Sample& real, const Sample& fake) {
  if (sharing(real.outputs(), real.inputs()) != sharing(fake.outputs(), fake.inputs())) {
    return "mismatch in which outputs are or alias inputs";
  }
  if (sharing(real.outputs(), real.outputs()) != sharing(fake.outputs(), fake.outputs())) {
    return "mismatch in which outputs alias each other";
  }
  return {};
}

std::string compare_outputs(const Places& real, const Places& fake) {
  for (size_t i = 0; i < real.size(); ++i) {
    const std::string which = real.size() == 1 ? "" : base::concat(" for output[", i, ']');
    if (autograd::requires_grad(*real[i].tensor) != autograd::requires_grad(*fake[i].tensor)) {
      return base::concat("mismatched requires_grad-ness of outputs", which,
                          ". This usually means that autograd support for the operator is "
                          "registered at a key other than Autograd");
    }
    const std::string differs = differing_description(*real[i].tensor, *fake[i].tensor);
    if (!differs.empty()) {
      return base::concat("mismatched tensor metadata", which, ": ", differs);
    }
  }
  return {};
}

}  // namespace

bool has_dynamic_shape(const tenon_op& op) {
  const dispatch::SnapshotGuard guard(&op);
  return guard.get() != nullptr && (guard.get()->traits & dispatch::kHasDynamicShape) != 0;
}

std::string compare_calls(const Sample& real, const Sample& fake) {
  std::string report;
  if (real.outputs().size() != fake.outputs().size()) {
    report = base::concat("mismatch in number of returns ", fake.outputs().size(),
                          " != ", real.outputs().size());
  }
  if (report.empty()) report = compare_outputs(real.outputs(), fake.outputs());
  if (report.empty()) report = compare_aliasing(real, fake);
  if (report.empty()) return {};
  return base::concat("When comparing the output of ", real.op().name(),
                      " on FakeTensor and concrete Tensors, found ", report);
}

std::string check_fake(const tenon_op& op, Arguments args) {
  if (has_abstract(args) || has_dynamic_shape(op)) return {};
  const auto guard = dispatch::KeyGuard::exclude(autograd::kAutograd);
  Sample real(op, args, &copy_untracked);
  const auto mode = base::make_intrusive<fake::Mode>(0u);
  Sample faked(op, real.arguments(),
               [&](Tensor& tensor) { return fake::copy_fake(tensor, mode.get()); });
  {
    const InFakeMode in_mode(mode);
    faked.call();
  }
  real.call();
  return compare_calls(real, faked);
}

}  // namespace tenon::opcheck
