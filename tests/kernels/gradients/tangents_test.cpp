// SPDX-License-Identifier: Apache-2.0
// Checks the tangents of all operators that have gradients, with the same samples.
#include <gtest/gtest-spi.h>

#include <algorithm>
#include <set>

#include "kernels/gradients/tangent_check.h"
#include "tenon/autograd.h"
#include "tenon/forward_ad.h"
#include "tenon/hpp/introspect.hpp"

namespace tenon::tests {
namespace {

std::set<std::string> all_operators() {
  std::set<std::string> found;
  for (const Op& op : introspect::operators()) found.insert(op.name());
  return found;
}

// Returns "aten::add_.Tensor" or "aten::add_copy.Tensor" for "aten::add.Tensor".
std::string form_of(const std::string& op, const char* suffix) {
  const size_t dot = std::min(op.find('.'), op.size());
  return op.substr(0, dot) + suffix + op.substr(dot);
}

TEST(Tangents, AreTheDerivatives) {
  for (const Sample& sample : gradient_samples()) {
    if (!sample.is_real) continue;
    check_tangents(sample, {sample.op});
    check_tangents(sample, {sample.op, /*transposed=*/true});
  }
}

TEST(Tangents, OfComplexNumbers_AreTheDerivatives) {
  for (const Sample& sample : gradient_samples()) {
    if (sample.is_complex) check_tangents(sample, {sample.op, false, /*is_complex=*/true});
  }
}

TEST(Tangents, CopiesOfViews_AreTheDerivatives) {
  const std::vector<Sample> samples = gradient_samples();  // loads the operators
  const std::set<std::string> all = all_operators();
  int checked = 0;
  for (const Sample& sample : samples) {
    const std::string op = form_of(sample.op, "_copy");
    if (!sample.is_real || !all.contains(op)) continue;
    check_tangents(sample, {op});
    ++checked;
  }
  EXPECT_GT(checked, 10);
}

TEST(Tangents, InPlace_AreTheDerivatives) {
  const std::vector<Sample> samples = gradient_samples();  // loads the operators
  const std::set<std::string> all = all_operators();
  int checked = 0;
  for (const Sample& sample : samples) {
    const std::string op = form_of(sample.op, "_");
    if (!sample.is_real || !all.contains(op) || !keeps_sizes(sample)) continue;
    check_tangents(sample, {op});
    check_tangents(sample, {op, /*transposed=*/true});
    if (sample.is_complex && op != "aten::abs_") check_tangents(sample, {op, false, true});
    ++checked;
  }
  EXPECT_GT(checked, 60);
}

// Returns the number of failures of check_tangents for a square with these formulas.
int failures_of_square(const char* gradient, const char* tangent) {
  Library library(Library::Def, "tangents_test");
  library.def("square(Tensor self) -> Tensor");
  library.impl("square", TENON_KEY_COMPOSITE_EXPLICIT_AUTOGRAD,
               [](const Tensor& self) { return call("aten::mul.Tensor", self, self); });
  tenon_formula formula{};
  formula.struct_size = sizeof(formula);
  formula.gradient = gradient;
  formula.tangent = tangent;
  check(tenon_library_register_autograd(library.get(), "square", &formula, nullptr));
  const Sample sample{"tangents_test::square", {Input{{2, 3}, 0.5, 2.0}}};
  testing::TestPartResultArray results;
  {
    const testing::ScopedFakeTestPartResultReporter reporter(
        testing::ScopedFakeTestPartResultReporter::INTERCEPT_ONLY_CURRENT_THREAD, &results);
    check_tangents(sample, {sample.op});
  }
  return results.size();
}

TEST(Tangents, WrongFormulas_AreFound) {
  const char* gradient = "self: grad * 2 * self";
  EXPECT_EQ(failures_of_square(gradient, "self_t * 2 * self"), 0);
  EXPECT_EQ(failures_of_square(gradient, "result: self_t * 2 * self"), 0);
  EXPECT_GT(failures_of_square(gradient, "self_t * 3 * self"), 0);
  EXPECT_GT(failures_of_square(gradient, "zeros"), 0);
  // Derived from the gradient.
  EXPECT_EQ(failures_of_square(gradient, nullptr), 0);
  EXPECT_GT(failures_of_square("self: grad * 3 * self", nullptr), 0);
}

}  // namespace
}  // namespace tenon::tests
