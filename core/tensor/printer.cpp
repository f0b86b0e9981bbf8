// SPDX-License-Identifier: Apache-2.0
// The rules (widths, scientific notation, summaries, line breaks) are those of PyTorch's default
// print options, so that texts can be compared.
#include "tensor/printer.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string_view>
#include <vector>

#include "base/concat.h"
#include "tensor/element.h"

namespace tenon::tensor {

namespace {

constexpr int kPrecision = 4;
constexpr int64_t kThreshold = 1000;
constexpr int64_t kEdgeItems = 3;
constexpr int64_t kMostShown = 100'000;  // PyTorch has no limit and would never finish 64 dims of 2
constexpr size_t kLineWidth = 80;
constexpr std::string_view kPrefix = "tensor(";
constexpr std::string_view kFakePrefix = "FakeTensor(";

std::string number_text(double value, std::chars_format format, int precision) {
  if (std::isnan(value)) return "nan";
  char digits[512];  // the longest text: 309 digits, point, precision
  return {digits, std::to_chars(digits, digits + sizeof digits, value, format, precision).ptr};
}

// The common notation and width of all numbers of one tensor.
class FloatFormat {
 public:
  explicit FloatFormat(const std::vector<double>& values) {
    double smallest = INFINITY;
    double largest = 0.0;
    for (double value : values) {
      if (!std::isfinite(value) || value == 0.0) continue;
      smallest = std::min(smallest, std::abs(value));
      largest = std::max(largest, std::abs(value));
      integers_ = integers_ && value == std::ceil(value);
    }
    if (largest == 0.0) return;  // only zeros, infinities and NaN
    scientific_ = largest / smallest > 1000.0 || largest > 1.0e8 || smallest < 1.0e-4;
    for (double value : values) {
      if (!std::isfinite(value) || value == 0.0) continue;
      width_ = std::max(width_, bare(value).size());
    }
  }

  size_t width() const { return width_; }
  std::string format(double value) const {
    std::string text = bare(value);
    if (text.size() < width_) text.insert(0, width_ - text.size(), ' ');
    return text;
  }

 private:
  std::string bare(double value) const {
    if (scientific_) return number_text(value, std::chars_format::scientific, kPrecision);
    if (!integers_) return number_text(value, std::chars_format::fixed, kPrecision);
    std::string text = number_text(value, std::chars_format::fixed, 0);
    if (std::isfinite(value)) text += '.';
    return text;
  }

  bool integers_ = true;
  bool scientific_ = false;
  size_t width_ = 1;
};

// Walks the elements that are shown and lays out their texts. The shape is copied before the
// address is read: memory only grows, so that it has room for that shape even if another thread
// resizes the tensor at the same time.
class Printer {
 public:
  explicit Printer(const Tensor& tensor)
      : tensor_(tensor),
        ndim_(tensor.copy_dims(sizes_, strides_)),
        data_(static_cast<const char*>(tensor.data())),
        real_({}),
        imaginary_({}) {
    int64_t numel = 1;
    for (int32_t dim = 0; dim < ndim_; ++dim) numel *= sizes_[dim];
    summarize_ = numel > kThreshold;
    limit_dims();
    std::vector<double> real;
    std::vector<double> imaginary;
    visit(0, data_, [&](const char* element) {
      if (complex()) {
        const auto value = load_complex(element, tensor_.dtype());
        real.push_back(value.real());
        imaginary.push_back(value.imag());
      } else if (is_floating(tensor_.dtype())) {
        real.push_back(load_real(element, tensor_.dtype()));
      } else {
        integer_width_ = std::max(integer_width_, integer_text(element).size());
      }
    });
    real_ = FloatFormat(real);
    imaginary_ = FloatFormat(imaginary);
  }

  std::string print() const { return print_from(0, data_, kPrefix.size()); }

 private:
  bool complex() const { return is_complex(tensor_.dtype()); }
  const char* at(int32_t dim, const char* start, int64_t index) const {
    return start + index * strides_[dim] * tensor_.itemsize();
  }
  // Finds the outermost dims of which only the first slice is shown, to limit the output.
  void limit_dims() {
    int64_t shown = 1;
    for (int32_t dim = ndim_ - 1; dim >= 0; --dim) {
      const int64_t size = sizes_[dim];
      shown *= summarize_ ? std::min(size, 2 * kEdgeItems) : size;
      if (shown <= kMostShown) continue;
      first_only_ = dim + 1;
      return;
    }
  }

  // Number of slices shown before and after a gap; no gap if all are shown.
  struct ShownSlices {
    int64_t head, tail;
  };
  ShownSlices shown(int32_t dim) const {
    const int64_t size = sizes_[dim];
    if (dim < first_only_) return {1, 0};
    if (summarize_ && size > 2 * kEdgeItems) return {kEdgeItems, kEdgeItems};
    return {size, 0};
  }

  // Calls `item(start of the slice)` for each shown index of a dim, and `gap()` in between.
  template <class Item, class Gap>
  void for_shown(int32_t dim, const char* start, Item&& item, Gap&& gap) const {
    const int64_t size = sizes_[dim];
    const auto [head, tail] = shown(dim);
    for (int64_t i = 0; i < head; ++i) item(at(dim, start, i));
    if (head + tail < size) gap();
    for (int64_t i = size - tail; i < size; ++i) item(at(dim, start, i));
  }

  template <class Item>
  void visit(int32_t dim, const char* start, Item&& item) const {
    if (dim == ndim_) {
      item(start);
    } else {
      for_shown(
          dim, start, [&](const char* slice) { visit(dim + 1, slice, item); }, [] {});
    }
  }

  std::string integer_text(const char* element) const {
    const int64_t value = load_integer(element, tensor_.dtype());
    if (tensor_.dtype() == TENON_DTYPE_BOOL) return value != 0 ? "True" : "False";
    if (tensor_.dtype() == TENON_DTYPE_U64) return base::concat(static_cast<uint64_t>(value));
    return base::concat(value);
  }

  std::string element_text(const char* element) const {
    if (complex()) {
      const auto value = load_complex(element, tensor_.dtype());
      std::string imaginary = imaginary_.format(value.imag()) + "j";
      imaginary.erase(0, imaginary.find_first_not_of(' '));
      const bool has_sign = imaginary[0] == '-' || imaginary[0] == '+';
      return real_.format(value.real()) + (has_sign ? "" : "+") + imaginary;
    }
    if (is_floating(tensor_.dtype())) return real_.format(load_real(element, tensor_.dtype()));
    std::string text = integer_text(element);
    return text.insert(0, integer_width_ - std::min(integer_width_, text.size()), ' ');
  }

  size_t element_width() const {
    if (complex()) return real_.width() + 2 + imaginary_.width() + 1;
    return (is_floating(tensor_.dtype()) ? real_.width() : integer_width_) + 2;
  }

  std::string print_vector(int32_t dim, const char* start, size_t indent) const {
    std::vector<std::string> items;
    for_shown(
        dim, start, [&](const char* element) { items.push_back(element_text(element)); },
        [&] { items.push_back(" ..."); });
    const size_t room = kLineWidth > indent ? kLineWidth - indent : 0;
    const size_t per_line = std::max<size_t>(1, room / element_width());
    std::string text = "[";
    for (size_t i = 0; i < items.size(); ++i) {
      if (i != 0 && i % per_line == 0) {
        text += ",\n";
        text.append(indent + 1, ' ');
      } else if (i != 0) {
        text += ", ";
      }
      text += items[i];
    }
    return text += ']';
  }

  std::string print_from(int32_t dim, const char* start, size_t indent) const {
    const int32_t rest = ndim_ - dim;
    if (rest == 0) return element_text(start);
    if (rest == 1) return print_vector(dim, start, indent);
    std::string text = "[";
    const auto separate = [&] {
      if (text.size() == 1) return;
      text += ',';
      text.append(static_cast<size_t>(rest - 1), '\n');
      text.append(indent + 1, ' ');
    };
    for_shown(
        dim, start,
        [&](const char* slice) {
          separate();
          text += print_from(dim + 1, slice, indent + 1);
        },
        [&] {
          separate();
          text += "...";
        });
    return text += ']';
  }

  const Tensor& tensor_;
  int64_t sizes_[TENON_TENSOR_MAX_DIMS];
  int64_t strides_[TENON_TENSOR_MAX_DIMS];
  int32_t ndim_;
  const char* data_;
  bool summarize_ = false;
  int32_t first_only_ = 0;
  FloatFormat real_;
  FloatFormat imaginary_;
  size_t integer_width_ = 1;
};

std::string size_text(const Tensor& tensor) {
  std::string text = "size=(";
  for (int32_t dim = 0; dim < tensor.ndim(); ++dim) {
    if (dim != 0) text += ", ";
    append_dim(text, tensor.sizes()[dim]);
  }
  return text += tensor.ndim() == 1 ? ",)" : ")";
}

std::string with_suffixes(std::string text, size_t indent,
                          const std::vector<std::string>& suffixes) {
  const size_t newline = text.rfind('\n');
  size_t line = text.size() + 1 - (newline == std::string::npos ? size_t(-1) : newline);
  for (const std::string& suffix : suffixes) {
    if (line + suffix.size() + 2 > kLineWidth) {
      text += ",\n";
      text.append(indent, ' ');
      line = indent + suffix.size();
    } else {
      text += ", ";
      line += suffix.size() + 2;
    }
    text += suffix;
  }
  return text += ')';
}

}  // namespace

std::string print_tensor(const Tensor& tensor) {
  if (tensor.is_undefined()) return "tensor(undefined)";
  const tenon_dtype dtype = tensor.dtype();
  const std::string_view prefix = tensor.is_fake() ? kFakePrefix : kPrefix;
  const bool on_cpu = tensor.device().type == TENON_DEVICE_CPU;
  const bool shown = on_cpu && tensor.has_memory();
  const bool empty = tensor.numel() == 0;
  std::vector<std::string> suffixes;
  if (!on_cpu) suffixes.push_back("device='" + print_device(tensor.device()) + "'");
  if (!shown || (empty && tensor.ndim() != 1)) suffixes.push_back(size_text(tensor));
  // Elements show that they are int64, bool or complex and not the default dtype; without elements,
  // the name is needed.
  const bool shown_by_elements =
      shown && !empty &&
      (dtype == TENON_DTYPE_I64 || dtype == TENON_DTYPE_BOOL || dtype == default_complex_dtype());
  if (dtype != default_dtype() && !shown_by_elements) {
    suffixes.push_back(base::concat("dtype=", dtype_name(dtype)));
  }
  std::string text(prefix);
  text += !shown ? "..." : empty ? "[]" : Printer(tensor).print();
  return with_suffixes(std::move(text), prefix.size(), suffixes);
}

}  // namespace tenon::tensor
