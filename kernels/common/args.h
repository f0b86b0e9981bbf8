// SPDX-License-Identifier: Apache-2.0
// Args: what an operator's rules and functors read of a call's arguments, by position.
#pragma once

#include "tenon/value.h"

namespace tenon::kernels {

class Args {
 public:
  // `op` names the operator in messages. Numbers become elements of `dtype`. Bit k of `singles`:
  // tensor k has one element.
  Args(const char* op, const tenon_value* values, tenon_dtype dtype = TENON_DTYPE_NONE,
       uint32_t singles = 0)
      : op_(op), values_(values), dtype_(dtype), singles_(singles) {}

  const char* op() const { return op_; }
  tenon_dtype dtype() const { return dtype_; }
  bool is_single(int k) const { return (singles_ >> k & 1) != 0; }
  const tenon_value& operator[](int k) const { return values_[k]; }
  bool is_none(int k) const { return values_[k].tag == TENON_TAG_NONE; }
  // Whether argument k is the integer 1.
  bool is_one(int k) const { return values_[k].tag == TENON_TAG_INT && values_[k].as.i == 1; }

  // Argument k, called `name`, as an element, computed as T; refused where it does not fit into the
  // dtype.
  template <class T>
  T number(int k, const char* name) const;
  // The same where it is computed with and not an element: any T.
  template <class T>
  T factor(int k, const char* name) const;

  // Argument k, called `name`, as one of two words: 1 and 2, 0 where it is absent.
  int choice(int k, const char* name, const char* first, const char* second) const;

 private:
  const char* op_;
  const tenon_value* values_;
  tenon_dtype dtype_;
  uint32_t singles_;
};

// Throws "<op>: <argument> must be <expected>, got <actual>".
[[noreturn, gnu::cold]] void refuse_argument(const char* op, const char* argument,
                                             const char* expected, const char* actual);

// Refuses a number `name` that would lose something in this dtype: a bool is for bools only, a
// float for floats, a complex number for complex ones.
void check_other_number(const Args& args, int k, const char* name, tenon_dtype dtype);
// Refuses a complex number `name` for a dtype that is not.
void check_factor(const Args& args, int k, const char* name, tenon_dtype dtype);
inline void check_number(const Args& args, int k, const char* name, tenon_dtype dtype) {
  if (args[k].tag != TENON_TAG_INT) check_other_number(args, k, name, dtype);
}

}  // namespace tenon::kernels
