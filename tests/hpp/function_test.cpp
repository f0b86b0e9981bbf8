// SPDX-License-Identifier: Apache-2.0
// tenon.hpp: C++ callables as function values, passed to operators and called.
#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

#include <tenon/tenon.hpp>

namespace {

using tenon::call_function;
using tenon::Error;
using tenon::Library;
using tenon::make_function;
using tenon::Op;
using tenon::Tensor;
using tenon::Value;

TEST(Function, Lambda_IsCalledAndFreed) {
  const auto counted = std::make_shared<int>(2);
  {
    const Value twice = make_function([counted](double x) { return x * *counted; });
    EXPECT_EQ(twice.tag(), TENON_TAG_FUNCTION);
    EXPECT_EQ(counted.use_count(), 2);
    EXPECT_EQ(call_function(twice, {Value(21)})[0].to_double(), 42.0);
    const Value copy = twice;
    EXPECT_EQ(counted.use_count(), 2);
  }
  EXPECT_EQ(counted.use_count(), 1);
}

TEST(Function, ResultsOfAllCounts) {
  int calls = 0;
  call_function(make_function([&calls](const Tensor&) { ++calls; }), {Tensor::from({1.0f}, {1})},
                0);
  EXPECT_EQ(calls, 1);
  const Value both =
      make_function([](int64_t n) { return std::tuple<int64_t, std::string>(n, "text"); });
  const std::vector<Value> results = call_function(both, {Value(7)}, 2);
  EXPECT_EQ(results[0].to_int(), 7);
  EXPECT_EQ(results[1].text(), "text");
}

struct Lost : std::runtime_error {
  using std::runtime_error::runtime_error;
};

TEST(Function, Failures_NameThemselves) {
  const Value lost = make_function([](int64_t) -> int64_t { throw Lost("lost"); });
  EXPECT_THROW(call_function(lost, {Value(1)}), Lost);
  const auto refusal = [](const Value& function, std::vector<Value> arguments, size_t count) {
    try {
      call_function(function, arguments, count);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), TENON_ERROR_TYPE);
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(refusal(lost, {Value("a")}, 1), "argument 0 must be int, got str");
  EXPECT_EQ(refusal(lost, {}, 1), "kernel takes 1 arguments, got 0");
  EXPECT_EQ(refusal(lost, {Value(1)}, 2), "function gives 1 results, got room for 2");
  EXPECT_EQ(refusal(Value(1), {}, 1), "call_function: value must be a function, got int");
  EXPECT_EQ(tenon_error_peek(), nullptr);
}

TEST(Function, GoesThroughAnOperator) {
  Library library(Library::Def, "hpp_function");
  library.def("apply(Any f, float x) -> float",
              [](const Value& f, double x) { return call_function(f, {Value(x)})[0].to_double(); });
  const Value half = make_function([](double x) { return x / 2; });
  EXPECT_EQ(Op("hpp_function::apply")(half, 5)[0].to_double(), 2.5);
}

}  // namespace
