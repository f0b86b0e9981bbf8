// SPDX-License-Identifier: Apache-2.0
// Graph: a sequence of calls with effects, and the values that they make.
#pragma once

#include <atomic>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/intrusive_ptr.h"
#include "dispatch/operator_entry.h"
#include "graph/arena.h"
#include "graph/known_values.h"
#include "graph/number.h"
#include "schema/schema.h"
#include "tenon/graph.h"
#include "tensor/tensor.h"
#include "value/value.h"

namespace tenon::graph {

/// What is known of a tensor before a run.
struct TensorMeta {
  tenon_dtype dtype;
  int32_t ndim;
  tenon_device device;
  const int64_t* sizes;     // NULL: some are no numbers
  const int64_t* strides;   // NULL: unknown
  const tenon_value* dims;  // where some are no numbers: sizes as numbers and references; else NULL
};

/// Where a node was recorded: one of the lines of code that its call was made from.
struct Frame {
  const char* function;
  const char* file;
  uint32_t language;
  int32_t line;
};

struct Node {
  const tenon_op* op;
  const tenon_value* args;  // in the arena; lists, too
  uint32_t nargs;
  uint32_t first_value;
  uint32_t nresults;
  uint32_t nframes = 0;
  const Frame* frames = nullptr;  // in the arena, the innermost first
};

struct Value {
  uint32_t kind;             // TENON_GRAPH_VALUE_*
  uint32_t source;           // number of the input, attribute or node; of an element, of its list;
                             // of a size or function, among sizes() or functions()
  uint32_t index;            // of a result or an element
  const TensorMeta* meta;    // NULL: unknown, or no tensor
  const schema::Type* type;  // NULL: unknown
};

struct Input {
  std::string name;
  uint32_t value;
};

struct Attribute {
  std::string name;
  tensor::TensorPtr tensor;
  uint32_t value;
};

class Plan;

/// A call's arguments as a graph keeps them, before it is known whether the call succeeds.
struct StagedCall {
  const tenon_op* op = nullptr;
  tenon_value* args = nullptr;  // in the graph's arena
  uint32_t nargs = 0;
  std::vector<tenon_value*> captured;   // tensors that are no values yet, in `args`; retained
  std::vector<value::OwnedValue> held;  // handles that the arguments name besides

  StagedCall() = default;
  StagedCall(StagedCall&&) = default;
  StagedCall& operator=(StagedCall&&) = delete;
  ~StagedCall() {
    for (tenon_value* tensor : captured) value::clear(tensor);
  }
};

}  // namespace tenon::graph

struct tenon_graph final : tenon::base::RefCounted<tenon_graph> {
 public:
  using KnownValues = tenon::graph::KnownValues;

  tenon_graph();
  ~tenon_graph();

  /// See graph.h of the C functions. `known` tells which values tensors and symbols are; NULL: none
  /// is one. All throw TENON_ERROR_STATE for a graph that is sealed.
  uint32_t add_input(tenon_tensor* tensor, std::string_view name, KnownValues* known = nullptr);
  uint32_t add_attribute(tenon_tensor& tensor, std::string_view name, KnownValues* known = nullptr);
  uint32_t add_element(int64_t list, int64_t index);
  void add_output(const tenon_value& value, KnownValues* known = nullptr);
  /// Checks arguments against the schema; throws as tenon_graph_append.
  uint32_t append(const tenon_op* op, std::span<const tenon_value> args);
  /// A copy of an argument that lies in the arena, its tensors as attributes. Throws
  /// TENON_ERROR_INDEX for a reference to no value.
  tenon_value hold(const tenon_value& value, KnownValues* known = nullptr);
  /// Whether an argument, as it is held, is of a type.
  bool matches(const tenon_value& value, const tenon::schema::Type& type) const;

  /// Adds an outermost frame to a node.
  void add_frame(size_t node, const tenon::graph::Frame& frame);
  /// Gives the last nodes, from `first` on, those that have none, the frames of another graph's.
  void copy_frames(const tenon::graph::Node& of, size_t first);
  void copy_frames(const tenon::graph::Node& of) { copy_frames(of, nodes_.size() - 1); }
  /// `size.name` "": a new one. `size.tensor` kUnbound: told later.
  uint32_t add_size(tenon::graph::Size size);
  /// NULL: there is none of that name.
  const tenon::graph::Size* find_size(std::string_view name) const noexcept;
  /// The name, or "" where it is taken or none.
  std::string free_name(std::string_view name) const;
  void bind_size(uint32_t size, uint32_t tensor, uint32_t dim) noexcept {
    sizes_[size].tensor = tensor;
    sizes_[size].dim = dim;
  }
  /// The value of a function of numbers, which may be there already.
  uint32_t add_function(uint32_t function, const tenon_value& a, const tenon_value& b);
  /// The same; -1 where it is not there.
  int64_t find_function(uint32_t function, const tenon_value& a, const tenon_value& b) const;
  void add_guard(tenon::graph::Guard guard);
  /// What is known of a tensor's sizes: numbers, and references to sizes and functions.
  void set_dims(uint32_t value, std::span<const tenon_value> dims);
  /// Guards of the environments of known symbols.
  void take_guards(KnownValues* known);

  /// A recorded call, in two steps: its arguments as they are before it, and, when it succeeded,
  /// its results. Arguments are those of a call that was made: they are not checked.
  tenon::graph::StagedCall stage(const tenon_op* op, std::span<const tenon_value> args,
                                 KnownValues* known);
  uint32_t commit(tenon::graph::StagedCall call, std::span<const tenon_value> results,
                  KnownValues* known);
  /// What is known of a tensor, kept with the graph; of a value, to be said afterwards.
  const tenon::graph::TensorMeta* new_meta(tenon_dtype dtype, const tenon_device& device,
                                           tenon::tensor::Dims sizes,
                                           const int64_t* strides = nullptr);
  const tenon::graph::TensorMeta* new_meta(tenon_dtype dtype, const tenon_device& device,
                                           std::span<const tenon_value> dims);
  void set_meta(uint32_t value, const tenon::graph::TensorMeta* meta) noexcept {
    values_[value].meta = meta;
  }
  const std::vector<tenon::graph::Node>& nodes() const noexcept { return nodes_; }
  const std::vector<tenon::graph::Value>& values() const noexcept { return values_; }
  const std::vector<tenon::graph::Input>& inputs() const noexcept { return inputs_; }
  const std::vector<tenon::graph::Attribute>& attributes() const noexcept { return attributes_; }
  const std::vector<tenon_value>& outputs() const noexcept { return outputs_; }
  const std::vector<tenon::graph::Size>& sizes() const noexcept { return sizes_; }
  const std::vector<tenon::graph::Function>& functions() const noexcept { return functions_; }
  const std::vector<tenon::graph::Guard>& guards() const noexcept { return guards_; }
  /// Runs refuse inputs of other sizes than those that are known.
  void fix_sizes() noexcept { has_fixed_sizes_ = true; }
  bool has_fixed_sizes() const noexcept { return has_fixed_sizes_; }
  /// Whether a value is a number that a run reads or calculates, not a tensor's.
  bool is_run_number(uint32_t value) const noexcept {
    return values_[value].kind >= TENON_GRAPH_VALUE_SIZE;
  }

  /// How it runs; from then on it does not change. Throws std::bad_alloc.
  const tenon::graph::Plan& plan();

 private:
  void check_open(const char* function) const;
  uint32_t add_value(const tenon::graph::Value& value);
  const char* frame_text(const char* text);
  const tenon::graph::TensorMeta* meta_of(const tenon_tensor& tensor);
  void describe(uint32_t value, const tenon_tensor& tensor, KnownValues* known);
  uint32_t capture(tenon_tensor& tensor, KnownValues* known);
  void capture_all(tenon::graph::StagedCall& call, KnownValues* known);
  void check_references(const tenon_value& value) const;
  uint16_t number_tag(const tenon_value& value) const;
  uint32_t push_node(const tenon::graph::StagedCall& call, size_t nresults);

  tenon::graph::Arena arena_;
  std::vector<tenon::graph::Node> nodes_;
  std::vector<tenon::graph::Value> values_;
  std::vector<tenon::graph::Input> inputs_;
  std::vector<tenon::graph::Attribute> attributes_;
  std::vector<tenon_value> outputs_;  // in the arena
  std::vector<tenon::graph::Size> sizes_;
  std::vector<tenon::graph::Function> functions_;
  std::vector<tenon::graph::Guard> guards_;
  std::unordered_multimap<uint64_t, uint32_t> functions_by_hash_;
  std::vector<tenon::value::OwnedValue> held_;  // handles that arguments name
  std::vector<const char*> frame_texts_;        // those of the last frames, in the arena
  bool has_fixed_sizes_ = false;
  std::atomic<const tenon::graph::Plan*> plan_{nullptr};  // set: sealed
};

namespace tenon::graph {

using Graph = ::tenon_graph;
using GraphPtr = base::IntrusivePtr<Graph>;

/// Whether inputs, attributes and sizes may have that name.
bool is_identifier(std::string_view name) noexcept;

}  // namespace tenon::graph
