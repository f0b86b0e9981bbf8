// SPDX-License-Identifier: Apache-2.0
// Inference tensors: the effect of the grad mode in which a tensor is created.
#include <thread>

#include "tenon/grad_mode.h"
#include "tensor_testing.h"

namespace tenon::tensor {
namespace {

using namespace testing;  // NOLINT: the test's own helpers

class GradMode {
 public:
  explicit GradMode(uint32_t mode) { EXPECT_EQ(tenon_grad_mode_enter(mode, &guard_), TENON_OK); }
  ~GradMode() { EXPECT_EQ(tenon_key_guard_leave(&guard_), TENON_OK); }
  GradMode(const GradMode&) = delete;
  GradMode& operator=(const GradMode&) = delete;

 private:
  tenon_key_guard guard_{};
};

// Makes one tensor with each constructor, on the CPU and on Meta.
std::vector<TensorPtr> all_kinds() {
  static float memory[600];
  const Ints small{2, 3}, many(7, 1), large{300, 2}, strides{1, 2};
  std::vector<TensorPtr> tensors{
      empty(small),
      empty(many),
      empty(large),
      empty(small, TENON_DTYPE_F32, kMeta),
      new_tensor(TENON_DTYPE_F32, nullptr, dims(small), strides.data()),
      TensorPtr::adopt(Tensor::make_like(*empty(small), TENON_DTYPE_I64)),
      new_number({TENON_TAG_INT, 0, 0, {}})};
  for (const Ints* sizes : {&small, &many}) {
    if (Tensor* wrapped = Tensor::try_wrap(memory, TENON_DTYPE_F32, dims(*sizes), nullptr, nullptr))
      tensors.push_back(TensorPtr::adopt(wrapped));
    tensors.push_back(
        wrap_tensor(memory, TENON_DTYPE_F32, nullptr, dims(*sizes), nullptr, nullptr, nullptr));
  }
  const HollowMetadata claim{
      "test", plain_keys(TENON_DEVICE_CPU) & ~functionality(TENON_FUNCTIONALITY_DENSE),
      TENON_DTYPE_F32, kCpu, dims(small)};
  tensors.push_back(
      TensorPtr::adopt(Tensor::make_hollow(claim, HollowKind::kWrapped, nullptr, nullptr)));
  return tensors;
}

TEST(Inference, TensorsMadeMeanwhile_CarryNeitherADKey) {
  const LeakCheck nothing_left;
  const GradMode inference(TENON_GRAD_MODE_INFERENCE);
  for (const TensorPtr& tensor : all_kinds()) {
    EXPECT_TRUE(tensor->is_inference());
    EXPECT_EQ(tensor->keys() & kRecordingKeys, 0u);
    EXPECT_NE(tensor->keys() & functionality(TENON_FUNCTIONALITY_AUTOCAST), 0u);
    tensor->check_invariants();
  }
}

TEST(Inference, OtherModes_MakePlainTensors) {
  for (const uint32_t mode : {TENON_GRAD_MODE_ON, TENON_GRAD_MODE_OFF}) {
    const GradMode entered(mode);
    for (const TensorPtr& tensor : all_kinds()) {
      EXPECT_FALSE(tensor->is_inference());
      EXPECT_NE(tensor->keys() & functionality(TENON_FUNCTIONALITY_AD_INPLACE_OR_VIEW), 0u);
      tensor->check_invariants();
    }
  }
}

// A view is an inference tensor if its base is, whatever the mode.
TEST(Inference, Views_AreAsTheirBase) {
  const TensorPtr plain = empty({4});
  TensorPtr made_inside, view_inside;
  {
    const GradMode inference(TENON_GRAD_MODE_INFERENCE);
    made_inside = empty({4});
    view_inside = new_alias(*plain, dims({2}), dims({1}), 0);
  }
  EXPECT_FALSE(view_inside->is_inference());
  EXPECT_EQ(view_inside->keys() & ~functionality(TENON_FUNCTIONALITY_AUTOGRAD), plain->keys());
  const TensorPtr view_outside = new_alias(*made_inside, dims({2}), dims({1}), 0);
  EXPECT_TRUE(view_outside->is_inference());
  EXPECT_EQ(view_outside->keys() & kRecordingKeys, 0u);
  EXPECT_TRUE(new_alias(*made_inside, dims(Ints(7, 1)), dims(Ints(7, 1)), 0)->is_inference());
}

TEST(Inference, CarriersAndLevels_KeepTheirKeys) {
  const GradMode inference(TENON_GRAD_MODE_INFERENCE);
  const tenon_keyset keys = functionality(TENON_FUNCTIONALITY_AUTOGRAD);
  const HollowMetadata claim{"test", keys, TENON_DTYPE_F32, kCpu, Dims{}};
  const TensorPtr level =
      TensorPtr::adopt(Tensor::make_hollow(claim, HollowKind::kLevel, nullptr, nullptr));
  EXPECT_FALSE(level->is_inference());
  EXPECT_EQ(level->keys(), keys);
}

TEST(Inference, OtherThreads_AreNotConcerned) {
  const GradMode inference(TENON_GRAD_MODE_INFERENCE);
  std::thread([] { EXPECT_FALSE(empty({2})->is_inference()); }).join();
}

}  // namespace
}  // namespace tenon::tensor
