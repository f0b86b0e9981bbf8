// SPDX-License-Identifier: Apache-2.0
// Launches the kernel of a fold's plan: one thread or one block for each result, in several parts
// if there are too few results to keep a GPU busy.
#include "kernels/cuda/loops/fold.h"

#include "kernels/common/families/fold.h"
#include "kernels/cuda/loops/operands.h"
#include "kernels/cuda/provider.h"
#include "kernels/cuda/runtime.h"

namespace tenon::kernels::cuda {
namespace {

constexpr int64_t kThreads = 256;        // per block
constexpr int64_t kShort = 32;           // folds of fewer elements use single threads
constexpr int64_t kEnoughBlocks = 1024;  // several for each multiprocessor
constexpr int64_t kLeast = 16;           // minimum number of elements per thread if a fold is split
constexpr tenon_dtype kByte = TENON_DTYPE_U8;

// Returns the number of parts that each fold is split into.
int64_t parts_of(const FoldLaunch& fold) {
  const int64_t threads = fold.by_thread ? 1 : kThreads;
  const int64_t blocks =
      fold.by_thread ? (fold.kept.numel + kThreads - 1) / kThreads : fold.kept.numel;
  if (blocks >= kEnoughBlocks || blocks == 0) return 1;
  const int64_t most = fold.folded.numel / (threads * kLeast);
  return std::clamp<int64_t>(kEnoughBlocks / blocks, 1, std::max<int64_t>(most, 1));
}

}  // namespace

void run_fold(const FoldKernel& kernel, Reduction& plan, const Call& call, tenon_dtype dtype) {
  const auto& table = reinterpret_cast<const FoldTable&>(kernel);
  const FoldFacts& facts = call.facts().fold;
  const tenon_tensor_info& info = plan.input_info();
  const Device device(info.device);
  const DeviceGuard guard(device.index);
  tenon_dtype read = dtype;
  Tensor input = Tensor::retain(call.tensor(0));
  if (info.dtype != dtype) {
    const bool is_small = dtype == TENON_DTYPE_F16 || dtype == TENON_DTYPE_BF16;
    if (facts.keeps_digits && is_small) read = TENON_DTYPE_F32;
    input = to_device(input, device, static_cast<Dtype>(read),
                      preserving_strides(sizes_of(info), strides_of(info)));
  }
  const FoldType& type = table.types[read];
  if (type.launch == nullptr) {
    fail(TENON_ERROR_NOT_SUPPORTED,
         {call.op(), ": not supported on CUDA for dtype ", static_cast<Dtype>(read)});
  }
  plan.build_walks_over(input.info(), facts.in_order);
  FoldLaunch fold{.op = call.op(),
                  .kept = strided(plan.kept(), plan.results() + 1),
                  .folded = strided(plan.folded(), 1),
                  .results = plan.results(),
                  .dtypes = {},
                  .by_thread = plan.kept_is_inner() || plan.folded_numel() <= kShort,
                  .parts = 1,
                  .states = nullptr,
                  .stream = current_stream(device)};
  for (int k = 0; k < plan.results(); ++k) {
    fold.dtypes[k] = static_cast<tenon_dtype>(plan.result_dtype(k));
  }
  fold.parts = parts_of(fold);
  Tensor states;
  if (fold.parts > 1) {
    const int64_t bytes[] = {fold.kept.numel * fold.parts * type.state_size};
    states = Tensor::empty(bytes, static_cast<Dtype>(kByte), device);
    fold.states = static_cast<char*>(states.raw_data());
  }
  type.launch(fold, Args(call.op(), call.args, read));
}

}  // namespace tenon::kernels::cuda
