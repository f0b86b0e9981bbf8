// SPDX-License-Identifier: Apache-2.0
// Graphs: functions that were recorded, run, changed, saved, and called as operators.
//
//   Graph graph = Graph::record(model, {x, w});   // model takes a span of Tensors
//   graph.save("model.tenon");
//   std::vector<Tensor> y = Graph::load("model.tenon").run({x, w});
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tenon/graph.h"
#include "tenon/hpp/error.hpp"
#include "tenon/hpp/library.hpp"
#include "tenon/hpp/op.hpp"
#include "tenon/hpp/tensor.hpp"
#include "tenon/hpp/value.hpp"

namespace tenon::inline hpp {

// A recorded computation. Cheap to copy; copies are the same graph.
class Graph {
 public:
  // An empty graph, to be built by hand.
  Graph() { check(tenon_graph_new(&handle_)); }
  // Takes over a reference.
  explicit Graph(tenon_graph* handle) noexcept : handle_(handle) {}
  Graph(const Graph& other) noexcept : handle_(tenon_graph_retain(other.handle_)) {}
  Graph(Graph&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Graph& operator=(Graph other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~Graph() { tenon_graph_release(handle_); }

  tenon_graph* get() const noexcept { return handle_; }

  // Records the calls of the thread while it lives. See tenon_graph_begin for the flags.
  class Recording {
   public:
    explicit Recording(uint32_t flags = TENON_GRAPH_BELOW_AUTOGRAD) {
      check(tenon_graph_begin(flags, &handle_));
    }
    ~Recording() {
      // Out of order it stays on: a destructor cannot say so.
      if (tenon_graph_end(handle_) != TENON_OK) tenon_error_release(tenon_error_take());
      tenon_graph_release(handle_);
    }
    Recording(const Recording&) = delete;
    Recording& operator=(const Recording&) = delete;
    Graph graph() const noexcept { return Graph(tenon_graph_retain(handle_)); }

   private:
    tenon_graph* handle_ = nullptr;
  };

  // Runs a function of a span of tensors, which returns a vector of them, once, and gives the graph
  // of its calls. What the function throws comes out as it is.
  template <class F>
  static Graph record(F&& function, const std::vector<Tensor>& inputs,
                      uint32_t flags = TENON_GRAPH_BELOW_AUTOGRAD) {
    const Recording recording(flags);
    Graph graph = recording.graph();
    for (const Tensor& input : inputs) graph.add_input({}, &input);
    const std::vector<Tensor> outputs = std::forward<F>(function)(std::span<const Tensor>(inputs));
    for (const Tensor& output : outputs) graph.add_output(Value(output));
    return graph;
  }

  // A value of a graph, as an argument or output.
  static Value ref(int64_t value) { return Value(tenon_value_of_number(TENON_TAG_REF, value)); }

  // Adds an input, an attribute, a call or an output; gives the number of the (first) value.
  int64_t add_input(const std::string& name = {}, const Tensor* like = nullptr) {
    int64_t value = -1;
    check(tenon_graph_add_input(handle_, like != nullptr ? like->get() : nullptr,
                                name.empty() ? nullptr : name.c_str(), &value));
    return value;
  }
  int64_t add_attribute(const Tensor& tensor, const std::string& name = {}) {
    int64_t value = -1;
    check(tenon_graph_add_attribute(handle_, tensor.get(), name.empty() ? nullptr : name.c_str(),
                                    &value));
    return value;
  }
  int64_t append(const Op& op, const std::vector<Value>& arguments) {
    std::vector<tenon_value> borrowed;
    for (const Value& each : arguments) borrowed.push_back(each.get());
    int64_t value = -1;
    check(tenon_graph_append(handle_, op.get(), borrowed.data(),
                             static_cast<int64_t>(borrowed.size()), &value));
    return value;
  }
  int64_t add_element(int64_t list, int64_t index) {
    int64_t value = -1;
    check(tenon_graph_add_element(handle_, list, index, &value));
    return value;
  }
  void add_output(const Value& value) { check(tenon_graph_add_output(handle_, &value.get())); }

  int64_t input_count() const noexcept { return tenon_graph_input_count(handle_); }
  int64_t attribute_count() const noexcept { return tenon_graph_attribute_count(handle_); }
  int64_t node_count() const noexcept { return tenon_graph_node_count(handle_); }
  int64_t output_count() const noexcept { return tenon_graph_output_count(handle_); }
  int64_t value_count() const noexcept { return tenon_graph_value_count(handle_); }
  tenon_graph_node node(int64_t index) const {
    tenon_graph_node node{};
    node.struct_size = sizeof node;
    check(tenon_graph_get_node(handle_, index, &node));
    return node;
  }
  tenon_graph_value value(int64_t index) const {
    tenon_graph_value value{};
    value.struct_size = sizeof value;
    check(tenon_graph_get_value(handle_, index, &value));
    return value;
  }

  // Runs the graph, whose outputs are tensors.
  std::vector<Tensor> run(const std::vector<Tensor>& inputs) const {
    std::vector<tenon_value> arguments;
    for (const Tensor& input : inputs) arguments.push_back(tenon_value_of_tensor(input.get()));
    std::vector<tenon_value> rets(static_cast<size_t>(output_count()));
    tenon_stack stack{};
    stack.args = arguments.data();
    stack.nargs = static_cast<uint32_t>(arguments.size());
    stack.rets = rets.data();
    stack.nrets = static_cast<uint32_t>(rets.size());
    check(tenon_graph_run(handle_, &stack));
    std::vector<Value> results;
    for (const tenon_value& ret : rets) results.emplace_back(ret);
    std::vector<Tensor> tensors;
    for (const Value& result : results) tensors.push_back(result.tensor());
    return tensors;
  }

  // Defines an operator that runs the graph.
  Op define(const Library& library, const std::string& name) const {
    const tenon_op* op = nullptr;
    check(tenon_graph_define(handle_, library.get(), name.c_str(), &op));
    return Op(op);
  }
  // A new graph by passes, TENON_GRAPH_FOLD_CONSTANTS and the like.
  Graph transform(uint32_t passes) const {
    tenon_graph* made = nullptr;
    check(tenon_graph_transform(handle_, passes, &made));
    return Graph(made);
  }
  // A new graph that writes to nothing but inputs and attributes, at its end. `flags`:
  // TENON_GRAPH_REMOVE_VIEWS.
  Graph functionalize(uint32_t flags = 0) const {
    tenon_graph* made = nullptr;
    check(tenon_graph_functionalize(handle_, flags, &made));
    return Graph(made);
  }

  std::string text() const {
    tenon_buffer* buffer = nullptr;
    check(tenon_graph_print(handle_, &buffer));
    std::string text(static_cast<const char*>(tenon_buffer_data(buffer)),
                     static_cast<size_t>(tenon_buffer_size(buffer)));
    tenon_buffer_release(buffer);
    return text;
  }
  static Graph parse(std::string_view text, const std::vector<Tensor>& attributes = {}) {
    std::vector<tenon_tensor*> handles;
    for (const Tensor& attribute : attributes) handles.push_back(attribute.get());
    tenon_graph* graph = nullptr;
    check(tenon_graph_parse(text.data(), static_cast<int64_t>(text.size()), handles.data(),
                            static_cast<int64_t>(handles.size()), &graph));
    return Graph(graph);
  }
  void save(const std::string& path) const { check(tenon_graph_save(handle_, path.c_str())); }
  static Graph load(const std::string& path) {
    tenon_graph* graph = nullptr;
    check(tenon_graph_load(path.c_str(), &graph));
    return Graph(graph);
  }

 private:
  tenon_graph* handle_ = nullptr;
};

}  // namespace tenon::inline hpp
