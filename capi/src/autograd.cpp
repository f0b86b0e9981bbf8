// SPDX-License-Identifier: Apache-2.0
// Autograd over core/autograd; see tenon/autograd.h.
#include "tenon/autograd.h"

#include <memory>
#include <vector>

#include "autograd/engine/engine.h"
#include "autograd/formula/callback_formula.h"
#include "autograd/formula/text_formula.h"
#include "autograd/operators.h"
#include "autograd/record/gradient_policy.h"
#include "autograd/record/record.h"
#include "autograd/tensor_state.h"
#include "base/check.h"
#include "base/read_struct.h"
#include "callback_owner.h"
#include "guard.h"
#include "not_null.h"
#include "tensor/layout.h"

namespace autograd = tenon::autograd;
namespace dispatch = tenon::dispatch;
using tenon::capi::CallbackOwner;
using tenon::capi::guarded;
using tenon::tensor::TensorPtr;

namespace {

tenon_tensor& checked(const char* function, const char* what, const tenon_tensor* tensor) {
  TENON_CHECK_ARG(tensor != nullptr, function, ": ", what, " must be given, got NULL");
  return *const_cast<tenon_tensor*>(tensor);
}

constexpr const char* kRegister = "tenon_library_register_autograd";

std::unique_ptr<autograd::Formula> make_formula(const char* name, const tenon_formula& whole,
                                                CallbackOwner* owner) {
  TENON_CHECK_ARG((whole.gradient != nullptr) != (whole.backward != nullptr), kRegister, ": ", name,
                  ": exactly one of gradient and backward must be given");
  const bool has_more = whole.saves != nullptr || whole.setup != nullptr || whole.jvp != nullptr;
  TENON_CHECK_ARG(whole.backward != nullptr || !has_more, kRegister, ": ", name,
                  ": saves, setup and jvp must be NULL without backward, as a gradient text "
                  "declares what it saves");
  TENON_CHECK_ARG(whole.saves == nullptr || whole.setup == nullptr, kRegister, ": ", name,
                  ": at most one of saves and setup must be given, got both");
  std::string node_name = autograd::node_name(name, whole.flags & TENON_FORMULA_NODE_NUMBER);
  if (whole.gradient != nullptr) {
    auto formula = std::make_unique<autograd::TextFormula>(std::move(node_name), whole.gradient);
    return formula;
  }
  const autograd::Callbacks callbacks{whole.backward, whole.setup,   whole.jvp,
                                      whole.ctx,      whole.deleter, whole.language};
  auto formula = std::make_unique<autograd::CallbackFormula>(
      std::move(node_name), callbacks, whole.saves != nullptr ? whole.saves : "");
  owner->taken();
  return formula;
}

struct Pass {
  std::vector<autograd::Root> roots;
  std::vector<autograd::Target> targets;
  autograd::PassOptions options;
  bool allows_unused = false;
};

// An output or input of a backward pass, given as a tensor or as an output of a node.
struct BackwardEndpoint {
  autograd::GradientEdge flow;
  const tenon_tensor* tensor = nullptr;
  const autograd::OutputInfo& info() const { return flow.node->output(flow.output); }
};

BackwardEndpoint place_of(const char* function, const char* what, int64_t index,
                          tenon_tensor* const* tensors, tenon_node* const* nodes,
                          const int64_t* numbers) {
  tenon_tensor* tensor = tensors != nullptr ? tensors[index] : nullptr;
  tenon_node* node = nodes != nullptr ? nodes[index] : nullptr;
  if (node != nullptr && tensor == nullptr) {
    const int64_t number = numbers != nullptr ? numbers[index] : 0;
    TENON_CHECK_INDEX(number >= 0 && number < int64_t{node->output_count()}, function, ": ", what,
                      " ", index, " must be one of ", node->output_count(), " outputs of ",
                      node->name(), ", got number ", number);
    return {{autograd::NodePtr::share(node), static_cast<uint32_t>(number)}, nullptr};
  }
  TENON_CHECK_ARG(tensor != nullptr, function, ": ", what, " ", index, " must be given, got NULL");
  autograd::GradientEdge flow = autograd::gradient_edge(*tensor);
  TENON_CHECK(
      flow.node != nullptr, TENON_ERROR_STATE, function, ": ", what, " ", index,
      " must require grad, got a tensor that does not require grad and does not have a grad_fn");
  return {std::move(flow), tensor};
}

TensorPtr first_gradient(const char* function, int64_t index, const BackwardEndpoint& place,
                         tenon_tensor* given) {
  const autograd::OutputInfo& output = place.info();
  const auto sizes = output.size_span();
  TensorPtr first = TensorPtr::share(given);
  if (given == nullptr || given->is_undefined()) {
    const bool is_one = std::ranges::all_of(sizes, [](int64_t size) { return size == 1; });
    TENON_CHECK_ARG(
        is_one, function, ": gradient of output ", index,
        " must be given, as it is implicitly created only for scalar outputs, got none for sizes ",
        tenon::tensor::print_dims(sizes));
    TENON_CHECK_ARG(
        output.dtype < 0 || !tenon::tensor::is_complex(output.dtype), function,
        ": gradient of output ", index,
        " must be given, as it is implicitly created only for real outputs, got none for ",
        tenon::tensor::dtype_name(output.dtype));
    const TensorPtr like =
        place.tensor == nullptr ? autograd::operators::zeros_for(output) : nullptr;
    first = autograd::operators::ones_like(like != nullptr ? *like : *place.tensor);
  }
  TENON_CHECK_ARG(std::ranges::equal(first->size_span(), sizes), function, ": gradient of output ",
                  index, " must have the output's shape ", tenon::tensor::print_dims(sizes),
                  ", got ", tenon::tensor::print_dims(first->size_span()));
  if (output.dtype >= 0 && first->dtype() != output.dtype) {
    return autograd::operators::cast(*first, output.dtype);
  }
  return first;
}

Pass read_pass(const char* function, const tenon_backward_options* given) {
  constexpr size_t kFirstSize = 80;
  constexpr uint32_t kKnown =
      TENON_BACKWARD_KEEP_GRAPH | TENON_BACKWARD_CREATE_GRAPH | TENON_BACKWARD_ALLOW_UNUSED;
  TENON_CHECK_ARG(given != nullptr, function, ": options must be given, got NULL");
  const auto whole = tenon::base::read_struct(function, kFirstSize, *given);
  tenon::base::check_reserved(function, 0, whole.reserved);
  TENON_CHECK_ARG((whole.flags & ~kKnown) == 0, function,
                  ": flags must be TENON_BACKWARD_* bits, got ", whole.flags);
  TENON_CHECK_ARG(whole.noutputs > 0 && (whole.outputs != nullptr || whole.output_nodes != nullptr),
                  function, ": outputs must be given, got none");
  TENON_CHECK_ARG(whole.ninputs >= 0 && (whole.ninputs == 0 || whole.inputs != nullptr ||
                                         whole.input_nodes != nullptr),
                  function, ": inputs must be given, got NULL for ", whole.ninputs);
  Pass pass;
  pass.options.create_graph = (whole.flags & TENON_BACKWARD_CREATE_GRAPH) != 0;
  pass.options.keep_graph =
      pass.options.create_graph || (whole.flags & TENON_BACKWARD_KEEP_GRAPH) != 0;
  pass.allows_unused = (whole.flags & TENON_BACKWARD_ALLOW_UNUSED) != 0;
  for (int64_t i = 0; i < whole.noutputs; ++i) {
    BackwardEndpoint place =
        place_of(function, "output", i, whole.outputs, whole.output_nodes, whole.output_numbers);
    tenon_tensor* grad = whole.grads != nullptr ? whole.grads[i] : nullptr;
    TensorPtr first = first_gradient(function, i, place, grad);
    pass.roots.push_back({std::move(place.flow.node), place.flow.output, std::move(first)});
  }
  for (int64_t i = 0; i < whole.ninputs; ++i) {
    BackwardEndpoint place =
        place_of(function, "input", i, whole.inputs, whole.input_nodes, whole.input_numbers);
    pass.targets.push_back({std::move(place.flow.node), place.flow.output});
  }
  return pass;
}

}  // namespace

extern "C" {

int32_t tenon_tensor_requires_grad(const tenon_tensor* tensor) {
  return tensor != nullptr && autograd::requires_grad(*tensor) ? 1 : 0;
}

tenon_status tenon_tensor_set_requires_grad(tenon_tensor* tensor, int32_t requires_grad) {
  return guarded([&] {
    autograd::set_requires_grad(checked("tenon_tensor_set_requires_grad", "tensor", tensor),
                                requires_grad != 0);
  });
}

int32_t tenon_tensor_is_leaf(const tenon_tensor* tensor) {
  return tensor == nullptr || autograd::is_leaf(*tensor) ? 1 : 0;
}

tenon_status tenon_tensor_copy_grad(const tenon_tensor* tensor, tenon_tensor** out_grad) {
  TENON_REQUIRE(out_grad);
  *out_grad = nullptr;
  return guarded([&] {
    *out_grad = autograd::copy_grad(checked("tenon_tensor_copy_grad", "tensor", tensor)).detach();
  });
}

tenon_status tenon_tensor_set_grad(tenon_tensor* tensor, tenon_tensor* grad) {
  return guarded(
      [&] { autograd::set_grad(checked("tenon_tensor_set_grad", "tensor", tensor), grad); });
}

tenon_status tenon_tensor_copy_data(const tenon_tensor* tensor, tenon_tensor** out_data) {
  TENON_REQUIRE(out_data);
  *out_data = nullptr;
  return guarded([&] {
    const tenon_tensor& given = checked("tenon_tensor_copy_data", "tensor", tensor);
    *out_data = tenon_tensor::make_independent(given);
  });
}

tenon_status tenon_tensor_set_data(tenon_tensor* tensor, const tenon_tensor* data) {
  constexpr const char* kFunction = "tenon_tensor_set_data";
  return guarded([&] {
    autograd::set_data(checked(kFunction, "tensor", tensor), checked(kFunction, "data", data));
  });
}

tenon_status tenon_tensor_detach(tenon_tensor* tensor) {
  return guarded([&] { autograd::detach(checked("tenon_tensor_detach", "tensor", tensor)); });
}

tenon_status tenon_tensor_copy_node(const tenon_tensor* tensor, tenon_node** out_node,
                                    int64_t* out_output) {
  TENON_REQUIRE(out_node, out_output);
  TENON_REQUIRE(out_output, out_node);
  *out_node = nullptr;
  *out_output = 0;
  return guarded([&] {
    autograd::GradientEdge flow =
        autograd::gradient_edge(checked("tenon_tensor_copy_node", "tensor", tensor));
    *out_node = flow.node.detach();
    *out_output = flow.output;
  });
}

tenon_tensor* tenon_tensor_copy_base(const tenon_tensor* tensor) {
  TENON_NEVER_NULL(tensor);
  return TensorPtr::share(tensor->base()).detach();
}

tenon_status tenon_library_register_autograd(tenon_library* library, const char* name,
                                             const tenon_formula* formula,
                                             tenon_registration** out_registration) {
  if (out_registration != nullptr) *out_registration = nullptr;
  return guarded([&] {
    TENON_CHECK_ARG(formula != nullptr, kRegister, ": formula must be given, got NULL");
    const bool has_deleter = formula->struct_size >= offsetof(tenon_formula, language);
    CallbackOwner owner(has_deleter ? formula->ctx : nullptr,
                        has_deleter ? formula->deleter : nullptr);
    constexpr size_t kFirstSize = 112;
    const auto whole = tenon::base::read_struct(kRegister, kFirstSize, *formula);
    tenon::base::check_reserved(kRegister, whole.reserved0, whole.reserved);
    TENON_CHECK_ARG((whole.flags & ~TENON_FORMULA_NODE_NUMBER) == 0, kRegister,
                    ": flags must be known, got ", whole.flags);
    TENON_CHECK_ARG(library != nullptr, kRegister, ": library must be given, got NULL");
    TENON_CHECK_ARG(name != nullptr, kRegister, ": name must be given, got NULL");
    auto made = make_formula(name, whole, &owner);
    if (whole.tangent != nullptr) made->set_tangents(whole.tangent);
    dispatch::RegistrationPtr registration = autograd::register_formula(
        library, name, std::move(made),
        {whole.language, whole.policy, whole.name, whole.file, whole.line});
    if (out_registration != nullptr) *out_registration = registration.detach();
  });
}

tenon_status tenon_library_set_gradient_policy(tenon_library* library, const char* name,
                                               uint32_t policy,
                                               tenon_registration** out_registration) {
  if (out_registration != nullptr) *out_registration = nullptr;
  return guarded([&] {
    constexpr const char* kFunction = "tenon_library_set_gradient_policy";
    TENON_CHECK_ARG(library != nullptr, kFunction, ": library must be given, got NULL");
    TENON_CHECK_ARG(name != nullptr, kFunction, ": name must be given, got NULL");
    auto registration = autograd::set_gradient_policy(library, name, policy);
    if (out_registration != nullptr) *out_registration = registration.detach();
  });
}

tenon_node* tenon_node_retain(tenon_node* node) {
  if (node != nullptr) node->retain();
  return node;
}

void tenon_node_release(tenon_node* node) {
  if (node != nullptr) node->release();
}

const char* tenon_node_name(const tenon_node* node) {
  TENON_NEVER_NULL(node);
  return node->name();
}

int64_t tenon_node_sequence(const tenon_node* node) {
  TENON_NEVER_NULL(node);
  return static_cast<int64_t>(node->sequence());
}

int64_t tenon_node_edge_count(const tenon_node* node) {
  TENON_NEVER_NULL(node);
  return static_cast<int64_t>(node->edges().size());
}

tenon_status tenon_node_copy_edge(const tenon_node* node, int64_t index, tenon_node** out_node,
                                  int64_t* out_output) {
  TENON_REQUIRE(out_node, out_output);
  TENON_REQUIRE(out_output, out_node);
  TENON_REQUIRE(node, out_node, out_output);
  *out_node = nullptr;
  *out_output = 0;
  return guarded([&] {
    const auto edges = node->edges();
    TENON_CHECK_INDEX(index >= 0 && static_cast<size_t>(index) < edges.size(),
                      "tenon_node_copy_edge: index must be below ", edges.size(), ", got ", index);
    const autograd::Edge& edge = edges[static_cast<size_t>(index)];
    *out_node = autograd::NodePtr::share(edge.node).detach();
    *out_output = edge.output;
  });
}

tenon_status tenon_backward(const tenon_backward_options* options) {
  return guarded([&] {
    const Pass pass = read_pass("tenon_backward", options);
    for (int64_t i = 0; options->inputs != nullptr && i < options->ninputs; ++i) {
      if (options->inputs[i] != nullptr) autograd::retain_grad(*options->inputs[i]);
    }
    autograd::run_backward(pass.roots, pass.targets, pass.options);
  });
}

tenon_status tenon_grad(const tenon_backward_options* options, tenon_tensor** out_grads) {
  if (options != nullptr && out_grads != nullptr) {
    for (int64_t i = 0; i < options->ninputs; ++i) out_grads[i] = nullptr;
  }
  return guarded([&] {
    const Pass pass = read_pass("tenon_grad", options);
    TENON_CHECK_ARG(!pass.targets.empty() && out_grads != nullptr,
                    "tenon_grad: inputs and out_grads must be given, got none");
    std::vector<TensorPtr> grads = autograd::run_grad(pass.roots, pass.targets, pass.options);
    for (size_t i = 0; i < grads.size(); ++i) {
      TENON_CHECK(grads[i] != nullptr || pass.allows_unused, TENON_ERROR_STATE,
                  "tenon_grad: input ", i,
                  " appears to not have been used in the graph, as no output depends on it; set "
                  "allow_unused=True to get None for it");
    }
    for (size_t i = 0; i < grads.size(); ++i) out_grads[i] = grads[i].detach();
  });
}

}  // extern "C"
