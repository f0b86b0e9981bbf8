// SPDX-License-Identifier: Apache-2.0
// Transforms as C++ programs use them: functions of tensors and of trees of tensors, nested in any
// order, and rules of one's own.
#include <gtest/gtest.h>

#include <functional>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

#include <tenon/hpp/func.hpp>
#include <tenon/ops/aten.hpp>
#include <tenon/tenon.hpp>

namespace {

using namespace tenon;
namespace aten = tenon::ops::aten;
using func::grad;
using func::grad_and_value;
using func::hessian;
using func::jacfwd;
using func::jacrev;
using func::jvp;
using func::vjp;
using func::vmap;

Tensor vector_of(std::vector<float> elements) {
  const auto size = static_cast<int64_t>(elements.size());
  return Tensor::adopt(std::move(elements), std::vector<int64_t>{size});
}
Tensor matrix_of(std::vector<float> elements, int64_t rows) {
  const auto columns = static_cast<int64_t>(elements.size()) / rows;
  return Tensor::adopt(std::move(elements), std::vector<int64_t>{rows, columns});
}
Tensor number(float value) { return Tensor::from<float>({value}, {}); }

void expect(const Tensor& tensor, std::vector<int64_t> sizes, const std::vector<float>& elements) {
  EXPECT_EQ(tensor.sizes(), Sizes(sizes));
  const Tensor dense = tensor.contiguous();
  ASSERT_EQ(dense.numel(), static_cast<int64_t>(elements.size()));
  for (size_t i = 0; i < elements.size(); ++i) {
    EXPECT_NEAR(dense.elements<float>()[i], elements[i], 1e-4f) << "element " << i;
  }
}

Tensor cube(const Tensor& x) { return aten::mul(aten::mul(x, x), x); }
Tensor sum_of_cubes(const Tensor& x) { return aten::sum(cube(x)); }

// ---- vmap ---------------------------------------------------------------------------------------

TEST(Func, Vmap_MapsAFunctionOfOne) {
  // [quote.begin vmap]
  const auto dot = [](const Tensor& x, const Tensor& y) { return aten::sum(aten::mul(x, y)); };
  const Tensor x = matrix_of({1, 2, 3, 4}, 2);
  const Tensor y = vector_of({10, 1});
  expect(func::vmap(dot, {0, std::nullopt})(x, y), {2}, {12, 34});
  expect(func::vmap(dot, {1, std::nullopt})(x, y), {2}, {13, 24});
  // [quote.end]
}

TEST(Func, Vmap_OneDimIsForAll) {
  const auto both = [](const Tensor& x, const Tensor& y) {
    return std::tuple(aten::add(x, y), aten::mul(x, y));
  };
  const Tensor x = matrix_of({1, 2, 3, 4}, 2);
  const auto [sums, products] = vmap(both, 1, -1)(x, x);
  expect(sums, {2, 2}, {2, 4, 6, 8});
  expect(products, {2, 2}, {1, 4, 9, 16});
}

TEST(Func, Vmap_TakesTreesAndWhatIsNone) {
  using Pair = std::tuple<Tensor, Tensor>;
  const auto scaled = [](const Pair& pair, const std::vector<Tensor>& list, double factor) {
    const auto& [a, b] = pair;
    return std::vector<Tensor>{aten::mul(aten::add(a, b), factor), list.at(1)};
  };
  const Pair pair(vector_of({1, 2}), vector_of({10, 20}));
  const std::vector<Tensor> list{number(5), number(7)};
  const auto found = vmap(scaled, {0, std::nullopt, std::nullopt})(pair, list, 2.0);
  ASSERT_EQ(found.size(), 2u);
  expect(found[0], {2}, {22, 44});
  expect(found[1], {2}, {7, 7});
}

TEST(Func, Vmap_InChunks) {
  int calls = 0;
  const auto counted = [&](const Tensor& x) {
    ++calls;
    return aten::mul(x, x);
  };
  expect(vmap(counted, 0, 0, {.chunk_size = 2})(vector_of({1, 2, 3})), {3}, {1, 4, 9});
  EXPECT_EQ(calls, 2);
}

TEST(Func, Vmap_RandomnessIsAskedFor) {
  const auto noise = [](const Tensor& x) { return aten::add(x, aten::rand({})); };
  const Tensor x = vector_of({0, 0, 0});
  EXPECT_THROW(vmap(noise)(x), Error);
  const Tensor same = vmap(noise, 0, 0, {.randomness = Randomness::Same})(x);
  EXPECT_EQ(same.elements<float>()[0], same.elements<float>()[2]);
  const Tensor different = vmap(noise, 0, 0, {.randomness = Randomness::Different})(x);
  EXPECT_NE(different.elements<float>()[0], different.elements<float>()[2]);
}

void expect_error(const std::function<void()>& body, const std::string& part) {
  try {
    body();
    FAIL() << "must throw";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
  }
}

TEST(Func, Vmap_BadDimsAreNamed) {
  const Tensor x = vector_of({1, 2});
  expect_error(
      [&] {
        vmap(cube, {0, 0})(x);
      },
      "number of in_dims must be that of the arguments, 1, got 2");
  expect_error([&] { vmap(cube, 1)(x); }, "in_dims must be a dim of argument 0");
  expect_error([&] { vmap(cube, 0, {std::nullopt})(x); }, "out_dims must be a dim for result 0");
  expect_error([&] { vmap(cube, 0, 0, {.name = "vmap(cube)"})(number(1)); },
               "vmap(cube): in_dims must be a dim");
  const auto scaled = [](const Tensor& t, double factor) { return aten::mul(t, factor); };
  expect_error(
      [&] {
        vmap(scaled, {0, 0})(x, 2.0);
      },
      "in_dims must be None for argument 1, which is not a tensor");
}

// ---- Derivatives --------------------------------------------------------------------------------

TEST(Func, Grad_OfTheFirstArgument) {
  expect(grad(sum_of_cubes)(vector_of({1, 2, -3})), {3}, {3, 12, 27});
}

TEST(Func, Grad_OfTheArgumentsNamed) {
  const auto loss = [](const Tensor& w, double factor, const Tensor& x) {
    return aten::mul(aten::sum(aten::mul(w, aten::mul(x, x))), factor);
  };
  const Tensor w = vector_of({1, 2}), x = vector_of({3, 4});
  expect(grad<2>(loss)(w, 2.0, x), {2}, {12, 32});
  const auto [by_x, by_w] = grad<2, 0>(loss)(w, 2.0, x);
  expect(by_x, {2}, {12, 32});
  expect(by_w, {2}, {18, 32});
}

TEST(Func, GradAndValue_OfATree) {
  using Parameters = std::tuple<Tensor, std::vector<Tensor>>;
  const auto loss = [](const Parameters& p) {
    const auto& [w, biases] = p;
    return aten::sum(aten::add(aten::mul(w, w), biases.at(0)));
  };
  const Parameters p(vector_of({1, 2}), {vector_of({5, 6}), number(1)});
  const auto [gradient, value] = grad_and_value(loss)(p);
  expect(value, {}, {16});
  expect(std::get<0>(gradient), {2}, {2, 4});
  expect(std::get<1>(gradient).at(0), {2}, {1, 1});
  expect(std::get<1>(gradient).at(1), {}, {0});
}

TEST(Func, Grad_NeedsAResultWithoutDims) {
  expect_error([] { grad(cube)(vector_of({1, 2})); }, "output's sizes [2], got none");
  expect_error([] { grad(sum_of_cubes)(aten::to(vector_of({1}), Dtype::I64)); },
               "must be floating");
}

TEST(Func, Vjp_RunsAsOftenAsWanted) {
  const auto [value, pullback] = vjp(cube, vector_of({1, 2}));
  expect(value, {2}, {1, 8});
  expect(pullback(vector_of({1, 1})), {2}, {3, 12});
  expect(pullback(vector_of({0, 2})), {2}, {0, 24});
  const auto product = [](const Tensor& a, const Tensor& b) { return aten::mul(a, b); };
  const auto [of_a, of_b] = vjp(product, number(2), number(3)).second(number(1));
  expect(of_a, {}, {3});
  expect(of_b, {}, {2});
}

TEST(Func, Jvp_GivesValueAndDerivative) {
  const auto [value, derivative] = jvp(cube, vector_of({1, 2}), vector_of({1, 10}));
  expect(value, {2}, {1, 8});
  expect(derivative, {2}, {3, 120});
  const auto both = [](const Tensor& a, const Tensor& b) {
    return std::tuple(aten::mul(a, b), aten::neg(a));
  };
  const auto [values, derivatives] =
      jvp(both, std::tuple(number(2), number(3)), std::tuple(number(1), number(10)));
  expect(std::get<0>(values), {}, {6});
  expect(std::get<0>(derivatives), {}, {23});
  expect(std::get<1>(derivatives), {}, {-1});
}

TEST(Func, Jacobian_IsTheSameBothWays) {
  // f(x, y) = (x^2 * y, y.sum()) with x of 2 elements and y of 2.
  const auto f = [](const Tensor& x, const Tensor& y) {
    return std::tuple(aten::mul(aten::mul(x, x), y), aten::sum(y));
  };
  const Tensor x = vector_of({1, 2}), y = vector_of({3, 4});
  const auto check = [&](const auto& jacobian) {
    const auto& [of_first, of_second] = jacobian;
    expect(std::get<0>(of_first), {2, 2}, {6, 0, 0, 16});
    expect(std::get<1>(of_first), {2, 2}, {1, 0, 0, 4});
    expect(std::get<0>(of_second), {2}, {0, 0});
    expect(std::get<1>(of_second), {2}, {1, 1});
  };
  check(jacrev<0, 1>(f)(x, y));
  check(jacfwd<0, 1>(f)(x, y));
  check(jacrev<0, 1>(f, {.chunk_size = 2})(x, y));
  expect(jacrev(cube)(matrix_of({1, 2, 3, 4}, 2)).contiguous(), {2, 2, 2, 2},
         {3, 0, 0, 0, 0, 12, 0, 0, 0, 0, 27, 0, 0, 0, 0, 48});
}

TEST(Func, Hessian_OfAPolynomial) {
  // [quote.begin hessian]
  // x^3 + y^3 + x y
  const auto f = [](const Tensor& x) {
    return aten::add(aten::sum(aten::pow(x, 3)), aten::mul(x[0], x[1]));
  };
  expect(func::hessian(f)(vector_of({1, 2})), {2, 2}, {6, 1, 1, 12});
  // [quote.end]
}

// ---- Nesting ------------------------------------------------------------------------------------

TEST(Func, PerSampleGradients) {
  // [quote.begin per-sample]
  const auto loss = [](const Tensor& w, const Tensor& x, const Tensor& target) {
    const Tensor error = aten::sub(aten::sum(aten::mul(w, x)), target);
    return aten::mul(error, error);
  };
  const auto per_sample = func::vmap(func::grad(loss), {std::nullopt, 0, 0});
  const Tensor grads =
      per_sample(vector_of({1, 1}), matrix_of({1, 2, 3, 4}, 2), vector_of({0, 10}));
  expect(grads, {2, 2}, {6, 12, -18, -24});
  // [quote.end]
}

TEST(Func, EveryOrderOfThree) {
  // The derivatives of x^3 at 4 places do not depend on the order of the transforms.
  using Function = std::function<Tensor(const Tensor&)>;
  const std::vector<std::function<Function(Function)>> transforms{
      [](Function f) -> Function { return vmap(f); },
      [](Function f) -> Function {
        return [f](const Tensor& x) { return jvp(f, x, aten::ones_like(x)).second; };
      },
      [](Function f) -> Function {
        return [f](const Tensor& x) {
          const auto [value, pullback] = vjp(f, x);
          return pullback(aten::ones_like(value));
        };
      }};
  const std::vector<std::vector<float>> expected{
      {1, 8, -1, 0.125f}, {3, 12, 3, 0.75f}, {6, 12, -6, 3}, {6, 6, 6, 6}};
  for (size_t word = 0; word < 27; ++word) {
    const size_t letters[] = {word % 3, word / 3 % 3, word / 9};
    Function f = &cube;
    std::vector<int64_t> sizes{4};
    size_t derivatives = 3;
    for (const size_t letter : letters) {
      f = transforms[letter](f);
      if (letter == 0) {
        sizes.insert(sizes.begin(), 1);
        --derivatives;
      }
    }
    if (sizes.size() > 1) sizes.erase(sizes.begin());
    const Tensor x = aten::reshape(vector_of({1, 2, -1, 0.5f}), sizes);
    expect(f(x), sizes, expected[derivatives]);
  }
}

TEST(Func, AClosureOverAnOuterTensorIsAConstant) {
  // grad over w of the sum over x of (w x)^2.
  const Tensor x = vector_of({0, 1, 2});
  const auto loss = [&](const Tensor& w) {
    const auto square = [&](const Tensor& each) {
      const Tensor scaled = aten::mul(w, each);
      return aten::mul(scaled, scaled);
    };
    return aten::sum(vmap(square)(x));
  };
  expect(grad(loss)(number(2)), {}, {20});
}

struct Lost : std::runtime_error {
  Lost() : std::runtime_error("lost") { thrown = this; }
  Lost(const Lost&) = default;
  static inline const Lost* thrown = nullptr;
};

TEST(Func, ExceptionsComeHomeAndLeaveNoLayer) {
  const auto failing = [](const Tensor& x) -> Tensor {
    if (x.ndim() == 0) throw Lost();
    return x;
  };
  const Tensor x = vector_of({1, 2});
  try {
    vmap(grad(failing))(x);
    FAIL() << "must throw";
  } catch (const Lost& lost) {
    EXPECT_EQ(&lost, Lost::thrown);
  }
  EXPECT_EQ(tenon_layer_copy_innermost(), nullptr);
  EXPECT_THROW(jvp(grad(failing), number(1), number(1)), Lost);
  EXPECT_EQ(tenon_layer_copy_innermost(), nullptr);
  expect(vmap(cube)(x), {2}, {1, 8});
}

// ---- Batching rules -----------------------------------------------------------------------------

class Rule : public testing::Test {
 protected:
  Rule() {
    library_.def("scale(Tensor x, float factor) -> Tensor");
    library_.impl("scale", TENON_KEY_CPU,
                  [](const Tensor& x, double factor) { return aten::mul(x, factor); });
    library_.def("halves(Tensor[] xs) -> (Tensor, Tensor)");
    library_.impl("halves", TENON_KEY_CPU, [](TensorList xs) {
      return std::tuple<Tensor, Tensor>(aten::mul(*xs[0], 0.5), aten::mul(*xs[1], 0.5));
    });
  }
  Library library_{Library::Def, "hpp_rules"};
};

Tensor scale(const Tensor& x) { return Op("hpp_rules::scale")(x, 3.0)[0].tensor(); }

// [quote.begin rule]
TEST_F(Rule, ServesAnOperator) {
  int calls = 0;
  register_vmap(
      library_, "scale",
      [&](const VmapInfo& info, const Tensor& x, double factor) -> std::pair<Tensor, int64_t> {
        ++calls;
        EXPECT_EQ(info.batch_size, 2);
        return {Op("hpp_rules::scale")(x, factor)[0].tensor(), info.in_dims[0]};
      });
  expect(func::vmap(scale, 1, 1)(matrix_of({1, 2, 3, 4}, 2)), {2, 2}, {3, 6, 9, 12});
  EXPECT_EQ(calls, 1);
}
// [quote.end]

TEST_F(Rule, OfListsAndSeveralResults) {
  register_vmap(library_, "halves",
                [](const VmapInfo& info,
                   TensorList xs) -> std::pair<std::tuple<Tensor, Tensor>, std::vector<int64_t>> {
                  return {{aten::mul(*xs[0], 0.5), aten::mul(*xs[1], 0.5)},
                          {info.in_dims.begin(), info.in_dims.end()}};
                });
  const Tensor y = number(8);
  const auto halves = [&](const Tensor& x) {
    const auto results = Op("hpp_rules::halves")(std::vector<Tensor>{x, y});
    return std::tuple(results[0].tensor(), results[1].tensor());
  };
  const auto [first, second] = vmap(halves)(vector_of({2, 4}));
  expect(first, {2}, {1, 2});
  expect(second, {2}, {4, 4});
}

TEST_F(Rule, ThrowsThroughTheVmap) {
  register_vmap(
      library_, "scale",
      [](const VmapInfo&, const Tensor&, double) -> std::pair<Tensor, int64_t> { throw Lost(); });
  EXPECT_THROW(vmap(scale)(vector_of({1, 2})), Lost);
  EXPECT_EQ(tenon_layer_copy_innermost(), nullptr);
}

TEST_F(Rule, SaysWhichDimIsNone) {
  register_vmap(
      library_, "scale",
      [](const VmapInfo&, const Tensor& x, double) -> std::pair<Tensor, std::optional<int64_t>> {
        return {aten::sum(x), std::nullopt};
      });
  expect(vmap(scale)(vector_of({1, 2})), {2}, {3, 3});
}

}  // namespace
