// SPDX-License-Identifier: Apache-2.0
// Stager: copies the arguments of one call into a graph.
#pragma once

#include "graph/graph.h"

namespace tenon::graph {

class Stager {
 public:
  /// `known` NULL: no tensor is a value yet.
  Stager(Arena& arena, const IdentityMap* known, StagedCall* call) noexcept
      : arena_(arena), known_(known), call_(call) {}

  /// Writes to `out`, which is in the arena. Throws TENON_ERROR_NOT_SUPPORTED for symbols,
  /// TENON_ERROR_RECURSION for lists that nest too deep, TENON_ERROR_INVALID_ARGUMENT for an
  /// unknown tag.
  void copy(const tenon_value& value, tenon_value* out, int depth = 0);

 private:
  void copy_tensor(tenon_tensor* tensor, tenon_value* out);
  void copy_list(const tenon_value& list, tenon_value* out, int depth);
  void hold(const tenon_value& handle, tenon_value* out);

  Arena& arena_;
  const IdentityMap* const known_;
  StagedCall* const call_;
};

/// The number that a wrapped number is; false for all other tensors.
bool read_wrapped_number(const tensor::Tensor& tensor, tenon_value* out_number) noexcept;

}  // namespace tenon::graph
