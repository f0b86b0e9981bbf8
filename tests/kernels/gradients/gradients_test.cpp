// SPDX-License-Identifier: Apache-2.0
// Checks the gradient formulas of all operators with samples.
#include <gtest/gtest-spi.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "kernels/gradients/gradient_check.h"
#include "tenon/autograd.h"
#include "tenon/hpp/introspect.hpp"

namespace tenon::tests {
namespace {

// Returns "aten::add_.Tensor" for "aten::add.Tensor".
std::string in_place(const std::string& op) {
  const size_t dot = std::min(op.find('.'), op.size());
  return op.substr(0, dot) + "_" + op.substr(dot);
}

bool writes_out(const Op& op) {
  const Schema schema = op.schema();
  for (int64_t i = 0; i < static_cast<int64_t>(schema.argument_count()); ++i) {
    if ((schema.argument(i).flags & TENON_ARGUMENT_OUT) != 0) return true;
  }
  return false;
}

// Returns the operators whose gradient is recorded, except for out forms, which autograd refuses.
std::set<std::string> operators_with_gradient() {
  std::set<std::string> found;
  for (const Op& op : introspect::operators()) {
    tenon_slot_info slot{};
    slot.struct_size = sizeof(slot);
    check(tenon_introspect_get_slot(op.get(), TENON_KEY_AUTOGRAD_CPU, &slot));
    const bool has_formula =
        slot.provenance == TENON_PROVENANCE_AUTOGRAD_KERNEL && slot.fallthrough == 0;
    if (has_formula && !writes_out(op)) found.insert(op.name());
  }
  return found;
}

std::string without_overload(const std::string& op) { return op.substr(0, op.find('.')); }

// Returns aten::select_copy.int for aten::select.int.
std::string copy_form(const std::string& op) {
  const std::string base = without_overload(op);
  return base + "_copy" + op.substr(base.size());
}

TEST(Gradients, EveryOperatorWithAFormula_HasASample) {
  std::set<std::string> sampled;
  for (const Sample& sample : gradient_samples()) {
    sampled.insert(sample.op);
    sampled.insert(in_place(sample.op));
    sampled.insert(in_place(without_overload(sample.op)));  // as transpose_ of transpose.int
    sampled.insert(copy_form(sample.op));
    if (sample.op.back() == '_') sampled.insert(sample.op.substr(0, sample.op.size() - 1));
  }
  std::set<std::string> wanted = operators_with_gradient();
  EXPECT_GT(wanted.size(), 80U);
  // Samples depend on the mean and deviation, but PyTorch's gradients are 0.
  for (const char* random : {"float_Tensor", "Tensor_float", "Tensor_Tensor"}) {
    EXPECT_EQ(wanted.erase(std::string("aten::normal.") + random), 1U);
  }
  // Samples have only real or only complex tensors: ViewAsReal.GradientOfPairs_IsThatOfTheNumbers.
  EXPECT_EQ(wanted.erase("aten::view_as_complex"), 1U);
  EXPECT_EQ(wanted.erase("aten::view_as_complex_copy"), 1U);
  // These need symmetric matrices, which samples are not (tests/python/test_linalg.py has tests),
  // or return extra results without gradients and are sampled under another name. Real samples have
  // real results.
  for (const char* op : {"_linalg_eigh", "linalg_cholesky_ex", "native_layer_norm",
                         "_linalg_solve_ex", "_linalg_det", "_linalg_slogdet", "_fft_r2c"}) {
    EXPECT_EQ(wanted.erase(std::string("aten::") + op), 1U);
  }
  // Eigenvectors have arbitrary phases: tests/python/test_linalg.py.
  EXPECT_EQ(wanted.erase("aten::linalg_eig"), 1U);
  // PyTorch's gradient is with respect to the argument of log_softmax:
  // tests/python/test_ctc_loss.py.
  EXPECT_EQ(wanted.erase("aten::_ctc_loss"), 1U);
  for (const std::string& op : wanted) {
    EXPECT_TRUE(sampled.contains(op)) << op << " must have a line in gradient_samples.cpp";
  }
}

// Returns the number of failures of check_gradients for a square with this formula.
int failures_of_square(const char* gradient) {
  Library library(Library::Def, "gradients_test");
  library.def("square(Tensor self) -> Tensor");
  library.impl("square", TENON_KEY_COMPOSITE_EXPLICIT_AUTOGRAD,
               [](const Tensor& self) { return call("aten::mul.Tensor", self, self); });
  tenon_formula formula{};
  formula.struct_size = sizeof(formula);
  formula.gradient = gradient;
  check(tenon_library_register_autograd(library.get(), "square", &formula, nullptr));
  const Sample sample{"gradients_test::square", {Input{{2, 3}, 0.5, 2.0}}};
  testing::TestPartResultArray results;
  {
    const testing::ScopedFakeTestPartResultReporter reporter(
        testing::ScopedFakeTestPartResultReporter::INTERCEPT_ONLY_CURRENT_THREAD, &results);
    check_gradients(sample, {sample.op});
  }
  return results.size();
}

TEST(Gradients, WrongFormulas_AreFound) {
  EXPECT_EQ(failures_of_square("self: grad * 2 * self"), 0);
  EXPECT_GT(failures_of_square("self: grad * 3 * self"), 0);
  // Right to first order only.
  EXPECT_GT(failures_of_square("self: grad * 2 * self.detach()"), 0);
}

TEST(Gradients, AreTheDerivatives) {
  for (const Sample& sample : gradient_samples()) {
    if (!sample.is_real) continue;
    check_gradients(sample, {sample.op});
    check_gradients(sample, {sample.op, /*transposed=*/true});
  }
}

TEST(Gradients, CopiesOfViews_AreTheDerivatives) {
  const std::vector<Sample> samples = gradient_samples();
  const std::set<std::string> all = operators_with_gradient();
  int checked = 0;
  for (const Sample& sample : samples) {
    const std::string op = copy_form(sample.op);
    if (!sample.is_real || !all.contains(op)) continue;
    check_gradients(sample, {op});
    ++checked;
  }
  EXPECT_GT(checked, 10);
}

TEST(Gradients, OfComplexNumbers_AreTheDerivativesByBothParts) {
  for (const Sample& sample : gradient_samples()) {
    if (sample.is_complex) check_gradients(sample, {sample.op, false, /*is_complex=*/true});
  }
}

TEST(Gradients, InPlace_AreTheDerivatives) {
  const std::vector<Sample> samples = gradient_samples();  // loads the operators
  const std::set<std::string> all = operators_with_gradient();
  int checked = 0;
  for (const Sample& sample : samples) {
    const std::string op = in_place(sample.op);
    if (!sample.is_real || !all.contains(op) || !keeps_sizes(sample)) continue;
    check_gradients(sample, {op});
    check_gradients(sample, {op, /*transposed=*/true});
    if (sample.is_complex && op != "aten::abs_") check_gradients(sample, {op, false, true});
    ++checked;
  }
  EXPECT_GT(checked, 60);
}

// Points without a derivative, or where a formula would divide by 0. Values are PyTorch's.
struct Kink {
  std::string op;
  std::vector<Value> before;
  Doubles at;
  std::vector<Value> behind;
  Doubles gradient;
};

Tensor row(const Doubles& numbers) {
  return Tensor::from<double>(numbers, Ints{static_cast<int64_t>(numbers.size())});
}

Doubles gradient_at(const Kink& kink) {
  const Tensor leaf = row(kink.at);
  check(tenon_tensor_set_requires_grad(leaf.get(), 1));
  std::vector<Value> arguments = kink.before;
  arguments.emplace_back(leaf);
  arguments.insert(arguments.end(), kink.behind.begin(), kink.behind.end());
  const Tensor sum = call("aten::sum", Op(kink.op).call(arguments).at(0).tensor());
  tenon_tensor* output = sum.get();
  tenon_backward_options options{};
  options.struct_size = sizeof(options);
  options.outputs = &output;
  options.noutputs = 1;
  check(tenon_backward(&options));
  tenon_tensor* gradient = nullptr;
  check(tenon_tensor_copy_grad(leaf.get(), &gradient));
  return elements(Tensor(gradient));
}

TEST(Gradients, AtKinks_AreAsPyTorch) {
  const Kink kinks[] = {
      {"aten::abs", {}, {0, -0.0}, {}, {0, 0}},
      {"aten::relu", {}, {0, -0.0, NAN}, {}, {0, 0, 1}},
      {"aten::sgn", {}, {0, 1}, {}, {0, 0}},
      {"aten::maximum", {}, {1, 3}, {row({1, 2})}, {0.5, 1}},
      {"aten::minimum", {}, {1, 3}, {row({1, 2})}, {0.5, 0}},
      {"aten::amax", {}, {3, 1, 3}, {}, {0.5, 0, 0.5}},
      {"aten::max.dim", {}, {3, 1, 3}, {0}, {1, 0, 0}},
      {"aten::fmax", {}, {1, 3, NAN, 3}, {row({1, NAN, NAN, 2})}, {0.5, 1, 1, 1}},
      {"aten::fmin", {row({1, NAN, NAN, 2})}, {1, 3, NAN, 3}, {}, {0.5, 1, 0, 0}},
      {"aten::max", {}, {NAN, 3, NAN}, {}, {0.5, 0, 0.5}},
      {"aten::min", {}, {1, 3, 1}, {}, {0.5, 0, 0.5}},
      {"aten::clamp", {}, {-2, -1, 0, 1, NAN}, {-1, 1}, {0, 0, 1, 0, 0}},
      {"aten::clamp_min", {}, {-2, -1, 0, NAN}, {-1}, {0, 0, 1, 0}},
      {"aten::clamp.Tensor", {}, {-2, -1, 0, 1, NAN}, {row({-1}), row({1})}, {0, 0.5, 1, 0.5, 1}},
      {"aten::clamp.Tensor", {row({-2, -1, 0, NAN})}, {-1}, {row({1})}, {1.5}},
      {"aten::clamp.Tensor", {row({0, 1, 2, NAN}), row({-1})}, {1}, {}, {1.5}},
      {"aten::clamp.Tensor", {row({-2, 1, 2}), row({1})}, {-1}, {}, {3}},
      {"aten::clamp_min.Tensor", {row({-2, -1, 0, NAN})}, {-1}, {}, {2.5}},
      {"aten::clamp_max.Tensor", {}, {0, 1, 2, NAN}, {row({1})}, {1, 0.5, 0, 1}},
      {"aten::sqrt", {}, {0}, {}, {INFINITY}},
      {"aten::pow.Tensor_Scalar", {}, {0, 2}, {0}, {0, 0}},
      {"aten::pow.Tensor_Scalar", {}, {0}, {2}, {0}},
      {"aten::pow.Tensor_Scalar", {}, {0}, {0.5}, {INFINITY}},
      {"aten::pow.Tensor_Tensor", {}, {0, 0, 0}, {row({0, 2, 1})}, {0, 0, 1}},
      {"aten::pow.Tensor_Tensor", {row({0, 0, 1})}, {0, 1, 0}, {}, {0, 0, 0}},
  };
  for (const Kink& kink : kinks) EXPECT_EQ(gradient_at(kink), kink.gradient) << kink.op;
}

}  // namespace
}  // namespace tenon::tests
