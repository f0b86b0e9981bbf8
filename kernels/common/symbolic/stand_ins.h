// SPDX-License-Identifier: Apache-2.0
// StandIns: a call's arguments with all dims of tensors set to 1, and all symbolic sizes replaced
// by 1. The operator's own routine checks them and determines the dtypes and devices of the
// results.
#pragma once

#include <vector>

#include "kernels/common/symbolic/replaced_args.h"

namespace tenon::kernels {

class StandIns {
 public:
  explicit StandIns(const Call& call);

  // Runs the operator's routine on Meta. Returns its results, except those that are written
  // arguments.
  std::vector<Tensor> run();

 private:
  tenon_tensor* replacement(tenon_tensor* tensor);

  const Call& call_;
  ReplacedArgs args_;
  std::vector<Tensor> tensors_;
};

}  // namespace tenon::kernels
