// SPDX-License-Identifier: Apache-2.0
// Pointwise functors with the maximum number of operands: six inputs and two results.
#include "kernels/common/registrar.h"
#include "kernels/cpu/loops/pointwise_loops.h"
#include "kernels/golden.h"

namespace tenon::kernels {

// Returns the weighted sum of six elements, and whether the first is the largest.
template <class T>
struct Wide {
  TENON_FUNCTOR Results<T, bool> operator()(T a, T b, T c, T d, T e, T f) const {
    const T sum = static_cast<T>(a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f);
    return {sum, {a >= b && a >= c && a >= d && a >= e && a >= f}};
  }
};

inline constexpr Facts kWide{
    .family = &kPointwise,
    .name = "sum_and_lead",
    .params = "Tensor a, Tensor b, Tensor c, Tensor d, Tensor e, Tensor f",
    .returns = "(Tensor sum, Tensor leads)",
    .forms = kFunctional | kOut,
    .outs = "sum, leads",
    .tags = "pointwise",
    .pointwise = {.rule = {kReals, Promote::Common, {Gives::Same, Gives::Bool}}},
};
inline constexpr auto kWideKernel = cpu::pointwise_table<kWide, Wide>();

inline constexpr Facts kTooWide{
    .family = &kPointwise,
    .name = "too_wide",
    .params = "Tensor a, Tensor b, Tensor c, Tensor d, Tensor e, Tensor f",
    .returns = "(Tensor, Tensor, Tensor)",
    .tags = "pointwise",
    .pointwise = {.rule = {kReals}},
};

}  // namespace tenon::kernels

namespace tenon::tests {
namespace {

constexpr int kInputs = 6;

// Defines the operator during a test.
class WideFunctor : public testing::Test {
 protected:
  WideFunctor() {
    kernels::cpu::choose_vector_level();
    kernels::define(library_, kernels::kWide);
    kernels::implement(kernels_, TENON_KEY_CPU, "cpu", kernels::kWide, &kernels::kWideKernel, 0);
  }

  static std::vector<Tensor> results(const std::vector<Tensor>& inputs) {
    std::vector<Value> values(inputs.begin(), inputs.end());
    const auto answers = Op("wide::sum_and_lead").call(values, {});
    return {answers.at(0).tensor(), answers.at(1).tensor()};
  }

  // Checks both results for inputs that are already broadcast, element by element.
  static void expect_answers(const std::vector<Tensor>& inputs, const std::vector<Tensor>& got) {
    std::vector<Doubles> rows;
    for (const Tensor& input : inputs) rows.push_back(elements(input));
    Doubles sums, leads;
    for (size_t i = 0; i < rows[0].size(); ++i) {
      double sum = 0;
      double largest = rows[0][i];
      for (size_t k = 0; k < rows.size(); ++k) {
        sum += static_cast<double>(k + 1) * rows[k][i];
        largest = std::max(largest, rows[k][i]);
      }
      sums.push_back(sum);
      leads.push_back(largest == rows[0][i] ? 1 : 0);
    }
    EXPECT_EQ(elements(got.at(0)), sums);
    EXPECT_EQ(elements(got.at(1)), leads);
  }

  // Returns small integers, so that every dtype can represent them and their sums.
  static Tensor ramp(const Ints& sizes, int turn, Dtype dtype = Dtype::F32) {
    int64_t count = 1;
    for (const int64_t size : sizes) count *= size;
    std::vector<float> row(static_cast<size_t>(count));
    for (size_t i = 0; i < row.size(); ++i) row[i] = static_cast<float>((i * 7 + turn * 5) % 9);
    return call("aten::to.dtype", Tensor::from<float>(row, sizes), dtype);
  }

 private:
  Library library_{Library::Def, "wide"};
  Library kernels_{Library::Impl, "wide", TENON_KEY_CPU};
};

TEST_F(WideFunctor, RowMajorInputs_GiveBothResults) {
  std::vector<Tensor> inputs;
  for (int k = 0; k < kInputs; ++k) inputs.push_back(ramp({3, 67}, k));
  const auto got = results(inputs);
  expect_answers(inputs, got);
  EXPECT_EQ(got[0].dtype(), Dtype::F32);
  EXPECT_EQ(got[1].dtype(), Dtype::Bool);
}

TEST_F(WideFunctor, SixDtypes_Promote) {
  const Dtype dtypes[] = {Dtype::U8, Dtype::I16, Dtype::F16, Dtype::I64, Dtype::F32, Dtype::BF16};
  std::vector<Tensor> inputs;
  for (int k = 0; k < kInputs; ++k) inputs.push_back(ramp({5, 61}, k, dtypes[k]));
  const auto got = results(inputs);
  EXPECT_EQ(got[0].dtype(), Dtype::F32);
  expect_answers(inputs, got);
}

TEST_F(WideFunctor, HalfInputs_GiveHalfSums) {
  std::vector<Tensor> inputs;
  for (int k = 0; k < kInputs; ++k) inputs.push_back(ramp({300}, k, Dtype::F16));
  const auto got = results(inputs);
  EXPECT_EQ(got[0].dtype(), Dtype::F16);
  expect_answers(inputs, got);
}

TEST_F(WideFunctor, TurnedInputs_GoThroughTiles) {
  for (const Dtype dtype : {Dtype::U8, Dtype::F32, Dtype::F64}) {
    std::vector<Tensor> inputs;
    for (int k = 0; k < kInputs; ++k) {
      const Tensor turned = call("aten::t", ramp({97, 130}, k, dtype));
      inputs.push_back(k == 0 ? ramp({130, 97}, k, dtype) : turned);
    }
    expect_answers(inputs, results(inputs));
  }
}

TEST_F(WideFunctor, ShortRows_AreJoined) {
  std::vector<Tensor> inputs, whole;
  for (int k = 0; k < kInputs; ++k) {
    const Tensor row = ramp(k % 2 == 0 ? Ints{40, 3} : Ints{3}, k);
    inputs.push_back(row);
    whole.push_back(call("aten::expand", row, Ints{40, 3}));
  }
  expect_answers(whole, results(inputs));
}

TEST_F(WideFunctor, Outs_OfOtherStridesAndDtypesAreWritten) {
  std::vector<Tensor> inputs;
  for (int k = 0; k < kInputs; ++k) inputs.push_back(ramp({30, 20}, k));
  const Tensor sum = call("aten::t", Tensor::empty(Ints{20, 30}, Dtype::F64));
  const Tensor leads = Tensor::empty(Ints{0}, Dtype::I32);
  std::vector<Value> values(inputs.begin(), inputs.end());
  Op("wide::sum_and_lead.out").call(values, {{"sum", sum}, {"leads", leads}});
  expect_answers(inputs, {sum, leads});
  EXPECT_EQ(strides(sum), (Ints{1, 30}));
}

TEST_F(WideFunctor, NoElements_KeepShapes) {
  std::vector<Tensor> inputs(kInputs, Tensor::empty(Ints{0, 4}, Dtype::I32));
  const auto got = results(inputs);
  EXPECT_EQ(sizes(got[0]), (Ints{0, 4}));
  EXPECT_EQ(sizes(got[1]), (Ints{0, 4}));
}

TEST_F(WideFunctor, MetaInputs_GiveShapesAndDtypes) {
  std::vector<Tensor> inputs(kInputs, meta({2, 1}, Dtype::I16));
  inputs[3] = meta({5}, Dtype::I16);
  const auto got = results(inputs);
  EXPECT_EQ(sizes(got[1]), (Ints{2, 5}));
  EXPECT_EQ(got[0].dtype(), Dtype::I16);
}

TEST_F(WideFunctor, NineOperands_AreRefusedWhenDefined) {
  Library other(Library::Def, "wider");
  const Error error = error_of([&] { kernels::define(other, kernels::kTooWide); });
  EXPECT_EQ(std::string(error.what()),
            "too_wide: params must be at most 8 tensors, results included, got 9");
}

}  // namespace
}  // namespace tenon::tests
