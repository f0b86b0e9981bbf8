// SPDX-License-Identifier: Apache-2.0
#include "base/near_names.h"

#include <gtest/gtest.h>

namespace tenon::base {
namespace {

const std::vector<std::string_view> kNames = {"relu", "reluctance", "add", "addmm", "sub", "CPU"};

TEST(NearNames, ALetterTooManyMissingWrongOrSwapped) {
  EXPECT_EQ(did_you_mean("rellu", kNames), "; did you mean relu?");
  EXPECT_EQ(did_you_mean("rlu", kNames), "; did you mean relu?");
  EXPECT_EQ(did_you_mean("reln", kNames), "; did you mean relu?");
  EXPECT_EQ(did_you_mean("erlu", kNames), "; did you mean relu?");
}

TEST(NearNames, UpperAndLowerCaseAreEqual) {
  EXPECT_EQ(did_you_mean("Relu", kNames), "; did you mean relu?");
  EXPECT_EQ(did_you_mean("cpu", kNames), "; did you mean CPU?");
}

TEST(NearNames, FarNamesAndTheNameItselfAreNoAnswer) {
  EXPECT_EQ(did_you_mean("convolution", kNames), "");
  EXPECT_EQ(did_you_mean("add", {"add"}), "");
  EXPECT_EQ(did_you_mean("", kNames), "");
  EXPECT_EQ(did_you_mean("x", {"y"}), "");
}

TEST(NearNames, NearestFirstThreeAtMostEachOnce) {
  EXPECT_EQ(did_you_mean("addm", kNames), "; did you mean add or addmm?");
  EXPECT_EQ(did_you_mean("abcd", {"abcx", "abcd2", "abc", "abce", "abc"}),
            "; did you mean abc, abcd2 or abce?");
  EXPECT_EQ(did_you_mean("addm", {"add"}, "aten::"), "; did you mean aten::add?");
}

}  // namespace
}  // namespace tenon::base
