// SPDX-License-Identifier: Apache-2.0
// Rewrite: a new graph made of an old one, node by node.
#pragma once

#include <vector>

#include "graph/graph.h"

namespace tenon::graph {

class Rewrite {
 public:
  /// The new graph has the inputs of the old one. Attributes and elements follow where they are
  /// used.
  explicit Rewrite(const Graph& from);

  /// Appends a node of the old graph.
  void keep(const Node& node);
  /// Appends a call with values of the new graph as its arguments; the first of its results.
  uint32_t append(const tenon_op* op, std::span<const tenon_value> args) {
    return to_->append(op, args);
  }
  uint32_t append_element(uint32_t list, uint32_t index) { return to_->add_element(list, index); }
  /// An argument of the old graph with values of the new one, valid for as long as this is there.
  /// Throws TENON_ERROR_STATE for one that was dropped.
  tenon_value mapped(const tenon_value& value);
  /// What a value of the old graph is in the new one.
  uint32_t map(uint32_t value);
  /// Makes it another one, with what is known of it.
  void set(uint32_t value, uint32_t made, const TensorMeta* meta) {
    mapped_[value] = made;
    copy_meta(made, meta);
  }
  /// Says what a value of the old graph is in the new one, as another value of the old one.
  void replace(uint32_t value, uint32_t by) { mapped_[value] = map(by); }
  /// The same as a tensor.
  void replace(uint32_t value, tensor::Tensor& tensor) {
    mapped_[value] = to_->add_attribute(tensor, {});
  }
  /// The same as an argument of the new graph: a reference, which takes over what is known of the
  /// value unless more is known of itself, a tensor, a number, or a list of such; none: nothing may
  /// use the value any more. Throws TENON_ERROR_TYPE for one of another type.
  void stand(uint32_t value, const tenon_value& by);
  /// The outputs and guards of the old one, and the graph.
  GraphPtr finish();

  /// The new graph, as far as it has come.
  Graph& to() noexcept { return *to_; }

 private:
  static constexpr uint32_t kUnknown = UINT32_MAX;
  static constexpr uint32_t kStandIn = UINT32_MAX - 1;  // it is no value, but in stand_ins_

  tenon_value argument(uint32_t value);

  uint32_t map_number(uint32_t value);
  bool can_map(const tenon_value& number);
  void copy_meta(uint32_t made, const TensorMeta* meta);

  const Graph& from_;
  GraphPtr to_ = base::make_intrusive<Graph>();
  std::vector<uint32_t> mapped_;
  std::vector<tenon_value> stand_ins_;  // by value; in the arena of the new graph
  bool keeps_strides_ = true;           // nothing stands for a result, which may be laid out anew
  Arena arena_;
};

}  // namespace tenon::graph
