// SPDX-License-Identifier: Apache-2.0
// Hooks over core/autograd; see tenon/hooks.h.
#include "tenon/hooks.h"

#include "autograd/engine/pass.h"
#include "autograd/node/hook.h"
#include "autograd/node/node_extra.h"
#include "autograd/node/node_saved.h"
#include "autograd/node/owned.h"
#include "autograd/record/recording_modes.h"
#include "autograd/tensor_state.h"
#include "base/check.h"
#include "base/language.h"
#include "base/read_struct.h"
#include "guard.h"
#include "not_null.h"
#include "value/buffer.h"

namespace autograd = tenon::autograd;
using tenon::capi::guarded;

namespace {

tenon_tensor& checked(const char* function, const tenon_tensor* tensor) {
  TENON_CHECK_ARG(tensor != nullptr && !tensor->is_undefined(), function,
                  ": tensor must be given, got ", tensor == nullptr ? "NULL" : "an undefined one");
  return *const_cast<tenon_tensor*>(tensor);
}

// Takes ownership of the hook in `options`, whose deleter runs even if this function throws.
// Returns the kind, which must be `kind_a` or `kind_b`.
uint32_t read_hook(const char* function, const tenon_hook_options* options, uint32_t kind_a,
                   uint32_t kind_b, tenon_hook::TargetPtr* out_target) {
  TENON_CHECK_ARG(options != nullptr, function, ": options must be given, got NULL");
  const bool has_deleter = options->struct_size >= offsetof(tenon_hook_options, language);
  *out_target = tenon::base::make_intrusive<tenon_hook::Target>(
      options->fn, has_deleter ? options->ctx : nullptr, has_deleter ? options->deleter : nullptr,
      options->struct_size >= offsetof(tenon_hook_options, reserved0) ? options->language : 0);
  constexpr size_t kFirstSize = 56;
  const auto whole = tenon::base::read_struct(function, kFirstSize, *options);
  tenon::base::check_reserved(function, whole.reserved0, whole.reserved);
  TENON_CHECK_ARG(whole.fn != nullptr, function, ": fn must be given, got NULL");
  TENON_CHECK_ARG(whole.kind == kind_a || whole.kind == kind_b, function, ": kind must be ", kind_a,
                  " or ", kind_b, ", got ", whole.kind);
  TENON_CHECK_ARG(tenon::base::is_language(whole.language), function,
                  ": language must be a registered one, got ", whole.language);
  return whole.kind;
}

// Takes ownership of saved-tensor hooks. Their deleter runs even if this function throws.
autograd::SavedHooksPtr read_saved_hooks(const char* function, const tenon_saved_hooks* given) {
  TENON_CHECK_ARG(given != nullptr, function, ": hooks must be given, got NULL");
  auto hooks = tenon::base::make_intrusive<autograd::SavedHooks>();
  if (given->struct_size >= offsetof(tenon_saved_hooks, reserved)) {
    hooks->ctx = given->ctx;
    hooks->deleter = given->deleter;
  }
  constexpr size_t kFirstSize = 56;
  const auto whole = tenon::base::read_struct(function, kFirstSize, *given);
  tenon::base::check_reserved(function, whole.reserved);
  TENON_CHECK_ARG(tenon::base::is_language(whole.language), function,
                  ": language must be a registered one, got ", whole.language);
  TENON_CHECK_ARG(whole.pack != nullptr && whole.unpack != nullptr, function,
                  ": pack and unpack must be given, got NULL");
  hooks->pack = whole.pack;
  hooks->unpack = whole.unpack;
  hooks->language = whole.language;
  return hooks;
}

// Visits the owned objects; see tenon_tensor_visit_owned. If memory is short, returns early: the
// collector then assumes that objects that were not visited are referenced from elsewhere.
template <class Thing>
int32_t visited(const Thing& thing, uint32_t language, tenon_owned_fn visit, void* ctx) {
  try {
    return autograd::visit_owned(thing, language, visit, ctx);
  } catch (const std::bad_alloc&) {
    return 0;
  }
}
template <class Thing>
void cleared(const Thing& thing, uint32_t language) {
  try {
    autograd::clear_owned(thing, language);
  } catch (const std::bad_alloc&) {
    return;  // a later collection reports them again
  }
}

}  // namespace

extern "C" {

tenon_status tenon_tensor_add_hook(tenon_tensor* tensor, const tenon_hook_options* options,
                                   tenon_hook** out_hook) {
  if (out_hook != nullptr) *out_hook = nullptr;
  return guarded([&] {
    constexpr const char* kFunction = "tenon_tensor_add_hook";
    tenon_hook::TargetPtr target;
    const uint32_t kind =
        read_hook(kFunction, options, TENON_HOOK_GRAD, TENON_HOOK_ACCUMULATED, &target);
    autograd::HookPtr hook =
        autograd::add_hook(checked(kFunction, tensor), kind, std::move(target));
    if (out_hook != nullptr) *out_hook = hook.detach();
  });
}

tenon_status tenon_node_add_hook(tenon_node* node, const tenon_hook_options* options,
                                 tenon_hook** out_hook) {
  if (out_hook != nullptr) *out_hook = nullptr;
  return guarded([&] {
    constexpr const char* kFunction = "tenon_node_add_hook";
    tenon_hook::TargetPtr target;
    const uint32_t kind =
        read_hook(kFunction, options, TENON_HOOK_BEFORE, TENON_HOOK_AFTER, &target);
    TENON_CHECK_ARG(node != nullptr, kFunction, ": node must be given, got NULL");
    auto hook = tenon::base::make_intrusive<tenon_hook>(kind, 0, std::move(target));
    node->require_extra().add_hook(hook);
    if (out_hook != nullptr) *out_hook = hook.detach();
  });
}

void tenon_hook_remove(tenon_hook* hook) {
  TENON_NEVER_NULL(hook);
  hook->remove();
}

tenon_hook* tenon_hook_retain(tenon_hook* hook) {
  if (hook != nullptr) hook->retain();
  return hook;
}

void tenon_hook_release(tenon_hook* hook) {
  if (hook != nullptr) hook->release();
}

tenon_status tenon_tensor_retain_grad(tenon_tensor* tensor) {
  return guarded([&] { autograd::retain_grad(checked("tenon_tensor_retain_grad", tensor)); });
}

int32_t tenon_tensor_retains_grad(const tenon_tensor* tensor) {
  TENON_NEVER_NULL(tensor);
  return autograd::retains_grad(*tensor) ? 1 : 0;
}

tenon_dtype tenon_tensor_grad_dtype(const tenon_tensor* tensor) {
  TENON_NEVER_NULL(tensor);
  return autograd::grad_dtype(*tensor);
}

tenon_status tenon_tensor_set_grad_dtype(tenon_tensor* tensor, tenon_dtype dtype) {
  return guarded(
      [&] { autograd::set_grad_dtype(checked("tenon_tensor_set_grad_dtype", tensor), dtype); });
}

tenon_status tenon_tensor_increment_version(tenon_tensor* tensor) {
  return guarded([&] {
    constexpr const char* kFunction = "tenon_tensor_increment_version";
    tenon_tensor& written = checked(kFunction, tensor);
    TENON_CHECK(!written.is_inference(), TENON_ERROR_STATE, kFunction,
                ": inference tensors do not track version counters, got one");
    written.bump_version();
  });
}

tenon_tensor* tenon_node_copy_variable(const tenon_node* node) {
  TENON_NEVER_NULL(node);
  return node->copy_variable().detach();
}

int64_t tenon_node_use_count(const tenon_node* node) {
  TENON_NEVER_NULL(node);
  return node->use_count();
}

void** tenon_node_cell(tenon_node* node, uint32_t language) {
  return autograd::node_cell(*node, language);
}

tenon_status tenon_node_own_cell(tenon_node* node, uint32_t language, void* object,
                                 tenon_deleter drop) {
  return guarded([&] { autograd::own_node_cell(*node, language, object, drop); });
}

int64_t tenon_backward_pass(void) {
  autograd::Pass* pass = autograd::Pass::current();
  return pass != nullptr ? pass->number() : 0;
}

int32_t tenon_backward_reaches(const tenon_node* node) {
  autograd::Pass* pass = autograd::Pass::current();
  if (pass == nullptr) return 0;
  try {
    return pass->reaches(*node) ? 1 : 0;
  } catch (const std::bad_alloc&) {
    return 0;
  }
}

tenon_status tenon_backward_copy_waiting(tenon_node* node, int64_t output,
                                         tenon_tensor** out_grad) {
  TENON_REQUIRE(out_grad);
  TENON_REQUIRE(node, out_grad);
  *out_grad = nullptr;
  return guarded([&] {
    TENON_CHECK(output >= 0 && output < node->output_count(), TENON_ERROR_INDEX,
                "tenon_backward_copy_waiting: output must be in [0, ", node->output_count(),
                "), got ", output);
    autograd::Pass* pass = autograd::Pass::current();
    if (pass == nullptr) return;
    *out_grad = pass->waiting_for(*node, static_cast<uint32_t>(output)).detach();
  });
}

tenon_status tenon_backward_when_done(tenon_done_fn fn, void* ctx, tenon_deleter deleter) {
  return guarded([&] {
    constexpr const char* kFunction = "tenon_backward_when_done";
    autograd::FinalCallback done(fn, ctx, deleter);
    TENON_CHECK_ARG(fn != nullptr, kFunction, ": fn must be given, got NULL");
    autograd::Pass* pass = autograd::Pass::current();
    TENON_CHECK(pass != nullptr, TENON_ERROR_STATE, kFunction,
                ": must be called while a backward pass runs on this thread, got no pass");
    pass->add_final_callback(std::move(done));
  });
}

tenon_status tenon_saved_hooks_push(const tenon_saved_hooks* hooks) {
  return guarded([&] {
    autograd::SavedHooksPtr given = read_saved_hooks("tenon_saved_hooks_push", hooks);
    autograd::push_saved_hooks(std::move(given));
  });
}

tenon_status tenon_saved_hooks_pop(void* ctx) {
  return guarded([&] { autograd::pop_saved_hooks(ctx); });
}

tenon_status tenon_saved_hooks_disable(const char* reason) {
  return guarded([&] { autograd::refuse_saved_hooks(reason); });
}

const char* tenon_saved_hooks_refusal(void) {
  const autograd::RecordingModes* modes = autograd::recording_modes();
  return modes != nullptr && modes->refuses ? modes->refusal.c_str() : nullptr;
}

int64_t tenon_node_saved_count(const tenon_node* node) {
  TENON_NEVER_NULL(node);
  return autograd::saved_count(*node);
}

tenon_status tenon_node_saved_name(const tenon_node* node, int64_t index, tenon_buffer** out_name) {
  TENON_REQUIRE(out_name);
  TENON_REQUIRE(node, out_name);
  *out_name = nullptr;
  return guarded(
      [&] { *out_name = tenon::value::text_buffer(autograd::saved_name(*node, index)).detach(); });
}

tenon_status tenon_node_copy_saved(tenon_node* node, int64_t index, tenon_value* out_value) {
  TENON_REQUIRE(out_value);
  TENON_REQUIRE(node, out_value);
  *out_value = tenon_value_of_none();
  return guarded([&] { *out_value = autograd::copy_saved(*node, index); });
}

tenon_status tenon_node_pack_saved(tenon_node* node, int64_t index,
                                   const tenon_saved_hooks* hooks) {
  return guarded([&] {
    const autograd::SavedHooksPtr given = read_saved_hooks("tenon_node_pack_saved", hooks);
    autograd::pack_saved(*node, index, given);
  });
}

tenon_status tenon_creation_hook_push(tenon_node_fn fn, void* ctx, tenon_deleter deleter) {
  return guarded([&] {
    auto hook = tenon::base::make_intrusive<autograd::CreationHook>();
    hook->fn = fn;
    hook->ctx = ctx;
    hook->deleter = deleter;
    TENON_CHECK_ARG(fn != nullptr, "tenon_creation_hook_push: fn must be given, got NULL");
    autograd::require_recording_modes().creation.push_back(std::move(hook));
  });
}

tenon_status tenon_creation_hook_pop(void* ctx) {
  return guarded([&] { autograd::pop_creation_hook(ctx); });
}

tenon_status tenon_anomaly_set(uint32_t flags) {
  return guarded([&] {
    TENON_CHECK_ARG((flags & ~(TENON_ANOMALY_RECORD | TENON_ANOMALY_CHECK_NAN)) == 0,
                    "tenon_anomaly_set: flags must be TENON_ANOMALY_* bits, got ", flags);
    autograd::require_recording_modes().anomaly = flags;
    autograd::forget_empty_modes();
  });
}

uint32_t tenon_anomaly_get(void) { return autograd::anomaly_flags(); }

int32_t tenon_tensor_visit_owned(const tenon_tensor* tensor, uint32_t language,
                                 tenon_owned_fn visit, void* ctx) {
  TENON_NEVER_NULL(tensor);
  return visited(*tensor, language, visit, ctx);
}

int32_t tenon_node_visit_owned(const tenon_node* node, uint32_t language, tenon_owned_fn visit,
                               void* ctx) {
  TENON_NEVER_NULL(node);
  return visited(*node, language, visit, ctx);
}

void tenon_tensor_clear_owned(tenon_tensor* tensor, uint32_t language) {
  TENON_NEVER_NULL(tensor);
  cleared(*tensor, language);
}

void tenon_node_clear_owned(tenon_node* node, uint32_t language) {
  TENON_NEVER_NULL(node);
  cleared(*node, language);
}

}  // extern "C"
