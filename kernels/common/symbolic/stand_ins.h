// SPDX-License-Identifier: Apache-2.0
// StandIns: a call's arguments with one element for each symbolic or other tensor, and 1 for each
// symbolic size. The operator's own routine checks these, and tells dtypes and devices of results.
#pragma once

#include <vector>

#include "kernels/common/symbolic/replaced_args.h"

namespace tenon::kernels {

class StandIns {
 public:
  explicit StandIns(const Call& call);

  // Runs the operator's routine on Meta; its results, without those that are written arguments.
  std::vector<Tensor> run();

 private:
  tenon_tensor* replacement(tenon_tensor* tensor);

  const Call& call_;
  ReplacedArgs args_;
  std::vector<Tensor> tensors_;
};

}  // namespace tenon::kernels
