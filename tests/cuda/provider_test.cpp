// SPDX-License-Identifier: Apache-2.0
// The CUDA device provider: registration, errors without a GPU, memory, streams, events.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include <tenon/tenon.hpp>

namespace {

using tenon::Device;
using tenon::Dtype;
using tenon::Error;
using tenon::Tensor;

const std::vector<int64_t> kFour{4};

int32_t gpus() {
  int32_t count = -1;
  tenon::check(tenon_device_count(TENON_DEVICE_CUDA, &count));
  return count;
}

#define NEEDS_GPU() \
  if (gpus() == 0) GTEST_SKIP() << "no GPU"

#define NEEDS_NO_GPU() \
  if (gpus() != 0) GTEST_SKIP() << "there is a GPU"

TEST(CudaProvider, FirstUse_LoadsThePlugin) {
  const tenon_device_provider* provider = nullptr;
  ASSERT_EQ(tenon_device_provider_get(TENON_DEVICE_CUDA, &provider), TENON_OK);
  EXPECT_EQ(provider->device_type, TENON_DEVICE_CUDA);
  EXPECT_GE(gpus(), 0);
}

TEST(CudaProvider, Kernels_AreRegistered) {
  gpus();
  for (const char* name :
       {"aten::empty.memory_format", "aten::empty_strided", "aten::fill_.Scalar", "aten::copy_",
        "aten::add.Tensor", "aten::mul.Tensor", "aten::sum", "aten::sum.dim_IntList", "aten::mm"}) {
    tenon_slot_info slot{};
    slot.struct_size = sizeof(slot);
    tenon::check(tenon_introspect_get_slot(tenon::Op(name).get(), TENON_KEY_CUDA, &slot));
    EXPECT_EQ(slot.provenance, TENON_PROVENANCE_KERNEL) << name;
    EXPECT_EQ(std::string(slot.name).substr(0, 6), "cuda::") << name;
  }
}

TEST(CudaProvider, WithoutGpu_AllocatingFailsClearly) {
  NEEDS_NO_GPU();
  try {
    Tensor::empty(kFour, Dtype::F32, Device("cuda:0"));
    FAIL() << "allocated without a GPU";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), TENON_ERROR_SYSTEM);
    EXPECT_NE(std::string(error.what()).find("cuda"), std::string::npos) << error.what();
  }
  EXPECT_THROW(tenon::Op("aten::empty.memory_format")(kFour, tenon::kw("device", Device("cuda"))),
               Error);
}

TEST(CudaProvider, WithoutGpu_StreamsFailClearly) {
  NEEDS_NO_GPU();
  const Device device("cuda:0");
  tenon_stream stream{};
  EXPECT_EQ(tenon_stream_new(&device, &stream), TENON_ERROR_SYSTEM);
  tenon_error_release(tenon_error_take());
}

TEST(CudaProvider, SecondRegistration_IsRefused) {
  const tenon_device_provider* provider = nullptr;
  ASSERT_EQ(tenon_device_provider_get(TENON_DEVICE_CUDA, &provider), TENON_OK);
  tenon_device_provider copy = *provider;
  copy.ctx = nullptr;
  copy.deleter = nullptr;
  EXPECT_EQ(tenon_device_provider_register(&copy), TENON_ERROR_ALREADY_EXISTS);
  tenon_error_release(tenon_error_take());
}

TEST(CudaProvider, Bytes_GoThereAndBack) {
  NEEDS_GPU();
  const Tensor there = Tensor::empty(kFour, Dtype::F32, Device("cuda:0"));
  const std::vector<float> sent{1, 2, 3, 4};
  std::vector<float> back(4);
  const Device cpu, cuda = there.device();
  tenon::check(tenon_device_copy(there.raw_data(), &cuda, sent.data(), &cpu, 16, 1));
  tenon::check(tenon_device_copy(back.data(), &cpu, there.raw_data(), &cuda, 16, 1));
  EXPECT_EQ(back, sent);
}

TEST(CudaProvider, CurrentStream_IsTheThreadsOwn) {
  NEEDS_GPU();
  const Device device("cuda:0");
  tenon_stream stream{}, current{};
  tenon::check(tenon_stream_new(&device, &stream));
  tenon::check(tenon_stream_set_current(&stream));
  tenon::check(tenon_stream_current(&device, &current));
  EXPECT_EQ(current.handle, stream.handle);
  const Tensor there = Tensor::empty(kFour, Dtype::F32, device);
  tenon::Op("aten::fill_.Scalar")(there, 2.0);
  tenon::check(tenon_stream_synchronize(&stream));
  const tenon_stream none{nullptr, device};
  tenon::check(tenon_stream_set_current(&none));
  tenon_stream_release(&stream);
}

TEST(CudaProvider, TooMuchMemory_IsAnError) {
  NEEDS_GPU();
  const std::vector<int64_t> huge{int64_t{1} << 45};
  try {
    Tensor::empty(huge, Dtype::F32, Device("cuda:0"));
    FAIL() << "allocated 128 TiB";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), TENON_ERROR_OUT_OF_MEMORY);
  }
}

}  // namespace
