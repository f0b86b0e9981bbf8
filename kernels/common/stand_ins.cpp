// SPDX-License-Identifier: Apache-2.0
#include "kernels/common/stand_ins.h"

#include "kernels/common/allocation.h"
#include "kernels/common/shape.h"
#include "tenon/symbol.h"

namespace tenon::kernels {

StandIns::StandIns(const Call& call)
    : call_(call), args_(call.args, call.args + call.form.arguments) {
  for (tenon_value& arg : args_) replace(arg);
}

void StandIns::replace(tenon_value& value) {
  value.flags &= static_cast<uint16_t>(~TENON_VALUE_MOVABLE);
  if (value.tag == TENON_TAG_TENSOR) {
    value.as.tensor = replacement(value.as.tensor);
  } else if (value.tag == TENON_TAG_TENSOR_LIST) {
    auto* const* given = static_cast<tenon_tensor* const*>(value.as.list.data);
    lists_.emplace_back(given, given + value.count);
    for (tenon_tensor*& tensor : lists_.back()) {
      if (tensor != nullptr) tensor = replacement(tensor);
    }
    value.as.list = {lists_.back().data(), nullptr};
  } else if (value.tag == TENON_TAG_SYMINT) {
    value = tenon_value_of_int(1);
  } else if (value.tag == TENON_TAG_SYMFLOAT) {
    value = tenon_value_of_float(1);
  } else if ((value.flags & TENON_VALUE_HAS_SYMBOLIC) != 0) {
    sizes_.emplace_back(value.count, 1);
    value = tenon_value_of_ints(sizes_.back().data(), value.count);
  }
}

// Those of one element that a device's number may be go as they are.
tenon_tensor* StandIns::replacement(const tenon_tensor* tensor) {
  tenon_tensor_info info;
  tenon_tensor_describe_words(tensor, &info);
  if (info.ndim == 0) return const_cast<tenon_tensor*>(tensor);
  const std::vector<int64_t> ones(static_cast<size_t>(info.ndim), 1);
  tensors_.push_back(allocate(ones, dtype_of_info(info), Device(info.device)));
  return tensors_.back().get();
}

std::vector<Tensor> StandIns::run() {
  std::vector<tenon_value> results(static_cast<size_t>(call_.form.results), tenon_value_of_none());
  call_.facts().family->run(Call{call_.form, args_.data(), results.data()});
  std::vector<Tensor> made;
  for (const tenon_value& result : results) {
    if (result.tag == TENON_TAG_TENSOR) made.emplace_back(result.as.tensor);
  }
  return made;
}

}  // namespace tenon::kernels
