// SPDX-License-Identifier: Apache-2.0
// Replays golden cases and compares results.
#include "kernels/golden.h"

#include <cmath>
#include <cstdlib>
#include <sstream>

#include "kernels/golden_case.h"
#include "kernels/golden_elements.h"

namespace tenon::tests {
namespace {

tenon_status status_of(const std::string& name) {
  for (tenon_status status = 1; status < 30; ++status) {
    if (name == tenon_status_name(status)) return status;
  }
  ADD_FAILURE() << "unknown status " << name;
  return TENON_ERROR_INTERNAL;
}

Dtype dtype_named(const std::string& name) {
  tenon_dtype dtype = TENON_DTYPE_NONE;
  check(tenon_dtype_parse(name.c_str(), &dtype));
  return static_cast<Dtype>(dtype);
}

Ints ints_of(const std::string& text) {
  Ints numbers;
  if (text == "-") return numbers;
  std::istringstream in(text);
  for (std::string number; std::getline(in, number, ',');) {
    numbers.push_back(std::strtoll(number.c_str(), nullptr, 10));
  }
  return numbers;
}

std::vector<std::string> split(const std::string& line) {
  std::istringstream in(line);
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

// ---- comparison -----------------------------------------------------------------------------

// Relative tolerance per dtype if a case is not exact: a few roundings, because PyTorch's vector
// maths and ours round differently. Integers, bools and views must be equal.
double tolerance(Dtype dtype) {
  switch (dtype) {
    case Dtype::F64:
    case Dtype::C128:
      return 1e-14;
    case Dtype::F32:
    case Dtype::C64:
      return 2e-6;
    case Dtype::F16:
      return 0x1p-10;  // one unit in the last place
    case Dtype::BF16:
      return 0x1p-7;  // one unit in the last place
    default:
      return 0;  // float8 is computed as float32 and rounded once
  }
}

// Absolute tolerance, because sums of many terms may cancel.
double absolute_tolerance(Dtype dtype) {
  switch (dtype) {
    case Dtype::F64:
    case Dtype::C128:
      return 1e-14;
    case Dtype::F32:
    case Dtype::C64:
      return 1e-6;
    case Dtype::F16:
      return 1e-7;  // the smallest subnormal
    default:
      return 0;
  }
}

bool close(double actual, double expected, Dtype dtype, bool exact) {
  if (std::isnan(expected)) return std::isnan(actual);
  if (actual == expected) return true;
  if (exact || std::isinf(expected) || std::isinf(actual)) return false;
  return std::fabs(actual - expected) <=
         absolute_tolerance(dtype) + tolerance(dtype) * std::fabs(expected);
}

// A tensor that the host can read. From another device, the elements from the first to the last are
// copied.
class OnHost {
 public:
  explicit OnHost(const Tensor& tensor) : info_(tensor.info()) {
    if (info_.device.type == TENON_DEVICE_CPU || info_.numel == 0) return;
    int64_t last = 0;
    for (int32_t d = 0; d < info_.ndim; ++d) last += (info_.sizes[d] - 1) * info_.strides[d];
    bytes_.resize(static_cast<size_t>((last + 1) * size_of(tensor.dtype())));
    const Device cpu;
    check(tenon_device_copy(bytes_.data(), &cpu, info_.data, &info_.device,
                            static_cast<int64_t>(bytes_.size()), 1));
    info_.data = bytes_.data();
  }
  const tenon_tensor_info& info() const { return info_; }

 private:
  tenon_tensor_info info_;
  std::vector<char> bytes_;
};

// Returns the first difference, or an empty text if all elements agree.
std::string compare_elements(const Tensor& tensor, const std::vector<std::string>& expected,
                             size_t first, bool exact) {
  const OnHost on_host(tensor);
  const tenon_tensor_info& info = on_host.info();
  const Dtype dtype = tensor.dtype();
  if (static_cast<int64_t>(expected.size() - first) != info.numel) {
    return "has " + std::to_string(info.numel) + " elements, expected " +
           std::to_string(expected.size() - first);
  }
  std::string difference;
  size_t position = first;
  const bool whole = is_integral(dtype) || dtype == Dtype::Bool;
  each(info, [&](const char* at) {
    const std::string& text = expected[position++];
    if (!difference.empty()) return;
    char rounded[16];  // the file has the shortest text that reads back as the same number
    write_element(rounded, dtype, text);
    const Number wanted = read_element(rounded, dtype);
    const Number actual = read_element(at, dtype);
    const bool same = whole ? actual.integer == wanted.integer
                            : close(actual.real, wanted.real, dtype, exact) &&
                                  close(actual.imag, wanted.imag, dtype, exact);
    if (!same) {
      std::ostringstream out;
      out.precision(17);
      out << "element " << position - 1 - first << " is " << actual.real;
      if (is_complex(dtype)) out << "," << actual.imag;
      out << ", expected " << text;
      difference = out.str();
    }
  });
  return difference;
}

// ---- one case -------------------------------------------------------------------------------

// The arguments of a call: tensors in the file's order, and boxed values.
struct Call {
  Device device;
  std::vector<Tensor> tensors;
  std::vector<Value> positional;
  std::vector<Keyword> keywords;

  Tensor tensor(const std::vector<std::string>& words) {
    const Dtype dtype = dtype_named(words[1]);
    const Ints sizes = ints_of(words[2]);
    const Ints strides = ints_of(words[3]);
    const int64_t offset = std::strtoll(words[4].c_str(), nullptr, 10);
    Tensor base;
    if (words[5] != "-") {
      base = tensors[static_cast<size_t>(std::strtoll(words[5].c_str(), nullptr, 10))];
    } else {
      const Ints count{static_cast<int64_t>(words.size()) - 6};
      base = Tensor::empty(count, dtype, device);
      if (device.type != TENON_DEVICE_META) write(base, words, 6);
    }
    tensors.push_back(base.alias(sizes, strides, offset));
    return tensors.back();
  }

  // Sets all elements of a contiguous tensor to the words from `first` on.
  void write(const Tensor& tensor, const std::vector<std::string>& words, size_t first) const {
    const int64_t size = size_of(tensor.dtype());
    std::vector<char> bytes(static_cast<size_t>(tensor.numel() * size));
    for (size_t i = first; i < words.size(); ++i) {
      write_element(&bytes[(i - first) * static_cast<size_t>(size)], tensor.dtype(), words[i]);
    }
    if (bytes.empty()) return;
    const Device cpu;
    check(tenon_device_copy(tensor.raw_data(), &device, bytes.data(), &cpu,
                            static_cast<int64_t>(bytes.size()), 1));
  }

  Value value(const Case::Argument& argument) {
    const std::vector<std::string> words = split(argument.lines[0]);
    const std::string& kind = words[0];
    if (kind == "tensor") return tensor(words);
    if (kind == "again") return tensors.at(static_cast<size_t>(std::atoi(words[1].c_str())));
    if (kind == "tensors") {
      std::vector<Tensor> list;
      for (size_t i = 1; i < argument.lines.size(); ++i) {
        const std::string& line = argument.lines[i];
        list.push_back(line == "none" ? Tensor() : value({"", {line}}).tensor());
      }
      return list;
    }
    if (kind == "number") {
      const Scalar number = scalar(words[1], words[2]);
      tenon_tensor* handle = nullptr;
      check(tenon_tensor_new_number(&number.value(), &handle));
      return Tensor(handle);
    }
    if (kind == "none") return Value();
    if (kind == "ints") return ints_of(words[1]);
    if (kind == "bools") {
      const Ints numbers = ints_of(words[1]);
      const std::vector<uint8_t> truths(numbers.begin(), numbers.end());
      return Value(TENON_TAG_BOOL_LIST, truths.data(), truths.size());
    }
    if (kind == "str") return words[1];
    if (kind == "dtype") return dtype_named(words[1]);
    if (kind == "generator") return Generator(std::strtoull(words[1].c_str(), nullptr, 10));
    if (kind == "format") return static_cast<MemoryFormat>(std::atoi(words[1].c_str()));
    return scalar(kind, words[1]);
  }

  static Scalar scalar(const std::string& kind, const std::string& text) {
    if (kind == "bool") return text == "1";
    if (kind == "int") return int64_t{std::strtoll(text.c_str(), nullptr, 10)};
    const Number number = parse_number(text, Dtype::C128);
    if (kind == "float") return number.real;
    EXPECT_EQ(kind, "complex") << "unknown kind of value";
    return std::complex<double>(number.real, number.imag);
  }
};

std::string text_of(Sizes numbers) {
  std::string text;
  for (const int64_t number : numbers) {
    if (!text.empty()) text += ",";
    text += std::to_string(number);
  }
  return text.empty() ? "-" : text;
}

std::string compare_layout(const Tensor& tensor, const std::string& sizes,
                           const std::string& strides) {
  if (text_of(tensor.sizes()) != sizes) {
    return "has sizes " + text_of(tensor.sizes()) + ", expected " + sizes;
  }
  if (text_of(tensor.strides()) != strides) {
    return "has strides " + text_of(tensor.strides()) + ", expected " + strides;
  }
  return "";
}

std::string compare_result(const Call& call, const Value& value, const std::string& expected,
                           bool exact) {
  const std::vector<std::string> words = split(expected);
  if (words[0] == "same") {
    const auto index = static_cast<size_t>(std::atoi(words[1].c_str()));
    return value.tensor().get() == call.tensors.at(index).get()
               ? ""
               : "must be tensor argument " + words[1] + " itself";
  }
  if (words[0] != "tensor") {
    const Scalar wanted = Call::scalar(words[0], words[1]);
    if (value.get().tag != wanted.value().tag) return "must be " + words[0];
    const std::complex<double> a = value.scalar().to_complex();
    const std::complex<double> b = wanted.to_complex();
    return close(a.real(), b.real(), Dtype::F64, exact) &&
                   close(a.imag(), b.imag(), Dtype::F64, exact)
               ? ""
               : "must be " + words[1];
  }
  const Tensor tensor = value.tensor();
  if (tensor.dtype() != dtype_named(words[1])) {
    return std::string("has dtype ") + name_of(tensor.dtype()) + ", expected " + words[1];
  }
  std::string difference = compare_layout(tensor, words[2], words[3]);
  if (!difference.empty()) return difference;
  if (words[4] == "any") {
    // Without elements there is no storage to compare.
  } else if (words[4] != "new") {
    const size_t colon = words[4].find(':');
    const auto index = static_cast<size_t>(std::atoi(words[4].substr(4, colon - 4).c_str()));
    if (tenon_tensor_storage(tensor.get()) != tenon_tensor_storage(call.tensors.at(index).get())) {
      return "must share the storage of tensor argument " + std::to_string(index);
    }
    if (std::to_string(tensor.info().storage_offset) != words[4].substr(colon + 1)) {
      return "has storage offset " + std::to_string(tensor.info().storage_offset) + ", expected " +
             words[4].substr(colon + 1);
    }
  } else {
    for (const Tensor& argument : call.tensors) {
      if (tenon_tensor_storage(argument.get()) == tenon_tensor_storage(tensor.get())) {
        return "must have storage of its own";
      }
    }
  }
  const bool has_data = tensor.device().type != TENON_DEVICE_META;
  return has_data ? compare_elements(tensor, words, 5, exact) : "";
}

}  // namespace

void replay_case(const Case& golden, const Device& device) {
  SCOPED_TRACE(golden.file + ":" + std::to_string(golden.line) + ": " + golden.op + " " +
               golden.name + " on " + device.str());
  Call call;
  call.device = device;
  for (const Case::Argument& argument : golden.arguments) {
    Value value = call.value(argument);
    if (argument.keyword.empty()) {
      call.positional.push_back(std::move(value));
    } else {
      call.keywords.push_back({argument.keyword, std::move(value)});
    }
  }
  std::vector<Value> results;
  try {
    results = Op(golden.op).call(call.positional, call.keywords);
  } catch (const Error& error) {
    if (golden.status.empty()) {
      ADD_FAILURE() << "must succeed, got: " << error.what();
    } else {
      EXPECT_EQ(error.code(), status_of(golden.status)) << error.what();
      const std::string base = golden.op.substr(0, golden.op.find('.'));
      EXPECT_NE(std::string(error.what()).find("aten::"), std::string::npos)
          << "the message must name the operator: " << error.what();
    }
    return;
  }
  if (!golden.status.empty()) {
    ADD_FAILURE() << "must fail with " << golden.status << ", got a result";
    return;
  }
  if (results.size() == 1 && results[0].get().tag == TENON_TAG_TENSOR_LIST) {
    const Value list = std::move(results[0]);
    results.clear();
    for (int64_t i = 0; i < list.tensors().size(); ++i) results.emplace_back(*list.tensors()[i]);
  }
  ASSERT_EQ(results.size(), golden.results.size());
  for (size_t i = 0; i < results.size(); ++i) {
    const std::string difference =
        compare_result(call, results[i], golden.results[i], golden.exact);
    EXPECT_EQ(difference, "") << "result " << i;
  }
  for (const std::string& line : golden.after) {
    const std::vector<std::string> words = split(line);
    const Tensor& tensor = call.tensors.at(static_cast<size_t>(std::atoi(words[0].c_str())));
    EXPECT_EQ(compare_layout(tensor, words[1], words[2]), "") << "argument " << words[0];
    if (device.type != TENON_DEVICE_META) {
      EXPECT_EQ(compare_elements(tensor, words, 3, golden.exact), "") << "argument " << words[0];
    }
  }
}

void replay(const std::string& file) {
  const std::vector<Case> cases = read_cases(file);
  EXPECT_FALSE(cases.empty());
  int on_meta = 0;
  for (const Case& golden : cases) {
    replay_case(golden, Device());
    bool has_tensor = false;
    for (const Case::Argument& argument : golden.arguments) {
      has_tensor = has_tensor || argument.lines[0].rfind("tensor", 0) == 0;
    }
    if (golden.on_meta && has_tensor) {
      replay_case(golden, Device(TENON_DEVICE_META, 0));
      ++on_meta;
    }
  }
  ::testing::Test::RecordProperty("cases", static_cast<int>(cases.size()));
  ::testing::Test::RecordProperty("cases_on_meta", on_meta);
}

std::vector<double> elements(const Tensor& tensor) {
  EXPECT_FALSE(is_complex(tensor.dtype()));
  std::vector<double> result;
  const Dtype dtype = tensor.dtype();
  each(tensor.info(), [&](const char* at) { result.push_back(read_element(at, dtype).real); });
  return result;
}

std::vector<int64_t> sizes(const Tensor& tensor) {
  return {tensor.sizes().begin(), tensor.sizes().end()};
}
std::vector<int64_t> strides(const Tensor& tensor) {
  return {tensor.strides().begin(), tensor.strides().end()};
}

Tensor meta(std::initializer_list<int64_t> sizes, Dtype dtype) {
  return Tensor::empty(Sizes(sizes.begin(), sizes.size()), dtype, Device(TENON_DEVICE_META, 0));
}

}  // namespace tenon::tests
