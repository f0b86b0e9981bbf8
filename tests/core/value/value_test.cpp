// SPDX-License-Identifier: Apache-2.0
#include "value/value.h"

#include "value_testing.h"

namespace tenon::value {
namespace {

using namespace testing;  // NOLINT: the test's own helpers

TEST(Value, CopyOfScalars_OwnsNothing) {
  for (const tenon_value& value : {none(), boolean(true), integer(-3), real(0.5), complex(1, -2),
                                   coded(TENON_TAG_DTYPE, TENON_DTYPE_F16), device("cuda:1")}) {
    const tenon_value same = copy(value);
    EXPECT_EQ(std::memcmp(&same, &value, sizeof same), 0) << print(value);
    EXPECT_EQ(same.flags, 0);
  }
}

TEST(Value, CopyDropsMovable) {
  tenon_value value = integer(1);
  value.flags = TENON_VALUE_MOVABLE;
  EXPECT_EQ(copy(value).flags, 0);
}

TEST(Value, CopyOfTensor_Retains) {
  const LeakCheck nothing_left;
  const tensor::TensorPtr tensor = small_tensor();
  tenon_value copied = copy(tensor_value(tensor.get()));
  EXPECT_EQ(tensor->use_count(), 2);
  EXPECT_EQ(copied.flags, TENON_VALUE_OWNED);
  clear(&copied);
  EXPECT_EQ(tensor->use_count(), 1);
  EXPECT_EQ(copied.tag, TENON_TAG_NONE);
  EXPECT_EQ(copied.flags, 0);
}

TEST(Value, CopyOfBorrowedText_IsTerminated) {
  const LeakCheck nothing_left;
  char text[] = "abcdef";
  tenon_value value = string("");
  value.as.list.data = text;
  value.count = 3;
  OwnedValue copied(copy(value));
  text[0] = 'x';
  EXPECT_STREQ(static_cast<const char*>(copied.get().as.list.data), "abc");
  EXPECT_EQ(copied.get().count, 3u);
}

TEST(Value, CopyOfEmptyTextAndList) {
  const LeakCheck nothing_left;
  OwnedValue text(copy(string("")));
  EXPECT_STREQ(static_cast<const char*>(text.get().as.list.data), "");
  const std::vector<int64_t> no_numbers;
  OwnedValue list(copy(int_list(no_numbers)));
  EXPECT_EQ(list.get().count, 0u);
  EXPECT_EQ(list.get().tag, TENON_TAG_INT_LIST);
}

TEST(Value, CopyOfNestedList_IsDeep) {
  const LeakCheck nothing_left;
  const tensor::TensorPtr tensor = small_tensor();
  std::vector<int64_t> numbers{1, 2};
  std::vector<tenon_value> inner{tensor_value(tensor.get()), int_list(numbers), string("abc")};
  std::vector<tenon_value> outer{value_list(TENON_TAG_TUPLE, inner), none()};
  OwnedValue copied(copy(value_list(TENON_TAG_LIST, outer)));
  EXPECT_EQ(tensor->use_count(), 2);
  numbers[0] = 99;
  inner.clear();
  outer.clear();
  EXPECT_EQ(print(copied.get()), "[(Tensor(float32, [2], cpu), [1, 2], 'abc'), None]");
  copied = OwnedValue();
  EXPECT_EQ(tensor->use_count(), 1);
}

TEST(Value, CopyOfDict_TakesKeysAndValues) {
  const LeakCheck nothing_left;
  std::vector<tenon_value> pairs{string("a"), integer(1), string("b"), real(2)};
  tenon_value dict = value_list(TENON_TAG_DICT, pairs);
  dict.count = 2;
  OwnedValue copied(copy(dict));
  pairs.clear();
  EXPECT_EQ(print(copied.get()), "{'a': 1, 'b': 2.0}");
}

TEST(Value, CopyOfTensorList_KeepsAbsentOnes) {
  const LeakCheck nothing_left;
  const tensor::TensorPtr tensor = small_tensor();
  std::vector<tenon_tensor*> handles{tensor.get(), nullptr, tensor.get()};
  OwnedValue copied(copy(tensor_list(handles)));
  EXPECT_EQ(tensor->use_count(), 3);
  EXPECT_EQ(tensors(copied.get())[1], nullptr);
}

TEST(Value, CopyThatFailsInside_ReleasesWhatItTook) {
  const LeakCheck nothing_left;
  const tensor::TensorPtr tensor = small_tensor();
  tenon_value unknown{};
  unknown.tag = 77;
  std::vector<tenon_value> elements{tensor_value(tensor.get()), string("abc"), unknown};
  error_of(TENON_ERROR_INVALID_ARGUMENT, [&] { copy(value_list(TENON_TAG_LIST, elements)); });
  EXPECT_EQ(tensor->use_count(), 1);
}

TEST(Value, CopyOfUnknown_IsRefused) {
  tenon_value value{};
  value.tag = 77;
  error_of(TENON_ERROR_INVALID_ARGUMENT, [&] { copy(value); });
}

TEST(Value, CopyOfNullHandle_IsRefused) {
  for (const uint16_t tag :
       {TENON_TAG_TENSOR, TENON_TAG_STORAGE, TENON_TAG_FUNCTION, TENON_TAG_OBJECT, TENON_TAG_SYMINT,
        TENON_TAG_SYMFLOAT, TENON_TAG_SYMBOOL}) {
    tenon_value value{};
    value.tag = tag;
    const std::string message = error_of(TENON_ERROR_INVALID_ARGUMENT, [&] { copy(value); });
    EXPECT_NE(message.find(std::string(tag_name(tag)) + " must be a handle, got NULL"),
              std::string::npos)
        << message;
  }
}

TEST(Value, CopyTooDeep_IsRefused) {
  const LeakCheck nothing_left;
  std::vector<tenon_value> levels(2000);
  for (size_t i = 1; i < levels.size(); ++i) {
    levels[i].tag = TENON_TAG_LIST;
    levels[i].count = 1;
    levels[i].as.list.data = &levels[i - 1];
  }
  error_of(TENON_ERROR_RECURSION, [&] { copy(levels.back()); });
  OwnedValue fits(copy(levels[900]));
  EXPECT_EQ(fits.get().tag, TENON_TAG_LIST);
}

TEST(Value, ClearOfBorrowed_ReleasesNothing) {
  const tensor::TensorPtr tensor = small_tensor();
  tenon_value value = tensor_value(tensor.get());
  clear(&value);
  EXPECT_EQ(tensor->use_count(), 1);
  EXPECT_EQ(value.tag, TENON_TAG_NONE);
}

TEST(Value, ClearOfOwnedHandles) {
  const LeakCheck nothing_left;
  tensor::TensorPtr tensor = small_tensor();
  tenon_value storage{};
  storage.tag = TENON_TAG_STORAGE;
  storage.as.storage = tensor->storage();
  tenon_value owned = copy(storage);
  tensor.reset();
  EXPECT_EQ(owned.as.storage->nbytes(), 8);
  clear(&owned);
}

TEST(Value, NewList_OfEachKind) {
  const LeakCheck nothing_left;
  const int64_t ints[] = {1, -2};
  const double doubles[] = {0.5, 1e20};
  const uint8_t bools[] = {1, 0};
  const tenon_value values[] = {integer(1), string("x")};
  EXPECT_EQ(print(OwnedValue(new_list(TENON_TAG_INT_LIST, ints, 2)).get()), "[1, -2]");
  EXPECT_EQ(print(OwnedValue(new_list(TENON_TAG_FLOAT_LIST, doubles, 2)).get()), "[0.5, 1e+20]");
  EXPECT_EQ(print(OwnedValue(new_list(TENON_TAG_BOOL_LIST, bools, 2)).get()), "[True, False]");
  EXPECT_EQ(print(OwnedValue(new_list(TENON_TAG_LIST, values, 2)).get()), "[1, 'x']");
  EXPECT_EQ(print(OwnedValue(new_list(TENON_TAG_TUPLE, values, 1)).get()), "(1,)");
  EXPECT_EQ(print(OwnedValue(new_list(TENON_TAG_DICT, values, 1)).get()), "{1: 'x'}");
  EXPECT_EQ(print(OwnedValue(new_list(TENON_TAG_TENSOR_LIST, nullptr, 0)).get()), "[]");
}

TEST(Value, NewListBad_IsRefused) {
  const int64_t ints[] = {1};
  error_of(TENON_ERROR_INVALID_ARGUMENT, [&] { new_list(TENON_TAG_INT, ints, 1); });
  error_of(TENON_ERROR_INVALID_ARGUMENT, [&] { new_list(39, ints, 1); });
  error_of(TENON_ERROR_INVALID_ARGUMENT, [&] { new_list(TENON_TAG_INT_LIST, ints, -1); });
  error_of(TENON_ERROR_INVALID_ARGUMENT, [&] { new_list(TENON_TAG_INT_LIST, nullptr, 1); });
  error_of(TENON_ERROR_INVALID_ARGUMENT,
           [&] { new_list(TENON_TAG_INT_LIST, ints, int64_t{1} << 32); });
}

TEST(Value, Prints) {
  EXPECT_EQ(print(none()), "None");
  EXPECT_EQ(print(boolean(true)), "True");
  EXPECT_EQ(print(integer(INT64_MIN)), "-9223372036854775808");
  EXPECT_EQ(print(real(2)), "2.0");
  EXPECT_EQ(print(real(-0.1)), "-0.1");
  EXPECT_EQ(print(real(INFINITY)), "inf");
  EXPECT_EQ(print(complex(1, -2.5)), "(1.0-2.5j)");
  EXPECT_EQ(print(complex(0, 2)), "(0.0+2.0j)");
  EXPECT_EQ(print(string("it's\n\x01")), "'it\\'s\\n\\x01'");
  EXPECT_EQ(print(coded(TENON_TAG_DTYPE, TENON_DTYPE_BF16)), "bfloat16");
  EXPECT_EQ(print(coded(TENON_TAG_LAYOUT, TENON_LAYOUT_STRIDED)), "strided");
  EXPECT_EQ(print(coded(TENON_TAG_MEMORY_FORMAT, TENON_MEMORY_FORMAT_CHANNELS_LAST)),
            "channels_last");
  EXPECT_EQ(print(device("cuda:1")), "cuda:1");
  EXPECT_EQ(print(tensor_value(tensor::Tensor::undefined())), "Tensor(undefined)");
  tenon_value unknown{};
  unknown.tag = 99;
  EXPECT_EQ(print(unknown), "<unknown>");
}

TEST(Value, TagNames) {
  EXPECT_STREQ(tag_name(TENON_TAG_NONE), "None");
  EXPECT_STREQ(tag_name(TENON_TAG_INT), "int");
  EXPECT_STREQ(tag_name(TENON_TAG_TENSOR), "Tensor");
  EXPECT_STREQ(tag_name(TENON_TAG_OBJECT), "object");
  EXPECT_STREQ(tag_name(TENON_TAG_INT_LIST), "int[]");
  EXPECT_STREQ(tag_name(TENON_TAG_TENSOR_LIST), "Tensor[]");
  EXPECT_STREQ(tag_name(TENON_TAG_DICT), "dict");
  EXPECT_STREQ(tag_name(TENON_TAG_REF), "ref");
  EXPECT_STREQ(tag_name(20), "unknown");
  EXPECT_STREQ(tag_name(39), "unknown");
}

}  // namespace
}  // namespace tenon::value
