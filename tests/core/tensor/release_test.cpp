// SPDX-License-Identifier: Apache-2.0
// Destruction of tensors that own tensors: chains of any length need only a small stack.
#include <pthread.h>

#include <functional>

#include "tensor_testing.h"

namespace tenon::tensor {
namespace {

using namespace testing;  // NOLINT: the test's own helpers

// Runs `body` on a thread whose stack would overflow if each tensor released the next one
// recursively.
void on_small_stack(std::function<void()> body) {
  pthread_attr_t attributes;
  ASSERT_EQ(pthread_attr_init(&attributes), 0);
  ASSERT_EQ(pthread_attr_setstacksize(&attributes, 256 << 10), 0);
  pthread_t thread;
  ASSERT_EQ(pthread_create(
                &thread, &attributes,
                [](void* task) -> void* {
                  (*static_cast<std::function<void()>*>(task))();
                  return nullptr;
                },
                &body),
            0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
}

void release_tensor(void* tensor) { static_cast<Tensor*>(tensor)->release(); }

// Makes a tensor that owns `next`, in one of three ways.
TensorPtr hollow_around(TensorPtr next) {
  const HollowMetadata claim{"test", 0, TENON_DTYPE_F32, kCpu, Dims{}};
  return TensorPtr::adopt(
      Tensor::make_hollow(claim, HollowKind::kWrapped, next.detach(), &release_tensor));
}
TensorPtr with_cell_around(TensorPtr next) {
  TensorPtr tensor = empty({1});
  tensor->own_cell(TENON_LANGUAGE_PYTHON, next.detach(), &release_tensor);
  return tensor;
}
struct Node : AutogradState {
  TensorPtr next;
};
TensorPtr tracked_around(TensorPtr next) {
  TensorPtr tensor = empty({1});
  auto* node = new Node;
  node->drop = [](AutogradState* state) noexcept { delete static_cast<Node*>(state); };
  node->next = std::move(next);
  EXPECT_EQ(tensor->init_autograd(node), node);
  return tensor;
}

void end_chain(int length, TensorPtr (*around)(TensorPtr)) {
  const LeakCheck nothing_left;
  on_small_stack([&] {
    TensorPtr chain = empty({1});
    for (int i = 0; i < length; ++i) chain = around(std::move(chain));
    const WeakTensor weak(chain.get());
    chain.reset();
    EXPECT_EQ(weak.lock(), nullptr);
  });
}

TEST(Release, ChainOfAMillionThroughAutogradState) { end_chain(1'000'000, &tracked_around); }
TEST(Release, ChainThroughContent) { end_chain(200'000, &hollow_around); }
TEST(Release, ChainThroughCells) { end_chain(200'000, &with_cell_around); }
TEST(Release, ChainOfAllThree) {
  end_chain(200'000, [](TensorPtr next) {
    return hollow_around(with_cell_around(tracked_around(std::move(next))));
  });
}

// Another thread releases the first tensor last.
TEST(Release, ChainWhoseHeadIsShared) {
  const LeakCheck nothing_left;
  on_small_stack([] {
    TensorPtr chain = empty({1});
    for (int i = 0; i < 100'000; ++i) chain = tracked_around(std::move(chain));
    TensorPtr second = chain;
    const WeakTensor weak(chain.get());
    chain.reset();
    EXPECT_NE(weak.lock(), nullptr);
    second.reset();
    EXPECT_EQ(weak.lock(), nullptr);
  });
}

TEST(Release, WhatADropReleases_EndsAfterTheDropAndBeforeTheReleaseReturns) {
  const LeakCheck nothing_left;
  static Tensor* inner_raw;
  static bool alive_in_drop;
  alive_in_drop = false;
  int inner_dropped = 0;
  TensorPtr inner = empty({1});
  inner->own_cell(TENON_LANGUAGE_C, &inner_dropped, &count_call);
  static int* counter;
  counter = &inner_dropped;
  inner_raw = inner.detach();
  TensorPtr outer = empty({1});
  outer->own_cell(TENON_LANGUAGE_C, nullptr, [](void*) {
    inner_raw->release();
    alive_in_drop = *counter == 0;
  });
  outer.reset();
  EXPECT_TRUE(alive_in_drop);
  EXPECT_EQ(inner_dropped, 1);
}

TEST(Release, SecondAutogradState_IsNotTaken) {
  const TensorPtr tensor = tracked_around(TensorPtr());
  AutogradState* first = tensor->autograd();
  ASSERT_NE(first, nullptr);
  Node second;
  EXPECT_EQ(tensor->init_autograd(&second), first);
  tensor->check_invariants();
}

}  // namespace
}  // namespace tenon::tensor
