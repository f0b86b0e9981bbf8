// SPDX-License-Identifier: Apache-2.0
// Implements aten::einsum by calling other operators.
#include "kernels/ops/matmul/einsum.h"

#include <string_view>
#include <vector>

#include "kernels/common/shape.h"
#include "kernels/ops/arithmetic.h"

namespace tenon::kernels::ops {
namespace {

constexpr int kLabels = 52;  // letters
constexpr int kEllipsis = kLabels;

int label_of(char letter) {
  if (letter >= 'A' && letter <= 'Z') return letter - 'A';
  if (letter >= 'a' && letter <= 'z') return letter - 'a' + 26;
  return -1;
}

// The labels of one operand or of the result.
using Labels = std::vector<int>;

Labels labels_of(const Call& call, std::string_view text) {
  Labels labels;
  bool has_ellipsis = false;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == ' ') continue;
    if (text[i] == '.') {
      if (text.substr(i, 3) != "..." || has_ellipsis) {
        fail_argument(call.op(), "equation", "have '.' only in one \"...\" for each operand",
                      std::string(text));
      }
      has_ellipsis = true;
      labels.push_back(kEllipsis);
      i += 2;
      continue;
    }
    const int label = label_of(text[i]);
    if (label < 0)
      fail_argument(call.op(), "equation", "made of letters, commas, \"...\" and \"->\"",
                    std::string(text));
    labels.push_back(label);
  }
  return labels;
}

struct Equation {
  std::vector<Labels> operands;
  std::optional<Labels> result;
};

Equation parse(const Call& call, std::string_view text) {
  Equation equation;
  const size_t arrow = text.find("->");
  std::string_view left = text.substr(0, arrow);
  if (arrow != std::string_view::npos) equation.result = labels_of(call, text.substr(arrow + 2));
  for (;;) {
    const size_t comma = left.find(',');
    equation.operands.push_back(labels_of(call, left.substr(0, comma)));
    if (comma == std::string_view::npos) return equation;
    left.remove_prefix(comma + 1);
  }
}

// Returns an operand with a dim for each label of the result and each summed label; missing ones
// have size 1.
Tensor aligned(const Call& call, const Tensor& operand, const Labels& labels,
               const std::vector<int64_t>& place_of, int64_t ellipsis_dims, int64_t places) {
  Tensor tensor = operand;
  std::vector<int64_t> dim_at(static_cast<size_t>(places), -1);
  int64_t dim = 0;
  for (const int label : labels) {
    if (label == kEllipsis) {
      const int64_t own = operand.ndim() - (static_cast<int64_t>(labels.size()) - 1);
      for (int64_t k = ellipsis_dims - own; k < ellipsis_dims; ++k)
        dim_at[static_cast<size_t>(place_of[kEllipsis] + k)] = dim++;
      continue;
    }
    int64_t& at = dim_at[static_cast<size_t>(place_of[static_cast<size_t>(label)])];
    if (at < 0) {
      at = dim++;
      continue;
    }
    // A repeated label takes the diagonal of both dims, which becomes the last dim.
    if (tensor.size(at) != tensor.size(dim)) {
      fail(TENON_ERROR_INVALID_ARGUMENT,
           {call.op(), ": dims with the same label must have equal sizes, got ", tensor.size(at),
            " and ", tensor.size(dim), " in an operand of sizes ", operand.sizes()});
    }
    tensor = call_movedim(call_diagonal(tensor, 0, at, dim), -1, at);
  }
  Dims order;
  for (int64_t& at : dim_at) {
    if (at < 0) {
      at = tensor.ndim();
      tensor = call_unsqueeze(tensor, -1);
    }
    order.push_back(at);
  }
  return call_permute(tensor, order);
}

// Returns the product of two aligned operands, summed over some dims, which keep a size of 1.
Tensor pair_product(Tensor a, Tensor b, const std::vector<bool>& is_summed) {
  const int64_t places = a.ndim();
  Dims both, only_a, only_b, summed;
  for (int64_t k = 0; k < places; ++k) {
    const bool in_a = a.size(k) != 1, in_b = b.size(k) != 1;
    if (is_summed[static_cast<size_t>(k)]) {
      const int64_t dim[] = {k};
      if (in_a && in_b) {
        summed.push_back(k);
        continue;
      }
      // A dim of only one operand is summed first.
      if (in_a) a = call_sum(a, dim, true);
      if (in_b) b = call_sum(b, dim, true);
      both.push_back(k);
    } else if (in_a && in_b) {
      both.push_back(k);
    } else if (in_a) {
      only_a.push_back(k);
    } else if (in_b) {
      only_b.push_back(k);
    } else {
      both.push_back(k);
    }
  }
  if (summed.empty()) return call_mul(a, b);
  const auto count = [](const Tensor& tensor, const Dims& dims) {
    int64_t product = 1;
    for (const int64_t dim : dims) product *= tensor.size(dim);
    return product;
  };
  const auto batch_of = [&](const Tensor& tensor, const Dims& rows, const Dims& columns) {
    Dims order = both;
    for (const Dims* dims : {&rows, &columns}) {
      for (const int64_t dim : *dims) order.push_back(dim);
    }
    // Dims of the other operand have size 1 here.
    for (const int64_t dim : &rows == &only_a || &columns == &only_a ? only_b : only_a)
      order.push_back(dim);
    return call_reshape(call_permute(tensor, order),
                        Dims{count(tensor, both), count(tensor, rows), count(tensor, columns)});
  };
  const Tensor product = call_bmm(batch_of(a, only_a, summed), batch_of(b, summed, only_b));
  Dims sizes, order;
  order.resize(places);
  int64_t at = 0;
  for (const Dims* dims : {&both, &only_a, &only_b, &summed}) {
    for (const int64_t dim : *dims) {
      sizes.push_back(dims == &summed ? 1 : dims == &only_b ? b.size(dim) : a.size(dim));
      order[dim] = at++;
    }
  }
  return call_permute(call_reshape(product, sizes), order);
}

class Contraction {
 public:
  Contraction(const Call& call, Equation equation, std::vector<Tensor> operands)
      : call_(call), equation_(std::move(equation)), operands_(std::move(operands)) {
    check_ranks();
    place_labels();
    for (size_t k = 0; k < operands_.size(); ++k) {
      operands_[k] =
          aligned(call_, operands_[k], equation_.operands[k], place_of_, ellipsis_dims_, places_);
    }
    check_sizes();
  }
  Tensor run(const std::vector<int64_t>& path) {
    size_t step = 0;
    // Integers of a single operand are summed in int64, like a sum; products are not.
    const bool is_one = operands_.size() == 1;
    while (operands_.size() > 1) {
      size_t first = 0, second = 1;
      if (step < path.size()) {
        first = taken(path, step);
        second = taken(path, step + 1);
        if (first == second)
          fail_argument(call_.op(), "path", "have two operands in each step", Sizes(path));
        step += 2;
      }
      join(first, second);
    }
    Tensor result = operands_[0];
    Dims summed;
    for (int64_t k = kept_; k < places_; ++k) summed.push_back(k);
    if (summed.empty()) return result;
    return is_one ? call_sum(result, summed) : call_sum(result, summed, false, result.dtype());
  }

 private:
  void check_ranks() {
    for (size_t k = 0; k < operands_.size(); ++k) {
      const Labels& labels = equation_.operands[k];
      const bool has_ellipsis = std::find(labels.begin(), labels.end(), kEllipsis) != labels.end();
      const int64_t own =
          operands_[k].ndim() - static_cast<int64_t>(labels.size()) + (has_ellipsis ? 1 : 0);
      if (own < 0 || (!has_ellipsis && own != 0)) {
        fail(TENON_ERROR_INVALID_ARGUMENT,
             {call_.op(), ": equation must have a label for each dim of operand ", k,
              ", which has sizes ", operands_[k].sizes(), ", got ",
              static_cast<int64_t>(labels.size())});
      }
      if (has_ellipsis) ellipsis_dims_ = std::max(ellipsis_dims_, own);
    }
  }
  // The result's labels come first, in its order, followed by all others.
  void place_labels() {
    int counts[kLabels + 1] = {};
    for (const Labels& labels : equation_.operands) {
      for (const int label : labels) ++counts[label];
    }
    Labels result;
    if (equation_.result) {
      result = *equation_.result;
    } else {
      if (counts[kEllipsis] > 0) result.push_back(kEllipsis);
      for (int label = 0; label < kLabels; ++label) {
        if (counts[label] == 1) result.push_back(label);
      }
    }
    place_of_.assign(kLabels + 1, -1);
    for (const int label : result) {
      if (label != kEllipsis && counts[label] == 0) {
        fail(TENON_ERROR_INVALID_ARGUMENT, {call_.op(),
                                            ": equation must have each label of the result in an "
                                            "operand, got one that is in none"});
      }
      if (place_of_[static_cast<size_t>(label)] >= 0) {
        fail(TENON_ERROR_INVALID_ARGUMENT,
             {call_.op(), ": equation must have each label of the result once, got one twice"});
      }
      place(label);
    }
    kept_ = places_;
    if (counts[kEllipsis] > 0 && place_of_[kEllipsis] < 0) place(kEllipsis);
    for (int label = 0; label < kLabels; ++label) {
      if (counts[label] > 0 && place_of_[static_cast<size_t>(label)] < 0) place(label);
    }
  }
  void place(int label) {
    place_of_[static_cast<size_t>(label)] = places_;
    places_ += label == kEllipsis ? ellipsis_dims_ : 1;
  }
  void check_sizes() const {
    for (int64_t k = 0; k < places_; ++k) {
      int64_t size = 1;
      for (const Tensor& operand : operands_) {
        if (operand.size(k) == 1) continue;
        if (size != 1 && operand.size(k) != size) {
          fail(TENON_ERROR_INVALID_ARGUMENT,
               {call_.op(),
                ": operands must have equal sizes, or 1, in dims with the same label, got ", size,
                " and ", operand.size(k)});
        }
        size = operand.size(k);
      }
    }
  }
  size_t taken(const std::vector<int64_t>& path, size_t at) const {
    const int64_t which = at < path.size() ? path[at] : -1;
    if (which < 0 || which >= static_cast<int64_t>(operands_.size())) {
      fail_argument(call_.op(), "path", "pairs of the remaining operands", Sizes(path));
    }
    return static_cast<size_t>(which);
  }
  void join(size_t first, size_t second) {
    std::vector<bool> is_summed(static_cast<size_t>(places_));
    for (int64_t k = kept_; k < places_; ++k) {
      bool needed = false;
      for (size_t other = 0; other < operands_.size(); ++other) {
        needed = needed || (other != first && other != second && operands_[other].size(k) != 1);
      }
      is_summed[static_cast<size_t>(k)] = !needed;
    }
    const Tensor product = pair_product(operands_[first], operands_[second], is_summed);
    operands_.erase(operands_.begin() + static_cast<ptrdiff_t>(std::max(first, second)));
    operands_.erase(operands_.begin() + static_cast<ptrdiff_t>(std::min(first, second)));
    // In the default order the next step finds the product in front; in a given path it is the last
    // operand.
    if (call_.get<std::optional<Sizes>>(2)) {
      operands_.push_back(product);
    } else {
      operands_.insert(operands_.begin(), product);
    }
  }

  const Call& call_;
  Equation equation_;
  std::vector<Tensor> operands_;
  std::vector<int64_t> place_of_;
  int64_t ellipsis_dims_ = 0;
  int64_t places_ = 0;
  int64_t kept_ = 0;
};

}  // namespace

void einsum(const Call& call) {
  Equation equation = parse(call, call.get<std::string_view>(0));
  std::vector<Tensor> operands = tensors_of(call.get<TensorList>(1));
  if (operands.empty())
    fail_argument(call.op(), "tensors", "a list of at least one tensor", "an empty list");
  if (operands.size() != equation.operands.size()) {
    fail(TENON_ERROR_INVALID_ARGUMENT,
         {call.op(), ": equation must have labels for each of the ",
          static_cast<int64_t>(operands.size()), " operands, got them for ",
          static_cast<int64_t>(equation.operands.size())});
  }
  const auto given = call.get<std::optional<Sizes>>(2);
  const std::vector<int64_t> path =
      given ? std::vector<int64_t>(given->begin(), given->end()) : std::vector<int64_t>();
  call.give(0, Contraction(call, std::move(equation), std::move(operands)).run(path));
}

}  // namespace tenon::kernels::ops
