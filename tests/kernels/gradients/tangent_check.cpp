// SPDX-License-Identifier: Apache-2.0
// Moves all inputs of a sample along one direction at the same time.
#include "kernels/gradients/tangent_check.h"

#include <cmath>

#include "tenon/autograd.h"
#include "tenon/forward_ad.h"

namespace tenon::tests {
namespace {

constexpr double kStep = 1e-6;
constexpr double kTolerance = 2e-7;

using Tensors = std::vector<Tensor>;

// Returns pseudorandom elements, the same in each run, in the memory order of another tensor.
Tensor numbers_like(const Tensor& like, uint64_t seed) {
  Tensor made = call("aten::empty_like", like);
  auto* first = static_cast<double*>(made.raw_data());
  const int64_t count = made.numel() * (is_complex(made.dtype()) ? 2 : 1);
  uint64_t state = seed * 2654435761U + 12345;
  for (int64_t i = 0; i < count; ++i) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    first[i] = static_cast<double>(state >> 40) * 0x1p-24 * 1.2 + 0.3;
  }
  return made;
}

Tensors numbers_like_all(const Tensors& like, uint64_t seed) {
  Tensors made;
  for (const Tensor& one : like) made.push_back(numbers_like(one, seed++));
  return made;
}

Doubles numbers_of(const Tensor& tensor) {
  const Tensor flat = call("aten::contiguous", tensor);
  const auto* first = static_cast<const double*>(flat.raw_data());
  return {first, first + flat.numel() * (is_complex(flat.dtype()) ? 2 : 1)};
}

std::vector<Doubles> numbers_of_all(const Tensors& tensors) {
  std::vector<Doubles> numbers;
  for (const Tensor& one : tensors) numbers.push_back(numbers_of(one));
  return numbers;
}

// A dual level, for a scope.
class Level {
 public:
  Level() { check(tenon_dual_enter(&number_)); }
  ~Level() { EXPECT_EQ(tenon_dual_leave(number_), TENON_OK); }
  Level(const Level&) = delete;
  Level& operator=(const Level&) = delete;

  Tensors duals(const Tensors& tensors, const Tensors& tangents) const {
    Tensors made;
    for (size_t i = 0; i < tensors.size(); ++i) {
      tenon_tensor* dual = nullptr;
      check(tenon_dual_make(number_, tensors[i].get(), tangents[i].get(), &dual));
      made.emplace_back(dual);
    }
    return made;
  }

  // Zeros where there is none.
  std::vector<Doubles> tangents(const Tensors& tensors) const {
    std::vector<Doubles> numbers;
    for (const Tensor& one : tensors) {
      tenon_tensor *primal = nullptr, *tangent = nullptr;
      check(tenon_dual_unpack(number_, one.get(), &primal, &tangent));
      const Tensor kept(primal);
      if (tangent == nullptr) {
        numbers.emplace_back(numbers_of(kept).size(), 0.0);
        continue;
      }
      const Tensor found(tangent);
      EXPECT_EQ(sizes(found), sizes(one));
      EXPECT_EQ(found.dtype(), one.dtype());
      numbers.push_back(numbers_of(found));
    }
    return numbers;
  }

 private:
  int64_t number_ = -1;
};

class TangentRun {
 public:
  TangentRun(const Sample& sample, const SampleVariant& variant)
      : sample_(sample),
        variant_(variant),
        inputs_(inputs_of(sample, variant)),
        direction_(numbers_like_all(inputs_, 29)),
        weights_(numbers_like_all(results_of(sample, variant, inputs_), 7)) {}

  void check_results() const {
    std::vector<Doubles> found;
    {
      const Level level;
      found = level.tangents(results_of(sample_, variant_, level.duals(inputs_, direction_)));
    }
    expect("tangent", found, numbers_of_all(results_of(sample_, variant_, moved(kStep))),
           numbers_of_all(results_of(sample_, variant_, moved(-kStep))));
  }

  void check_gradients() const {
    std::vector<Doubles> found;
    {
      const Level level;
      const Tensors leaves = tracked(moved(0));
      found = level.tangents(gradients(level.duals(leaves, direction_), leaves));
    }
    const Tensors above = tracked(moved(kStep)), below = tracked(moved(-kStep));
    expect("tangent of gradient", found, numbers_of_all(gradients(above, above)),
           numbers_of_all(gradients(below, below)));
  }

 private:
  Tensors moved(double step) const {
    Tensors made;
    for (size_t i = 0; i < inputs_.size(); ++i) {
      made.push_back(call("aten::add.Tensor", inputs_[i], direction_[i], kw("alpha", step)));
    }
    return made;
  }

  static Tensors tracked(Tensors tensors) {
    for (const Tensor& one : tensors) check(tenon_tensor_set_requires_grad(one.get(), 1));
    return tensors;
  }

  // Computes a real number from all results.
  Tensor loss(const Tensors& inputs) const {
    Tensor sum;
    const Tensors results = results_of(sample_, variant_, inputs);
    for (size_t i = 0; i < results.size(); ++i) {
      const Tensor term = call("aten::sum", call("aten::mul.Tensor", results[i], weights_[i]));
      sum = sum ? call("aten::add.Tensor", sum, term) : term;
    }
    return variant_.is_complex ? call("aten::abs", sum) : sum;
  }

  // Returns the gradients of the loss, and zeros for leaves without one.
  Tensors gradients(const Tensors& inputs, const Tensors& leaves) const {
    const Tensor output = loss(inputs);
    std::vector<tenon_tensor*> of;
    for (const Tensor& one : leaves) of.push_back(one.get());
    std::vector<tenon_tensor*> found(of.size(), nullptr);
    if (tenon_tensor_requires_grad(output.get()) != 0) {
      tenon_tensor* outputs[] = {output.get()};
      tenon_backward_options options{};
      options.struct_size = sizeof(options);
      options.flags = TENON_BACKWARD_ALLOW_UNUSED;
      options.outputs = outputs;
      options.noutputs = 1;
      options.inputs = of.data();
      options.ninputs = static_cast<int64_t>(of.size());
      check(tenon_grad(&options, found.data()));
    }
    Tensors made;
    for (size_t i = 0; i < found.size(); ++i) {
      made.push_back(found[i] != nullptr ? Tensor(found[i]) : call("aten::zeros_like", leaves[i]));
    }
    return made;
  }

  // Compares tangents with the difference of the values at both ends of a step.
  static void expect(const char* what, const std::vector<Doubles>& tangents,
                     const std::vector<Doubles>& above, const std::vector<Doubles>& below) {
    ASSERT_EQ(tangents.size(), above.size()) << what;
    for (size_t i = 0; i < above.size(); ++i) {
      ASSERT_EQ(tangents[i].size(), above[i].size()) << what << ' ' << i;
      for (size_t k = 0; k < above[i].size(); ++k) {
        const double expected = (above[i][k] - below[i][k]) / (2 * kStep);
        if (std::isnan(expected) && std::isnan(tangents[i][k])) continue;
        EXPECT_NEAR(tangents[i][k], expected, kTolerance * (1 + 10 * std::fabs(expected)))
            << what << " of element " << k << " of tensor " << i;
      }
    }
  }

  const Sample& sample_;
  const SampleVariant& variant_;
  const Tensors inputs_;
  const Tensors direction_;
  const Tensors weights_;
};

}  // namespace

void check_tangents(const Sample& sample, const SampleVariant& variant) {
  SCOPED_TRACE(variant.op + (variant.transposed ? ", transposed" : "") +
               (variant.is_complex ? ", complex" : ""));
  try {
    const TangentRun run(sample, variant);
    run.check_results();
    run.check_gradients();
  } catch (const Error& error) {
    ADD_FAILURE() << error.what();
  }
}

}  // namespace tenon::tests
