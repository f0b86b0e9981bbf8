// SPDX-License-Identifier: Apache-2.0
// The kept C++ client: calls, typed calls, keywords and libraries of the first tenon.hpp.
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include <tenon/tenon.hpp>

#include "first.h"

namespace {

using tenon::Dtype;
using tenon::Library;
using tenon::Op;
using tenon::Tensor;
using tenon::Value;

std::string plugin_path;

// Loads the plugin that the command line names; the cases share it.
class FirstCpp : public testing::Test {
 protected:
  static void SetUpTestSuite() { tenon::check(tenon_plugin_load(plugin_path.c_str(), &plugin_)); }
  static void TearDownTestSuite() { tenon::check(tenon_plugin_unload(plugin_, -1)); }
  static tenon_plugin* plugin_;
};

tenon_plugin* FirstCpp::plugin_ = nullptr;

TEST_F(FirstCpp, Op_BoxedCallWithDefaultsAndKeywords) {
  const Op op("first_cpp::scale");
  const Tensor x = Tensor::from({1.0f, 2.0f}, {2});
  EXPECT_EQ(op(x)[0].tensor().data<float>()[1], 4.0f);
  EXPECT_EQ(op(x, tenon::kw("by", 3.0))[0].tensor().data<float>()[1], 6.0f);
  EXPECT_STREQ(op.schema().text(), "first_cpp::scale(Tensor x, float by=2.) -> Tensor");
}

TEST_F(FirstCpp, TypedOp_CallsTheTypedKernel) {
  const auto scale = Op("first_cpp::scale").typed<Tensor(const Tensor&, double)>();
  const Tensor x = Tensor::from({1.0f, 2.0f}, {2});
  EXPECT_EQ(scale(x, 0.5).data<float>()[1], 1.0f);
}

TEST_F(FirstCpp, TypedOp_ListsTextsAndSeveralResults) {
  using Signature = std::tuple<std::string, int64_t>(
      tenon::TensorList, std::span<const int64_t>, std::optional<int64_t>, std::string_view, bool);
  const auto describe = Op("first_cpp::describe").typed<Signature>();
  const std::vector<Tensor> tensors{Tensor::from({1.0f}, {1}), Tensor::from({1.0f, 2.0f}, {2})};
  const std::vector<int64_t> ints{4, 5};
  EXPECT_EQ(describe(tensors, ints, 6, "text", true),
            std::make_tuple(std::string("3 elements, 9, 6, text, true"), int64_t{2}));
  EXPECT_EQ(describe(tensors, ints, std::nullopt, "", false),
            std::make_tuple(std::string("3 elements, 9, none, , false"), int64_t{2}));
}

TEST_F(FirstCpp, Error_OfAKernel_IsThrownWithItsCode) {
  const Op op("first_cpp::refuse");
  try {
    op("this");
    FAIL() << "nothing was thrown";
  } catch (const tenon::Error& error) {
    EXPECT_EQ(error.code(), TENON_ERROR_INDEX);
    EXPECT_NE(std::string(error.what()).find("refused: this"), std::string::npos);
  }
  EXPECT_EQ(tenon_error_peek(), nullptr);
}

TEST_F(FirstCpp, Library_DefinesImplementsAndRemoves) {
  Library library(Library::Def, "first_cpp_client");
  const Op op =
      library.def("add(int a, int b=1) -> int", [](int64_t a, int64_t b) { return a + b; });
  EXPECT_EQ(op(41)[0].to_int(), 42);
  tenon::Registration layer = library.impl("add", [](int64_t a, int64_t b) { return a * b; });
  EXPECT_EQ((op.typed<int64_t(int64_t, int64_t)>()(6, 7)), 42);
  layer.remove();
  EXPECT_EQ((op.typed<int64_t(int64_t, int64_t)>()(6, 7)), 13);
  library.close();
  library.drain();
  EXPECT_THROW(op(1), tenon::Error);
}

TEST_F(FirstCpp, Calls_FromSeveralThreads) {
  const auto scale = Op("first_cpp::scale").typed<Tensor(const Tensor&, double)>();
  std::array<double, 4> sums{};
  std::vector<std::thread> threads;
  for (double& sum : sums) {
    threads.emplace_back([&scale, &sum] {
      const Tensor x = Tensor::from({1.0f}, {1});
      for (int i = 0; i < 500; ++i) sum += static_cast<double>(scale(x, 2.0).data<float>()[0]);
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const double sum : sums) EXPECT_EQ(sum, 1000.0);
}

}  // namespace

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  if (const char* path = std::getenv("TENON_TEST_PLUGIN")) plugin_path = path;
  return RUN_ALL_TESTS();
}
