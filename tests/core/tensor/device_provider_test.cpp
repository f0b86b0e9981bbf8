// SPDX-License-Identifier: Apache-2.0
#include "tensor/device_provider.h"

#include <cstdlib>

#include "tensor/dlpack.h"
#include "tensor_testing.h"

namespace tenon::tensor {
namespace {

using namespace testing;  // NOLINT: the test's own helpers

// A device that uses heap memory and records its requests.
struct FakeDevice {
  int allocated = 0;
  int copies = 0;
  int deleted = 0;
  bool fails = false;
  void* stream = this;
  std::string log;

  tenon_device_provider provider(int32_t type) {
    tenon_device_provider provider{};
    provider.struct_size = sizeof provider;
    provider.device_type = type;
    provider.ctx = this;
    provider.deleter = [](void* self) { ++static_cast<FakeDevice*>(self)->deleted; };
    provider.device_count = [](void*, int32_t* out) -> tenon_status { return *out = 4, TENON_OK; };
    provider.current_device = [](void*, int32_t* out) -> tenon_status {
      return *out = 2, TENON_OK;
    };
    provider.allocate = [](void* self, int32_t, int64_t nbytes, void** out) -> tenon_status {
      auto* fake = static_cast<FakeDevice*>(self);
      if (fake->fails) return tenon::base::set_current_error(error("the device is full"));
      ++fake->allocated;
      *out = std::malloc(static_cast<size_t>(nbytes));
      return TENON_OK;
    };
    provider.release = [](void* self, int32_t, void* data) {
      --static_cast<FakeDevice*>(self)->allocated;
      std::free(data);
    };
    provider.copy = [](void* self, void* dst, const tenon_device*, const void* src,
                       const tenon_device*, int64_t nbytes, void* stream, int32_t) -> tenon_status {
      auto* fake = static_cast<FakeDevice*>(self);
      EXPECT_EQ(stream, fake->stream);
      ++fake->copies;
      std::memcpy(dst, src, static_cast<size_t>(nbytes));
      return TENON_OK;
    };
    provider.current_stream = [](void* self, int32_t, void** out) -> tenon_status {
      return *out = static_cast<FakeDevice*>(self)->stream, TENON_OK;
    };
    provider.event_new = [](void* self, int32_t, void** out) -> tenon_status {
      static_cast<FakeDevice*>(self)->log += "new ";
      return *out = self, TENON_OK;
    };
    provider.event_release = [](void* self, int32_t, void*) {
      static_cast<FakeDevice*>(self)->log += "release ";
    };
    provider.event_record = [](void* self, int32_t, void*, void* stream) -> tenon_status {
      static_cast<FakeDevice*>(self)->log += stream == self ? "record-current " : "record-other ";
      return TENON_OK;
    };
    provider.event_wait = [](void* self, int32_t, void*, void* stream) -> tenon_status {
      static_cast<FakeDevice*>(self)->log += stream == self ? "wait-current " : "wait-consumer ";
      return TENON_OK;
    };
    return provider;
  }

  static base::ErrorPtr error(const char* message) {
    return base::ErrorPtr::adopt(base::ErrorObject::make(TENON_ERROR_OUT_OF_MEMORY, {}, message));
  }
};

// Returns the device that all tests share: providers cannot be unregistered.
FakeDevice& fake() {
  static FakeDevice* const device = new FakeDevice;
  return *device;
}
int32_t fake_type() {
  static const int32_t type = [] {
    const int32_t number = register_backend_name("fake");
    register_provider(fake().provider(number));
    return number;
  }();
  return type;
}

TEST(DeviceProvider, CpuAndMetaAreBuiltIn) {
  EXPECT_EQ(device_count(TENON_DEVICE_CPU), 1);
  EXPECT_EQ(device_count(TENON_DEVICE_META), 1);
  EXPECT_EQ(current_index(TENON_DEVICE_CPU), 0);
  const tenon_stream stream = current_stream(kCpu);
  EXPECT_EQ(stream.handle, nullptr);
  synchronize_stream(stream);
  set_current_stream(stream);
  error_of(TENON_ERROR_NOT_SUPPORTED, [] { new_stream(kCpu); });
  int number = 1;
  error_of(TENON_ERROR_NOT_SUPPORTED, [&] { set_current_stream(tenon_stream{&number, kCpu}); });
}

TEST(DeviceProvider, CpuCopies) {
  char to[4] = "";
  copy_bytes(to, kCpu, "abc", kCpu, 4, true);
  EXPECT_STREQ(to, "abc");
  copy_bytes(nullptr, kCpu, nullptr, kCpu, 0, true);
  error_of(TENON_ERROR_INVALID_ARGUMENT, [&] { copy_bytes(to, kCpu, to, kCpu, -1, true); });
  error_of(TENON_ERROR_NOT_SUPPORTED, [&] { copy_bytes(to, kCpu, nullptr, kMeta, 4, true); });
}

TEST(DeviceProvider, MissingOne_IsNamed) {
  const int32_t type = register_backend_name("lonely");
  EXPECT_EQ(device_count(type), 0);
  EXPECT_NE(error_of(TENON_ERROR_NOT_FOUND, [&] { require_provider(type); }).find("lonely"),
            std::string::npos);
  EXPECT_EQ(find_provider(type), nullptr);
  EXPECT_EQ(find_provider(-1), nullptr);
  EXPECT_EQ(find_provider(24), nullptr);
  error_of(TENON_ERROR_NOT_FOUND, [] { require_provider(99); });
}

TEST(DeviceProvider, LoaderIsAskedAndMayFail) {
  static int32_t asked;
  asked = -1;
  const int32_t type = register_backend_name("loadable");
  set_provider_loader([](int32_t device_type, const char* name) {
    asked = device_type;
    fail(TENON_ERROR_SYSTEM, "no driver for ", name);
  });
  EXPECT_EQ(error_of(TENON_ERROR_SYSTEM, [&] { require_provider(type); }),
            "no driver for loadable");
  EXPECT_EQ(asked, type);
  EXPECT_EQ(device_count(type), 0);
  set_provider_loader([](int32_t, const char*) {});
  error_of(TENON_ERROR_NOT_FOUND, [&] { require_provider(type); });
  static FakeDevice loaded;
  set_provider_loader(
      [](int32_t device_type, const char*) { register_provider(loaded.provider(device_type)); });
  EXPECT_EQ(device_count(type), 4);
  set_provider_loader(nullptr);
}

TEST(DeviceProvider, TensorsUseIt) {
  const LeakCheck nothing_left;
  const tenon_device device{fake_type(), -1};
  TensorPtr tensor = empty({4}, TENON_DTYPE_F32, device);
  EXPECT_EQ(fake().allocated, 1);
  EXPECT_EQ(tensor->device().index, 2);  // index -1 means the current device
  EXPECT_TRUE((tensor->keys() & (tenon_keyset{1} << device.type)) != 0);
  const float elements[4] = {1, 2, 3, 4};
  copy_bytes(tensor->data(), tensor->device(), elements, kCpu, sizeof elements, true);
  EXPECT_EQ(fake().copies, 1);
  tensor->resize(dims({100}), nullptr);
  EXPECT_EQ(static_cast<float*>(tensor->data())[3], 4.0f);
  EXPECT_EQ(fake().allocated, 1);
  tensor.reset();
  EXPECT_EQ(fake().allocated, 0);
  EXPECT_EQ(empty({0}, TENON_DTYPE_F32, device)->data(), nullptr);
  EXPECT_EQ(fake().allocated, 0);
}

TEST(DeviceProvider, FailureComesThrough) {
  const LeakCheck nothing_left;
  const tenon_device device{fake_type(), 0};
  fake().fails = true;
  EXPECT_EQ(error_of(TENON_ERROR_OUT_OF_MEMORY, [&] { empty({4}, TENON_DTYPE_F32, device); }),
            "the device is full");
  fake().fails = false;
  EXPECT_EQ(base::peek_current_error(), nullptr);
}

TEST(DeviceProvider, StreamHandOver_OrdersTheConsumer) {
  const tenon_device device{fake_type(), 0};
  fake().log.clear();
  order_after_current(device, &fake());  // the current stream itself needs no ordering
  EXPECT_EQ(fake().log, "");
  order_after_current(device, nullptr);
  EXPECT_EQ(fake().log, "new record-current wait-consumer release ");
  order_after_current(kCpu, nullptr);
}

TEST(DeviceProvider, SecondOne_IsRefusedAndDeleted) {
  fake_type();
  FakeDevice second;
  error_of(TENON_ERROR_ALREADY_EXISTS, [&] { register_provider(second.provider(fake_type())); });
  EXPECT_EQ(second.deleted, 1);
  error_of(TENON_ERROR_ALREADY_EXISTS,
           [&] { register_provider(second.provider(TENON_DEVICE_CPU)); });
  EXPECT_EQ(second.deleted, 2);
  EXPECT_EQ(fake().deleted, 0);
}

TEST(DeviceProvider, BadStruct_IsRefusedAndDeleted) {
  FakeDevice other;
  tenon_device_provider provider = other.provider(fake_type());
  provider.struct_size = 24;
  error_of(TENON_ERROR_ABI, [&] { register_provider(provider); });
  provider.struct_size = sizeof provider;
  provider.reserved[1] = 1;
  EXPECT_NE(error_of(TENON_ERROR_ABI, [&] { register_provider(provider); }).find("must be zero"),
            std::string::npos);
  provider.reserved[1] = 0;
  provider.device_type = 19;
  error_of(TENON_ERROR_NOT_FOUND, [&] { register_provider(provider); });
  EXPECT_EQ(other.deleted, 3);
}

}  // namespace
}  // namespace tenon::tensor
