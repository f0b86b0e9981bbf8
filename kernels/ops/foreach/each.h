// SPDX-License-Identifier: Apache-2.0
// Operators on lists of tensors, each of which is another operator called for each tensor.
#pragma once

#include "kernels/common/facts.h"
#include "tenon/op.h"

namespace tenon::kernels {

// The name of an operator of aten, as an argument of a template.
struct OpName {
  char text[32] = {};
  template <int kSize>
  constexpr OpName(const char (&name)[kSize]) {
    for (int i = 0; i < kSize; ++i) text[i] = name[i];
  }
};

// What is called for each tensor: found by the first call that needs it.
struct EachTarget {
  const char* name;
  const tenon_op* op = nullptr;
  int arguments = 0;
};

// Calls the target with an element of each list among the arguments in the place of the list. Lists
// of tensors and of numbers have to be equally long. The functional form gives a list of results.
void call_for_each(const Call& call, EachTarget& target);

// Whether a call is that of a form in place.
bool is_in_place(const Call& call);

template <OpName kFunctionalName, OpName kInPlaceName>
void for_each_tensor(const Call& call) {
  static constinit EachTarget functional{kFunctionalName.text};
  static constinit EachTarget in_place{kInPlaceName.text};
  call_for_each(call, is_in_place(call) ? in_place : functional);
}

}  // namespace tenon::kernels
