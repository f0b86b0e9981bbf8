// SPDX-License-Identifier: Apache-2.0
// tenon.hpp: forward mode, functions with a jvp, hooks of saved tensors and of new nodes, anomaly
// mode, and what thread states carry of them.
#include <gtest/gtest.h>

#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <tenon/ops/aten.hpp>
#include <tenon/tenon.hpp>

namespace {

using tenon::Error;
using tenon::Tensor;
using tenon::ThreadState;
using tenon::Value;
using tenon::autograd::AutogradContext;
using tenon::autograd::DualLevel;
using tenon::autograd::Function;
using tenon::autograd::variable_list;
namespace aten = tenon::ops::aten;

Tensor one(double element) { return Tensor::from({element}, {1}); }
Tensor leaf(double element) { return one(element).set_requires_grad(true); }
double element(const Tensor& tensor) { return tensor ? tensor.data<double>()[0] : -1; }

template <class Body>
std::string message_of(Body&& body) {
  try {
    body();
  } catch (const std::exception& error) {
    return error.what();
  }
  return "nothing was thrown";
}

// ---- Forward mode -------------------------------------------------------------------------------

TEST(DualLevel, Product_HasATangent) {
  const DualLevel level;
  const Tensor x = level.make_dual(one(3), one(1));
  const auto [square, slope] = level.unpack_dual(aten::mul(x, x));
  EXPECT_EQ(element(square), 9);
  EXPECT_EQ(element(slope), 6);
  EXPECT_FALSE(level.unpack_dual(square).second);
  EXPECT_THROW(DualLevel{}, Error);
  EXPECT_THROW(level.make_dual(Tensor(), one(1)), Error);
}

TEST(DualLevel, ThreadState_CarriesIt) {
  const DualLevel level;
  const Tensor x = level.make_dual(one(3), one(1));
  Tensor square;
  std::thread(ThreadState::capture().bind([&] { square = aten::mul(x, x); })).join();
  EXPECT_EQ(element(level.unpack_dual(square).second), 6);
  std::thread([&] { square = aten::mul(x, x); }).join();
  EXPECT_FALSE(level.unpack_dual(square).second);
}

// x * y * k, with a tangent ten times too large, which shows that this function produced it.
class Product : public Function<Product> {
 public:
  static Tensor forward(AutogradContext* ctx, const Tensor& x, double k, const Tensor& y) {
    ctx->save_for_backward({x, y});
    ctx->saved_data["k"] = Value(k);
    return aten::mul(aten::mul(x, y), k);
  }
  static variable_list backward(AutogradContext*, variable_list grads) {
    return {grads[0], Tensor(), grads[0]};
  }
  static variable_list jvp(AutogradContext* ctx, variable_list tangents) {
    EXPECT_EQ(tangents.size(), 3u);
    EXPECT_FALSE(tangents[1]);
    const variable_list saved = ctx->get_saved_variables();
    const double k = 10 * ctx->saved_data["k"].to_double();
    if (k == 0) throw std::domain_error("k is 0");
    const Tensor sum =
        aten::add(aten::mul(tangents[0], saved[1]), aten::mul(tangents[2], saved[0]));
    if (k < 0) return {};
    return {aten::mul(sum, k)};
  }
};

TEST(AutogradFunction, Jvp_GivesTheTangent) {
  const DualLevel level;
  const Tensor x = level.make_dual(leaf(2), one(1));
  const Tensor y = Product::apply(x, 3.0, one(5));
  EXPECT_EQ(element(y), 30);
  EXPECT_EQ(element(level.unpack_dual(y).second), 150);
  const Tensor untracked = level.make_dual(one(2), one(1));
  EXPECT_EQ(element(level.unpack_dual(Product::apply(one(5), 3.0, untracked)).second), 150);
}

TEST(AutogradFunction, JvpThatFails_ComesHomeAsItself) {
  const DualLevel level;
  const Tensor x = level.make_dual(leaf(2), one(1));
  EXPECT_THROW(Product::apply(x, 0.0, x), std::domain_error);
  EXPECT_EQ(message_of([&] { Product::apply(x, -1.0, x); }),
            "Product: jvp must return a tangent for each of 1 outputs, got 0");
  EXPECT_TRUE(level.unpack_dual(aten::mul(x, x)).second);  // tangents are followed as before
}

class Plain : public Function<Plain> {
 public:
  static Tensor forward(AutogradContext*, const Tensor& x) { return aten::mul(x, 2.0); }
  static variable_list backward(AutogradContext*, variable_list grads) { return grads; }
};

TEST(AutogradFunction, WithoutJvp_RefusedInForwardMode) {
  const DualLevel level;
  const Tensor x = level.make_dual(one(2), one(1));
  EXPECT_NE(message_of([&] { Plain::apply(x); }).find("jvp"), std::string::npos);
}

// ---- Saved tensors ------------------------------------------------------------------------------

Value pack_twice(const Tensor& tensor) { return Value(aten::mul(tensor, 2.0)); }
Tensor unpack_same(const Value& packed) { return packed.tensor(); }

TEST(SavedTensorsHooks, PackAndUnpack) {
  const Tensor x = leaf(3);
  Tensor y;
  {
    const tenon::autograd::saved_tensors_hooks hooks(pack_twice, unpack_same);
    y = aten::mul(x, one(5));
  }
  const Tensor plain = aten::mul(x, one(5));
  y.backward();
  EXPECT_EQ(element(x.grad()), 10);
  plain.backward();
  EXPECT_EQ(element(x.grad()), 15);
}

TEST(SavedTensorsHooks, OfNumbers_AndThreadStates) {
  const Tensor x = leaf(3);
  std::vector<double> store;
  const tenon::autograd::saved_tensors_hooks hooks(
      [&](const Tensor& tensor) {
        store.push_back(element(tensor));
        return Value(static_cast<int64_t>(store.size()) - 1);
      },
      [&](const Value& index) { return one(store[static_cast<size_t>(index.to_int())]); });
  Tensor y;
  std::thread(ThreadState::capture().bind([&] { y = aten::mul(x, one(5)); })).join();
  EXPECT_EQ(store, std::vector<double>{5});
  y.backward();
  EXPECT_EQ(element(x.grad()), 5);
}

TEST(SavedTensorsHooks, Exceptions_ComeHomeAsThemselves) {
  const Tensor x = leaf(3);
  const auto keep = [](const Tensor& tensor) { return Value(tensor); };
  {
    const tenon::autograd::saved_tensors_hooks hooks(
        [](const Tensor&) -> Value { throw std::domain_error("pack"); }, unpack_same);
    EXPECT_THROW(aten::mul(x, one(5)), std::domain_error);
  }
  const tenon::autograd::saved_tensors_hooks hooks(
      keep, [](const Value&) -> Tensor { throw std::range_error("unpack"); });
  const Tensor y = aten::mul(x, one(5));
  EXPECT_THROW(y.backward(), std::range_error);
  const tenon::autograd::saved_tensors_hooks nothing(keep, [](const Value&) { return Tensor(); });
  EXPECT_THROW(aten::mul(x, one(5)).backward(), Error);
}

TEST(DisableSavedTensorsHooks, RefusesWithItsMessage) {
  const auto push = [] { tenon::autograd::saved_tensors_hooks(pack_twice, unpack_same); };
  {
    const tenon::autograd::disable_saved_tensors_hooks outer("not in here");
    {
      const tenon::autograd::disable_saved_tensors_hooks inner("nor in here");
      EXPECT_EQ(message_of(push), "nor in here");
    }
    EXPECT_EQ(message_of(push), "not in here");
  }
  EXPECT_NO_THROW(push());
}

// ---- New nodes, anomaly mode --------------------------------------------------------------------

TEST(NodeCreationHook, SeesEachNode) {
  const Tensor x = leaf(3);
  std::vector<std::string> names;
  {
    const tenon::autograd::node_creation_hook hook(
        [&](tenon_node* node) { names.emplace_back(tenon_node_name(node)); });
    aten::exp(aten::mul(x, x));
  }
  aten::mul(x, x);
  EXPECT_EQ(names, (std::vector<std::string>{"AccumulateGrad", "MulBackward0", "ExpBackward0"}));
  const tenon::autograd::node_creation_hook fails(
      [](tenon_node*) { throw std::domain_error("no nodes"); });
  EXPECT_THROW(aten::mul(x, x), std::domain_error);
}

TEST(DetectAnomalyGuard, NanFails) {
  const Tensor x = leaf(0);
  {
    const tenon::autograd::DetectAnomalyGuard guard;
    const Tensor y = aten::mul(aten::sqrt(x), one(0));
    EXPECT_NE(message_of([&] { y.backward(); }).find("SqrtBackward0"), std::string::npos);
    const tenon::autograd::DetectAnomalyGuard inner(false);
    EXPECT_EQ(tenon_anomaly_get(), TENON_ANOMALY_RECORD);
  }
  EXPECT_EQ(tenon_anomaly_get(), 0u);
}

}  // namespace
