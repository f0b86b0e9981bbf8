// SPDX-License-Identifier: Apache-2.0
// Replays every golden file: operators return what PyTorch returns.
#include <algorithm>

#include "kernels/golden.h"
#include "kernels/golden_case.h"

namespace tenon::tests {
namespace {

class Replay : public ::testing::TestWithParam<std::string> {};

TEST_P(Replay, AnswersAsPyTorch) { replay(GetParam()); }

// Makes a test name of "linalg/linalg_qr": linalg_linalg_qr.
std::string test_name(const ::testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  std::replace(name.begin(), name.end(), '/', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Golden, Replay, ::testing::ValuesIn(golden_files()), test_name);

TEST(GoldenFiles, AreAllFound) { EXPECT_GE(golden_files().size(), 305U); }

}  // namespace
}  // namespace tenon::tests
