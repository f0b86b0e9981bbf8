// SPDX-License-Identifier: Apache-2.0
// Checks that the schema declares what a call writes, and what its results alias.
#include "autograd/tensor_state.h"
#include "base/concat.h"
#include "dispatch/key_tls.h"
#include "opcheck/compare.h"
#include "schema/alias.h"

namespace tenon::opcheck {

namespace {

// The state of a tensor before the call.
struct TensorSnapshot {
  std::vector<int64_t> sizes;
  std::vector<int64_t> strides;
  const tensor::Storage* storage;
  std::vector<char> elements;

  explicit TensorSnapshot(const Tensor& tensor)
      : sizes(tensor.size_span().begin(), tensor.size_span().end()),
        strides(tensor.stride_span().begin(), tensor.stride_span().end()),
        storage(tensor.storage()),
        elements(read_bytes(tensor)) {}

  bool is_still(const Tensor& tensor) const {
    return std::ranges::equal(sizes, tensor.size_span()) &&
           std::ranges::equal(strides, tensor.stride_span()) && storage == tensor.storage() &&
           elements == read_bytes(tensor);
  }
};

std::string check_results(const Sample& sample) {
  const schema::Schema& schema = sample.schema();
  for (const Sample::SampleTensor& input : sample.inputs()) {
    const schema::Argument& argument = schema.arguments()[static_cast<size_t>(input.position)];
    const schema::SchemaPosition place{schema::SchemaPosition::kArgument, input.position};
    for (const Sample::SampleTensor& output : sample.outputs()) {
      if (!shares_memory(*input.tensor, *output.tensor)) continue;
      if (!schema::may_contain_alias(schema, {schema::SchemaPosition::kReturn, output.position},
                                     place)) {
        return base::concat("Argument ", argument.name.view(),
                            " is not defined to alias output but was aliasing");
      }
      if (input.tensor.get() == output.tensor.get() && !schema::is_mutable(schema, place)) {
        return base::concat(
            "Dispatcher operators below autograd are not allowed to directly return inputs. "
            "However, we found that `outputs[",
            output.position, "] is ", argument.name.view(), "`");
      }
    }
  }
  return {};
}

std::string check_outputs(const Sample& sample) {
  const std::vector<Sample::SampleTensor>& outputs = sample.outputs();
  for (size_t i = 0; i < outputs.size(); ++i) {
    for (size_t j = i + 1; j < outputs.size(); ++j) {
      const int64_t a = outputs[i].position, b = outputs[j].position;
      if (a == b || !shares_memory(*outputs[i].tensor, *outputs[j].tensor)) continue;
      if (!schema::may_contain_alias(sample.schema(), {schema::SchemaPosition::kReturn, a},
                                     {schema::SchemaPosition::kReturn, b})) {
        return base::concat("Outputs ", a, " and ", b, " alias unexpectedly");
      }
    }
  }
  return {};
}

}  // namespace

std::string check_schema(const tenon_op& op, Arguments args) {
  if (has_abstract(args)) return {};
  // Call below Autograd, which would return aliases of arguments instead of the arguments.
  const auto guard = dispatch::KeyGuard::exclude(autograd::kAutograd);
  Sample sample(op, args, &copy_input);
  std::vector<TensorSnapshot> before;
  for (const Sample::SampleTensor& input : sample.inputs()) before.emplace_back(*input.tensor);
  sample.call();
  if (std::string report = check_results(sample); !report.empty()) return report;
  for (size_t i = 0; i < before.size(); ++i) {
    const Sample::SampleTensor& input = sample.inputs()[i];
    const schema::SchemaPosition place{schema::SchemaPosition::kArgument, input.position};
    if (schema::is_mutable(sample.schema(), place) || before[i].is_still(*input.tensor)) continue;
    const schema::Argument& argument =
        sample.schema().arguments()[static_cast<size_t>(input.position)];
    return base::concat("Argument ", argument.name.view(),
                        " is not defined as mutable but was mutated");
  }
  return check_outputs(sample);
}

}  // namespace tenon::opcheck
