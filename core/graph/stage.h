// SPDX-License-Identifier: Apache-2.0
// Stager: copies the arguments of one call into a graph.
#pragma once

#include "graph/graph.h"

namespace tenon::graph {

class Stager {
 public:
  /// `known` is NULL if no tensor is a value yet.
  Stager(Graph& graph, Arena& arena, KnownValues* known, StagedCall* call) noexcept
      : graph_(graph), arena_(arena), known_(known), call_(call) {}

  /// Copies a value to `out`, which is in the arena. Symbols become references to numbers of the
  /// graph. Throws TENON_ERROR_NOT_SUPPORTED for symbols if `known` is NULL, TENON_ERROR_RECURSION
  /// for lists that nest too deep, TENON_ERROR_INVALID_ARGUMENT for an unknown tag.
  void copy(const tenon_value& value, tenon_value* out, int depth = 0);

 private:
  void copy_tensor(tenon_tensor* tensor, tenon_value* out);
  void copy_list(const tenon_value& list, tenon_value* out, int depth);
  tenon_value number_of(int64_t word);
  void copy_words(std::span<const int64_t> words, tenon_value* out);
  void hold(const tenon_value& handle, tenon_value* out);

  Graph& graph_;
  Arena& arena_;
  KnownValues* const known_;
  StagedCall* const call_;
};

/// Reads the number in a wrapped number; returns false for all other tensors.
bool read_wrapped_number(const tensor::Tensor& tensor, tenon_value* out_number) noexcept;

}  // namespace tenon::graph
