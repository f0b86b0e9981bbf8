// SPDX-License-Identifier: Apache-2.0
// Transforms over core/transform and core/autograd; see tenon/transforms.h.
#include "tenon/transforms.h"

#include <memory>
#include <vector>

#include "autograd/level.h"
#include "base/check.h"
#include "base/language.h"
#include "base/read_struct.h"
#include "callback_owner.h"
#include "guard.h"
#include "not_null.h"
#include "out_struct.h"
#include "transform/batch_loop.h"
#include "transform/batch_rule.h"
#include "transform/vmap.h"
#include "transform/vmap_layer.h"

namespace autograd = tenon::autograd;
namespace transform = tenon::transform;
using tenon::capi::CallbackOwner;
using tenon::capi::guarded;
using tenon::dispatch::LayerPtr;
using tenon::tensor::TensorPtr;

struct tenon_hidden_layer {
  tenon::dispatch::BelowLayer below;
};

namespace {

constexpr size_t kFirstInfo = sizeof(tenon_vmap_info);
constexpr size_t kFirstRule = sizeof(tenon_vmap_rule);
constexpr size_t kFirstOptions = sizeof(tenon_vmap_options);

tenon_layer& checked(const char* function, tenon_layer* layer) {
  TENON_CHECK_ARG(layer != nullptr, function, ": layer must be given, got NULL");
  return *layer;
}

tenon_tensor& checked(const char* function, const char* what, tenon_tensor* tensor) {
  TENON_CHECK_ARG(tensor != nullptr, function, ": ", what, " must be given, got NULL");
  TENON_CHECK_ARG(!tensor->is_undefined(), function, ": ", what,
                  " must be defined, got the undefined tensor");
  return *tensor;
}

void check_function(const char* function, tenon_callable callable, const tenon_stack* stack) {
  TENON_CHECK_ARG(callable != nullptr, function, ": function must be given, got NULL");
  TENON_CHECK_ARG(stack != nullptr && (stack->nargs == 0 || stack->args != nullptr), function,
                  ": stack and its arguments must be given, got NULL");
  TENON_CHECK_ARG(stack->nrets == 1 && stack->rets != nullptr, function,
                  ": stack must have space for one result, got ", stack->nrets);
}

void check_array(const char* function, const char* what, const void* array, int64_t count) {
  TENON_CHECK_ARG(count >= 0 && (count == 0 || array != nullptr), function, ": ", what,
                  " must be given, got ", array != nullptr ? "a count of " : "NULL for ", count);
}

void check_alive(const char* function, const tenon_layer& layer) {
  TENON_CHECK(layer.is_alive(), TENON_ERROR_STATE, function, ": layer must still be active, got a ",
              layer.kind().name, " of level ", layer.level(), " that has ended");
}

uint32_t kind_of(const tenon_layer& layer) noexcept {
  if (transform::vmap_info(layer) != nullptr) return TENON_LAYER_VMAP;
  if (autograd::is_grad_layer(layer)) return TENON_LAYER_GRAD;
  return autograd::DualLevel::of_layer(layer) != nullptr ? TENON_LAYER_JVP : TENON_LAYER_OTHER;
}

void check_kind(const char* function, const tenon_layer& layer, uint32_t kind, const char* name) {
  TENON_CHECK_ARG(kind_of(layer) == kind, function, ": layer must be a ", name, ", got a ",
                  layer.kind().name);
}

std::vector<TensorPtr> share_all(const char* function, const char* what,
                                 tenon_tensor* const* tensors, int64_t count) {
  check_array(function, what, tensors, count);
  std::vector<TensorPtr> shared;
  for (int64_t i = 0; i < count; ++i) {
    shared.push_back(TensorPtr::share(&checked(function, what, tensors[i])));
  }
  return shared;
}

}  // namespace

extern "C" {

tenon_status tenon_vmap_enter(int64_t size, uint32_t randomness, tenon_layer** out_layer) {
  TENON_REQUIRE(out_layer);
  *out_layer = nullptr;
  return guarded([&] { *out_layer = transform::enter_vmap_layer(size, randomness).detach(); });
}

tenon_status tenon_grad_enter(tenon_layer** out_layer) {
  TENON_REQUIRE(out_layer);
  *out_layer = nullptr;
  return guarded([&] { *out_layer = autograd::enter_grad_layer().detach(); });
}

tenon_status tenon_jvp_enter(tenon_layer** out_layer) {
  TENON_REQUIRE(out_layer);
  *out_layer = nullptr;
  return guarded([&] { *out_layer = autograd::enter_jvp_layer().detach(); });
}

tenon_status tenon_layer_leave(tenon_layer* layer) {
  return guarded([&] { autograd::leave_layer(checked("tenon_layer_leave", layer)); });
}

tenon_layer* tenon_layer_copy_innermost(void) { return tenon::dispatch::top_layer().detach(); }

tenon_layer* tenon_layer_retain(tenon_layer* layer) {
  if (layer != nullptr) layer->retain();
  return layer;
}

void tenon_layer_release(tenon_layer* layer) {
  if (layer != nullptr) layer->release();
}

uint32_t tenon_layer_kind(const tenon_layer* layer) {
  TENON_NEVER_NULL(layer);
  return kind_of(*layer);
}

int64_t tenon_layer_level(const tenon_layer* layer) {
  TENON_NEVER_NULL(layer);
  return layer->level();
}

tenon_status tenon_layer_get_vmap(const tenon_layer* layer, tenon_vmap_info* out_info) {
  constexpr const char* kGet = "tenon_layer_get_vmap";
  return guarded([&] {
    TENON_CHECK_ARG(layer != nullptr && out_info != nullptr, kGet,
                    ": layer and out_info must be given, got NULL");
    check_kind(kGet, *layer, TENON_LAYER_VMAP, "vmap");
    const transform::VmapInfo& info = *transform::vmap_info(*layer);
    tenon::capi::fill_struct(kGet, kFirstInfo, out_info, [&] {
      tenon_vmap_info found{};
      found.randomness = info.randomness;
      found.batch_size = info.size;
      return found;
    });
  });
}

tenon_status tenon_layer_wrap(tenon_layer* layer, tenon_tensor* tensor, int64_t dim,
                              tenon_tensor** out_tensor) {
  TENON_REQUIRE(out_tensor);
  constexpr const char* kWrap = "tenon_layer_wrap";
  *out_tensor = nullptr;
  return guarded([&] {
    tenon_layer& its_layer = checked(kWrap, layer);
    tenon_tensor& below = checked(kWrap, "tensor", tensor);
    check_alive(kWrap, its_layer);
    const uint32_t kind = kind_of(its_layer);
    if (kind == TENON_LAYER_VMAP) {
      *out_tensor = transform::wrap_mapped(its_layer, below, dim).detach();
      return;
    }
    TENON_CHECK_ARG(dim == TENON_DIM_NONE, kWrap,
                    ": dim must be TENON_DIM_NONE unless the layer is a vmap, got ", dim);
    TENON_CHECK_ARG(kind != TENON_LAYER_OTHER, kWrap, ": layer must be a vmap, grad or jvp, got a ",
                    its_layer.kind().name);
    *out_tensor = (kind == TENON_LAYER_GRAD ? autograd::new_tracked(its_layer, below)
                                            : autograd::new_constant(its_layer, below))
                      .detach();
  });
}

tenon_status tenon_layer_lift(tenon_layer* layer, tenon_tensor* tensor, tenon_tensor** out_tensor) {
  TENON_REQUIRE(out_tensor);
  constexpr const char* kLift = "tenon_layer_lift";
  *out_tensor = nullptr;
  return guarded([&] {
    tenon_layer& its_layer = checked(kLift, layer);
    tenon_tensor& below = checked(kLift, "tensor", tensor);
    check_alive(kLift, its_layer);
    const bool lifts = its_layer.kind().lift != nullptr &&
                       tenon::dispatch::level_tensor(below, its_layer) == nullptr;
    *out_tensor =
        (lifts ? its_layer.kind().lift(its_layer, below, nullptr) : TensorPtr::share(&below))
            .detach();
  });
}

tenon_status tenon_layer_wrap_dual(tenon_layer* layer, tenon_tensor* primal, tenon_tensor* tangent,
                                   tenon_tensor** out_tensor) {
  TENON_REQUIRE(out_tensor);
  constexpr const char* kWrap = "tenon_layer_wrap_dual";
  *out_tensor = nullptr;
  return guarded([&] {
    tenon_layer& its_layer = checked(kWrap, layer);
    check_kind(kWrap, its_layer, TENON_LAYER_JVP, "jvp");
    check_alive(kWrap, its_layer);
    *out_tensor = autograd::new_dual(its_layer, checked(kWrap, "primal", primal),
                                     checked(kWrap, "tangent", tangent))
                      .detach();
  });
}

tenon_status tenon_layer_unwrap(tenon_layer* layer, tenon_tensor* tensor, tenon_tensor** out_tensor,
                                int64_t* out_dim) {
  TENON_REQUIRE(out_tensor, out_dim);
  TENON_REQUIRE(out_dim, out_tensor);
  constexpr const char* kUnwrap = "tenon_layer_unwrap";
  *out_tensor = nullptr;
  *out_dim = TENON_DIM_NONE;
  return guarded([&] {
    tenon_layer& its_layer = checked(kUnwrap, layer);
    TENON_CHECK_ARG(tensor != nullptr, kUnwrap, ": tensor must be given, got NULL");
    const auto* level = tenon::dispatch::level_tensor(*tensor, its_layer);
    const bool mapped = level != nullptr && kind_of(its_layer) == TENON_LAYER_VMAP;
    if (mapped) *out_dim = transform::batch_dim(*level);
    *out_tensor = autograd::unwrap(its_layer, *tensor).detach();
  });
}

tenon_status tenon_layer_tangent(tenon_layer* layer, tenon_tensor* tensor,
                                 tenon_tensor** out_tangent) {
  TENON_REQUIRE(out_tangent);
  constexpr const char* kTangent = "tenon_layer_tangent";
  *out_tangent = nullptr;
  return guarded([&] {
    tenon_layer& its_layer = checked(kTangent, layer);
    check_kind(kTangent, its_layer, TENON_LAYER_JVP, "jvp");
    *out_tangent = autograd::tangent_below(its_layer, checked(kTangent, "tensor", tensor)).detach();
  });
}

tenon_layer* tenon_tensor_copy_layer(const tenon_tensor* tensor) {
  const auto* level = tensor != nullptr ? tenon::dispatch::level_tensor(*tensor) : nullptr;
  return level != nullptr ? LayerPtr(level->layer).detach() : nullptr;
}

tenon_status tenon_tensor_copy_plain(tenon_tensor* tensor, tenon_tensor** out_tensor) {
  TENON_REQUIRE(out_tensor);
  constexpr const char* kCopy = "tenon_tensor_copy_plain";
  *out_tensor = nullptr;
  return guarded([&] {
    TENON_CHECK_ARG(tensor != nullptr, kCopy, ": tensor must be given, got NULL");
    tenon_tensor* at = tensor;
    while (const auto* level = tenon::dispatch::level_tensor(*at)) {
      TENON_CHECK(kind_of(*level->layer) != TENON_LAYER_VMAP, TENON_ERROR_STATE, kCopy,
                  ": cannot read elements of a tensor that is mapped by a vmap, as .item() and "
                  "tolist() do, got one of level ",
                  level->layer->level());
      at = level->below.get();
    }
    *out_tensor = TensorPtr::share(at).detach();
  });
}

tenon_status tenon_layer_hide(tenon_hidden_layer** out_hidden) {
  TENON_REQUIRE(out_hidden);
  *out_hidden = nullptr;
  return guarded([&] {
    TENON_CHECK(tenon::dispatch::peek_top_layer() != nullptr, TENON_ERROR_STATE,
                "tenon_layer_hide: a layer must be active on the thread, got none");
    *out_hidden = new tenon_hidden_layer;
  });
}

void tenon_layer_show(tenon_hidden_layer* hidden) { delete hidden; }

tenon_status tenon_library_register_vmap(tenon_library* library, const char* name,
                                         const tenon_vmap_rule* rule,
                                         tenon_registration** out_registration) {
  constexpr const char* kRegister = "tenon_library_register_vmap";
  if (out_registration != nullptr) *out_registration = nullptr;
  return guarded([&] {
    TENON_CHECK_ARG(rule != nullptr, kRegister, ": rule must be given, got NULL");
    const bool has_deleter = rule->struct_size >= offsetof(tenon_vmap_rule, language);
    CallbackOwner owner(has_deleter ? rule->ctx : nullptr, has_deleter ? rule->deleter : nullptr);
    const auto whole = tenon::base::read_struct(kRegister, kFirstRule, *rule);
    tenon::base::check_reserved(kRegister, whole.reserved0, whole.reserved);
    TENON_CHECK_ARG(whole.flags == 0, kRegister, ": flags must be 0, got ", whole.flags);
    TENON_CHECK_ARG(library != nullptr && name != nullptr && whole.fn != nullptr, kRegister,
                    ": library, name and fn must be given, got NULL");
    TENON_CHECK_ARG(tenon::base::is_language(whole.language), kRegister,
                    ": language must be a registered one, got ", whole.language);
    owner.taken();
    auto registration = transform::register_rule(library, name, whole);
    if (out_registration != nullptr) *out_registration = registration.detach();
  });
}

void tenon_vmap_set_loop_warnings(int32_t enabled) { transform::set_warns_of_loops(enabled != 0); }
int32_t tenon_vmap_loop_warnings(void) { return transform::warns_of_loops() ? 1 : 0; }
void tenon_vmap_set_loops(int32_t enabled) { transform::set_allows_loops(enabled != 0); }
int32_t tenon_vmap_loops(void) { return transform::allows_loops() ? 1 : 0; }

tenon_status tenon_vmap_size(const char* name, const tenon_value* args, const int64_t* in_dims,
                             int64_t nargs, int64_t* out_size) {
  TENON_REQUIRE(out_size);
  *out_size = 0;
  return guarded([&] {
    constexpr const char* kSize = "tenon_vmap_size";
    check_array(kSize, "args", args, nargs);
    check_array(kSize, "in_dims", in_dims, nargs);
    const auto count = static_cast<size_t>(nargs);
    *out_size =
        transform::vmap_size(name != nullptr ? name : "vmap", {args, count}, {in_dims, count});
  });
}

tenon_status tenon_vmap_result(tenon_layer* layer, const char* name, int64_t number,
                               const tenon_value* result, int64_t out_dim,
                               tenon_tensor** out_tensor) {
  TENON_REQUIRE(out_tensor);
  *out_tensor = nullptr;
  return guarded([&] {
    constexpr const char* kResult = "tenon_vmap_result";
    tenon_layer& its_layer = checked(kResult, layer);
    check_kind(kResult, its_layer, TENON_LAYER_VMAP, "vmap");
    TENON_CHECK_ARG(result != nullptr, kResult, ": result must be given, got NULL");
    *out_tensor =
        transform::vmap_result(its_layer, name != nullptr ? name : "vmap", number, *result, out_dim)
            .detach();
  });
}

tenon_status tenon_vmap(tenon_callable function, void* ctx, const tenon_vmap_options* options,
                        tenon_stack* stack) {
  return guarded([&] {
    constexpr const char* kVmap = "tenon_vmap";
    check_function(kVmap, function, stack);
    tenon_vmap_options whole{};
    if (options != nullptr) {
      whole = tenon::base::read_struct(kVmap, kFirstOptions, *options);
      tenon::base::check_reserved(kVmap, 0, whole.reserved);
    }
    check_array(kVmap, "in_dims", whole.in_dims, whole.nin_dims);
    check_array(kVmap, "out_dims", whole.out_dims, whole.nout_dims);
    transform::vmap(function, ctx, whole, stack);
  });
}

tenon_status tenon_vjp(tenon_callable function, void* ctx, tenon_stack* stack,
                       tenon_pullback** out_pullback) {
  TENON_REQUIRE(out_pullback);
  *out_pullback = nullptr;
  return guarded([&] {
    check_function("tenon_vjp", function, stack);
    *out_pullback = autograd::vjp(function, ctx, stack).detach();
  });
}

tenon_status tenon_pullback_new(tenon_tensor* const* outputs, int64_t noutputs,
                                tenon_tensor* const* inputs, int64_t ninputs,
                                tenon_pullback** out_pullback) {
  TENON_REQUIRE(out_pullback);
  *out_pullback = nullptr;
  return guarded([&] {
    constexpr const char* kNew = "tenon_pullback_new";
    *out_pullback = tenon::base::make_intrusive<autograd::Pullback>(
                        share_all(kNew, "outputs", outputs, noutputs),
                        share_all(kNew, "inputs", inputs, ninputs))
                        .detach();
  });
}

tenon_status tenon_pullback_run(const tenon_pullback* pullback, tenon_tensor* const* grads,
                                int64_t ngrads, tenon_tensor** out_grads) {
  constexpr const char* kRun = "tenon_pullback_run";
  if (pullback != nullptr && out_grads != nullptr) {
    std::fill_n(out_grads, pullback->inputs.size(), nullptr);
  }
  return guarded([&] {
    TENON_CHECK_ARG(pullback != nullptr && out_grads != nullptr, kRun,
                    ": pullback and out_grads must be given, got NULL");
    check_array(kRun, "grads", grads, ngrads);
    std::vector<TensorPtr> found = pullback->run({grads, static_cast<size_t>(ngrads)});
    for (size_t i = 0; i < found.size(); ++i) out_grads[i] = found[i].detach();
  });
}

int64_t tenon_pullback_count(const tenon_pullback* pullback, int64_t* out_inputs) {
  if (out_inputs != nullptr) *out_inputs = static_cast<int64_t>(pullback->inputs.size());
  return static_cast<int64_t>(pullback->outputs.size());
}

tenon_pullback* tenon_pullback_retain(tenon_pullback* pullback) {
  if (pullback != nullptr) pullback->retain();
  return pullback;
}

void tenon_pullback_release(tenon_pullback* pullback) {
  if (pullback != nullptr) pullback->release();
}

tenon_status tenon_jvp(tenon_callable function, void* ctx, tenon_stack* stack,
                       tenon_tensor* const* tangents, tenon_value* out_tangents) {
  TENON_REQUIRE(out_tangents);
  *out_tangents = tenon_value_of_none();
  return guarded([&] {
    constexpr const char* kJvp = "tenon_jvp";
    check_function(kJvp, function, stack);
    check_array(kJvp, "tangents", tangents, stack->nargs);
    autograd::jvp(function, ctx, stack, {tangents, stack->nargs}, out_tangents);
  });
}

}  // extern "C"
