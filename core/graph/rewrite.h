// SPDX-License-Identifier: Apache-2.0
// Rewrite: builds a new graph from an old one, node by node.
#pragma once

#include <vector>

#include "graph/graph.h"

namespace tenon::graph {

class Rewrite {
 public:
  /// Starts a new graph with the inputs of the old one. Attributes and elements are added when
  /// used.
  explicit Rewrite(const Graph& from);

  /// Appends a node of the old graph.
  void keep(const Node& node);
  /// Appends a call with values of the new graph as arguments. Returns the first of its results.
  uint32_t append(const tenon_op* op, std::span<const tenon_value> args) {
    return to_->append(op, args);
  }
  uint32_t append_element(uint32_t list, uint32_t index) { return to_->add_element(list, index); }
  /// Returns an argument of the old graph with values of the new one, valid during the lifetime of
  /// this object. Throws TENON_ERROR_STATE for a dropped value.
  tenon_value mapped(const tenon_value& value);
  /// Returns the value of the new graph for a value of the old one.
  uint32_t map(uint32_t value);
  /// Maps a value of the old graph to `made`, with the metadata `meta`.
  void set(uint32_t value, uint32_t made, const TensorMeta* meta) {
    mapped_[value] = made;
    copy_meta(made, meta);
  }
  /// Maps a value of the old graph to the value that another one is mapped to.
  void replace(uint32_t value, uint32_t by) { mapped_[value] = map(by); }
  /// Maps a value of the old graph to a tensor, which becomes an attribute.
  void replace(uint32_t value, tensor::Tensor& tensor) {
    mapped_[value] = to_->add_attribute(tensor, {});
  }
  /// Maps a value of the old graph to an argument of the new one: a reference, a tensor, a number,
  /// or a list of these. A referenced value gets the metadata of the old one, unless more is known
  /// of it. NONE drops the value, which must not be used afterwards. Throws TENON_ERROR_TYPE for an
  /// argument of another type.
  void stand(uint32_t value, const tenon_value& by);
  /// Adds the outputs and guards of the old graph, and returns the new graph.
  GraphPtr finish();

  /// The new graph as built so far.
  Graph& to() noexcept { return *to_; }

 private:
  static constexpr uint32_t kUnknown = UINT32_MAX;
  static constexpr uint32_t kStandIn = UINT32_MAX - 1;  // mapped to an argument, see stand_ins_

  tenon_value argument(uint32_t value);

  uint32_t map_number(uint32_t value);
  bool can_map(const tenon_value& number);
  void copy_meta(uint32_t made, const TensorMeta* meta);

  const Graph& from_;
  GraphPtr to_ = base::make_intrusive<Graph>();
  std::vector<uint32_t> mapped_;
  std::vector<tenon_value> stand_ins_;  // by value; in the arena of the new graph
  bool keeps_strides_ = true;           // no result was replaced, which could change strides
  Arena arena_;
};

}  // namespace tenon::graph
