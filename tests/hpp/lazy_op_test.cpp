// SPDX-License-Identifier: Apache-2.0
// hpp/lazy_op.hpp: operators found at their first call.
#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include <tenon/tenon.hpp>

namespace {

using tenon::LazyOp;
using tenon::Library;
using tenon::Op;
using tenon::Tensor;

using OneToOne = Tensor(const Tensor&);

Tensor one() { return Tensor::from({1.0f}, {1}); }

TEST(LazyOp, IsFoundAtItsFirstCall_AndSoughtAgainUntilThen) {
  static constinit const LazyOp<OneToOne> op("hppl1::f");
  EXPECT_STREQ(op.name(), "hppl1::f");
  const Tensor x = one();
  for (int i = 0; i < 2; ++i) {
    try {
      op(x);
      ADD_FAILURE() << "nothing was thrown";
    } catch (const tenon::Error& error) {
      EXPECT_EQ(error.code(), TENON_ERROR_NOT_FOUND) << error.what();
    }
  }
  Library library(Library::Def, "hppl1");
  library.def("f(Tensor x) -> Tensor", [](const Tensor& t) { return t; });
  EXPECT_EQ(op(x).get(), x.get());
  EXPECT_EQ(op(x).get(), x.get());
  EXPECT_EQ(op.typed().get(), Op("hppl1::f").get());
}

TEST(LazyOp, WrongSignature_IsRefusedAtEachCall) {
  Library library(Library::Def, "hppl2");
  library.def("f(Tensor x, int n) -> Tensor", [](const Tensor& t, int64_t) { return t; });
  static constinit const LazyOp<OneToOne> op("hppl2::f");
  for (int i = 0; i < 2; ++i) {
    try {
      op(one());
      ADD_FAILURE() << "nothing was thrown";
    } catch (const tenon::Error& error) {
      EXPECT_EQ(error.code(), TENON_ERROR_TYPE);
      EXPECT_NE(std::string(error.what()).find("hppl2::f: typed signature must lower to \"Ti>T\""),
                std::string::npos)
          << error.what();
    }
  }
}

TEST(LazyOp, VoidSignature_KnowsHowManyWrittenArgumentsComeBack) {
  Library library(Library::Def, "hppl3");
  library.def("f_(Tensor(a!) x, Tensor(b!) y) -> (Tensor(a!), Tensor(b!))");
  library.impl_boxed(
      "f_", TENON_KEY_CPU, [](void*, const tenon_op*, tenon_keyset, tenon_stack* stack) {
        EXPECT_EQ(stack->nrets, 2u);
        for (uint32_t i = 0; i < 2; ++i) {
          const tenon_status status = tenon_value_copy(&stack->args[i], &stack->rets[i]);
          if (status != TENON_OK) return status;
        }
        return TENON_OK;
      });
  static constinit const LazyOp<void(const Tensor&, const Tensor&)> op("hppl3::f_");
  const Tensor x = one(), y = one();
  op(x, y);
  op(x, y);
  EXPECT_EQ(x.version(), 2);
}

TEST(LazyOp, Redispatch_GoesBelowTheKeyOfTheKernel) {
  Library library(Library::Def, "hppl4");
  library.def("f(Tensor x) -> Tensor");
  library.impl("f", TENON_KEY_CPU, [](const Tensor& x) { return x; });
  library.impl("f", TENON_KEY_AUTOGRAD, [](tenon::KeySet keys, const Tensor& x) {
    static constinit const LazyOp<OneToOne> op("hppl4::f");
    return op.redispatch(keys & tenon::KeySet::below(TENON_KEY_AUTOGRAD), x);
  });
  const Tensor x = one();
  EXPECT_EQ(Op("hppl4::f").typed<OneToOne>()(x).get(), x.get());
}

TEST(LazyOp, AnyThreadsMayCallItFirst) {
  Library library(Library::Def, "hppl5");
  library.def("f(Tensor x) -> Tensor", [](const Tensor& t) { return t; });
  static constinit const LazyOp<OneToOne> op("hppl5::f");
  std::atomic<int> waiting{8}, good{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] {
      const Tensor x = one();
      waiting.fetch_sub(1);
      while (waiting.load() != 0) {
      }
      good.fetch_add(op(x).get() == x.get() ? 1 : 0);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(good.load(), 8);
}

}  // namespace
