// SPDX-License-Identifier: Apache-2.0
// Batching rules: how a vmap calls operators once for all of the mapped.
//
// A rule moves the mapped dims of tensors to the front, shifts the dims and sizes among the other
// arguments by one, and calls the operator, or another that does the same with a dim more.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "kernels/common/batching/facts_batching.h"
#include "kernels/common/facts.h"
#include "tenon/tenon.hpp"
#include "tenon/transforms.h"

namespace tenon::kernels {

// One form of an operator, as its rule knows it: the ctx of the rule.
struct BatchedForm {
  const Facts* facts;
  Forms kind;
  std::string name;  // "aten::add_.Tensor"
  Schema schema;
  const tenon_op* op;
  std::vector<std::string> arguments;  // their names
};

// One call in a vmap. Arguments stand in schema order, with the mapped dims in sight.
class Batch {
 public:
  Batch(const BatchedForm& form, const tenon_vmap_info& info, const int64_t* in_dims,
        tenon_stack& stack, tenon_value& out_dims);

  const BatchedForm& form() const { return form_; }
  const char* op() const { return form_.name.c_str(); }
  int64_t size() const { return size_; }
  bool is_in_place() const { return form_.kind == kInPlace; }

  // Argument k.
  tenon_value& arg(size_t k) { return args_[k]; }
  size_t count() const { return args_.size(); }
  bool is_tensor(size_t k) const { return args_[k].tag == TENON_TAG_TENSOR; }
  bool is_mapped(size_t k) const { return !list_dims(k).empty() && mapped_dim(k) >= 0; }
  int64_t mapped_dim(size_t k) const { return list_dims(k)[0]; }
  // How many dims the tensor of argument k has for each of the mapped.
  int64_t rank(size_t k) const;
  // Of argument k, which is a list: its tensors, absent ones empty, and their mapped dims.
  std::vector<Tensor> list(size_t k) const;
  std::span<const int64_t> list_dims(size_t k) const {
    const auto first = static_cast<size_t>(dims_[k]);
    return {dims_.data() + first, static_cast<size_t>(dims_[k + 1]) - first};
  }

  // Tensor k with the mapped dim in front; as it is where nothing is mapped.
  Tensor front(size_t k);
  // The same, repeated along a new first dim where nothing is mapped.
  Tensor repeated(size_t k);
  // Puts a tensor in the place of argument k.
  void put(size_t k, Tensor tensor);
  // Puts ints in the place of argument k.
  void put(size_t k, std::vector<int64_t> ints);
  // Shifts a dim that counts from either end of `rank` dims to behind the mapped one.
  int64_t shifted(int64_t dim, int64_t rank) const;

  // Calls the operator, or another one, with the arguments as they are now; results have the mapped
  // dim in front. In place, the result is the first argument as it came.
  void call();
  void call(const tenon_op* op);
  // The results, to be changed in place.
  std::span<tenon_value> results() { return {stack_.rets, stack_.nrets}; }
  void give(Tensor result, int64_t dim = 0);
  // The loop over the mapped is to serve the call.
  void decline() { declined_ = true; }
  bool is_declined() const { return declined_; }

 private:
  void give_self();

  const BatchedForm& form_;
  const int64_t size_;
  tenon_stack& stack_;
  tenon_value& out_dims_;
  std::vector<tenon_value> args_;
  // Where the dims of each argument's tensors begin, where the last one's end; these dims, -1: not
  // mapped.
  std::vector<int64_t> dims_;
  std::vector<Tensor> kept_;
  std::vector<std::vector<int64_t>> kept_ints_;
  bool declined_ = false;
};

// In place: refuses a first argument that is one for all of the mapped.
void require_mapped_self(Batch& batch);

// A view with dim `from` at `to`.
Tensor move_dim(const Tensor& tensor, int64_t from, int64_t to);
// A view with ones behind the first `front` dims, so that it has `rank` dims.
Tensor with_ones(const Tensor& tensor, int64_t front, int64_t rank);

Tensor reshaped(const Tensor& tensor, Sizes sizes);
Tensor expanded(const Tensor& tensor, Sizes sizes);

// Registers what serves one form of an operator in a vmap, unless it is served without.
void register_batching(Library& library, const Facts& facts, Forms form, const std::string& name);

}  // namespace tenon::kernels
