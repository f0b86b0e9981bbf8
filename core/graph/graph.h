// SPDX-License-Identifier: Apache-2.0
// Graph: a sequence of calls, which may have side effects, and the values that they make.
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

/// The metadata of a tensor that is known before a run.
struct TensorMeta {
  tenon_dtype dtype;
  int32_t ndim;
  tenon_device device;
  const int64_t* sizes;     // NULL if some are not numbers
  const int64_t* strides;   // NULL: unknown
  const tenon_value* dims;  // numbers and references if some sizes are not numbers; or NULL
};

/// The place where a node was recorded: one of the lines of code that led to its call.
struct Frame {
  const char* function;
  const char* file;
  uint32_t language;
  int32_t line;
};

struct Node {
  const tenon_op* op;
  const tenon_value* args;  // in the arena, including lists
  uint32_t nargs;
  uint32_t first_value;
  uint32_t nresults;
  uint32_t nframes = 0;
  const Frame* frames = nullptr;  // in the arena, the innermost first
};

struct Value {
  uint32_t kind;             // TENON_GRAPH_VALUE_*
  uint32_t source;           // number of the input, attribute or node; for an element, of its list;
                             // for a size or function, index in sizes() or functions()
  uint32_t index;            // index of a result or an element
  const TensorMeta* meta;    // NULL if unknown, or not a tensor
  const schema::Type* type;  // NULL if unknown
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

/// A call's arguments in the form that a graph keeps, before the call is known to succeed.
struct StagedCall {
  const tenon_op* op = nullptr;
  tenon_value* args = nullptr;  // in the graph's arena
  uint32_t nargs = 0;
  std::vector<tenon_value*> captured;   // retained tensors in `args` that are not values yet
  std::vector<value::OwnedValue> held;  // other handles in the arguments

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

  /// See tenon/graph.h. `known` maps tensors and symbols to values; NULL if there are none. All
  /// throw TENON_ERROR_STATE for a sealed graph.
  uint32_t add_input(tenon_tensor* tensor, std::string_view name, KnownValues* known = nullptr);
  uint32_t add_attribute(tenon_tensor& tensor, std::string_view name, KnownValues* known = nullptr);
  uint32_t add_element(int64_t list, int64_t index);
  void add_output(const tenon_value& value, KnownValues* known = nullptr);
  /// Appends a call after checking its arguments against the schema; throws like
  /// tenon_graph_append.
  uint32_t append(const tenon_op* op, std::span<const tenon_value> args);
  /// Copies an argument into the arena, with its tensors as attributes. Throws TENON_ERROR_INDEX
  /// for a reference to a value that does not exist.
  tenon_value hold(const tenon_value& value, KnownValues* known = nullptr);
  /// Returns true if an argument in the graph's form is of a type.
  bool matches(const tenon_value& value, const tenon::schema::Type& type) const;

  /// Adds an outermost frame to a node.
  void add_frame(size_t node, const tenon::graph::Frame& frame);
  /// Copies the frames of `of`, a node of another graph, to the nodes from `first` on that have
  /// none.
  void copy_frames(const tenon::graph::Node& of, size_t first);
  void copy_frames(const tenon::graph::Node& of) { copy_frames(of, nodes_.size() - 1); }
  /// Adds a size. An empty `size.name` gets a new name; `size.tensor` may be kUnbound until
  /// bind_size().
  uint32_t add_size(tenon::graph::Size size);
  /// Finds a size by name, NULL if there is none.
  const tenon::graph::Size* find_size(std::string_view name) const noexcept;
  /// Returns the name if it is valid and free, otherwise "".
  std::string free_name(std::string_view name) const;
  void bind_size(uint32_t size, uint32_t tensor, uint32_t dim) noexcept {
    sizes_[size].tensor = tensor;
    sizes_[size].dim = dim;
  }
  /// Returns the value of a function of numbers; adds it unless it exists.
  uint32_t add_function(uint32_t function, const tenon_value& a, const tenon_value& b);
  /// Like add_function(), but returns -1 if the function does not exist.
  int64_t find_function(uint32_t function, const tenon_value& a, const tenon_value& b) const;
  void add_guard(tenon::graph::Guard guard);
  /// Sets a tensor's sizes: numbers, and references to sizes and functions.
  void set_dims(uint32_t value, std::span<const tenon_value> dims);
  /// Adds the guards of the environments of known symbols.
  void take_guards(KnownValues* known);

  /// Record a call in two steps: stage() copies the arguments before the call, commit() adds the
  /// node and its results after it has succeeded. The arguments are not checked, as the call was
  /// made.
  tenon::graph::StagedCall stage(const tenon_op* op, std::span<const tenon_value> args,
                                 KnownValues* known);
  uint32_t commit(tenon::graph::StagedCall call, std::span<const tenon_value> results,
                  KnownValues* known);
  /// Makes metadata that the graph owns, for set_meta().
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
  /// Makes runs refuse inputs whose sizes differ from the recorded ones.
  void fix_sizes() noexcept { has_fixed_sizes_ = true; }
  bool has_fixed_sizes() const noexcept { return has_fixed_sizes_; }
  /// Returns true if a value is a size or function, a number that a run reads or computes.
  bool is_run_number(uint32_t value) const noexcept {
    return values_[value].kind >= TENON_GRAPH_VALUE_SIZE;
  }

  /// Returns the execution plan. The graph is sealed from then on. Throws std::bad_alloc.
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
  std::vector<tenon::value::OwnedValue> held_;  // handles in the arguments
  std::vector<const char*> frame_texts_;        // the most recent texts of frames, in the arena
  bool has_fixed_sizes_ = false;
  std::atomic<const tenon::graph::Plan*> plan_{nullptr};  // set once the graph is sealed
};

namespace tenon::graph {

using Graph = ::tenon_graph;
using GraphPtr = base::IntrusivePtr<Graph>;

/// Returns true if inputs, attributes and sizes may have that name.
bool is_identifier(std::string_view name) noexcept;

}  // namespace tenon::graph
