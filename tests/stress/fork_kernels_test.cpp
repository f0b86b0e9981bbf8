// SPDX-License-Identifier: Apache-2.0
// Kernels in forked children of processes that have used them: the children lack the threads of
// maths libraries.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <thread>

#include "sanitized_fork.h"
#include "tenon/tenon.hpp"

namespace tenon::test {
namespace {

constexpr int kGood = 42;
constexpr int64_t kSize = 512;  // large enough for a library to share the work among threads

Tensor ones(Dtype dtype) {
  static const LazyOp<Tensor(Sizes, const Scalar&, std::optional<Dtype>, std::optional<Layout>,
                             std::optional<Device>, std::optional<bool>)>
      full("aten::full");
  const int64_t sizes[2] = {kSize, kSize};
  return full(sizes, Scalar(1.0), dtype, std::nullopt, std::nullopt, std::nullopt);
}

// A product of ones: each element is the number of terms.
template <class T>
bool multiply() {
  static const LazyOp<Tensor(const Tensor&, const Tensor&)> mm("aten::mm");
  const Tensor factor = ones(dtype_of<T>);
  const Tensor product = mm(factor, factor);
  for (const T element : product.elements<T>()) {
    if (element != T(kSize)) return false;
  }
  return true;
}

// Runs `body` in a child process and returns its exit status, or minus the signal: a deadlock ends
// by SIGALRM.
template <class Body>
int end_of_child(Body&& body) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(20);
    _exit(body() ? kGood : 1);
  }
  int status = -1;
  if (waitpid(child, &status, 0) != child) return -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

class ForkedProducts : public testing::Test {
 protected:
  void SetUp() override { TENON_SKIP_FORK_BESIDE_THREADS(); }
};

TEST_F(ForkedProducts, ChildOfAProcessThatMultiplied_Multiplies) {
  ASSERT_TRUE(multiply<float>());
  ASSERT_TRUE(multiply<double>());
  EXPECT_EQ(end_of_child([] { return multiply<float>() && multiply<double>(); }), kGood);
  EXPECT_TRUE(multiply<float>()) << "the parent has its threads still";
}

TEST_F(ForkedProducts, ThreadsOfAChildAndItsOwnChild_Multiply) {
  ASSERT_TRUE(multiply<float>());
  const auto on_a_thread = [] {
    bool good = false;
    std::thread([&] { good = multiply<float>(); }).join();
    return good && multiply<float>();
  };
  EXPECT_EQ(end_of_child([&] { return on_a_thread() && end_of_child(on_a_thread) == kGood; }),
            kGood);
}

TEST_F(ForkedProducts, ForkOnAnotherThread_ChildMultiplies) {
  ASSERT_TRUE(multiply<float>());
  int end = -1;
  std::thread([&] {
    multiply<float>();
    end = end_of_child([] { return multiply<float>(); });
  }).join();
  EXPECT_EQ(end, kGood);
}

}  // namespace
}  // namespace tenon::test
