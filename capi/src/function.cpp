// SPDX-License-Identifier: Apache-2.0
// Functions over core/autograd; see tenon/function.h.
#include "tenon/function.h"

#include "autograd/formula/function.h"
#include "base/check.h"
#include "base/language.h"
#include "base/read_struct.h"
#include "callback_owner.h"
#include "guard.h"
#include "not_null.h"

namespace autograd = tenon::autograd;
using autograd::FunctionContextPtr;
using tenon::capi::CallbackOwner;
using tenon::capi::guarded;

namespace {

constexpr size_t kFirstSize = sizeof(tenon_function_type);

autograd::FunctionContext& checked(const char* function, tenon_function_context* context) {
  TENON_CHECK_ARG(context != nullptr, function, ": context must be given, got NULL");
  return *context;
}

tenon_tensor* checked(const char* function, tenon_tensor* tensor) {
  TENON_CHECK_ARG(tensor != nullptr, function, ": tensor must be given, got NULL");
  return tensor;
}

void check_array(const char* function, const char* what, const void* array, int64_t count) {
  TENON_CHECK_ARG(count >= 0 && (count == 0 || array != nullptr), function, ": ", what,
                  " must be given, got ", array != nullptr ? "a count of " : "NULL for ", count);
}

tenon::value::ObjectPtr make_function(const tenon_function_type& whole, CallbackOwner* owner) {
  constexpr const char* kNew = "tenon_function_new";
  constexpr uint32_t kKnown = TENON_FUNCTION_ONCE_DIFFERENTIABLE | TENON_FUNCTION_SAVED_ON_DEMAND |
                              TENON_FUNCTION_ONE_LEVEL;
  tenon::base::check_reserved(kNew, whole.reserved0, whole.reserved);
  TENON_CHECK_ARG((whole.flags & ~kKnown) == 0, kNew, ": flags must be TENON_FUNCTION_* bits, got ",
                  whole.flags);
  TENON_CHECK_ARG(whole.name != nullptr && *whole.name != 0, kNew, ": name must be given, got ",
                  whole.name != nullptr ? "an empty one" : "NULL");
  TENON_CHECK_ARG(whole.backward != nullptr, kNew, ": ", whole.name,
                  ": backward must be given, got NULL");
  TENON_CHECK_ARG(tenon::base::is_language(whole.language), kNew, ": ", whole.name,
                  ": language must be a registered one, got ", whole.language);
  autograd::Callbacks callbacks{whole.backward, whole.setup,   whole.jvp,
                                whole.ctx,      whole.deleter, whole.language};
  callbacks.once_differentiable = (whole.flags & TENON_FUNCTION_ONCE_DIFFERENTIABLE) != 0;
  callbacks.saved_on_demand = (whole.flags & TENON_FUNCTION_SAVED_ON_DEMAND) != 0;
  callbacks.one_level = (whole.flags & TENON_FUNCTION_ONE_LEVEL) != 0;
  owner->taken();
  return autograd::Function::make(tenon::base::concat(whole.name, "Backward"), whole.forward,
                                  callbacks);
}

}  // namespace

extern "C" {

tenon_status tenon_function_new(const tenon_function_type* type, tenon_object** out_function) {
  if (out_function != nullptr) *out_function = nullptr;
  return guarded([&] {
    TENON_CHECK_ARG(type != nullptr, "tenon_function_new: type must be given, got NULL");
    const bool has_deleter = type->struct_size >= offsetof(tenon_function_type, language);
    CallbackOwner owner(has_deleter ? type->ctx : nullptr, has_deleter ? type->deleter : nullptr);
    TENON_CHECK_ARG(out_function != nullptr,
                    "tenon_function_new: out_function must be given, got NULL");
    const auto whole = tenon::base::read_struct("tenon_function_new", kFirstSize, *type);
    *out_function = make_function(whole, &owner).detach();
  });
}

tenon_status tenon_function_apply(tenon_object* function, const tenon_value* args, int64_t nargs,
                                  tenon_value* out_result) {
  TENON_REQUIRE(out_result);
  *out_result = tenon_value_of_none();
  return guarded([&] {
    const auto& applied = autograd::Function::of("tenon_function_apply", function);
    check_array("tenon_function_apply", "args", args, nargs);
    applied.apply({args, static_cast<size_t>(nargs)}, out_result);
  });
}

tenon_status tenon_function_begin(tenon_object* function, tenon_tensor* const* inputs,
                                  int64_t ninputs, tenon_function_context** out_context) {
  TENON_REQUIRE(out_context);
  *out_context = nullptr;
  return guarded([&] {
    const auto& applied = autograd::Function::of("tenon_function_begin", function);
    check_array("tenon_function_begin", "inputs", inputs, ninputs);
    *out_context =
        autograd::begin_function(applied.formula(), {inputs, static_cast<size_t>(ninputs)})
            .detach();
  });
}

tenon_status tenon_function_finish(tenon_function_context* context, tenon_tensor** outputs,
                                   int64_t noutputs, tenon_node** out_node) {
  TENON_REQUIRE(out_node);
  *out_node = nullptr;
  return guarded([&] {
    const auto ended = FunctionContextPtr::adopt(&checked("tenon_function_finish", context));
    check_array("tenon_function_finish", "outputs", outputs, noutputs);
    *out_node =
        autograd::finish_function(*ended, {outputs, static_cast<size_t>(noutputs)}).detach();
  });
}

void tenon_function_cancel(tenon_function_context* context) {
  if (context == nullptr) return;
  context->end_forward();
  context->release();
}

tenon_function_context* tenon_function_context_of(const tenon_node* node) {
  TENON_NEVER_NULL(node);
  const autograd::Formula* const formula = node->formula();
  return formula != nullptr ? const_cast<tenon_function_context*>(formula->context()) : nullptr;
}

int64_t tenon_function_context_input_count(const tenon_function_context* context) {
  TENON_NEVER_NULL(context);
  return static_cast<int64_t>(context->input_count());
}

int64_t tenon_function_context_output_count(const tenon_function_context* context) {
  TENON_NEVER_NULL(context);
  return static_cast<int64_t>(context->output_count());
}

tenon_status tenon_function_context_save(tenon_function_context* context, const tenon_value* values,
                                         int64_t count) {
  return guarded([&] {
    constexpr const char* kFunction = "tenon_function_context_save";
    check_array(kFunction, "values", values, count);
    checked(kFunction, context).save({values, static_cast<size_t>(count)});
  });
}

int64_t tenon_function_context_saved_count(const tenon_function_context* context) {
  TENON_NEVER_NULL(context);
  return static_cast<int64_t>(context->saved_count());
}

tenon_status tenon_function_context_copy_saved(const tenon_function_context* context, int64_t index,
                                               tenon_value* out_value) {
  TENON_REQUIRE(out_value);
  *out_value = tenon_value_of_none();
  return guarded([&] {
    constexpr const char* kFunction = "tenon_function_context_copy_saved";
    const auto& read = checked(kFunction, const_cast<tenon_function_context*>(context));
    *out_value = read.copy_saved(static_cast<size_t>(index));
  });
}

void tenon_function_context_drop_saved(tenon_function_context* context) {
  TENON_NEVER_NULL(context);
  context->drop_saved();
}

int32_t tenon_function_context_needs_grad(const tenon_function_context* context, int64_t input) {
  TENON_NEVER_NULL(context);
  return input >= 0 && context->needs_grad(static_cast<size_t>(input)) ? 1 : 0;
}

tenon_status tenon_function_context_mark_dirty(tenon_function_context* context,
                                               tenon_tensor* tensor) {
  return guarded([&] {
    constexpr const char* kFunction = "tenon_function_context_mark_dirty";
    checked(kFunction, context).mark_dirty(checked(kFunction, tensor));
  });
}

tenon_status tenon_function_context_mark_non_differentiable(tenon_function_context* context,
                                                            tenon_tensor* tensor) {
  return guarded([&] {
    constexpr const char* kFunction = "tenon_function_context_mark_non_differentiable";
    checked(kFunction, context).mark_non_differentiable(checked(kFunction, tensor));
  });
}

void tenon_function_context_set_materialize_grads(tenon_function_context* context,
                                                  int32_t materialize) {
  TENON_NEVER_NULL(context);
  context->set_materialize_grads(materialize != 0);
}

void tenon_function_context_set_once_differentiable(tenon_function_context* context) {
  TENON_NEVER_NULL(context);
  context->set_once_differentiable();
}

void tenon_function_context_set_state(tenon_function_context* context, void* state,
                                      tenon_deleter deleter) {
  context->set_state(state, deleter);
}

void* tenon_function_context_state(const tenon_function_context* context, uint32_t language) {
  TENON_NEVER_NULL(context);
  return context->owner().callbacks().language == language ? context->state() : nullptr;
}

}  // extern "C"
