// SPDX-License-Identifier: Apache-2.0
// Shared parts of the dispatcher's tests: a library to register in, kernels that record their
// calls, tensors with any key set, and the text of the last error.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "dispatch/key_set.h"
#include "tenon/tenon.h"
#include "tensor/tensor.h"

namespace tenon::test {

/// Takes the error from the thread's slot: returns "Kind: message", or "" if there is none.
inline std::string take_error() {
  tenon_error* error = tenon_error_take();
  if (error == nullptr) return "";
  std::string text = std::string(tenon_error_kind(error)) + ": " + tenon_error_message(error);
  tenon_error_release(error);
  return text;
}

/// Asserts that a call succeeds; shows its error if not.
#define TENON_EXPECT_OK(call) EXPECT_EQ((call), TENON_OK) << ::tenon::test::take_error()
#define TENON_ASSERT_OK(call) ASSERT_EQ((call), TENON_OK) << ::tenon::test::take_error()

/// Asserts that a call fails with this code and a message that contains this text.
#define TENON_EXPECT_ERROR(call, code, text)                       \
  do {                                                             \
    EXPECT_EQ((call), (code));                                     \
    const std::string message_ = ::tenon::test::take_error();      \
    EXPECT_NE(message_.find(text), std::string::npos) << message_; \
  } while (false)

inline std::string take_text(tenon_buffer* buffer) {
  std::string text(static_cast<const char*>(tenon_buffer_data(buffer)));
  tenon_buffer_release(buffer);
  return text;
}

/// A CPU tensor of two elements, whose keys may be overwritten to imitate any other tensor.
class TestTensor {
 public:
  TestTensor() {
    const int64_t sizes[1] = {2};
    EXPECT_EQ(tenon_tensor_new(TENON_DTYPE_F32, nullptr, 1, sizes, nullptr, &handle_), TENON_OK);
  }
  explicit TestTensor(std::initializer_list<tenon_key> keys) : TestTensor() {
    tenon_keyset set = 0;
    for (const tenon_key key : keys) set |= dispatch::keyset_of(key);
    handle_->set_keys(set);
  }
  ~TestTensor() { tenon_tensor_release(handle_); }
  TestTensor(const TestTensor&) = delete;
  TestTensor& operator=(const TestTensor&) = delete;
  tenon_tensor* get() const { return handle_; }

 private:
  tenon_tensor* handle_ = nullptr;
};

inline tenon_value tensor_value(const TestTensor& tensor) {
  tenon_value value{};
  value.tag = TENON_TAG_TENSOR;
  value.as.tensor = tensor.get();
  return value;
}
inline tenon_value int_value(int64_t number) {
  tenon_value value{};
  value.tag = TENON_TAG_INT;
  value.as.i = number;
  return value;
}
inline tenon_value string_value(const char* text) {
  tenon_value value{};
  value.tag = TENON_TAG_STRING;
  value.count = static_cast<uint32_t>(std::strlen(text));
  value.as.list.data = text;
  return value;
}
inline tenon_value list_value(uint16_t tag, const void* data, uint32_t count) {
  tenon_value value{};
  value.tag = tag;
  value.count = count;
  value.as.list.data = data;
  return value;
}
inline tenon_value device_value(int32_t type, int32_t index = -1) {
  tenon_value value{};
  value.tag = TENON_TAG_DEVICE;
  value.as.device = {type, index};
  return value;
}

/// A call with these arguments. Owns the results.
class Call {
 public:
  Call(std::vector<tenon_value> args, uint32_t nrets) : args_(std::move(args)), rets_(nrets) {
    stack_.args = args_.data();
    stack_.nargs = static_cast<uint32_t>(args_.size());
    stack_.rets = rets_.data();
    stack_.nrets = nrets;
  }
  ~Call() { clear(); }
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;
  void clear() { tenon_value_clear_n(rets_.data(), static_cast<int64_t>(rets_.size())); }
  tenon_stack* stack() { return &stack_; }
  tenon_value& ret(size_t index = 0) { return rets_[index]; }
  tenon_value& arg(size_t index) { return args_[index]; }

 private:
  std::vector<tenon_value> args_;
  std::vector<tenon_value> rets_;
  tenon_stack stack_{};
};

inline tenon_status call(const tenon_op* op, std::vector<tenon_value> args, uint32_t nrets = 0) {
  Call one(std::move(args), nrets);
  return tenon_op_call_fast(op, one.stack());
}

inline constexpr tenon_key kImplicit = TENON_KEY_COMPOSITE_IMPLICIT_AUTOGRAD;
inline constexpr tenon_key kExplicit = TENON_KEY_COMPOSITE_EXPLICIT_AUTOGRAD;

/// Returns the records of the logging_kernel kernels: "name{keys}" per call, oldest first.
inline std::vector<std::string>& notes() {
  static thread_local std::vector<std::string> instance;
  return instance;
}
inline std::string take_notes() {
  std::string all;
  for (const std::string& note : notes()) all += (all.empty() ? "" : " ") + note;
  notes().clear();
  return all;
}

/// Records its name (ctx) and leaves the results unset.
inline tenon_status note_call(void* ctx, const tenon_op*, tenon_keyset, tenon_stack*) {
  notes().push_back(static_cast<const char*>(ctx));
  return TENON_OK;
}
/// Records its name and the highest key, then redispatches below that key.
inline tenon_status note_and_go_on(void* ctx, const tenon_op* op, tenon_keyset keys,
                                   tenon_stack* stack) {
  const tenon_key key = tenon_keyset_highest(keys);
  notes().push_back(std::string(static_cast<const char*>(ctx)) + "@" + tenon_key_name(key));
  return tenon_op_redispatch(op, keys & tenon_keyset_below(key), stack);
}
/// Returns its first argument.
inline tenon_status return_first(void* ctx, const tenon_op*, tenon_keyset, tenon_stack* stack) {
  if (ctx != nullptr) notes().push_back(static_cast<const char*>(ctx));
  stack->rets[0] = stack->args[0];
  stack->rets[0].flags = TENON_VALUE_OWNED;
  tenon_tensor_retain(stack->args[0].as.tensor);
  return TENON_OK;
}

inline tenon_kernel kernel_of(tenon_kernel_fn boxed, void* ctx = nullptr,
                              const char* name = nullptr) {
  tenon_kernel kernel{};
  kernel.struct_size = sizeof kernel;
  kernel.boxed = boxed;
  kernel.ctx = ctx;
  kernel.language = TENON_LANGUAGE_CPP;
  kernel.name = name;
  kernel.file = "kernels.cpp";
  kernel.line = 7;
  return kernel;
}
/// Makes a kernel that records `name`.
inline tenon_kernel logging_kernel(const char* name) {
  return kernel_of(&note_call, const_cast<char*>(name), name);
}
inline tenon_kernel going_on(const char* name) {
  return kernel_of(&note_and_go_on, const_cast<char*>(name), name);
}
inline tenon_kernel fallthrough() {
  tenon_kernel kernel = kernel_of(nullptr);
  kernel.flags = TENON_KERNEL_FALLTHROUGH;
  return kernel;
}

/// A library that is closed and released by the destructor.
class TestLibrary {
 public:
  explicit TestLibrary(uint32_t kind = TENON_LIBRARY_FRAGMENT, const char* ns = "t",
                       tenon_key key = TENON_KEY_NONE) {
    EXPECT_EQ(tenon_library_new(kind, ns, key, "library.cpp", 3, &handle_), TENON_OK)
        << take_error();
  }
  ~TestLibrary() { tenon_library_release(handle_); }
  TestLibrary(const TestLibrary&) = delete;
  TestLibrary& operator=(const TestLibrary&) = delete;

  tenon_library* get() const { return handle_; }
  const tenon_op* define(const char* schema) {
    const tenon_op* op = nullptr;
    EXPECT_EQ(tenon_library_define(handle_, schema, nullptr, &op), TENON_OK) << take_error();
    return op;
  }
  void impl(const char* name, tenon_key key, const tenon_kernel& kernel) {
    EXPECT_EQ(tenon_library_impl(handle_, name, key, &kernel, nullptr), TENON_OK) << take_error();
  }
  /// Returns the registration, so that it can be removed alone; otherwise it ends with the library.
  tenon_registration* keep(const char* name, tenon_key key, const tenon_kernel& kernel) {
    tenon_registration* registration = nullptr;
    EXPECT_EQ(tenon_library_impl(handle_, name, key, &kernel, &registration), TENON_OK)
        << take_error();
    tenon_registration_release(registration);  // the library holds another reference
    return registration;
  }
  void fallback(tenon_key key, const tenon_kernel& kernel, tenon_fallback_select select = nullptr) {
    EXPECT_EQ(tenon_library_fallback(handle_, key, &kernel, select, nullptr), TENON_OK)
        << take_error();
  }
  void close() { tenon_library_close(handle_); }

 private:
  tenon_library* handle_ = nullptr;
};

/// An IMPL library of namespace "_".
class FallbackLibrary : public TestLibrary {
 public:
  FallbackLibrary() : TestLibrary(TENON_LIBRARY_IMPL, "_") {}
};

/// Returns the name and provenance of the kernel of a slot: "cpu [1]"; "-" if there is none, "fall"
/// if calls skip the key.
inline std::string slot(const tenon_op* op, tenon_key key) {
  tenon_slot_info info{};
  info.struct_size = sizeof info;
  EXPECT_EQ(tenon_introspect_get_slot(op, key, &info), TENON_OK) << take_error();
  if (info.provenance == TENON_PROVENANCE_MISSING) return "-";
  return info.fallthrough != 0 ? "fall" : info.name;
}
inline uint32_t provenance(const tenon_op* op, tenon_key key) {
  tenon_slot_info info{};
  info.struct_size = sizeof info;
  EXPECT_EQ(tenon_introspect_get_slot(op, key, &info), TENON_OK) << take_error();
  return info.provenance;
}

inline tenon_keyset keys(std::initializer_list<tenon_key> list) {
  tenon_keyset set = 0;
  for (const tenon_key key : list) {
    tenon_keyset one = 0;
    EXPECT_EQ(tenon_keyset_from_key(key, &one), TENON_OK);
    set |= one;
  }
  return set;
}
inline std::string print(tenon_keyset set) {
  tenon_buffer* text = nullptr;
  EXPECT_EQ(tenon_keyset_print(set, &text), TENON_OK);
  return take_text(text);
}

/// Checks after each test that all tables follow from the registrations.
class DispatchTest : public testing::Test {
 protected:
  void TearDown() override {
    TENON_EXPECT_OK(tenon_introspect_check(nullptr));
    notes().clear();
    EXPECT_EQ(tenon_error_peek(), nullptr) << take_error();
  }
};

}  // namespace tenon::test
