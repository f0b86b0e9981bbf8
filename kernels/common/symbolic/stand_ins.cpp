// SPDX-License-Identifier: Apache-2.0
#include "kernels/common/symbolic/stand_ins.h"

#include "kernels/common/allocation.h"
#include "kernels/common/shape.h"

namespace tenon::kernels {

StandIns::StandIns(const Call& call) : call_(call), args_(call) {
  args_.replace([this](tenon_tensor* tensor) { return replacement(tensor); },
                [](int64_t) { return int64_t{1}; });
  for (tenon_value& arg : args_.values()) {
    if (arg.tag == TENON_TAG_SYMFLOAT) arg = tenon_value_of_float(1);
  }
}

// Returns a tensor to pass instead. 0-dim tensors, which may be numbers of another device, are
// passed unchanged, and so are empty vectors, which some operators ignore whatever the other dims.
tenon_tensor* StandIns::replacement(tenon_tensor* tensor) {
  tenon_tensor_info info;
  tenon_tensor_describe_words(tensor, &info);
  const bool is_none = info.ndim == 1 && info.sizes[0] == 0;
  if (info.ndim == 0 || is_none) return tensor;
  const std::vector<int64_t> ones(static_cast<size_t>(info.ndim), 1);
  tensors_.push_back(allocate(ones, dtype_of_info(info), Device(info.device)));
  return tensors_.back().get();
}

std::vector<Tensor> StandIns::run() {
  std::vector<tenon_value> results(static_cast<size_t>(call_.form.results), tenon_value_of_none());
  call_.facts().family->run(Call{call_.form, args_.values().data(), results.data()});
  std::vector<Tensor> made;
  for (const tenon_value& result : results) {
    if (result.tag == TENON_TAG_TENSOR) made.emplace_back(result.as.tensor);
  }
  return made;
}

}  // namespace tenon::kernels
