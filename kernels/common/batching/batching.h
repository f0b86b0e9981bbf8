// SPDX-License-Identifier: Apache-2.0
// Batching rules: how a vmap calls an operator once for the whole batch.
//
// A rule moves the mapped dims of tensors to the front, shifts the dims and sizes among the other
// arguments by one, and calls the operator, or an equivalent one with an additional dim.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "kernels/common/batching/facts_batching.h"
#include "kernels/common/facts.h"
#include "tenon/tenon.hpp"
#include "tenon/transforms.h"

namespace tenon::kernels {

// One form of an operator: the ctx of its batching rule.
struct BatchedForm {
  const Facts* facts;
  Forms kind;
  std::string name;  // "aten::add_.Tensor"
  Schema schema;
  const tenon_op* op;
  std::vector<std::string> arguments;  // argument names, in schema order
};

// One call in a vmap. Arguments are in schema order; tensors include their mapped dims.
class Batch {
 public:
  Batch(const BatchedForm& form, const tenon_vmap_info& info, const int64_t* in_dims,
        tenon_stack& stack, tenon_value& out_dims);

  const BatchedForm& form() const { return form_; }
  const char* op() const { return form_.name.c_str(); }
  int64_t size() const { return size_; }
  bool is_in_place() const { return form_.kind == kInPlace; }

  // Returns argument k.
  tenon_value& arg(size_t k) { return args_[k]; }
  size_t count() const { return args_.size(); }
  bool is_tensor(size_t k) const { return args_[k].tag == TENON_TAG_TENSOR; }
  bool is_mapped(size_t k) const { return !list_dims(k).empty() && mapped_dim(k) >= 0; }
  int64_t mapped_dim(size_t k) const { return list_dims(k)[0]; }
  // Returns the number of dims of tensor argument k, without the mapped one.
  int64_t rank(size_t k) const;
  // Return the tensors of list argument k, with absent ones empty, and their mapped dims.
  std::vector<Tensor> list(size_t k) const;
  std::span<const int64_t> list_dims(size_t k) const {
    const auto first = static_cast<size_t>(dims_[k]);
    return {dims_.data() + first, static_cast<size_t>(dims_[k + 1]) - first};
  }

  // Returns tensor k with the mapped dim in front, or unchanged if it is not mapped.
  Tensor front(size_t k);
  // Like front(), but expands a tensor that is not mapped along a new first dim.
  Tensor repeated(size_t k);
  // Replaces argument k by a tensor.
  void put(size_t k, Tensor tensor);
  // Replaces argument k by a list of ints.
  void put(size_t k, std::vector<int64_t> ints);
  // Wraps a dim of a tensor of `rank` dims and shifts it past the mapped dim.
  int64_t shifted(int64_t dim, int64_t rank) const;

  // Calls the operator, or another one, with the current arguments. The results have the mapped dim
  // in front. In place, the result is the original first argument.
  void call();
  void call(const tenon_op* op);
  // Returns the results, which may be changed in place.
  std::span<tenon_value> results() { return {stack_.rets, stack_.nrets}; }
  void give(Tensor result, int64_t dim = 0);
  // Leaves the call to the fallback that loops over the batch.
  void decline() { declined_ = true; }
  bool is_declined() const { return declined_; }

 private:
  void give_self();

  const BatchedForm& form_;
  const int64_t size_;
  tenon_stack& stack_;
  tenon_value& out_dims_;
  std::vector<tenon_value> args_;
  // First an offset into this vector for each argument, and an end offset; then the mapped dims
  // that the offsets refer to, one per tensor, or -1 if the tensor is not mapped.
  std::vector<int64_t> dims_;
  std::vector<Tensor> kept_;
  std::vector<std::vector<int64_t>> kept_ints_;
  bool declined_ = false;
};

// Refuses an in-place call whose first argument is not mapped.
void require_mapped_self(Batch& batch);

// Returns a view with dim `from` moved to `to`.
Tensor move_dim(const Tensor& tensor, int64_t from, int64_t to);
// Returns a view of `rank` dims, with dims of size 1 added after the first `front` dims.
Tensor with_ones(const Tensor& tensor, int64_t front, int64_t rank);

Tensor reshaped(const Tensor& tensor, Sizes sizes);
Tensor expanded(const Tensor& tensor, Sizes sizes);

// Registers the batching rule of one form of an operator, if it needs one.
void register_batching(Library& library, const Facts& facts, Forms form, const std::string& name);

}  // namespace tenon::kernels
