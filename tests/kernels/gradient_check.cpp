// SPDX-License-Identifier: Apache-2.0
// Runs samples forward and backward, and compares.
#include "kernels/gradient_check.h"

#include <algorithm>
#include <cmath>

#include "tenon/autograd.h"

namespace tenon::tests {
namespace {

constexpr double kStep = 1e-6;
constexpr double kTolerance = 2e-7;

bool is_in_place(const std::string& op) {
  const std::string base = op.substr(0, op.find('.'));
  return base.ends_with('_');
}

// Numbers that look random, the same in each run, never at a bound.
class Numbers {
 public:
  explicit Numbers(uint64_t seed) : state_(seed * 2654435761U + 12345) {}
  double between(double low, double high) {
    state_ = state_ * 6364136223846793005U + 1442695040888963407U;
    const double part = static_cast<double>((state_ >> 40) + 1) * 0x1p-24;
    return low + (high - low) * part * 0.99;
  }

 private:
  uint64_t state_;
};

// The variables of a sample as numbers: the elements of each input, then of each weight. Complex
// ones have two numbers an element.
using Point = std::vector<Doubles>;

struct Shape {
  Ints sizes;
  Dtype dtype;
};

Tensor tensor_of(const Doubles& numbers, const Shape& shape) {
  const Tensor tensor = Tensor::empty(shape.sizes, shape.dtype);
  std::copy(numbers.begin(), numbers.end(), static_cast<double*>(tensor.raw_data()));
  return tensor;
}

Doubles numbers_of(const Tensor& tensor) {
  const Tensor flat = call("aten::contiguous", tensor);
  const auto* first = static_cast<const double*>(flat.raw_data());
  return {first, first + flat.numel() * (is_complex(flat.dtype()) ? 2 : 1)};
}

int64_t count_of(const Shape& shape) {
  int64_t count = is_complex(shape.dtype) ? 2 : 1;
  for (const int64_t size : shape.sizes) count *= size;
  return count;
}

// The same elements, in memory in another order of dims.
Tensor transposed(const Tensor& tensor) {
  if (tensor.ndim() < 2) return tensor;
  const Tensor turned = call("aten::transpose.int", tensor, 0, -1);
  const Tensor copied = call("aten::clone", turned, kw("memory_format", MemoryFormat::Contiguous));
  return call("aten::transpose.int", copied, 0, -1);
}

class Run {
 public:
  Run(const Sample& sample, const Way& way) : sample_(sample), way_(way) {
    Numbers numbers(7);
    for (const Argument& argument : sample.arguments) {
      for (const Input& input : argument.inputs) {
        const Dtype dtype = way.is_complex ? Dtype::C128 : Dtype::F64;
        add({input.sizes, dtype}, numbers, input.low, input.high);
      }
    }
    inputs_ = shapes_.size();
    for (const Tensor& result : results(tensors(point_))) {
      const Sizes sizes = result.sizes();
      add({{sizes.begin(), sizes.end()}, result.dtype()}, numbers, 0.3, 1.5);
    }
  }

  const Point& point() const { return point_; }
  // Of the first result.
  const Ints& result_sizes() const { return shapes_.at(inputs_).sizes; }

  // The weighted sum of all results.
  double loss_at(const Point& point) const { return value_of(loss(tensors(point))); }

  // The derivatives of the loss.
  Point gradient() const {
    const std::vector<Tensor> variables = tracked(point_);
    return numbers_of_all(gradients(loss(variables), variables, 0));
  }

  // A weighted sum of the derivatives of the loss by the inputs.
  double slope_at(const Point& point) const {
    const std::vector<Tensor> variables = tracked(point);
    return value_of(slope(gradients(loss(variables), variables, 0)));
  }

  // The derivatives of that.
  Point second_gradient() const {
    const std::vector<Tensor> variables = tracked(point_);
    const auto first = gradients(loss(variables), variables, TENON_BACKWARD_CREATE_GRAPH);
    return numbers_of_all(gradients(slope(first), variables, 0));
  }

 private:
  // Floating and complex results of the call.
  std::vector<Tensor> results(const std::vector<Tensor>& variables) const {
    std::vector<Value> arguments;
    size_t next = 0;
    for (const Argument& argument : sample_.arguments) {
      std::vector<Tensor> given;
      for (size_t i = 0; i < argument.inputs.size(); ++i) given.push_back(input(variables[next++]));
      if (argument.is_list) {
        arguments.emplace_back(given);
      } else if (given.empty()) {
        arguments.push_back(argument.value);
      } else {
        arguments.emplace_back(given[0]);
      }
    }
    if (is_in_place(way_.op)) arguments[0] = call("aten::clone", arguments[0].tensor());
    std::vector<Keyword> keywords = sample_.keywords;
    if (sample_.seed != 0) keywords.push_back(kw("generator", Generator(sample_.seed)));
    std::vector<Tensor> found;
    for (const Value& value : Op(way_.op).call(arguments, keywords)) {
      if (value.tag() == TENON_TAG_TENSOR) {
        keep(value.tensor(), found);
      } else {
        for (int64_t i = 0; i < value.tensors().size(); ++i) keep(*value.tensors()[i], found);
      }
    }
    return found;
  }

  void add(Shape shape, Numbers& numbers, double low, double high) {
    Doubles elements;
    for (int64_t i = 0; i < count_of(shape); ++i) elements.push_back(numbers.between(low, high));
    shapes_.push_back(std::move(shape));
    point_.push_back(std::move(elements));
  }

  // Integer results have no gradient.
  static void keep(const Tensor& result, std::vector<Tensor>& found) {
    if (!is_integral(result.dtype())) found.push_back(result);
  }

  Tensor input(const Tensor& variable) const {
    return way_.transposed ? transposed(variable) : variable;
  }

  std::vector<Tensor> tensors(const Point& point) const {
    std::vector<Tensor> made;
    for (size_t i = 0; i < point.size(); ++i) made.push_back(tensor_of(point[i], shapes_[i]));
    return made;
  }
  std::vector<Tensor> tracked(const Point& point) const {
    std::vector<Tensor> made = tensors(point);
    for (const Tensor& one : made) check(tenon_tensor_set_requires_grad(one.get(), 1));
    return made;
  }

  static Tensor plus(const Tensor& sum, const Tensor& term) {
    return sum ? call("aten::add.Tensor", sum, term) : term;
  }
  // Real, also where the sum is complex.
  Tensor real(const Tensor& sum) const { return way_.is_complex ? call("aten::abs", sum) : sum; }

  Tensor loss(const std::vector<Tensor>& variables) const {
    Tensor sum;
    const std::vector<Tensor> found = results(variables);
    for (size_t i = 0; i < found.size(); ++i) {
      const Tensor weighted = call("aten::mul.Tensor", found[i], variables[inputs_ + i]);
      sum = plus(sum, call("aten::sum", weighted));
    }
    return real(sum);
  }

  Tensor slope(const std::vector<Tensor>& gradients) const {
    Tensor sum;
    Numbers numbers(13);
    for (size_t i = 0; i < inputs_; ++i) {
      Doubles weights;
      for (int64_t k = 0; k < count_of(shapes_[i]); ++k)
        weights.push_back(numbers.between(0.3, 1.5));
      const Tensor weighted =
          call("aten::mul.Tensor", gradients[i], tensor_of(weights, shapes_[i]));
      sum = plus(sum, call("aten::sum", weighted));
    }
    return real(sum);
  }

  // By all variables; zeros where there is none.
  std::vector<Tensor> gradients(const Tensor& output, const std::vector<Tensor>& variables,
                                uint32_t flags) const {
    std::vector<tenon_tensor*> inputs;
    for (const Tensor& one : variables) inputs.push_back(one.get());
    std::vector<tenon_tensor*> found(inputs.size(), nullptr);
    if (tenon_tensor_requires_grad(output.get()) != 0) {
      tenon_tensor* outputs[] = {output.get()};
      tenon_backward_options options{};
      options.struct_size = sizeof(options);
      options.flags = flags | TENON_BACKWARD_ALLOW_UNUSED;
      options.outputs = outputs;
      options.noutputs = 1;
      options.inputs = inputs.data();
      options.ninputs = static_cast<int64_t>(inputs.size());
      check(tenon_grad(&options, found.data()));
    }
    std::vector<Tensor> made;
    for (size_t i = 0; i < found.size(); ++i) {
      made.push_back(found[i] != nullptr ? Tensor(found[i])
                                         : tensor_of(Doubles(point_[i].size(), 0.0), shapes_[i]));
      EXPECT_EQ(sizes(made[i]), shapes_[i].sizes) << "gradient " << i;
      EXPECT_EQ(made[i].dtype(), shapes_[i].dtype) << "gradient " << i;
    }
    return made;
  }

  static Point numbers_of_all(const std::vector<Tensor>& tensors) {
    Point numbers;
    for (const Tensor& one : tensors) numbers.push_back(numbers_of(one));
    return numbers;
  }
  static double value_of(const Tensor& tensor) { return numbers_of(tensor).at(0); }

  const Sample& sample_;
  const Way& way_;
  std::vector<Shape> shapes_;
  Point point_;
  size_t inputs_ = 0;
};

// Each derivative beside the difference of values at both sides.
template <class Value>
void expect_differences(const char* what, const Point& gradient, Point point, Value&& value) {
  for (size_t i = 0; i < point.size(); ++i) {
    for (size_t k = 0; k < point[i].size(); ++k) {
      const double here = point[i][k];
      point[i][k] = here + kStep;
      const double above = value(point);
      point[i][k] = here - kStep;
      const double below = value(point);
      point[i][k] = here;
      const double expected = (above - below) / (2 * kStep);
      if (std::isnan(expected) && std::isnan(gradient[i][k])) continue;
      EXPECT_NEAR(gradient[i][k], expected, kTolerance * (1 + 10 * std::fabs(expected)))
          << what << " derivative by element " << k << " of variable " << i;
    }
  }
}

}  // namespace

void check_gradients(const Sample& sample, const Way& way) {
  SCOPED_TRACE(way.op + (way.transposed ? ", transposed" : "") +
               (way.is_complex ? ", complex" : ""));
  try {
    const Run run(sample, way);
    expect_differences("first", run.gradient(), run.point(),
                       [&](const Point& point) { return run.loss_at(point); });
    expect_differences("second", run.second_gradient(), run.point(),
                       [&](const Point& point) { return run.slope_at(point); });
  } catch (const Error& error) {
    ADD_FAILURE() << error.what();
  }
}

bool keeps_sizes(const Sample& sample) {
  const std::vector<Input>& first = sample.arguments[0].inputs;
  const Way way{sample.op};
  return first.size() == 1 && Run(sample, way).result_sizes() == first[0].sizes;
}

}  // namespace tenon::tests
