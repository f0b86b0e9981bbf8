// SPDX-License-Identifier: Apache-2.0
// Random programs of operators, views and in-place writes. For every program, first and second
// derivatives must match numerical ones, or some step must be refused; nothing may leak.
#include <array>
#include <deque>
#include <set>
#include <utility>
#include <vector>

#include "fuzz.h"
#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/lsan_interface.h>
#endif

namespace tenon::fuzz {
namespace {

constexpr size_t kMaxTensors = 24;
constexpr int kMaxSteps = 24;

// One call of the function under gradcheck. Its tensors live as long as the Program.
class Program {
 public:
  Program(std::string_view bytes, const tenon_value* inputs, uint32_t count)
      : input_(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()) {
    for (uint32_t i = 0; i < count; ++i) {
      // Clone: a leaf that requires grad must not be written in place.
      call("aten::clone", {inputs[i]});
    }
    const int64_t sizes[2] = {2, 3};
    add(zeros(sizes));  // a buffer without gradient history
  }
  ~Program() {
    for (tenon_tensor* each : tensors_) tenon_tensor_release(each);
  }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  // Skips steps that are refused.
  void run() {
    for (int step = 0; step < kMaxSteps && !input_.empty(); ++step) {
      if (tensors_.size() >= kMaxTensors) break;
      make_step();
      settle(std::exchange(status_, TENON_OK));
    }
  }

  // Returns the sines of the last three tensors, which are bounded however large the tensors
  // became.
  tenon_status give(tenon_value* result) {
    std::vector<tenon_value> ends;
    const size_t count = tensors_.size();
    for (size_t i = count - 3; i < count && status_ == TENON_OK; ++i) {
      call("aten::sin", {value(i)});
    }
    if (status_ != TENON_OK) return status_;
    for (size_t i = count; i < tensors_.size(); ++i) ends.push_back(value(i));
    return tenon_value_new_list(TENON_TAG_LIST, ends.data(), static_cast<int64_t>(ends.size()),
                                result);
  }

  // Returns true if a tensor that a node may have saved was written later. This can create a
  // reference cycle: the written tensor's node may lead to the node that saved the tensor.
  bool wrote_saved() const { return wrote_saved_; }

 private:
  static tenon_tensor* zeros(const int64_t (&sizes)[2]) {
    tenon_tensor* made = nullptr;
    FUZZ_CHECK(tenon_tensor_new(TENON_DTYPE_F64, nullptr, 2, sizes, nullptr, &made) == TENON_OK);
    void* data = nullptr;
    FUZZ_CHECK(tenon_tensor_data(made, &data) == TENON_OK);
    std::memset(data, 0, 6 * sizeof(double));
    return made;
  }

  tenon_value value(size_t index) const { return tenon_value_of_tensor(tensors_[index]); }
  void add(tenon_tensor* tensor) { tensors_.push_back(tensor); }
  size_t pick() { return input_.below(static_cast<uint32_t>(tensors_.size())); }
  int64_t ndim(size_t index) const { return describe(index).ndim; }
  tenon_tensor_info describe(size_t index) const {
    tenon_tensor_info info;
    FUZZ_CHECK(tenon_tensor_describe(tensors_[index], &info) == TENON_OK);
    return info;
  }
  // Returns the storage, which is equal for tensors that share memory.
  const void* memory(size_t index) const { return tenon_tensor_storage(tensors_[index]); }

  void call(const char* name, const std::vector<tenon_value>& args) {
    const tenon_op* op = nullptr;
    FUZZ_CHECK(tenon_op_find(name, &op) == TENON_OK, name);
    tenon_value result{};
    status_ = tenon_op_call_named(op, args.data(), static_cast<int64_t>(args.size()), nullptr,
                                  nullptr, 0, &result, 1);
    if (status_ == TENON_OK) add(result.as.tensor);
  }

  void save(size_t index) { saved_.insert(memory(index)); }
  void write(size_t index) { wrote_saved_ = wrote_saved_ || saved_.contains(memory(index)); }

  void make_step() {
    const uint32_t kind = input_.below(4);
    const size_t index = pick();
    if (kind == 0) {
      apply(index);
    } else if (kind == 1) {
      view(index);
    } else {
      change(index);
    }
  }

  void apply(size_t index) {
    constexpr const char* kUnary[] = {"aten::sin",     "aten::cos",   "aten::tanh", "aten::neg",
                                      "aten::sigmoid", "aten::clone", "aten::sum"};
    constexpr const char* kBinary[] = {"aten::add.Tensor", "aten::sub.Tensor", "aten::mul.Tensor"};
    save(index);
    const uint32_t which = input_.below(std::size(kUnary) + std::size(kBinary));
    if (which < std::size(kUnary)) {
      call(kUnary[which], {value(index)});
      save(tensors_.size() - 1);
      return;
    }
    const size_t other = pick();
    save(other);
    call(kBinary[which - std::size(kUnary)], {value(index), value(other)});
  }

  void view(size_t index) {
    const int64_t dims = ndim(index);
    const tenon_value self = value(index);
    const auto number = [](int64_t given) { return tenon_value_of_int(given); };
    const int64_t dim = dims == 0 ? 0 : input_.below(static_cast<uint32_t>(dims));
    switch (input_.below(7)) {
      case 0:
        return call("aten::select.int", {self, number(dim), number(input_.below(3))});
      case 1:
        return call("aten::slice.Tensor", {self, number(dim), number(input_.below(2)), number(3),
                                           number(1 + input_.below(2))});
      case 2:
        return call("aten::transpose.int", {self, number(0), number(dim)});
      case 3:
        return call("aten::unsqueeze", {self, number(dim)});
      case 4:
        return call("aten::squeeze", {self});
      case 5: {
        const int64_t all = -1;
        return call("aten::view", {self, tenon_value_of_ints(&all, 1)});
      }
      default:
        return spread(index);
    }
  }

  // Makes overlapping elements with as_strided(), and clones them, because writes to overlapping
  // elements have no defined order.
  void spread(size_t index) {
    const tenon_tensor_info info = describe(index);
    if (info.numel < 3 || (info.flags & TENON_TENSOR_CONTIGUOUS) == 0) return;
    const int64_t sizes[2] = {info.numel - 1, 2};
    const int64_t strides[2] = {1, 1};
    call("aten::as_strided",
         {value(index), tenon_value_of_ints(sizes, 2), tenon_value_of_ints(strides, 2),
          tenon_value_of_int(info.storage_offset)});
    if (status_ == TENON_OK) call("aten::clone", {value(tensors_.size() - 1)});
    if (status_ != TENON_OK) return;
    std::swap(tensors_[tensors_.size() - 1], tensors_[tensors_.size() - 2]);
    tenon_tensor_release(tensors_.back());
    tensors_.pop_back();
  }

  void change(size_t index) {
    constexpr const char* kUnary[] = {"aten::sin_", "aten::tanh_", "aten::neg_", "aten::sigmoid_",
                                      "aten::zero_"};
    constexpr const char* kBinary[] = {"aten::add_.Tensor", "aten::sub_.Tensor",
                                       "aten::mul_.Tensor", "aten::copy_"};
    const uint32_t which = input_.below(std::size(kUnary) + std::size(kBinary));
    const size_t other = pick();
    // Reading memory that the same call writes has no defined order, unless both are the same
    // tensor.
    const bool reads = which >= std::size(kUnary);
    if (reads && other != index && memory(other) == memory(index)) return;
    write(index);
    save(index);
    if (reads) save(other);
    if (reads) {
      call(kBinary[which - std::size(kUnary)], {value(index), value(other)});
    } else {
      call(kUnary[which], {value(index)});
    }
  }

  Input input_;
  tenon_status status_ = TENON_OK;
  std::deque<tenon_tensor*> tensors_;
  std::set<const void*> saved_;
  bool wrote_saved_ = false;
};

struct Function {
  std::string_view bytes;
  bool wrote_saved;
};

tenon_status run_program(void* ctx, tenon_stack* stack) {
  auto* function = static_cast<Function*>(ctx);
  Program program(function->bytes, stack->args, stack->nargs);
  program.run();
  const tenon_status status = program.give(&stack->rets[0]);
  function->wrote_saved = function->wrote_saved || program.wrote_saved();
  return status;
}

tenon_tensor* variable(const std::vector<int64_t>& sizes, Input& input) {
  tenon_tensor* made = nullptr;
  const auto ndim = static_cast<int32_t>(sizes.size());
  FUZZ_CHECK(tenon_tensor_new(TENON_DTYPE_F64, nullptr, ndim, sizes.data(), nullptr, &made) ==
             TENON_OK);
  tenon_tensor_info info;
  FUZZ_CHECK(tenon_tensor_describe(made, &info) == TENON_OK);
  for (int64_t i = 0; i < info.numel; ++i) {
    static_cast<double*>(info.data)[i] = (static_cast<double>(input.byte()) - 127.5) / 64;
  }
  FUZZ_CHECK(tenon_tensor_set_requires_grad(made, 1) == TENON_OK);
  return made;
}

void expect_no_report(tenon_status status, tenon_buffer* report) {
  settle(status);  // any refusal is allowed, but no INTERNAL error
  FUZZ_CHECK(report == nullptr, take_text(report));
}

void load_operators() {
  static const bool loaded = [] {
    const tenon_op* op = nullptr;
    return tenon_op_find("aten::add.Tensor", &op) == TENON_OK;
  }();
  FUZZ_CHECK(loaded);
}

// The first bytes are the elements of the inputs; the remaining bytes encode the steps.
void check_program(Input& input, bool* out_wrote_saved) {
  tenon_tensor* inputs[2] = {variable({2, 3}, input), variable({3}, input)};
  const bool second_order = input.coin();
  const tenon_value values[2] = {tenon_value_of_tensor(inputs[0]),
                                 tenon_value_of_tensor(inputs[1])};
  tenon_gradcheck_options options{};
  options.struct_size = sizeof options;
  options.flags = TENON_GRADCHECK_BACKWARD | TENON_GRADCHECK_UNDEFINED;
  options.eps = 1e-6;
  options.atol = 1e-5;
  options.rtol = 1e-4;
  Function function{input.rest(), false};
  tenon_buffer* report = nullptr;
  tenon_status status = tenon_gradcheck(&run_program, &function, values, 2, &options, &report);
  expect_no_report(status, report);
  if (status == TENON_OK && second_order) {
    status = tenon_gradgradcheck(&run_program, &function, values, 2, nullptr, 0, &options, &report);
    expect_no_report(status, report);
  }
  for (tenon_tensor* each : inputs) tenon_tensor_release(each);
  *out_wrote_saved = function.wrote_saved;
}

// Disables LeakSanitizer for tensors in the reference cycles that wrote_saved() describes. Other
// leaks are found by counting handles.
class WithoutLeakCheck {
 public:
#if defined(__SANITIZE_ADDRESS__)
  WithoutLeakCheck() { __lsan_disable(); }
  ~WithoutLeakCheck() { __lsan_enable(); }
#else
  WithoutLeakCheck() {}
#endif
  WithoutLeakCheck(const WithoutLeakCheck&) = delete;
  WithoutLeakCheck& operator=(const WithoutLeakCheck&) = delete;
};

}  // namespace

void fuzz_autograd(const uint8_t* data, size_t size) {
  load_operators();
  Input input(data, size);
  LeakCheck nothing_left;
  bool wrote_saved = false;
  const WithoutLeakCheck without_leak_check;
  check_program(input, &wrote_saved);
  if (wrote_saved) nothing_left.forget();
}

}  // namespace tenon::fuzz
