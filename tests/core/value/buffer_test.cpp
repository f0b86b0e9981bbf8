// SPDX-License-Identifier: Apache-2.0
#include "value/buffer.h"

#include "value_testing.h"

namespace tenon::value {
namespace {

using namespace testing;  // NOLINT: the test's own helpers

void count_call(void* counter) { ++*static_cast<int*>(counter); }

TEST(Buffer, IsZeroedAndTerminated) {
  const LeakCheck nothing_left;
  const auto buffer = BufferPtr::adopt(Buffer::make(5));
  EXPECT_EQ(buffer->size(), 5);
  EXPECT_EQ(std::memcmp(buffer->data(), "\0\0\0\0\0\0", 6), 0);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(buffer->data()) % 16, 0u);
  const auto empty = BufferPtr::adopt(Buffer::make(0));
  EXPECT_EQ(*static_cast<char*>(empty->data()), '\0');
}

TEST(Buffer, BadSize_IsRefused) {
  error_of(TENON_ERROR_INVALID_ARGUMENT, [] { Buffer::make(-1); });
  error_of(TENON_ERROR_OUT_OF_MEMORY, [] { Buffer::make(INT64_MAX); });
  error_of(TENON_ERROR_OUT_OF_MEMORY, [] { Buffer::make(INT64_MAX / 2); });
}

TEST(Buffer, WrapDeletesOnce) {
  const LeakCheck nothing_left;
  int deleted = 0;
  char memory[3] = {'a', 'b', 'c'};
  auto buffer = BufferPtr::adopt(Buffer::wrap(memory, 3, &deleted, &count_call));
  BufferPtr second = buffer;
  EXPECT_EQ(buffer->data(), memory);
  buffer.reset();
  EXPECT_EQ(deleted, 0);
  second.reset();
  EXPECT_EQ(deleted, 1);
}

TEST(Buffer, WrapBad_DeletesAllTheSame) {
  int deleted = 0;
  error_of(TENON_ERROR_INVALID_ARGUMENT,
           [&] { Buffer::wrap(&deleted, -1, &deleted, &count_call); });
  error_of(TENON_ERROR_INVALID_ARGUMENT, [&] { Buffer::wrap(nullptr, 1, &deleted, &count_call); });
  EXPECT_EQ(deleted, 2);
}

TEST(Buffer, ReleasesItsElements) {
  const LeakCheck nothing_left;
  const tensor::TensorPtr tensor = small_tensor();
  auto buffer = BufferPtr::adopt(Buffer::make(2 * sizeof(tenon_tensor*), BufferContent::kTensors));
  tensor->retain();
  static_cast<tenon_tensor**>(buffer->data())[1] = tensor.get();
  buffer.reset();
  EXPECT_EQ(tensor->use_count(), 1);
}

TEST(Buffer, OfText) {
  const BufferPtr buffer = text_buffer("hello");
  EXPECT_EQ(buffer->size(), 5);
  EXPECT_STREQ(static_cast<char*>(buffer->data()), "hello");
  EXPECT_EQ(text_buffer("")->size(), 0);
}

}  // namespace
}  // namespace tenon::value
