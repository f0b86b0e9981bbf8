// SPDX-License-Identifier: Apache-2.0
// tenon.hpp: gradients of tensors, custom autograd functions, gradient formulas as callables.
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <stdexcept>
#include <string>

#include <tenon/ops/aten.hpp>
#include <tenon/tenon.hpp>

namespace {

using tenon::Error;
using tenon::Library;
using tenon::Tensor;
using tenon::Value;
using tenon::autograd::AutogradContext;
using tenon::autograd::Function;
using tenon::autograd::variable_list;
namespace aten = tenon::ops::aten;

Tensor leaf(double element) { return Tensor::from({element}, {1}).set_requires_grad(true); }

double element(const Tensor& tensor) { return tensor ? tensor.data<double>()[0] : -1; }

TEST(Autograd, Product_GradientsWithLeaves) {
  const Tensor x = leaf(2), w = leaf(5);
  const Tensor y = aten::mul(x, w);
  EXPECT_TRUE(y.requires_grad());
  EXPECT_FALSE(y.is_leaf());
  y.backward();
  EXPECT_EQ(element(x.grad()), 5);
  EXPECT_EQ(element(w.grad()), 2);
  x.set_grad({});
  EXPECT_FALSE(x.grad());
}

TEST(Autograd, Grad_DerivesTwice) {
  const Tensor x = leaf(3);
  const Tensor y = aten::mul(aten::mul(x, x), x);
  const Tensor slope = tenon::autograd::grad({y}, {x}, {}, {}, true)[0];
  EXPECT_EQ(element(slope), 27);
  EXPECT_EQ(element(tenon::autograd::grad({slope}, {x})[0]), 18);
  EXPECT_FALSE(x.grad());
  const Tensor apart = leaf(1);
  EXPECT_THROW(tenon::autograd::grad({aten::mul(x, x)}, {apart}), Error);
  EXPECT_FALSE(tenon::autograd::grad({aten::mul(x, x)}, {apart}, {}, {}, false, true)[0]);
  EXPECT_THROW(tenon::autograd::backward({aten::mul(x, x)}, {x, x}), Error);
}

// x * y * k, with a gradient ten times too large, which shows that this function produced it.
class Product : public Function<Product> {
 public:
  static Tensor forward(AutogradContext* ctx, const Tensor& x, const Tensor& y, double k) {
    EXPECT_EQ(tenon_grad_mode_get(), TENON_GRAD_MODE_OFF);
    ctx->save_for_backward({x, y});
    ctx->saved_data["k"] = Value(k);
    return aten::mul(aten::mul(x, y), k);
  }
  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    const variable_list saved = ctx->get_saved_variables();
    const double k = 10 * ctx->saved_data["k"].to_double();
    Tensor x, y;
    if (ctx->needs_input_grad(0)) x = aten::mul(aten::mul(grads[0], saved[1]), k);
    if (ctx->needs_input_grad(1)) y = aten::mul(aten::mul(grads[0], saved[0]), k);
    return {x, y, Tensor()};
  }
};

TEST(AutogradFunction, OneNodeWithItsOwnGradient) {
  const Tensor x = leaf(2), w = leaf(5), plain = Tensor::from({7.0}, {1});
  const Tensor y = Product::apply(x, w, 3.0);
  EXPECT_EQ(element(y), 30);
  tenon_node* node = nullptr;
  int64_t output = 0;
  tenon::check(tenon_tensor_copy_node(y.get(), &node, &output));
  EXPECT_STREQ(tenon_node_name(node), "ProductBackward");
  tenon_node_release(node);
  y.backward();
  EXPECT_EQ(element(x.grad()), 150);
  EXPECT_EQ(element(w.grad()), 60);
  EXPECT_THROW(y.backward(), Error);  // saved tensors are freed
  EXPECT_FALSE(Product::apply(plain, plain, 1.0).requires_grad());
}

TEST(AutogradFunction, DerivedTwice) {
  const Tensor x = leaf(2);
  const Tensor slope = tenon::autograd::grad({Product::apply(x, x, 1.0)}, {x}, {}, {}, true)[0];
  EXPECT_EQ(element(slope), 40);
  EXPECT_EQ(element(tenon::autograd::grad({slope}, {x})[0]), 20);
}

// Returns the sum and the difference of its arguments; the difference has no gradient.
class Both : public Function<Both> {
 public:
  static variable_list forward(AutogradContext* ctx, const Tensor& x,
                               const std::optional<Tensor>& y) {
    const Tensor other = y.value_or(x);
    variable_list both{aten::add(x, other), aten::sub(x, other)};
    ctx->mark_non_differentiable({both[1]});
    return both;
  }
  static variable_list backward(AutogradContext*, variable_list grads) {
    return {grads[0], aten::mul(grads[0], 2.0)};
  }
};

TEST(AutogradFunction, SeveralResults_OptionalArgument) {
  const Tensor x = leaf(2), y = leaf(5);
  const variable_list both = Both::apply(x, std::optional<Tensor>(y));
  EXPECT_TRUE(both[0].requires_grad());
  EXPECT_FALSE(both[1].requires_grad());
  both[0].backward();
  EXPECT_EQ(element(x.grad()), 1);
  EXPECT_EQ(element(y.grad()), 2);
  EXPECT_EQ(element(Both::apply(x, std::optional<Tensor>())[1]), 0);
}

class Failing : public Function<Failing> {
 public:
  static Tensor forward(AutogradContext*, const Tensor& x, int where) {
    if (where == 0) throw std::runtime_error("in forward");
    return aten::mul(x, 2.0);
  }
  static variable_list backward(AutogradContext*, variable_list grads) {
    if (element(grads[0]) < 2) throw std::runtime_error("in backward");
    return {grads[0]};
  }
};

TEST(AutogradFunction, Exceptions_ComeHomeAsThemselves) {
  const Tensor x = leaf(1);
  EXPECT_THROW(Failing::apply(x, 0), std::runtime_error);
  EXPECT_EQ(tenon_grad_mode_get(), TENON_GRAD_MODE_ON);
  EXPECT_THROW(Failing::apply(x, 1).backward(), std::runtime_error);
  // One gradient is missing.
  EXPECT_THROW(Failing::apply(x, 1).backward(Tensor::from({3.0}, {1})), Error);
  EXPECT_FALSE(x.grad());
}

TEST(AutogradFormula, CallableWithState_AndText) {
  Library library(Library::Fragment, "hpp_autograd_test");
  library.def("twice(Tensor x) -> Tensor");
  library.impl("twice", TENON_KEY_COMPOSITE_EXPLICIT_AUTOGRAD,
               [](const Tensor& x) { return aten::mul(x, 2.0); });
  const auto factor = std::make_shared<double>(100);
  auto registration = tenon::register_autograd(
      library, "twice",
      [factor](const tenon::autograd::BackwardCall& call) -> variable_list {
        EXPECT_TRUE(call.needs(0));
        return {aten::mul(aten::mul(call.grad(), *factor), call.saved(0))};
      },
      "x");
  const auto twice = tenon::Op("hpp_autograd_test::twice").typed<Tensor(const Tensor&)>();
  const Tensor x = leaf(3);
  twice(x).backward();
  EXPECT_EQ(element(x.grad()), 300);
  registration.remove();
  auto text = tenon::register_autograd(library, "twice", "x: grad * 7");
  x.set_grad({});
  twice(x).backward();
  EXPECT_EQ(element(x.grad()), 7);
}

}  // namespace
