// SPDX-License-Identifier: Apache-2.0
// Random numbers on CUDA: Philox, the device's generator, distributions.
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "cuda/cuda_kernels.h"
#include "kernels/cuda/random/philox.h"

namespace tenon::tests {
namespace {

using kernels::cuda::philox;

// The test vectors of Random123, the library of Philox's authors.
TEST(Philox, KnownAnswers_AreGiven) {
  const auto expect = [](uint64_t seed, uint64_t sequence, uint64_t block,
                         const std::vector<uint32_t>& wanted) {
    const auto numbers = philox(seed, sequence, block);
    EXPECT_EQ(std::vector<uint32_t>(numbers.at, numbers.at + 4), wanted);
  };
  expect(0, 0, 0, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
  expect(~uint64_t{0}, ~uint64_t{0}, ~uint64_t{0},
         {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd});
  expect(0x299f31d0a4093822, 0x0370734413198a2e, 0x85a308d3243f6a88,
         {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1});
}

class CudaRandom : public CudaKernels {};

const Device& cuda() {
  static const Device device("cuda:0");
  return device;
}

Tensor made(const std::vector<int64_t>& sizes, Dtype dtype) {
  return one("aten::zeros", sizes, kw("dtype", dtype), kw("device", cuda()));
}

std::vector<double> numbers(const Tensor& tensor) {
  const Tensor wide = one("aten::clone", cast(to(tensor, "cpu"), Dtype::F64));
  const Tensor flat = one("aten::reshape", wide, std::vector<int64_t>{-1});
  return {flat.data<double>(), flat.data<double>() + flat.numel()};
}

double mean(const std::vector<double>& all) {
  double sum = 0;
  for (const double one : all) sum += one;
  return sum / static_cast<double>(all.size());
}

double deviation(const std::vector<double>& all) {
  const double middle = mean(all);
  double sum = 0;
  for (const double one : all) sum += (one - middle) * (one - middle);
  return std::sqrt(sum / static_cast<double>(all.size()));
}

constexpr int64_t kMany = 100000;
const Dtype kFloats[] = {Dtype::F16, Dtype::BF16, Dtype::F32, Dtype::F64};

TEST_F(CudaRandom, Seed_BeginsTheSameNumbersAnew) {
  const Generator generator(7, cuda());
  const Tensor a = made({3000}, Dtype::F32), b = made({3000}, Dtype::F32);
  Op("aten::uniform_")(a, kw("generator", generator));
  Op("aten::uniform_")(b, kw("generator", generator));
  const auto first = numbers(a);
  EXPECT_NE(first, numbers(b));
  generator.seed(7);
  Op("aten::uniform_")(b, kw("generator", generator));
  EXPECT_EQ(first, numbers(b));
  EXPECT_EQ(generator.initial_seed(), 7U);
}

TEST_F(CudaRandom, State_GoesBack) {
  const Generator generator(3, cuda());
  const Tensor a = made({100}, Dtype::F64), b = made({100}, Dtype::F64);
  Op("aten::normal_")(a, kw("generator", generator));
  const auto state = generator.state();
  EXPECT_EQ(state.size(), 32U);  // the part that all generator states share: seed and offset
  Op("aten::normal_")(a, kw("generator", generator));
  generator.set_state(state);
  Op("aten::normal_")(b, kw("generator", generator));
  EXPECT_EQ(numbers(a), numbers(b));
  std::vector<uint8_t> odd = state;
  odd[24] = 3;  // must be a multiple of 4
  EXPECT_THROW(generator.set_state(odd), Error);
  EXPECT_THROW(generator.set_state(std::vector<uint8_t>(5)), Error);
}

TEST_F(CudaRandom, NumbersOnTheHost_AreThoseOfTheFirstSequence) {
  const Generator generator(11, cuda());
  std::vector<uint32_t> drawn(6);
  generator.random(drawn);
  const auto first = philox(11, 0, 0), second = philox(11, 0, 1);
  EXPECT_EQ(drawn[3], first.at[3]);
  EXPECT_EQ(drawn[5], second.at[1]);
}

TEST_F(CudaRandom, Elements_AreThoseOfTheirThread) {
  const Generator generator(5, cuda());
  const Tensor a = made({200}, Dtype::I64);
  Op("aten::random_.from")(a, 0, 1000, kw("generator", generator));
  const auto drawn = numbers(a);
  for (uint64_t i = 0; i < 200; ++i) EXPECT_EQ(drawn[i], philox(5, i, 0).at[0] % 1000) << i;
}

TEST_F(CudaRandom, Uniform_IsOfItsRange) {
  for (const Dtype dtype : kFloats) {
    const Tensor a = made({kMany}, dtype);
    Op("aten::uniform_")(a, -1.0, 3.0);
    const auto drawn = numbers(a);
    for (const double one : drawn) ASSERT_TRUE(one >= -1 && one < 3) << name_of(dtype) << one;
    EXPECT_NEAR(mean(drawn), 1, 0.05) << name_of(dtype);
    EXPECT_NEAR(deviation(drawn), 4 / std::sqrt(12), 0.05) << name_of(dtype);
  }
}

TEST_F(CudaRandom, Normal_HasMeanAndDeviation) {
  for (const Dtype dtype : kFloats) {
    const Tensor a = made({kMany}, dtype);
    Op("aten::normal_")(a, 2.0, 0.5);
    EXPECT_NEAR(mean(numbers(a)), 2, 0.02) << name_of(dtype);
    EXPECT_NEAR(deviation(numbers(a)), 0.5, 0.02) << name_of(dtype);
  }
  const Tensor complex = made({kMany}, Dtype::C64);
  Op("aten::normal_")(complex);
  const auto parts = numbers(one("aten::view_as_real", complex));
  EXPECT_NEAR(deviation(parts), std::sqrt(0.5), 0.02);
}

TEST_F(CudaRandom, Distributions_HaveTheirMeans) {
  for (const Dtype dtype : {Dtype::F32, Dtype::F64}) {
    const Tensor a = made({kMany}, dtype);
    Op("aten::exponential_")(a, 4.0);
    EXPECT_NEAR(mean(numbers(a)), 0.25, 0.01);
    Op("aten::geometric_")(a, 0.2);
    EXPECT_NEAR(mean(numbers(a)), 5, 0.1);
    Op("aten::log_normal_")(a, 0.0, 0.5);
    EXPECT_NEAR(mean(numbers(a)), std::exp(0.125), 0.02);
    Op("aten::cauchy_")(a, 1.0, 2.0);
    int64_t below = 0;
    for (const double one : numbers(a)) below += one < 3 ? 1 : 0;
    EXPECT_NEAR(static_cast<double>(below) / kMany, 0.75, 0.01);
  }
}

TEST_F(CudaRandom, Bernoulli_OfNumbersAndTensors) {
  for (const Dtype dtype : {Dtype::Bool, Dtype::I32, Dtype::F16, Dtype::F64}) {
    const Tensor a = made({kMany}, dtype);
    Op("aten::bernoulli_.float")(a, 0.3);
    EXPECT_NEAR(mean(numbers(a)), 0.3, 0.01) << name_of(dtype);
    Op("aten::bernoulli_.float")(a, 1.0);
    EXPECT_EQ(mean(numbers(a)), 1) << name_of(dtype);
    Op("aten::bernoulli_.float")(a, 0.0);
    EXPECT_EQ(mean(numbers(a)), 0) << name_of(dtype);
  }
  const Tensor p = to(Tensor::from<double>({0, 0.25, 1}, {3}), "cuda");
  const Tensor coins = made({kMany / 10, 3}, Dtype::F32);
  Op("aten::bernoulli_.Tensor")(coins, p);
  EXPECT_NEAR(mean(numbers(coins)), 1.25 / 3, 0.01);
  EXPECT_EQ(mean(numbers(one("aten::select.int", coins, 1, 0))), 0);
  EXPECT_EQ(mean(numbers(one("aten::select.int", coins, 1, 2))), 1);
}

TEST_F(CudaRandom, Integers_AreOfTheirRange) {
  const Tensor a = made({kMany}, Dtype::I32);
  Op("aten::random_.from")(a, -3, 4);
  const auto drawn = numbers(a);
  EXPECT_EQ(std::set<double>(drawn.begin(), drawn.end()),
            (std::set<double>{-3, -2, -1, 0, 1, 2, 3}));
  const Tensor wide = made({kMany}, Dtype::I64);
  Op("aten::random_")(wide);
  EXPECT_NEAR(mean(numbers(wide)) / 0x1p62, 1, 0.02);
  const Tensor truth = made({kMany}, Dtype::Bool);
  Op("aten::random_")(truth);
  EXPECT_NEAR(mean(numbers(truth)), 0.5, 0.01);
}

// Views draw in memory order, whatever the order of their dims.
TEST_F(CudaRandom, StridedTensors_GetTheSame) {
  const Generator generator(13, cuda());
  const Tensor plain = made({40, 50}, Dtype::F32), turned = made({40, 50}, Dtype::F32);
  Op("aten::uniform_")(plain, kw("generator", generator));
  generator.seed(13);
  Op("aten::uniform_")(one("aten::t", turned), kw("generator", generator));
  EXPECT_EQ(numbers(plain), numbers(turned));
  const Tensor wide = made({40, 2}, Dtype::F32);
  Op("aten::uniform_")(one("aten::select.int", wide, 1, 1), 1.0, 2.0);
  EXPECT_EQ(mean(numbers(one("aten::select.int", wide, 1, 0))), 0);
}

TEST_F(CudaRandom, Factories_MakeTheirTensorThere) {
  const std::vector<int64_t> sizes{4, 1000};
  const Tensor a = one("aten::randn", sizes, kw("device", cuda()));
  EXPECT_EQ(a.device(), cuda());
  EXPECT_NEAR(deviation(numbers(a)), 1, 0.1);
  EXPECT_NEAR(mean(numbers(one("aten::rand", sizes, kw("device", cuda())))), 0.5, 0.05);
  const Tensor dropped = one("aten::dropout", one("aten::ones_like", a), 0.25, true);
  EXPECT_NEAR(mean(numbers(dropped)), 1, 0.1);
}

TEST_F(CudaRandom, BadArguments_AreRefused) {
  const Tensor a = made({3}, Dtype::F32);
  EXPECT_THROW(Op("aten::uniform_")(a, 1.0, 0.0), Error);
  EXPECT_THROW(Op("aten::normal_")(a, 0.0, -1.0), Error);
  EXPECT_THROW(Op("aten::bernoulli_.float")(a, 1.5), Error);
  try {
    Op("aten::uniform_")(a, kw("generator", Generator(1)));
    FAIL() << "drew from a generator of the CPU";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("generator must be on cuda:0"), std::string::npos)
        << error.what();
  }
  const Tensor none = made({0}, Dtype::F32);
  Op("aten::uniform_")(none);
}

}  // namespace
}  // namespace tenon::tests
