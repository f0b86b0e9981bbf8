// SPDX-License-Identifier: Apache-2.0
// StandIns: a call's arguments with one element for each symbolic or other tensor, and 1 for each
// symbolic size. The operator's own routine checks these, and tells dtypes and devices of results.
#pragma once

#include <vector>

#include "kernels/common/call.h"

namespace tenon::kernels {

class StandIns {
 public:
  explicit StandIns(const Call& call);

  // Runs the operator's routine on Meta; its results, without those that are written arguments.
  std::vector<Tensor> run();

 private:
  void replace(tenon_value& value);
  tenon_tensor* replacement(const tenon_tensor* tensor);

  const Call& call_;
  std::vector<tenon_value> args_;
  std::vector<Tensor> tensors_;
  std::vector<std::vector<tenon_tensor*>> lists_;
  std::vector<std::vector<int64_t>> sizes_;
};

}  // namespace tenon::kernels
