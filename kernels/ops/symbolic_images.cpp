// SPDX-License-Identifier: Apache-2.0
// Rules of what works on images, for symbolic sizes: batches and channels may be symbols, the dims
// that a window slides along become numbers.
#include "kernels/common/allocation.h"
#include "kernels/common/resampling.h"
#include "kernels/ops/symbolic_rules.h"

namespace tenon::kernels {

namespace {

// A call whose tensors have 1 in the place of their first dims, and numbers behind.
class NumberedCall {
 public:
  explicit NumberedCall(const Call& call)
      : call_(call), args_(call.args, call.args + call.form.arguments) {
    for (tenon_value& arg : args_) arg.flags &= static_cast<uint16_t>(~TENON_VALUE_MOVABLE);
  }

  void replace_tensor(int k, int64_t first) {
    if (args_[static_cast<size_t>(k)].tag != TENON_TAG_TENSOR) return;
    const SymbolicTensor words(call_.tensor(k));
    if (words.ndim() == 0) return;
    Dims sizes;
    for (int64_t d = 0; d < words.ndim(); ++d) {
      sizes.push_back(d < first ? 1 : number_of(words.sizes()[static_cast<size_t>(d)]));
    }
    tensors_.push_back(
        allocate(sizes, dtype_of_info(words.info), Device(words.info.device), nullptr));
    args_[static_cast<size_t>(k)].as.tensor = tensors_.back().get();
  }

  void replace_sizes(int k, int64_t first) {
    const SymbolicDims words = sizes_argument(call_, k);
    std::vector<int64_t> sizes;
    for (int64_t d = 0; d < words.size(); ++d) sizes.push_back(d < first ? 1 : number_of(words[d]));
    lists_.push_back(std::move(sizes));
    args_[static_cast<size_t>(k)] =
        tenon_value_of_ints(lists_.back().data(), static_cast<uint32_t>(lists_.back().size()));
  }

  // Gives results whose first dims are those of argument 0, or of a list of sizes.
  void run(const SymbolicDims& first) const {
    std::vector<tenon_value> results(static_cast<size_t>(call_.form.results),
                                     tenon_value_of_none());
    call_.facts().family->run(Call{call_.form, args_.data(), results.data()});
    for (size_t k = 0; k < results.size(); ++k) {
      const Tensor made(results[k].as.tensor);
      SymbolicDims sizes(SymbolicTensor(made.get()).sizes());
      for (int64_t d = 0; d < first.size(); ++d) sizes[d] = first[d];
      call_.give(static_cast<int>(k), new_symbolic(made, sizes));
    }
  }

 private:
  const Call& call_;
  std::vector<tenon_value> args_;
  std::vector<Tensor> tensors_;
  std::vector<std::vector<int64_t>> lists_;
};

SymbolicDims first_dims(tenon_tensor* tensor, int64_t count) {
  SymbolicDims sizes(SymbolicTensor(tensor).sizes());
  sizes.resize(std::clamp<int64_t>(count, 0, sizes.size()));
  return sizes;
}

// The batch alone: channels have to fit those of the weight.
void convolution(const Call& call) {
  NumberedCall numbered(call);
  numbered.replace_tensor(0, 1);
  for (const int k : {1, 2}) numbered.replace_tensor(k, 0);
  numbered.run(first_dims(call.tensor(0), 1));
}

// What does the same to all planes.
void planes(const Call& call) {
  NumberedCall numbered(call);
  const int64_t before = SymbolicTensor(call.tensor(0)).ndim() - slides_by_name(call);
  for (int k = 0; k < call.form.arguments; ++k) {
    numbered.replace_tensor(k, before);
    if (std::string_view(call.form.names[k]) == "input_size") numbered.replace_sizes(k, before);
  }
  numbered.run(first_dims(call.tensor(0), before));
}

void constant_pad(const Call& call) {
  SymbolicDims sizes(SymbolicTensor(call.tensor(0)).sizes());
  const SymbolicDims pad = sizes_argument(call, 1);
  if (pad.size() % 2 != 0 || pad.size() > 2 * sizes.size()) {
    fail(TENON_ERROR_INVALID_ARGUMENT,
         {call.op(), ": pad must be an even number of numbers, at most ", 2 * sizes.size(),
          ", got ", text_of(pad)});
  }
  for (int64_t k = 0; k < pad.size(); ++k) sizes[sizes.size() - 1 - k / 2] += pad[k];
  call.give(0, new_symbolic(Tensor::retain(call.tensor(0)), sizes));
}

// What asks nothing of sizes but through the operators that it calls.
void as_for_all(const Call& call) { call.facts().family->run(call); }

constexpr NamedRule kImageRules[] = {
    {"convolution", &convolution},
    {"constant_pad_nd", &constant_pad},
    {"pad", &as_for_all},
    {"conv1d", &as_for_all},
    {"conv2d", &as_for_all},
    {"conv3d", &as_for_all},
    {"conv_transpose1d", &as_for_all},
    {"conv_transpose2d.input", &as_for_all},
    {"conv_transpose3d.input", &as_for_all},
    {"max_pool2d", &as_for_all},
    {"max_pool3d", &as_for_all},
    {"adaptive_avg_pool2d", &as_for_all},
    {"adaptive_avg_pool3d", &as_for_all},
};

bool has_planes(std::string_view name) {
  for (const std::string_view part :
       {"avg_pool", "max_pool", "reflection_pad", "replication_pad", "upsample"}) {
    if (name.find(part) != std::string_view::npos) return true;
  }
  return false;
}

}  // namespace

SymbolicRule symbolic_image_rule(const Facts& facts, Forms form) {
  if (const SymbolicRule rule = find_rule(kImageRules, facts, form)) return rule;
  const bool is_routine = facts.family == &kRoutine && form == kFunctional;
  return is_routine && has_planes(facts.name) ? &planes : nullptr;
}

}  // namespace tenon::kernels
