// SPDX-License-Identifier: Apache-2.0
// Sample: one call of an operator with other tensors substituted for its arguments.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "dispatch/own_arguments.h"
#include "opcheck/opcheck.h"
#include "schema/schema.h"
#include "value/value.h"

namespace tenon::opcheck {

using tensor::Tensor;
using tensor::TensorPtr;

class Sample {
 public:
  using Replace = std::function<TensorPtr(Tensor&)>;
  /// A tensor among the arguments or results, and the index of that argument or result.
  struct SampleTensor {
    int64_t position;
    TensorPtr tensor;
  };

  /// Copies the arguments and replaces each tensor by `replace(tensor)`; a tensor that occurs twice
  /// is replaced by the same tensor. Throws TENON_ERROR_TYPE for arguments that do not fit the
  /// schema, and the errors of `replace`.
  Sample(const tenon_op& op, Arguments args, const Replace& replace);
  ~Sample();
  Sample(const Sample&) = delete;
  Sample& operator=(const Sample&) = delete;

  /// Makes the call: call() computes its keys, redispatch() uses the given ones. Throws the
  /// operator's errors.
  void call();
  void redispatch(tenon_keyset keys);

  const tenon_op& op() const noexcept { return op_; }
  const schema::Schema& schema() const noexcept { return *schema_; }
  std::span<const tenon_value> arguments() noexcept { return args_.values(); }
  const std::vector<SampleTensor>& inputs() const noexcept { return inputs_; }
  /// Valid after the call.
  const std::vector<SampleTensor>& outputs() const noexcept { return outputs_; }
  /// Returns the index in inputs() of the tensor that a result is; inputs().size() if it is none.
  size_t input_that_is(const Tensor& output) const noexcept;

 private:
  tenon_stack stack() noexcept;
  void finish(tenon_status status);

  const tenon_op& op_;
  const schema::SchemaPtr schema_;
  dispatch::OwnArguments args_;
  std::vector<tenon_value> results_;
  std::vector<SampleTensor> inputs_;
  std::vector<SampleTensor> outputs_;
};

/// Returns a copy with the same sizes, strides and elements.
TensorPtr copy_untracked(Tensor& tensor);
/// Like copy_untracked(), but the copy requires grad if the tensor does.
TensorPtr copy_input(Tensor& tensor);

/// Returns true if some tensor is abstract, such as a fake or Meta tensor: it has no memory, so
/// results of the operator cannot be checked.
bool has_abstract(Arguments args);

/// Calls `each(Tensor&)` for the tensors in a value.
template <class Each>
void each_tensor(const tenon_value& value, Each&& each) {
  if (value.tag == TENON_TAG_TENSOR) {
    if (value.as.tensor != nullptr && !value.as.tensor->is_undefined()) each(*value.as.tensor);
  } else if (value.tag == TENON_TAG_TENSOR_LIST) {
    for (uint32_t i = 0; i < value.count; ++i) {
      if (Tensor* tensor = value::tensors(value)[i]) each(*tensor);
    }
  } else if (value::is_value_list(value.tag)) {
    for (uint64_t i = 0; i < value::element_count(value); ++i) {
      each_tensor(value::elements(value)[i], each);
    }
  }
}

}  // namespace tenon::opcheck
