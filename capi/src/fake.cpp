// SPDX-License-Identifier: Apache-2.0
// Fake tensors over core/fake; see tenon/fake.h.
#include "tenon/fake.h"

#include "autograd/tensor_state.h"
#include "base/check.h"
#include "fake/conversion.h"
#include "fake/dynamic_size.h"
#include "fake/fake_kernel.h"
#include "fake/mode.h"
#include "guard.h"
#include "key_guard.h"
#include "not_null.h"

namespace autograd = tenon::autograd;
namespace fake = tenon::fake;
using tenon::capi::guarded;

namespace {

// Makes `made` require grad if `real` does.
void follow_gradients(tenon_tensor& real, tenon_tensor& made) {
  if (&real == &made || autograd::requires_grad(made)) return;
  if (autograd::requires_grad(real)) autograd::set_requires_grad(made, true);
}

// Throws for NULL arguments. If a kernel was passed, its ctx has then been released.
void check_register(tenon_library* library, const char* name, const tenon_kernel* kernel) {
  constexpr const char* kRegister = "tenon_library_register_fake";
  TENON_CHECK_ARG(kernel != nullptr, kRegister, ": kernel must be given, got NULL");
  if (library != nullptr && name != nullptr) return;
  tenon::dispatch::make_kernel(*kernel);
  tenon::fail(TENON_ERROR_INVALID_ARGUMENT, kRegister, ": ",
              library == nullptr ? "library" : "name", " must be given, got NULL");
}

}  // namespace

extern "C" {

int32_t tenon_tensor_is_fake(const tenon_tensor* tensor) {
  TENON_NEVER_NULL(tensor);
  return tensor->is_fake() ? 1 : 0;
}

void tenon_fake_device(const tenon_tensor* tensor, tenon_device* out_device) {
  TENON_NEVER_NULL(tensor);
  TENON_NEVER_NULL(out_device);
  *out_device = tensor->device();
}

tenon_status tenon_fake_mode_new(uint32_t flags, tenon_fake_mode** out_mode) {
  TENON_REQUIRE(out_mode);
  *out_mode = nullptr;
  return guarded([&] {
    TENON_CHECK_ARG((flags & ~TENON_FAKE_ALLOW_REAL) == 0,
                    "tenon_fake_mode_new: flags must be TENON_FAKE_* bits, got ", flags);
    *out_mode = tenon::base::make_intrusive<fake::Mode>(flags).detach();
  });
}

tenon_fake_mode* tenon_fake_mode_retain(tenon_fake_mode* mode) {
  if (mode != nullptr) mode->retain();
  return mode;
}

void tenon_fake_mode_release(tenon_fake_mode* mode) {
  if (mode != nullptr) mode->release();
}

tenon_status tenon_fake_mode_set_shape_env(tenon_fake_mode* mode, tenon_shape_env* env) {
  return guarded([&] {
    TENON_CHECK_ARG(mode != nullptr && env != nullptr,
                    "tenon_fake_mode_set_shape_env: ", mode == nullptr ? "mode" : "env",
                    " must be given, got NULL");
    mode->set_shape_env(tenon::symbol::ShapeEnvPtr::share(env));
  });
}

tenon_status tenon_fake_mode_shape_env(tenon_fake_mode* mode, tenon_shape_env** out_env) {
  TENON_REQUIRE(out_env);
  *out_env = nullptr;
  return guarded([&] {
    TENON_CHECK_ARG(mode != nullptr, "tenon_fake_mode_shape_env: mode must be given, got NULL");
    *out_env = static_cast<tenon_shape_env*>(mode->shape_env().detach());
  });
}

tenon_shape_env* tenon_fake_copy_given_env(void) {
  fake::Mode* const mode = fake::thread_mode();
  if (mode == nullptr) return nullptr;
  return static_cast<tenon_shape_env*>(mode->given_env().detach());
}

tenon_fake_mode* tenon_fake_mode_copy_current(void) {
  return fake::ModePtr::share(fake::thread_mode()).detach();
}

tenon_status tenon_fake_mode_enter(tenon_fake_mode* mode, tenon_fake_guard* out_guard) {
  TENON_REQUIRE(out_guard);
  *out_guard = {};
  return guarded([&] {
    TENON_CHECK_ARG(mode != nullptr, "tenon_fake_mode_enter: mode must be given, got NULL");
    fake::ModePtr outer = fake::exchange_thread_mode(fake::ModePtr::share(mode));
    const tenon_status status = tenon::capi::enter_key_guard(
        &out_guard->keys, [](tenon::base::ThreadRecord& thread) { thread.include |= fake::kFake; });
    if (status != TENON_OK) {
      fake::exchange_thread_mode(std::move(outer));
      *out_guard = {};
    } else {
      out_guard->outer = outer.detach();
    }
    return status;
  });
}

tenon_status tenon_fake_mode_leave(const tenon_fake_guard* guard) {
  TENON_REQUIRE(guard);
  const tenon_status status = tenon_key_guard_leave(&guard->keys);
  if (status != TENON_OK) return status;
  fake::exchange_thread_mode(fake::ModePtr::adopt(guard->outer));
  return TENON_OK;
}

tenon_status tenon_tensor_copy_fake(tenon_tensor* tensor, tenon_fake_mode* mode,
                                    tenon_tensor** out_tensor) {
  TENON_REQUIRE(out_tensor);
  *out_tensor = nullptr;
  return guarded([&] {
    TENON_CHECK_ARG(tensor != nullptr, "tenon_tensor_copy_fake: tensor must be given, got NULL");
    const tenon::tensor::TensorPtr made = fake::copy_fake(*tensor, mode);
    if (tenon_tensor* base = tensor->base(); base != nullptr && made->base() != nullptr) {
      follow_gradients(*base, *made->base());
    }
    follow_gradients(*tensor, *made);
    *out_tensor = tenon::tensor::TensorPtr(made).detach();
  });
}

tenon_status tenon_tensor_copy_symbolic(tenon_tensor* tensor, tenon_shape_env* env,
                                        const int64_t* sizes, tenon_tensor** out_tensor) {
  TENON_REQUIRE(out_tensor);
  *out_tensor = nullptr;
  return guarded([&] {
    constexpr const char* kFunction = "tenon_tensor_copy_symbolic";
    TENON_CHECK_ARG(tensor != nullptr, kFunction, ": tensor must be given, got NULL");
    TENON_CHECK_ARG((env != nullptr) != (sizes != nullptr), kFunction,
                    ": exactly one of env and sizes must be given, got ",
                    env != nullptr ? "both" : "neither");
    const tenon::tensor::TensorPtr made = fake::copy_symbolic(*tensor, env, sizes);
    follow_gradients(*tensor, *made);
    *out_tensor = tenon::tensor::TensorPtr(made).detach();
  });
}

tenon_status tenon_fake_mode_copy_dynamic(tenon_fake_mode* mode, tenon_tensor* tensor,
                                          const char* const* names, tenon_tensor** out_tensor) {
  TENON_REQUIRE(out_tensor);
  *out_tensor = nullptr;
  return guarded([&] {
    constexpr const char* kFunction = "tenon_fake_mode_copy_dynamic";
    TENON_CHECK_ARG(mode != nullptr && tensor != nullptr, kFunction, ": ",
                    mode == nullptr ? "mode" : "tensor", " must be given, got NULL");
    TENON_CHECK_ARG(names != nullptr || tensor->ndim() == 0, kFunction,
                    ": names must be given, got NULL");
    const tenon::tensor::TensorPtr made = fake::copy_dynamic(*tensor, *mode, names);
    follow_gradients(*tensor, *made);
    *out_tensor = tenon::tensor::TensorPtr(made).detach();
  });
}

tenon_status tenon_library_register_fake(tenon_library* library, const char* name,
                                         const tenon_kernel* kernel,
                                         tenon_registration** out_registration) {
  if (out_registration != nullptr) *out_registration = nullptr;
  return guarded([&] {
    check_register(library, name, kernel);
    auto registration = fake::register_kernel(library, name, tenon::dispatch::make_kernel(*kernel));
    if (out_registration != nullptr) *out_registration = registration.detach();
  });
}

const tenon_op* tenon_fake_running(void) { return fake::running(); }

tenon_status tenon_fake_new_size(int64_t min, int64_t max, tenon_value* out_size) {
  TENON_REQUIRE(out_size);
  *out_size = {};
  return guarded([&] { *out_size = fake::new_dynamic_size(min, max); });
}

}  // extern "C"
