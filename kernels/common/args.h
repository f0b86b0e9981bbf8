// SPDX-License-Identifier: Apache-2.0
// Args: what an operator's rules and functors read of a call's arguments, by position.
#pragma once

#include "tenon/value.h"

namespace tenon::kernels {

class Args {
 public:
  // `op` names the operator in messages. Numbers become elements of `dtype`.
  Args(const char* op, const tenon_value* values, tenon_dtype dtype = TENON_DTYPE_NONE)
      : op_(op), values_(values), dtype_(dtype) {}

  const char* op() const { return op_; }
  const tenon_value& operator[](int k) const { return values_[k]; }
  bool is_none(int k) const { return values_[k].tag == TENON_TAG_NONE; }
  // Whether argument k is the integer 1.
  bool is_one(int k) const { return values_[k].tag == TENON_TAG_INT && values_[k].as.i == 1; }

  // Argument k, called `name`, as an element, computed as T; refused where it does not fit into the
  // dtype.
  template <class T>
  T number(int k, const char* name) const;

 private:
  const char* op_;
  const tenon_value* values_;
  tenon_dtype dtype_;
};

// Refuses a number `name` that would lose something in this dtype: a bool is for bools only, a
// float for floats, a complex number for complex ones.
void check_number(const Args& args, int k, const char* name, tenon_dtype dtype);

}  // namespace tenon::kernels
