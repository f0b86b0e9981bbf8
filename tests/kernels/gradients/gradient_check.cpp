// SPDX-License-Identifier: Apache-2.0
// Runs samples as functions of their inputs, for tenon_gradcheck and tenon_gradgradcheck.
#include "kernels/gradients/gradient_check.h"

#include <algorithm>

#include "tenon/autograd.h"
#include "tenon/check.h"

namespace tenon::tests {
namespace {

bool is_in_place(const std::string& op) {
  const std::string base = op.substr(0, op.find('.'));
  return base.ends_with('_');
}

// Pseudorandom numbers that are the same in each run and never at a bound.
class Numbers {
 public:
  double between(double low, double high) {
    state_ = state_ * 6364136223846793005U + 1442695040888963407U;
    const double part = static_cast<double>((state_ >> 40) + 1) * 0x1p-24;
    return low + (high - low) * part * 0.99;
  }

 private:
  uint64_t state_ = 7 * 2654435761U + 12345;
};

Tensor make_input(const Input& input, Dtype dtype, Numbers& numbers) {
  const Tensor tensor = Tensor::empty(input.sizes, dtype);
  auto* first = static_cast<double*>(tensor.raw_data());
  const int64_t count = tensor.numel() * (is_complex(dtype) ? 2 : 1);
  std::generate(first, first + count, [&] { return numbers.between(input.low, input.high); });
  return tensor;
}

// Returns a tensor with the same elements whose last two dims are swapped in memory.
Tensor transposed(const Tensor& tensor) {
  if (tensor.ndim() < 2) return tensor;
  const Tensor turned = call("aten::transpose.int", tensor, 0, -1);
  const Tensor copied = call("aten::clone", turned, kw("memory_format", MemoryFormat::Contiguous));
  return call("aten::detach", call("aten::transpose.int", copied, 0, -1));
}

// Integer results have no gradient.
void keep(const Tensor& result, std::vector<Tensor>& found) {
  if (!is_integral(result.dtype())) found.push_back(result);
}

}  // namespace

std::vector<Tensor> inputs_of(const Sample& sample, const SampleVariant& variant) {
  std::vector<Tensor> inputs;
  Numbers numbers;
  const Dtype dtype = variant.is_complex ? Dtype::C128 : Dtype::F64;
  for (const Argument& argument : sample.arguments) {
    for (const Input& input : argument.inputs) {
      const Tensor made = make_input(input, dtype, numbers);
      inputs.push_back(variant.transposed ? transposed(made) : made);
    }
  }
  return inputs;
}

std::vector<Tensor> results_of(const Sample& sample, const SampleVariant& variant,
                               const std::vector<Tensor>& inputs) {
  std::vector<Value> arguments;
  size_t next = 0;
  for (const Argument& argument : sample.arguments) {
    std::vector<Tensor> given;
    for (size_t i = 0; i < argument.inputs.size(); ++i) given.push_back(inputs[next++]);
    if (argument.is_list) {
      arguments.emplace_back(given);
    } else if (given.empty()) {
      arguments.push_back(argument.value);
    } else {
      arguments.emplace_back(given[0]);
    }
  }
  if (is_in_place(variant.op)) arguments[0] = call("aten::clone", arguments[0].tensor());
  std::vector<Keyword> keywords = sample.keywords;
  if (sample.seed != 0) keywords.push_back(kw("generator", Generator(sample.seed)));
  std::vector<Tensor> found;
  for (const Value& value : Op(variant.op).call(arguments, keywords)) {
    if (value.tag() == TENON_TAG_TENSOR) {
      keep(value.tensor(), found);
    } else {
      for (int64_t i = 0; i < value.tensors().size(); ++i) keep(*value.tensors()[i], found);
    }
  }
  return found;
}

namespace {

class Run {
 public:
  Run(const Sample& sample, const SampleVariant& variant)
      : sample_(sample), variant_(variant), inputs_(inputs_of(sample, variant)) {}

  void check_both_orders() {
    std::vector<tenon_value> values;
    for (const Tensor& input : inputs_) {
      check(tenon_tensor_set_requires_grad(input.get(), 1));
      values.push_back(tenon_value_of_tensor(input.get()));
    }
    tenon_gradcheck_options options{};
    options.struct_size = sizeof(options);
    options.flags = TENON_GRADCHECK_BACKWARD | TENON_GRADCHECK_UNDEFINED | TENON_GRADCHECK_DTYPES |
                    TENON_GRADCHECK_BATCHED | TENON_GRADCHECK_FORWARD;
    options.eps = 1e-6;
    options.atol = 5e-7;
    options.rtol = 5e-6;
    const auto count = static_cast<int64_t>(values.size());
    tenon_buffer* report = nullptr;
    check(tenon_gradcheck(&run, this, values.data(), count, &options, &report));
    expect_nothing(report);
    check(tenon_gradgradcheck(&run, this, values.data(), count, nullptr, 0, &options, &report));
    expect_nothing(report);
  }

 private:
  static tenon_status run(void* self, tenon_stack* stack) {
    try {
      const Run& run = *static_cast<Run*>(self);
      std::vector<Tensor> inputs;  // in forward mode, inputs other than the sample's own
      for (uint32_t i = 0; i < stack->nargs; ++i) {
        inputs.emplace_back(tenon_tensor_retain(stack->args[i].as.tensor));
      }
      stack->rets[0] = Value(results_of(run.sample_, run.variant_, inputs)).release();
      return TENON_OK;
    } catch (const Error& error) {
      return tenon_error_raise(error.code(), error.what());
    }
  }

  static void expect_nothing(tenon_buffer* report) {
    if (report == nullptr) return;
    ADD_FAILURE() << static_cast<const char*>(tenon_buffer_data(report));
    tenon_buffer_release(report);
  }

  const Sample& sample_;
  const SampleVariant& variant_;
  const std::vector<Tensor> inputs_;
};

}  // namespace

void check_gradients(const Sample& sample, const SampleVariant& variant) {
  SCOPED_TRACE(variant.op + (variant.transposed ? ", transposed" : "") +
               (variant.is_complex ? ", complex" : ""));
  try {
    Run(sample, variant).check_both_orders();
  } catch (const Error& error) {
    ADD_FAILURE() << error.what();
  }
}

bool keeps_sizes(const Sample& sample) {
  if (sample.arguments[0].inputs.size() != 1) return false;
  const SampleVariant variant{sample.op};
  const std::vector<Tensor> inputs = inputs_of(sample, variant);
  return sizes(results_of(sample, variant, inputs).at(0)) == sizes(inputs[0]);
}

}  // namespace tenon::tests
