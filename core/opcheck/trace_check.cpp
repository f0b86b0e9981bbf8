// SPDX-License-Identifier: Apache-2.0
// Checks that a recorded call and its backward pass give the same results when replayed, and that
// the call works on fake tensors with symbolic sizes.
#include <optional>

#include "autograd/engine/engine.h"
#include "autograd/operators.h"
#include "autograd/record/grad_mode_guard.h"
#include "autograd/tensor_state.h"
#include "base/concat.h"
#include "fake/conversion.h"
#include "graph/effects.h"
#include "graph/plan.h"
#include "graph/recording.h"
#include "opcheck/compare.h"
#include "opcheck/fake_call.h"
#include "override/mode.h"
#include "symbol/symbolic_tensor.h"

namespace tenon::opcheck {

namespace {

using Tensors = std::vector<TensorPtr>;

// RAII: a recording below autograd, ended by the destructor if it is still on.
class RecordingScope {
 public:
  RecordingScope() : recording_(graph::RecordingPtr::share(&begin())) {
    try {
      mode_ = graph::new_mode(*recording_);
      override::push_mode(TENON_MODE_WRAPPER, mode_.get());
    } catch (...) {
      graph::end_recording(*recording_);
      throw;
    }
  }
  ~RecordingScope() { end(); }
  RecordingScope(const RecordingScope&) = delete;
  RecordingScope& operator=(const RecordingScope&) = delete;

  graph::Recording& operator*() const noexcept { return *recording_; }
  void end() {
    if (!recording_->is_on()) return;
    override::pop_mode(TENON_MODE_WRAPPER, mode_.get());
    graph::end_recording(*recording_);
  }

 private:
  static graph::Recording& begin() { return graph::begin_recording(TENON_GRAPH_BELOW_AUTOGRAD); }

  graph::RecordingPtr recording_;
  value::ObjectPtr mode_;
};

// Returns the gradients of the sum of all outputs with respect to the inputs that require grad;
// NULL if none arrives.
Tensors gradients_of(const Sample& sample) {
  std::vector<autograd::Root> roots;
  for (const Sample::SampleTensor& output : sample.outputs()) {
    if (!autograd::requires_grad(*output.tensor)) continue;
    autograd::GradientEdge flow = autograd::gradient_edge(*output.tensor);
    roots.push_back(
        {std::move(flow.node), flow.output, autograd::operators::ones_like(*output.tensor)});
  }
  std::vector<autograd::Target> targets;
  for (const Sample::SampleTensor& input : sample.inputs()) {
    if (!autograd::requires_grad(*input.tensor)) continue;
    autograd::GradientEdge flow = autograd::gradient_edge(*input.tensor);
    targets.push_back({std::move(flow.node), flow.output});
  }
  if (roots.empty() || targets.empty()) return {};
  return autograd::run_grad(roots, targets, {});
}

// One run of a recorded graph with untracked copies of the arguments.
class Replay {
 public:
  Replay(graph::Graph& graph, const Sample& like) : results_(graph.outputs().size()) {
    const autograd::GradModeGuard off(false);
    std::vector<tenon_value> args;
    for (size_t i = 0; i < like.inputs().size(); ++i) {
      const size_t first = like.input_that_is(*like.inputs()[i].tensor);
      inputs_.push_back(first < i ? inputs_[first] : copy_untracked(*like.inputs()[i].tensor));
      if (first == i) args.push_back(tenon_value_of_tensor(inputs_[i].get()));
    }
    tenon_stack stack{};
    stack.args = args.data();
    stack.nargs = static_cast<uint32_t>(args.size());
    stack.rets = results_.data();
    stack.nrets = static_cast<uint32_t>(results_.size());
    graph.plan().run(&stack);
  }
  ~Replay() {
    for (tenon_value& result : results_) value::drop(&result);
  }
  Replay(const Replay&) = delete;
  Replay& operator=(const Replay&) = delete;

  const Tensors& inputs() const noexcept { return inputs_; }
  const Tensor& result(size_t i) const noexcept { return *results_[i].as.tensor; }

 private:
  Tensors inputs_;
  std::vector<tenon_value> results_;
};

constexpr const char* kOtherOutputs =
    "Outputs of the operator are different when it is called and when its recording is run. This "
    "could be because the operator's implementation is not traceable";
constexpr const char* kOtherGradients =
    "Gradients of the operator are different when it is called and when its recording is run. "
    "This could be because the operator's backward is incorrectly registered or not traceable";
constexpr const char* kOtherInputs =
    "Arguments are different after the operator was called and after its recording was run";

std::string add_difference(const char* report, const Tensor& expected, const Tensor& actual,
                           const Closeness& closeness) {
  const std::string differs = differing_element(expected, actual, closeness);
  return differs.empty() ? std::string() : base::concat(report, ": ", differs);
}

// Records a call and its backward pass. The graph's outputs are the results, then the gradients.
graph::GraphPtr record(const tenon_op& op, Arguments args, const Tensors& gradients) {
  Sample sample(op, args, &copy_input);
  RecordingScope recorded;
  graph::Recording& recording = *recorded;
  for (size_t i = 0; i < sample.inputs().size(); ++i) {
    Tensor& input = *sample.inputs()[i].tensor;
    if (sample.input_that_is(input) == i) recording.add_input(&input, {});
  }
  sample.call();
  const Tensors found = gradients_of(sample);
  for (const Sample::SampleTensor& output : sample.outputs()) {
    recording.add_output(tenon_value_of_tensor(output.tensor.get()));
  }
  for (size_t i = 0; i < found.size(); ++i) {
    if (gradients[i]) recording.add_output(tenon_value_of_tensor(found[i].get()));
  }
  recorded.end();
  return graph::GraphPtr::share(&recording.graph());
}

std::string check_replay(const tenon_op& op, Arguments args, const Closeness& closeness) {
  const Sample before(op, args, &copy_input);
  Sample eager(op, args, &copy_input);
  eager.call();
  const Tensors gradients = gradients_of(eager);
  const graph::GraphPtr graph = record(op, args, gradients);
  const Replay replay(*graph, before);
  std::string report;
  size_t next = 0;
  for (const Sample::SampleTensor& output : eager.outputs()) {
    report = add_difference(kOtherOutputs, *output.tensor, replay.result(next++), closeness);
    if (!report.empty()) return report;
  }
  for (const TensorPtr& gradient : gradients) {
    if (!gradient) continue;
    report = add_difference(kOtherGradients, *gradient, replay.result(next++), closeness);
    if (!report.empty()) return report;
  }
  for (size_t i = 0; i < eager.inputs().size() && report.empty(); ++i) {
    report =
        add_difference(kOtherInputs, *eager.inputs()[i].tensor, *replay.inputs()[i], closeness);
  }
  return report;
}

// Returns a fake tensor with symbols for sizes of 2 or more. A tensor that is not row-major keeps
// its plain sizes.
TensorPtr new_dynamic(const Tensor& tensor, symbol::ShapeEnv& env) {
  const tenon_device device = tensor::fake_device(tensor.device());
  if (!tensor.is_contiguous() || tensor.offset() != 0) return fake::fake_like(tensor, device);
  std::vector<int64_t> sizes;
  for (const int64_t size : tensor.size_span()) {
    if (size < 2) {
      sizes.push_back(size);
      continue;
    }
    symbol::VariableOptions options;
    options.hint = size;
    options.range.low = 2;
    sizes.push_back(base::word_of(env.new_variable(options)));
  }
  symbol::SymbolicOptions options{tensor.dtype(), &device, nullptr, sizes};
  return symbol::new_symbolic(options);
}

std::string check_symbolic(const tenon_op& op, Arguments args) {
  if (has_dynamic_shape(op)) return {};
  const auto guard = dispatch::KeyGuard::exclude(autograd::kAutograd);
  Sample real(op, args, &copy_untracked);
  const auto mode = base::make_intrusive<fake::Mode>(0u);
  const symbol::ShapeEnvPtr env = mode->shape_env();
  Sample faked(op, real.arguments(), [&](Tensor& tensor) { return new_dynamic(tensor, *env); });
  {
    const InFakeMode in_mode(mode);
    faked.call();
  }
  real.call();
  return compare_calls(real, faked);
}

}  // namespace

std::string check_trace(const tenon_op& op, Arguments args, const Closeness& closeness) {
  if (has_abstract(args)) return {};
  std::string report = check_fake(op, args);
  if (report.empty()) report = check_symbolic(op, args);
  if (report.empty() && !graph::is_random(op)) report = check_replay(op, args, closeness);
  return report;
}

}  // namespace tenon::opcheck
