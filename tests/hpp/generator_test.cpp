// SPDX-License-Identifier: Apache-2.0
// tenon.hpp: generators as objects, arguments and results.
#include <gtest/gtest.h>

#include <optional>
#include <random>
#include <vector>

#include <tenon/tenon.hpp>

namespace {

using tenon::Generator;
using tenon::Tensor;
using tenon::Value;

uint32_t next(const Generator& generator) {
  std::vector<uint32_t> number(1);
  generator.random(number);
  return number[0];
}

TEST(Generator, DrawsSeedsAndStates) {
  const Generator generator(7);
  EXPECT_EQ(generator.device(), tenon::Device());
  EXPECT_EQ(generator.initial_seed(), 7u);
  EXPECT_EQ(generator.native(), nullptr);
  std::mt19937 expected(7);
  EXPECT_EQ(next(generator), expected());
  const std::vector<uint8_t> state = generator.state();
  const uint32_t second = next(generator);
  EXPECT_EQ(second, expected());
  generator.seed(8);
  EXPECT_EQ(generator.initial_seed(), 8u);
  generator.set_state(state);
  EXPECT_EQ(generator.initial_seed(), 7u);
  EXPECT_EQ(next(generator), second);
  EXPECT_THROW(generator.set_state(std::vector<uint8_t>(3)), tenon::Error);
  std::vector<double> sample(1);
  generator.seed(7);
  generator.normal(sample);
  EXPECT_EQ(sample[0], -0x1.2ca2e8774a1c0p-3);
  EXPECT_THROW(Generator(7, tenon::Device("meta")), tenon::Error);
}

TEST(Generator, CopiesShare_MovesEmptyAndLastReleases) {
  const int64_t before = tenon_introspect_live_count(TENON_HANDLE_GENERATOR);
  {
    Generator a(7);
    const Generator b = a;
    EXPECT_EQ(a, b);
    next(a);
    std::mt19937 expected(7);
    expected.discard(1);
    EXPECT_EQ(next(b), expected());
    const Generator c = std::move(a);
    EXPECT_EQ(a.get(), nullptr);
    EXPECT_EQ(c, b);
    a = b;
    EXPECT_EQ(a, c);
    EXPECT_EQ(tenon_introspect_live_count(TENON_HANDLE_GENERATOR), before + 1);
  }
  EXPECT_EQ(tenon_introspect_live_count(TENON_HANDLE_GENERATOR), before);
}

TEST(Generator, Default_IsOneAndSeededWithAll) {
  const Generator generator = Generator::default_of();
  EXPECT_EQ(generator, Generator::default_of(tenon::Device("cpu")));
  tenon::manual_seed(7);
  EXPECT_EQ(next(generator), std::mt19937(7)());
}

TEST(Generator, Value_HoldsAndPrintsIt) {
  const Generator generator(7);
  const Value value(generator);
  EXPECT_EQ(value.generator(), generator);
  EXPECT_EQ(value.str(), "Generator(cpu, seed 7)");
  EXPECT_THROW(Value(3).generator(), tenon::Error);
  EXPECT_TRUE(Value(std::optional<Generator>()).is_none());
}

int64_t draw(const Tensor&, const Generator& generator) { return next(generator); }
int64_t draw_if(const Tensor&, const std::optional<Generator>& generator) {
  return generator ? int64_t{next(*generator)} : -1;
}
Generator same(const Generator& generator) { return generator; }

// Typed, boxed and by their inferred schemas.
TEST(Generator, Kernels_TakeAndReturnThem) {
  const int64_t before = tenon_introspect_live_count(TENON_HANDLE_GENERATOR);
  {
    tenon::Library library(tenon::Library::Def, "generator_test");
    library.def("draw", &draw);
    library.def("draw_if(Tensor x, Generator? generator=None) -> int");
    library.impl("draw_if", TENON_KEY_CPU, &draw_if);
    library.def("same", &same);
    EXPECT_STREQ(tenon::Op("generator_test::draw").schema().text(),
                 "generator_test::draw(Tensor _0, Generator _1) -> int");
    const Tensor x = Tensor::from({1.0f}, {1});
    const Generator generator(7);
    std::mt19937 expected(7);
    EXPECT_EQ(tenon::Op("generator_test::draw")(x, generator)[0].to_int(), expected());
    const tenon::TypedOp<int64_t(const Tensor&, const Generator&)> typed(
        tenon::Op("generator_test::draw").get());
    EXPECT_EQ(typed(x, generator), expected());
    const tenon::Op draw_if_op("generator_test::draw_if");
    EXPECT_EQ(draw_if_op(x)[0].to_int(), -1);
    EXPECT_EQ(draw_if_op(x, generator)[0].to_int(), expected());
    const tenon::TypedOp<int64_t(const Tensor&, const std::optional<Generator>&)> typed_if(
        draw_if_op.get());
    EXPECT_EQ(typed_if(x, generator), expected());
    EXPECT_EQ(typed_if(x, std::nullopt), -1);
    EXPECT_THROW(draw_if_op(x, 7), tenon::Error);
    const tenon::TypedOp<Generator(const Generator&)> typed_same(
        tenon::Op("generator_test::same").get());
    EXPECT_EQ(typed_same(generator), generator);
    EXPECT_EQ(tenon::Op("generator_test::same")(generator)[0].generator(), generator);
  }
  EXPECT_EQ(tenon_introspect_live_count(TENON_HANDLE_GENERATOR), before);
}

}  // namespace
