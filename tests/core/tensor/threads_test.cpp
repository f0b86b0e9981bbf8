// SPDX-License-Identifier: Apache-2.0
// Tensors created, shared and freed by several threads; meant for ThreadSanitizer.
#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

#include "tensor_testing.h"

namespace tenon::tensor {
namespace {

using namespace testing;  // NOLINT: the test's own helpers

constexpr int kRounds = 2000;

template <class Body>
void run_threads(int count, Body&& body) {
  std::vector<std::thread> threads;
  for (int i = 0; i < count; ++i) threads.emplace_back(body, i);
  for (std::thread& thread : threads) thread.join();
}

TEST(TensorThreads, RetainAndRelease) {
  const LeakCheck nothing_left;
  const TensorPtr tensor = floats({2}, {1, 2});
  run_threads(4, [&](int) {
    for (int i = 0; i < kRounds; ++i) {
      const TensorPtr copy = tensor;
      EXPECT_EQ(static_cast<float*>(copy->data())[1], 2.0f);
    }
  });
  EXPECT_EQ(tensor->use_count(), 1);
}

// Each round, the main thread makes a tensor and two threads race to drop the last reference.
TEST(TensorThreads, AllocatedHereFreedThere) {
  const LeakCheck nothing_left;
  std::vector<TensorPtr> first(kRounds);
  std::vector<TensorPtr> second(kRounds);
  for (int i = 0; i < kRounds; ++i) {
    const int64_t numel = (i % 5) * 300 + 1;
    first[i] = empty({numel});
    std::memset(first[i]->data(), i, static_cast<size_t>(numel) * 4);
    second[i] = i % 3 == 0 ? new_alias(*first[i], dims({1}), dims({1}), numel - 1) : first[i];
  }
  run_threads(2, [&](int which) {
    std::vector<TensorPtr>& mine = which == 0 ? first : second;
    for (TensorPtr& tensor : mine) {
      EXPECT_NE(tensor->data(), nullptr);
      tensor.reset();
      const TensorPtr fresh = empty({3});  // reuses memory that this thread has just freed
      std::memset(fresh->data(), 0, 12);
    }
  });
}

// Setting the key set of a tensor that others read is no race.
TEST(TensorThreads, KeysChangeWhileOthersRead) {
  const TensorPtr tensor = empty({1});
  const tenon_keyset plain = tensor->keys();
  run_threads(4, [&](int which) {
    const tenon_keyset mine = tenon_keyset{1} << (TENON_BACKEND_BITS + 30 + which);
    for (int i = 0; i < kRounds; ++i) {
      tensor->add_keys(mine);
      EXPECT_EQ(tensor->keys() & (plain | mine), plain | mine);
      tensor->remove_keys(mine);
    }
  });
  EXPECT_EQ(tensor->keys(), plain);
}

TEST(TensorThreads, WeakLockAgainstLastRelease) {
  const LeakCheck nothing_left;
  for (int round = 0; round < kRounds / 10; ++round) {
    TensorPtr tensor = floats({1}, {5});
    const WeakTensor weak(tensor.get());
    std::atomic<bool> go{false};
    run_threads(2, [&](int which) {
      if (which == 0) {
        while (!go.load()) std::this_thread::yield();
        tensor.reset();
      } else {
        go.store(true);
        for (int i = 0; i < 10; ++i) {
          const TensorPtr locked = weak.lock();
          if (locked == nullptr) break;
          EXPECT_EQ(*static_cast<float*>(locked->data()), 5.0f);
        }
      }
    });
    EXPECT_EQ(weak.lock(), nullptr);
  }
}

TEST(TensorThreads, CellsOfTwoLanguagesAtOnce) {
  for (int round = 0; round < kRounds / 10; ++round) {
    int dropped[2] = {};
    TensorPtr tensor = empty({1});
    run_threads(2, [&](int which) {
      tensor->own_cell(which == 0 ? TENON_LANGUAGE_RUST : TENON_LANGUAGE_PYTHON, &dropped[which],
                       &count_call);
    });
    tensor.reset();
    EXPECT_EQ(dropped[0], 1);
    EXPECT_EQ(dropped[1], 1);
  }
}

// Resizes between shapes inside and outside of the header, while other threads read.
TEST(TensorThreads, ShapeIsWholeWhileAnotherThreadResizes) {
  const std::vector<std::vector<int64_t>> shapes = {
      {2, 3}, {1, 2, 3, 4, 1, 1, 1}, {5}, {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2}, {}};
  const TensorPtr tensor = empty({2, 3});
  std::atomic<bool> stop{false};
  run_threads(3, [&](int which) {
    if (which == 0) {
      for (int round = 0; round < 4 * kRounds; ++round) {
        tensor->resize(shapes[round % shapes.size()], nullptr);
      }
      stop.store(true);
      return;
    }
    while (!stop.load()) {
      int64_t sizes[TENON_TENSOR_MAX_DIMS], strides[TENON_TENSOR_MAX_DIMS];
      const int64_t ndim = tenon_tensor_copy_dims(tensor.get(), sizes, strides);
      const std::vector<int64_t> seen(sizes, sizes + ndim);
      EXPECT_NE(std::find(shapes.begin(), shapes.end(), seen), shapes.end());
      int64_t stride = 1;
      for (int64_t dim = ndim; dim-- > 0; stride *= sizes[dim]) EXPECT_EQ(strides[dim], stride);
#if !defined(__SANITIZE_THREAD__)
      // A borrowed array is never freed, but it may mix numbers of two shapes: the sizes of one and
      // the strides of the other. The largest number in any of these shapes is a stride of 24.
      const int64_t count = tenon_tensor_ndim(tensor.get());
      const int64_t* borrowed = tenon_tensor_sizes(tensor.get());
      for (int64_t dim = 0; dim < count; ++dim) {
        const int64_t number = __atomic_load_n(&borrowed[dim], __ATOMIC_RELAXED);
        EXPECT_GE(number, 0);
        EXPECT_LE(number, 24);
      }
#endif
    }
  });
}

TEST(TensorThreads, NumbersThatWereBorrowedBeforeAResize_StayReadable) {
  const TensorPtr tensor = empty({1, 2, 1, 2, 1, 2});
  const int64_t* borrowed = tensor->sizes();
  for (const size_t ndim : {9, 12, 2, 64}) {
    tensor->resize(std::vector<int64_t>(ndim, 1), nullptr);
    EXPECT_EQ(borrowed[1], 2);
  }
}

}  // namespace
}  // namespace tenon::tensor
