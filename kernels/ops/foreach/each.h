// SPDX-License-Identifier: Apache-2.0
// Operators on lists of tensors that call another operator for each tensor.
#pragma once

#include "kernels/common/facts.h"
#include "tenon/op.h"

namespace tenon::kernels {

// The name of an operator of aten, as a template argument.
struct OpName {
  char text[32] = {};
  template <int kSize>
  constexpr OpName(const char (&name)[kSize]) {
    for (int i = 0; i < kSize; ++i) text[i] = name[i];
  }
};

// The operator to call for each tensor. The first call finds it.
struct EachTarget {
  const char* name;
  const tenon_op* op = nullptr;
  int arguments = 0;
};

// Calls the target with one element of each list argument in place of the list. Lists of tensors
// and of numbers must have equal lengths. The functional form returns a list of results.
void call_for_each(const Call& call, EachTarget& target);

// Returns true if the call is of an in-place form.
bool is_in_place(const Call& call);

template <OpName kFunctionalName, OpName kInPlaceName>
void for_each_tensor(const Call& call) {
  static constinit EachTarget functional{kFunctionalName.text};
  static constinit EachTarget in_place{kInPlaceName.text};
  call_for_each(call, is_in_place(call) ? in_place : functional);
}

}  // namespace tenon::kernels
