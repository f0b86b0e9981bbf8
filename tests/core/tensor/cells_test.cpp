// SPDX-License-Identifier: Apache-2.0
#include "tensor_testing.h"

namespace tenon::tensor {
namespace {

using namespace testing;  // NOLINT: the test's own helpers

TEST(Cells, AreWeakStableAndPerLanguage) {
  const TensorPtr tensor = empty({1});
  int object = 0;
  for (uint32_t language = TENON_LANGUAGE_C; language < tenon::base::kFixedLanguages; ++language) {
    void** cell = tensor->cell(language);
    ASSERT_NE(cell, nullptr);
    EXPECT_EQ(*cell, nullptr);
    *cell = reinterpret_cast<char*>(&object) + language;
  }
  for (uint32_t language = TENON_LANGUAGE_C; language < tenon::base::kFixedLanguages; ++language) {
    EXPECT_EQ(*tensor->cell(language), reinterpret_cast<char*>(&object) + language);
  }
  EXPECT_EQ(tensor->cell(TENON_LANGUAGE_NONE), nullptr);
  EXPECT_EQ(tensor->cell(tenon::base::kFixedLanguages), nullptr);
}

TEST(Cells, OwnedObjectIsDroppedOnceWithTheTensor) {
  for (uint32_t language = TENON_LANGUAGE_C; language < tenon::base::kFixedLanguages; ++language) {
    int dropped = 0;
    TensorPtr tensor = empty({1});
    tensor->own_cell(language, &dropped, &count_call);
    EXPECT_EQ(*tensor->cell(language), &dropped);
    TensorPtr second = tensor;
    tensor.reset();
    EXPECT_EQ(dropped, 0);
    second.reset();
    EXPECT_EQ(dropped, 1) << language;
  }
}

TEST(Cells, WeakAgain_IsNotDropped) {
  int dropped = 0;
  TensorPtr tensor = empty({1});
  tensor->own_cell(TENON_LANGUAGE_PYTHON, &dropped, &count_call);
  tensor->own_cell(TENON_LANGUAGE_PYTHON, &dropped, nullptr);
  EXPECT_EQ(*tensor->cell(TENON_LANGUAGE_PYTHON), &dropped);
  tensor.reset();
  EXPECT_EQ(dropped, 0);
}

TEST(Cells, ReplacedObjectIsDropped) {
  int first = 0;
  int second = 0;
  TensorPtr tensor = empty({1});
  tensor->own_cell(TENON_LANGUAGE_JAVA, &first, &count_call);
  tensor->own_cell(TENON_LANGUAGE_JAVA, &second, &count_call);
  EXPECT_EQ(first, 1);
  tensor.reset();
  EXPECT_EQ(first, 1);
  EXPECT_EQ(second, 1);
}

TEST(Cells, DroppedAtDeathAlsoWithWeakReferences) {
  int dropped = 0;
  TensorPtr tensor = empty({1});
  const WeakTensor weak(tensor.get());
  tensor->own_cell(TENON_LANGUAGE_PYTHON, &dropped, &count_call);
  tensor.reset();
  EXPECT_EQ(dropped, 1);
}

TEST(Cells, UnknownLanguage_IsRefused) {
  const TensorPtr tensor = empty({1});
  error_of(TENON_ERROR_INVALID_ARGUMENT, [&] { tensor->own_cell(99, nullptr, nullptr); });
  error_of(TENON_ERROR_INVALID_ARGUMENT,
           [&] { tensor->own_cell(TENON_LANGUAGE_NONE, nullptr, nullptr); });
}

}  // namespace
}  // namespace tenon::tensor
