// SPDX-License-Identifier: Apache-2.0
// Autograd: backward passes, custom functions, and gradient formulas as C++ callables.
#pragma once

#if __cplusplus <= 201703L
#error "tenon/hpp/autograd.hpp needs C++20: compile with -std=c++20 or later"
#else

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

#include "tenon/autograd.h"
#include "tenon/function.h"
#include "tenon/grad_mode.h"
#include "tenon/hpp/library.hpp"
#include "tenon/hpp/tensor.hpp"
#include "tenon/hpp/value.hpp"

// Usage:
//
//   x.set_requires_grad(true);
//   tenon::autograd::backward({aten::sum(aten::mul(x, w))});
//   std::cout << x.grad() << '\n';

namespace tenon::inline hpp {

namespace autograd {

using variable_list = std::vector<Tensor>;
using tensor_list = variable_list;

}  // namespace autograd

namespace detail {

using autograd::variable_list;

// Turns grad mode off for a scope.
class GradModeOff {
 public:
  GradModeOff() { check(tenon_grad_mode_enter(TENON_GRAD_MODE_OFF, &guard_)); }
  ~GradModeOff() { tenon_key_guard_leave(&guard_); }
  GradModeOff(const GradModeOff&) = delete;
  GradModeOff& operator=(const GradModeOff&) = delete;

 private:
  tenon_key_guard guard_{};
};

inline std::vector<tenon_tensor*> handles_of(const variable_list& tensors) {
  std::vector<tenon_tensor*> handles;
  handles.reserve(tensors.size());
  for (const Tensor& tensor : tensors) handles.push_back(tensor.get());
  return handles;
}

// Returns the last component of a type's name.
template <class T>
constexpr std::string_view name_of_type() {
  std::string_view text = __PRETTY_FUNCTION__;
  text.remove_prefix(text.find("T = ") + 4);
  text = text.substr(0, text.find_first_of(";]"));
  const size_t colons = text.rfind("::");
  return colons == std::string_view::npos ? text : text.substr(colons + 2);
}

// The options of a backward pass, in the layout of the C interface.
struct Pass {
  std::vector<tenon_tensor*> outputs, grads, inputs;
  tenon_backward_options options{};

  Pass(const char* function, const variable_list& of, const variable_list& with,
       std::optional<bool> retain_graph, bool create_graph, const variable_list& to)
      : outputs(handles_of(of)), grads(handles_of(with)), inputs(handles_of(to)) {
    if (!with.empty() && with.size() != of.size()) {
      throw Error(TENON_ERROR_INVALID_ARGUMENT,
                  std::string(function) + ": gradients must be " + std::to_string(of.size()) +
                      " like the outputs, got " + std::to_string(with.size()));
    }
    options.struct_size = sizeof options;
    if (retain_graph.value_or(create_graph)) options.flags |= TENON_BACKWARD_KEEP_GRAPH;
    if (create_graph) options.flags |= TENON_BACKWARD_CREATE_GRAPH;
    options.outputs = outputs.data();
    options.noutputs = static_cast<int64_t>(outputs.size());
    options.grads = with.empty() ? nullptr : grads.data();
    options.inputs = to.empty() ? nullptr : inputs.data();
    options.ninputs = static_cast<int64_t>(inputs.size());
  }
};

}  // namespace detail

namespace autograd {

// Runs a backward pass, which adds gradients to those of all leaves, or only to those of `inputs`.
inline void backward(const variable_list& tensors, const variable_list& grad_tensors = {},
                     std::optional<bool> retain_graph = {}, bool create_graph = false,
                     const variable_list& inputs = {}) {
  const detail::Pass pass("autograd::backward", tensors, grad_tensors, retain_graph, create_graph,
                          inputs);
  check(tenon_backward(&pass.options));
}

// Runs a backward pass and returns the gradients of `inputs`. If `allow_unused` is set, the
// gradient of an input that no output depends on is a Tensor without handle.
inline variable_list grad(const variable_list& outputs, const variable_list& inputs,
                          const variable_list& grad_outputs = {},
                          std::optional<bool> retain_graph = {}, bool create_graph = false,
                          bool allow_unused = false) {
  detail::Pass pass("autograd::grad", outputs, grad_outputs, retain_graph, create_graph, inputs);
  if (allow_unused) pass.options.flags |= TENON_BACKWARD_ALLOW_UNUSED;
  std::vector<tenon_tensor*> grads(inputs.size(), nullptr);
  check(tenon_grad(&pass.options, grads.data()));
  variable_list result;
  result.reserve(grads.size());
  for (tenon_tensor* handle : grads) result.emplace_back(handle);
  return result;
}

// State that a call of a function saves for its backward pass.
class AutogradContext {
  // State that the nodes of a call share. Nested transforms have one node at each level.
  struct Kept {
    std::unordered_map<std::string, Value> data;
    std::vector<bool> is_tensor;  // for each argument
  };

 public:
  AutogradContext(const AutogradContext&) = delete;
  AutogradContext& operator=(const AutogradContext&) = delete;

  // Other values that backward needs. No gradient flows through them.
  std::unordered_map<std::string, Value>& saved_data;

  void save_for_backward(const variable_list& tensors) {
    std::vector<tenon_value> values;
    values.reserve(tensors.size());
    for (const Tensor& tensor : tensors) {
      values.push_back(tensor ? tenon_value_of_tensor(tensor.get()) : tenon_value_of_none());
    }
    check(
        tenon_function_context_save(context_, values.data(), static_cast<int64_t>(values.size())));
  }
  // Throws if a saved tensor was written since, or a backward pass has freed it.
  variable_list get_saved_variables() const {
    variable_list saved;
    const int64_t count = tenon_function_context_saved_count(context_);
    for (int64_t i = 0; i < count; ++i) {
      tenon_value value;
      check(tenon_function_context_copy_saved(context_, i, &value));
      saved.emplace_back(value.tag == TENON_TAG_TENSOR ? value.as.tensor : nullptr);
    }
    return saved;
  }
  // Returns true if a gradient flows to a tensor argument; the index counts only those.
  bool needs_input_grad(size_t tensor_argument) const {
    return tenon_function_context_needs_grad(context_, static_cast<int64_t>(tensor_argument)) != 0;
  }
  void mark_dirty(const variable_list& inputs) {
    for (const Tensor& each : inputs)
      check(tenon_function_context_mark_dirty(context_, each.get()));
  }
  void mark_non_differentiable(const variable_list& outputs) {
    for (const Tensor& each : outputs) {
      check(tenon_function_context_mark_non_differentiable(context_, each.get()));
    }
  }
  void set_materialize_grads(bool value) {
    tenon_function_context_set_materialize_grads(context_, value ? 1 : 0);
  }

 private:
  template <class T>
  friend class Function;
  AutogradContext(Kept& kept, tenon_function_context* context) noexcept
      : saved_data(kept.data), kept_(kept), context_(context) {}
  // Wraps the context of a call's node, with the state that forward stored.
  explicit AutogradContext(tenon_function_context* context) noexcept
      : AutogradContext(
            *static_cast<Kept*>(tenon_function_context_state(context, TENON_LANGUAGE_CPP)),
            context) {}

  Kept& kept_;
  tenon_function_context* const context_;
};

// A custom function: T derives from Function<T> and has
//
//   static Tensor forward(AutogradContext* ctx, const Tensor& x, double k);   // or variable_list
//   static variable_list backward(AutogradContext* ctx, variable_list grads);
//
// backward returns a gradient for each argument of forward after ctx, without handle for arguments
// that are no tensors. To support forward mode, T also has
//
//   static variable_list jvp(AutogradContext* ctx, variable_list tangents);
//
// which runs after forward. It receives a tangent for each argument (zeros if a tensor has none),
// and returns one for each output, or none.
template <class T>
class Function {
 public:
  // Runs forward in no_grad mode and records the call as one node.
  template <class... Args>
  static auto apply(const Args&... args) {
    tenon_tensor* inputs[sizeof...(Args) + 1] = {};
    auto kept = std::make_unique<Kept>();
    int64_t count = 0;
    (read(args, kept.get(), inputs, &count), ...);
    tenon_function_context* context = nullptr;
    check(tenon_function_begin(function(), inputs, count, &context));
    AutogradContext ctx(*kept, context);
    tenon_function_context_set_state(context, kept.release(), &drop);
    Begun begun{context};
    auto result = [&] {
      const detail::GradModeOff off;
      return T::forward(&ctx, args...);
    }();
    begun.context = nullptr;
    if constexpr (std::is_same_v<decltype(result), Tensor>) {
      tenon_tensor* output[1] = {result.release()};
      finish(context, output, 1, [&](size_t) -> Tensor& { return result; });
    } else {
      static_assert(std::is_same_v<decltype(result), variable_list>,
                    "forward must return Tensor or variable_list");
      std::vector<tenon_tensor*> outputs;
      for (Tensor& each : result) outputs.push_back(each.release());
      finish(context, outputs.data(), outputs.size(),
             [&](size_t index) -> Tensor& { return result[index]; });
    }
    return result;
  }

 private:
  using Kept = AutogradContext::Kept;

  // Cancels a context if forward throws.
  struct Begun {
    tenon_function_context* context;
    ~Begun() { tenon_function_cancel(context); }
  };

  static void drop(void* state) { delete static_cast<Kept*>(state); }

  template <class Arg>
  static void read(const Arg& arg, Kept* kept, tenon_tensor** inputs, int64_t* count) {
    if constexpr (std::is_convertible_v<const Arg&, const Tensor&>) {
      inputs[(*count)++] = static_cast<const Tensor&>(arg).get();
      kept->is_tensor.push_back(true);
    } else if constexpr (std::is_same_v<Arg, std::optional<Tensor>>) {
      inputs[(*count)++] = arg.has_value() ? arg->get() : nullptr;
      kept->is_tensor.push_back(true);
    } else {
      kept->is_tensor.push_back(false);
    }
  }

  // Returns the object of T. It is created for the first call and never freed, because nodes may
  // outlive everything else.
  static tenon_object* function() {
    tenon_object* made = function_.load(std::memory_order_acquire);
    if (made != nullptr) return made;
    const std::string name(detail::name_of_type<T>());
    tenon_function_type type{};
    type.struct_size = sizeof type;
    type.flags = TENON_FUNCTION_SAVED_ON_DEMAND;
    type.name = name.c_str();
    type.backward = &run_backward;
    if constexpr (requires { &T::jvp; }) type.jvp = &run_jvp;
    type.language = TENON_LANGUAGE_CPP;
    tenon_object* fresh = nullptr;
    check(tenon_function_new(&type, &fresh));
    if (function_.compare_exchange_strong(made, fresh, std::memory_order_acq_rel)) return fresh;
    tenon_object_release(fresh);
    return made;
  }

  // Returns ownership of the outputs to their tensors, also on failure.
  template <class At>
  static void finish(tenon_function_context* context, tenon_tensor** outputs, size_t count, At at) {
    tenon_node* node = nullptr;
    const tenon_status status =
        tenon_function_finish(context, outputs, static_cast<int64_t>(count), &node);
    for (size_t i = 0; i < count; ++i) at(i) = Tensor(outputs[i]);
    tenon_node_release(node);
    check(status);
  }

  static tenon_status run_backward(const tenon_backward_call* call) {
    return detail::to_slot([&] {
      AutogradContext ctx(call->context);
      variable_list grads;
      for (int64_t i = 0; i < call->noutputs; ++i) grads.push_back(Tensor::retain(call->grads[i]));
      variable_list given = T::backward(&ctx, std::move(grads));
      store(*call, ctx, &given);
    });
  }

  static tenon_status run_jvp(void*, tenon_function_context* context, const tenon_value* tangents,
                              tenon_value* out_tangents) {
    return detail::to_slot([&] {
      AutogradContext ctx(context);
      variable_list given;
      for (const bool is_tensor : ctx.kept_.is_tensor) {
        const tenon_value* tangent = is_tensor ? tangents++ : nullptr;
        const bool is_there = tangent != nullptr && tangent->tag == TENON_TAG_TENSOR;
        given.push_back(is_there ? Tensor::retain(tangent->as.tensor) : Tensor());
      }
      variable_list found = T::jvp(&ctx, std::move(given));
      const auto wanted = static_cast<size_t>(tenon_function_context_output_count(context));
      if (found.size() != wanted) {
        throw Error(TENON_ERROR_RUNTIME, std::string(detail::name_of_type<T>()) +
                                             ": jvp must return a tangent for each of " +
                                             std::to_string(wanted) + " outputs, got " +
                                             std::to_string(found.size()));
      }
      for (size_t i = 0; i < wanted; ++i) {
        if (found[i]) out_tangents[i] = Value(std::move(found[i])).release();
      }
    });
  }

  static void store(const tenon_backward_call& call, const AutogradContext& ctx,
                    variable_list* given) {
    const size_t wanted = ctx.kept_.is_tensor.size();
    while (given->size() > wanted && !given->back()) given->pop_back();
    if (given->size() != wanted) {
      throw Error(TENON_ERROR_RUNTIME, std::string(tenon_node_name(call.node)) +
                                           ": backward must return a gradient for "
                                           "each of " +
                                           std::to_string(wanted) + " arguments, got " +
                                           std::to_string(given->size()));
    }
    int64_t edge = 0;
    for (size_t i = 0; i < wanted; ++i) {
      if (ctx.kept_.is_tensor[i]) {
        call.out_grads[edge++] = (*given)[i].release();
      } else if ((*given)[i]) {
        throw Error(TENON_ERROR_RUNTIME, std::string(tenon_node_name(call.node)) + ": gradient " +
                                             std::to_string(i) +
                                             " must be none, as its argument is no tensor");
      }
    }
  }

  static inline constinit std::atomic<tenon_object*> function_{nullptr};
};

// A node that is run backward, as seen by a formula.
class BackwardCall {
 public:
  explicit BackwardCall(const tenon_backward_call& call) noexcept : call_(call) {}

  // Returns the gradient of a result, without handle if there is none.
  Tensor grad(size_t output = 0) const { return Tensor::retain(call_.grads[output]); }
  // Returns a value that `saves` names; the index is its position there.
  Tensor saved(size_t index) const { return Tensor::retain(saved_value(index).as.tensor); }
  const tenon_value& saved_value(size_t index) const { return call_.saved[index]; }
  // Returns true if the gradient of an input is needed.
  bool needs(size_t input) const { return call_.needs[input] != 0; }
  size_t inputs() const noexcept { return static_cast<size_t>(call_.ninputs); }

 private:
  const tenon_backward_call& call_;
};

}  // namespace autograd

// Registers an operator's gradient formula as text, such as "self: grad * other".
inline Registration register_autograd(const Library& library, const std::string& name,
                                      const char* gradient, Site site = Site::here()) {
  tenon_formula formula{};
  formula.struct_size = sizeof formula;
  formula.gradient = gradient;
  formula.language = TENON_LANGUAGE_CPP;
  formula.file = site.file;
  formula.line = site.line;
  tenon_registration* registration = nullptr;
  check(tenon_library_register_autograd(library.get(), name.c_str(), &formula, &registration));
  return Registration(registration);
}

// Registers a callable, which may have state, as an operator's gradient formula. It receives a
// BackwardCall and returns a gradient, or a Tensor without handle, for each input. `saves` are
// names of arguments and results, separated by blanks.
template <class F>
requires std::is_invocable_r_v<autograd::variable_list, F&, const autograd::BackwardCall&>
    Registration register_autograd(const Library& library, const std::string& name, F&& backward,
                                   const std::string& saves, Site site = Site::here()) {
  using Callable = std::decay_t<F>;
  tenon_formula formula{};
  formula.struct_size = sizeof formula;
  formula.backward = [](const tenon_backward_call* call) {
    return detail::to_slot([&] {
      autograd::variable_list given =
          (*static_cast<Callable*>(call->ctx))(autograd::BackwardCall(*call));
      if (given.size() != static_cast<size_t>(call->ninputs)) {
        throw Error(TENON_ERROR_RUNTIME, std::string(tenon_node_name(call->node)) +
                                             ": formula must return " +
                                             std::to_string(call->ninputs) + " gradients, got " +
                                             std::to_string(given.size()));
      }
      for (size_t i = 0; i < given.size(); ++i) call->out_grads[i] = given[i].release();
    });
  };
  formula.saves = saves.c_str();
  formula.ctx = new Callable(std::forward<F>(backward));
  formula.deleter = [](void* ctx) { delete static_cast<Callable*>(ctx); };
  formula.language = TENON_LANGUAGE_CPP;
  formula.file = site.file;
  formula.line = site.line;
  tenon_registration* registration = nullptr;
  check(tenon_library_register_autograd(library.get(), name.c_str(), &formula, &registration));
  return Registration(registration);
}

}  // namespace tenon::inline hpp

#endif
