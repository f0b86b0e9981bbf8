// SPDX-License-Identifier: Apache-2.0
// Libraries and registrations over core/dispatch; see tenon/library.h.
#include "tenon/library.h"
#include "tenon/kernel.h"

#include "base/check.h"
#include "base/read_struct.h"
#include "base/reclaim.h"
#include "dispatch/library.h"
#include "guard.h"
#include "not_null.h"
#include "stack.h"

namespace dispatch = tenon::dispatch;
using tenon::base::InternedString;
using tenon::capi::guarded;

namespace {

const char* text_or_empty(const char* text) { return text != nullptr ? text : ""; }

dispatch::DefineOptions read_options(const tenon_define_options* given) {
  dispatch::DefineOptions options;
  if (given == nullptr) return options;
  constexpr const char* kDefine = "tenon_library_define";
  constexpr size_t kFirstSize = 56;
  const auto whole = tenon::base::read_struct(kDefine, kFirstSize, *given);
  tenon::base::check_reserved(kDefine, whole.reserved0, whole.reserved);
  TENON_CHECK_ARG(whole.tag_count == 0 || whole.tags != nullptr, kDefine,
                  ": tags must be given, got NULL for ", whole.tag_count);
  for (uint32_t i = 0; i < whole.tag_count; ++i) {
    TENON_CHECK_ARG(whole.tags[i] != nullptr && whole.tags[i][0] != '\0',
                    "tenon_library_define: tag ", i, " must be a nonempty string, got none");
    options.tags.emplace_back(std::string_view(whole.tags[i]));
  }
  options.alias_analysis = text_or_empty(whole.alias_analysis);
  options.file = InternedString(text_or_empty(whole.file));
  options.line = whole.line;
  return options;
}

void give(dispatch::RegistrationPtr registration, tenon_registration** out_registration) {
  if (out_registration != nullptr) *out_registration = registration.detach();
}

// Frees the ctx that a caller handed over, and refuses the call.
void refuse(const tenon_kernel* kernel, const char* function, const char* what) {
  if (kernel != nullptr && kernel->deleter != nullptr) kernel->deleter(kernel->ctx);
  tenon::fail(TENON_ERROR_INVALID_ARGUMENT, function, ": ", what, " must be given, got NULL");
}

}  // namespace

extern "C" {

tenon_status tenon_library_new(uint32_t kind, const char* ns, tenon_key key, const char* file,
                               int32_t line, tenon_library** out_library) {
  TENON_REQUIRE(out_library);
  *out_library = nullptr;
  return guarded([&] {
    *out_library =
        dispatch::open_library(kind, text_or_empty(ns), key, text_or_empty(file), line).detach();
  });
}

tenon_library* tenon_library_retain(tenon_library* library) {
  if (library != nullptr) library->retain();
  return library;
}

void tenon_library_release(tenon_library* library) {
  if (library != nullptr) library->release();
}

const char* tenon_library_namespace(const tenon_library* library) {
  TENON_NEVER_NULL(library);
  return library->ns.c_str();
}

tenon_status tenon_library_define(tenon_library* library, const char* schema,
                                  const tenon_define_options* options, const tenon_op** out_op) {
  if (out_op != nullptr) *out_op = nullptr;
  return guarded([&] {
    TENON_CHECK_ARG(library != nullptr, "tenon_library_define: library must be given, got NULL");
    TENON_CHECK_ARG(schema != nullptr, "tenon_library_define: schema must be given, got NULL");
    const tenon_op* op = dispatch::define(library, schema, read_options(options));
    if (out_op != nullptr) *out_op = op;
  });
}

tenon_status tenon_library_impl(tenon_library* library, const char* name, tenon_key key,
                                const tenon_kernel* kernel, tenon_registration** out_registration) {
  if (out_registration != nullptr) *out_registration = nullptr;
  return guarded([&] {
    if (kernel == nullptr) refuse(kernel, "tenon_library_impl", "kernel");
    if (library == nullptr) refuse(kernel, "tenon_library_impl", "library");
    if (name == nullptr) refuse(kernel, "tenon_library_impl", "name");
    give(dispatch::implement(library, name, key, dispatch::make_kernel(*kernel)), out_registration);
  });
}

tenon_status tenon_library_fallback(tenon_library* library, tenon_key key,
                                    const tenon_kernel* kernel, tenon_fallback_select select,
                                    tenon_registration** out_registration) {
  if (out_registration != nullptr) *out_registration = nullptr;
  return guarded([&] {
    if (kernel == nullptr) refuse(kernel, "tenon_library_fallback", "kernel");
    if (library == nullptr) refuse(kernel, "tenon_library_fallback", "library");
    give(dispatch::add_fallback(library, key, dispatch::make_kernel(*kernel), select),
         out_registration);
  });
}

void tenon_library_close(tenon_library* library) {
  if (library != nullptr) dispatch::close_library(library);
}

tenon_status tenon_library_drain(tenon_library* library, int64_t timeout_ns) {
  return guarded([&] {
    TENON_CHECK_ARG(library != nullptr, "tenon_library_drain: library must be given, got NULL");
    dispatch::drain_library(library, timeout_ns);
  });
}

void tenon_registration_remove(tenon_registration* registration) {
  if (registration != nullptr) dispatch::remove_registration(registration);
}

tenon_status tenon_registration_call_older(const tenon_registration* registration,
                                           tenon_keyset keys, tenon_stack* stack) {
  TENON_REQUIRE(registration);
  TENON_REQUIRE(stack);
  tenon::capi::assert_stack(stack);
  return dispatch::call_older(*registration, keys, stack);
}

tenon_registration* tenon_registration_retain(tenon_registration* registration) {
  if (registration != nullptr) registration->retain();
  return registration;
}

void tenon_registration_release(tenon_registration* registration) {
  if (registration != nullptr) registration->release();
}

void tenon_registry_reap(void) { tenon::base::reap(); }

tenon_status tenon_registry_add_listener(tenon_registry_listener listener, void* ctx,
                                         tenon_deleter deleter,
                                         tenon_registration** out_registration) {
  if (out_registration != nullptr) *out_registration = nullptr;
  return guarded([&] { give(dispatch::add_listener(listener, ctx, deleter), out_registration); });
}

}  // extern "C"
