// SPDX-License-Identifier: Apache-2.0
// Graphs: recorded functions, which can be run, transformed, saved, and called as operators.
//
//   Graph graph = Graph::record(model, {x, w});   // model takes a span of Tensors
//   graph.save("model.tenon");
//   std::vector<Tensor> y = Graph::load("model.tenon").run({x, w});
//
//   Graph smaller = graph.rewrite([](GraphCall& call) {  // a custom pass
//     if (call.name() == "aten::relu") call.replace(call.arg(0));
//   });
#pragma once

#if __cplusplus <= 201703L
#error "tenon/hpp/graph.hpp needs C++20: compile with -std=c++20 or later"
#else

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "tenon/graph.h"
#include "tenon/graph_size.h"
#include "tenon/hpp/error.hpp"
#include "tenon/hpp/fake.hpp"
#include "tenon/hpp/library.hpp"
#include "tenon/hpp/op.hpp"
#include "tenon/hpp/tensor.hpp"
#include "tenon/hpp/value.hpp"

// Usage:
//
//   const auto model = [](std::span<const tenon::Tensor> in) {
//     return std::vector<tenon::Tensor>{aten::relu(in[0])};
//   };
//   tenon::Graph graph = tenon::Graph::record(model, {x});
//   graph.save("model.tenon");
//   y = tenon::Graph::load("model.tenon").run({x})[0];

namespace tenon::inline hpp {

class GraphCall;

// A recorded computation. Cheap to copy; copies refer to the same graph.
class Graph {
 public:
  // Creates an empty graph, to be built by hand.
  Graph() { check(tenon_graph_new(&handle_)); }
  // Takes over the reference.
  explicit Graph(tenon_graph* handle) noexcept : handle_(handle) {}
  Graph(const Graph& other) noexcept : handle_(tenon_graph_retain(other.handle_)) {}
  Graph(Graph&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Graph& operator=(Graph other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~Graph() { tenon_graph_release(handle_); }

  tenon_graph* get() const noexcept { return handle_; }

  // Records the thread's calls while the object lives. See tenon_graph_begin for the flags.
  class Recording {
   public:
    explicit Recording(uint32_t flags = TENON_GRAPH_BELOW_AUTOGRAD) {
      check(tenon_graph_begin(flags, &handle_));
    }
    ~Recording() {
      // A destructor cannot report an error: if recordings end out of order, this one stays active.
      if (tenon_graph_end(handle_) != TENON_OK) tenon_error_release(tenon_error_take());
      tenon_graph_release(handle_);
    }
    Recording(const Recording&) = delete;
    Recording& operator=(const Recording&) = delete;
    Graph graph() const noexcept { return Graph(tenon_graph_retain(handle_)); }

   private:
    tenon_graph* handle_ = nullptr;
  };

  // Runs a function once and returns the graph of its calls. The function takes a span of tensors
  // and returns a vector of tensors. Its exceptions pass through unchanged.
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

  // The dynamic sizes of one input, by name: an entry for each dim. None keeps the number, "" makes
  // a new symbol, and a name is the same size in all inputs. Inputs without entries have fixed
  // sizes.
  using DynamicDims = std::vector<std::optional<std::string>>;

  // Records the function on fake tensors with such sizes, so that nothing is computed.
  template <class F>
  static Graph record(F&& function, const std::vector<Tensor>& inputs,
                      const std::vector<DynamicDims>& dims,
                      uint32_t flags = TENON_GRAPH_BELOW_AUTOGRAD) {
    const FakeMode mode(RealTensors::MadeFake);
    std::vector<Tensor> fakes;
    for (size_t i = 0; i < inputs.size(); ++i) {
      fakes.push_back(mode.from(inputs[i], i < dims.size() ? dims[i] : DynamicDims()));
    }
    const FakeMode::Scope scope(mode);
    return record(std::forward<F>(function), fakes, flags);
  }

  // Makes a reference to a graph's value, to be passed as an argument or output.
  static Value ref(int64_t value) { return Value(tenon_value_of_number(TENON_TAG_REF, value)); }

  // The following functions add an input, an attribute, a call or an output, and return the number
  // of the (first) value.
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

  // Returns the nodes that use a value, in order. node_count() is the last element if an output
  // uses it.
  std::vector<int64_t> users(int64_t value) const {
    tenon_buffer* buffer = nullptr;
    check(tenon_graph_list_users(handle_, value, &buffer));
    const auto* first = static_cast<const int64_t*>(tenon_buffer_data(buffer));
    std::vector<int64_t> nodes(first, first + tenon_buffer_size(buffer) / sizeof(int64_t));
    tenon_buffer_release(buffer);
    return nodes;
  }
  // Returns the frames in which a node was recorded, innermost first; needs TENON_GRAPH_FRAMES.
  std::vector<tenon_error_frame> frames(int64_t node) const {
    std::vector<tenon_error_frame> found;
    for (int64_t i = 0; i < tenon_graph_frame_count(handle_, node); ++i) {
      found.emplace_back();
      check(tenon_graph_get_frame(handle_, node, i, &found.back()));
    }
    return found;
  }

  // Runs a graph whose outputs are tensors.
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
  // Returns a new graph made by passes, such as TENON_GRAPH_FOLD_CONSTANTS.
  Graph transform(uint32_t passes) const {
    tenon_graph* made = nullptr;
    check(tenon_graph_transform(handle_, passes, &made));
    return Graph(made);
  }
  // Returns a new graph made by a custom pass. `pass(GraphCall&)` is called for each call, which is
  // kept unchanged unless the pass replaces or drops it. Exceptions of the pass are propagated
  // unchanged.
  template <class Pass>
  Graph rewrite(Pass&& pass) const;
  // Returns a new graph in which each match of `pattern` is replaced by `replacement`. `flags`:
  // TENON_GRAPH_IGNORE_LITERALS.
  Graph replace_pattern(const Graph& pattern, const Graph& replacement, uint32_t flags = 0,
                        int64_t* out_count = nullptr) const {
    tenon_graph* made = nullptr;
    check(tenon_graph_replace_pattern(handle_, pattern.get(), replacement.get(), flags, out_count,
                                      &made));
    return Graph(made);
  }
  // Throws if an operator has changed since the recording, or if a value differs from the one that
  // its call returns.
  void check_calls() const { check(tenon_graph_check(handle_)); }
  // Returns a new graph that only writes to inputs and attributes, at its end. `flags`:
  // TENON_GRAPH_REMOVE_VIEWS.
  Graph functionalize(uint32_t flags = 0) const {
    tenon_graph* made = nullptr;
    check(tenon_graph_functionalize(handle_, flags, &made));
    return Graph(made);
  }

  // Number of guards: relations of sizes that each run checks.
  int64_t guard_count() const noexcept { return tenon_graph_guard_count(handle_); }
  // Returns a guard as text, such as "s0 == s1".
  std::string guard(int64_t index) const {
    tenon_graph_guard guard{};
    guard.struct_size = sizeof guard;
    tenon_buffer* buffer = nullptr;
    check(tenon_graph_get_guard(handle_, index, &guard, &buffer));
    return text_of(buffer);
  }

  std::string text() const {
    tenon_buffer* buffer = nullptr;
    check(tenon_graph_print(handle_, &buffer));
    return text_of(buffer);
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
  // Takes over the buffer.
  static std::string text_of(tenon_buffer* buffer) {
    std::string text(static_cast<const char*>(tenon_buffer_data(buffer)),
                     static_cast<size_t>(tenon_buffer_size(buffer)));
    tenon_buffer_release(buffer);
    return text;
  }

  tenon_graph* handle_ = nullptr;
};

// A call of a graph, as a pass of Graph::rewrite sees it.
class GraphCall {
 public:
  GraphCall(const tenon_graph* from, int64_t index, const tenon_value* args, tenon_graph* to,
            tenon_value* results)
      : index_(index), args_(args), to_(tenon_graph_retain(to)), results_(results) {
    node_.struct_size = sizeof node_;
    check(tenon_graph_get_node(from, index, &node_));
  }

  int64_t index() const noexcept { return index_; }
  Op op() const { return Op(node_.op); }
  std::string_view name() const noexcept { return tenon_op_name(node_.op); }
  // The node in the old graph, with the old graph's values.
  const tenon_graph_node& node() const noexcept { return node_; }
  int64_t arg_count() const noexcept { return node_.nargs; }
  // Returns an argument, with values of the new graph.
  Value arg(int64_t index) const {
    if (index < 0 || index >= arg_count()) {
      throw Error(TENON_ERROR_INDEX, "GraphCall::arg: index must be below " +
                                         std::to_string(arg_count()) + ", got " +
                                         std::to_string(index));
    }
    return static_cast<const Value&>(ValueRef(args_[index]));
  }
  // The new graph built so far.
  Graph& to() noexcept { return to_; }
  // Appends a call to the new graph and returns its first result.
  Value append(const Op& op, const std::vector<Value>& arguments) {
    return Graph::ref(to_.append(op, arguments));
  }

  // Sets the replacements of the results: references, tensors or numbers.
  void replace(Value result) { replace(std::vector<Value>{std::move(result)}); }
  void replace(std::vector<Value> results) {
    if (static_cast<int64_t>(results.size()) != node_.nresults) {
      throw Error(TENON_ERROR_INVALID_ARGUMENT, "GraphCall::replace: results must be the call's " +
                                                    std::to_string(node_.nresults) + ", got " +
                                                    std::to_string(results.size()));
    }
    stand_ins_ = std::move(results);
    is_replaced_ = true;
    for (size_t i = 0; i < stand_ins_.size(); ++i) {
      results_[i] = stand_ins_[i].get();
      results_[i].flags &= static_cast<uint16_t>(~TENON_VALUE_OWNED);
    }
  }
  // Drops the call. Nothing may use its results.
  void drop() { replace(std::vector<Value>(static_cast<size_t>(node_.nresults))); }

  bool is_replaced() const noexcept { return is_replaced_; }
  // Returns the replacements, which must live until the pass is called again.
  std::vector<Value> take() noexcept { return std::move(stand_ins_); }

 private:
  int64_t index_;
  const tenon_value* args_;
  Graph to_;
  tenon_value* results_;
  tenon_graph_node node_{};
  bool is_replaced_ = false;
  std::vector<Value> stand_ins_;
};

template <class Pass>
Graph Graph::rewrite(Pass&& pass) const {
  struct State {
    std::remove_reference_t<Pass>& pass;
    std::vector<Value> stand_ins;
  } state{pass, {}};
  const auto look = [](void* ctx, const tenon_graph* from, int64_t node, const tenon_value* args,
                       tenon_graph* to, tenon_value* results) -> tenon_status {
    bool is_replaced = false;
    const tenon_status status = detail::to_slot([&] {
      auto& known = *static_cast<State*>(ctx);
      GraphCall call(from, node, args, to, results);
      known.pass(call);
      is_replaced = call.is_replaced();
      known.stand_ins = call.take();
    });
    return status != TENON_OK || is_replaced ? status : TENON_DECLINED;
  };
  tenon_graph* made = nullptr;
  check(tenon_graph_rewrite(handle_, look, &state, &made));
  return Graph(made);
}

}  // namespace tenon::inline hpp

#endif
