// SPDX-License-Identifier: Apache-2.0
// Call: one call of a registered operator, as a family's routine sees it.
#pragma once

#include "kernels/common/args.h"
#include "kernels/common/facts.h"
#include "tenon/tenon.hpp"

namespace tenon::kernels {

struct Call;

// The valid codes of an enumeration, one bit each; 0 for a type that is not an enumeration. Layouts
// are left out because check_options() refuses them with a reason.
template <class T>
inline constexpr uint64_t kCodes = 0;
template <class T>
inline constexpr uint64_t kCodes<std::optional<T>> = kCodes<T>;
template <>
inline constexpr uint64_t kCodes<Dtype> = [] {
  uint64_t codes = 0;
  for (tenon_dtype code = 0; code < 64; ++code) {
    if (size_of(static_cast<Dtype>(code)) != 0) codes |= uint64_t{1} << code;
  }
  return codes;
}();
template <>
inline constexpr uint64_t kCodes<MemoryFormat> = (uint64_t{1}
                                                  << (TENON_MEMORY_FORMAT_CHANNELS_LAST_3D + 1)) -
                                                 1;

// Serves a call with symbolic sizes: sets the results, or calls other operators that do.
using SymbolicRule = void (*)(const Call& call);

// One form of an operator for one device: the ctx of its kernel.
struct OperatorForm {
  const Facts* facts;
  const void* kernel;  // the device's kernel, of the family's type; NULL without a device
  std::string name;    // "aten::add_.Tensor"
  Schema schema;
  Forms kind;
  int arguments;  // number of arguments in the schema, written ones included
  int results;
  // Number of leading tensor arguments, except those of the out form that are only written.
  int inputs;
  // Position of the first argument that is written, or -1 for the functional form. The in-place
  // form writes one argument; the outs of the out form are the last arguments.
  int written;
  // Positions of the arguments with these names, or -1.
  int dim = -1;
  int keepdim = -1;
  int dtype = -1;
  // The operator that this form calls: the same form of Facts::tensor_form, or, for the copy of a
  // view, the view. NULL for most forms.
  const tenon_op* target = nullptr;
  int target_arguments = 0;
  static constexpr int kMaxArguments = 16;
  const char* names[kMaxArguments] = {};  // argument names, borrowed from the schema

  int options = -1;        // position of the first of a factory's options, or -1
  int memory_format = -1;  // position of the argument of this name, or -1
  bool is_small = false;   // not an out form, one result, at most two tensors, no mask

  SymbolicRule symbolic = nullptr;  // NULL: the form needs concrete sizes

  bool is_functional() const { return written < 0; }
  bool is_copy() const { return (kind & (kCopy | kCopyOut)) != 0; }
  bool is_out() const { return written > 0; }
};

// Arguments are in schema order and borrowed. The routine of a functional form stores each result
// as a new reference. The results of the other forms are their written arguments, and the routine
// need not store them.
struct Call {
  const OperatorForm& form;
  const tenon_value* args;
  tenon_value* results;

  const Facts& facts() const { return *form.facts; }
  const char* op() const { return form.name.c_str(); }
  // Returns argument k, which the schema declares as a tensor.
  tenon_tensor* tensor(int k) const {
    if (args[k].tag != TENON_TAG_TENSOR) [[unlikely]] {
      refuse_tag(k);
    }
    return args[k].as.tensor;
  }
  [[noreturn, gnu::cold]] void refuse_tag(int k) const;
  // Calls the target with the leading values of `args`. The caller clears the result.
  tenon_value call_target(const tenon_value* args) const;
  // Refuses the code of argument k, which is not in its enumeration. Returns if the argument does
  // not hold a code.
  [[gnu::cold]] void refuse_code(int k) const;
  // Returns argument k as a C++ type of tenon.hpp: Sizes, std::optional<Dtype>, TensorList and so
  // on. Refuses an integer that is not a dtype or memory format: callers may pass any int64.
  template <class T>
  decltype(auto) get(int k) const {
    if constexpr (constexpr uint64_t kAll = kCodes<T>; kAll != 0) {
      const auto code = static_cast<uint64_t>(args[k].as.i);
      if (code >= 64 || (kAll >> code & 1) == 0) [[unlikely]] {
        refuse_code(k);
      }
    }
    return tenon::detail::Lowering<T>::from_value(args[k], static_cast<size_t>(k));
  }
  // Returns the k-th written argument, or NULL in the functional form.
  tenon_tensor* written(int k = 0) const {
    return form.is_functional() ? nullptr : tensor(form.written + k);
  }
  void give(int k, Tensor result) const {
    // Field by field: see put_head in entry.cpp.
    results[k].tag = TENON_TAG_TENSOR;
    results[k].flags = TENON_VALUE_OWNED;
    results[k].count = 0;
    results[k].as.tensor = result.release();
  }
  void give(int k, const std::vector<Tensor>& tensors) const {
    results[k] = Value(tensors).release();
  }
};

}  // namespace tenon::kernels
