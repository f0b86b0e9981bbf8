// SPDX-License-Identifier: Apache-2.0
// Step 4: one boxed kernel for every operator without an npu kernel; it runs the CPU kernel on
// copies.
#include <atomic>

#include "host.h"
#include "npu.h"

namespace npu {

namespace {

using tenon::Tensor;
using tenon::Value;

std::atomic<int64_t> calls{0};

// CPU copies of a call's npu tensors, each made once.
class HostCopies {
 public:
  // Returns the CPU copy, or the tensor itself if it is not on the device.
  tenon_tensor* of(tenon_tensor* handle) {
    if (handle == nullptr) return nullptr;
    for (const Pair& pair : pairs_) {
      if (pair.device.get() == handle) return pair.host.get();
    }
    Tensor tensor = Tensor::retain(handle);
    if (!is_npu(tensor)) return handle;
    pairs_.push_back({tensor, to_host(tensor)});
    return pairs_.back().host.get();
  }
  void write_back_to(tenon_tensor* handle) const {
    for (const Pair& pair : pairs_) {
      if (pair.device.get() == handle) write_back(pair.host, pair.device);
    }
  }
  // Converts a CPU result to the device: returns the argument that it is a copy of, or otherwise a
  // new tensor.
  Tensor back(const Tensor& result) const {
    for (const Pair& pair : pairs_) {
      if (pair.host.get() == result.get()) return pair.device;
    }
    return to_device(result);
  }

 private:
  struct Pair {
    Tensor device;
    Tensor host;
  };
  std::vector<Pair> pairs_;
};

// A call's arguments, with CPU copies of npu tensors, also in lists, and with the CPU as device.
class HostArguments {
 public:
  explicit HostArguments(const tenon_stack& stack) : args_(stack.args, stack.args + stack.nargs) {
    lists_.reserve(args_.size());
    for (tenon_value& arg : args_) {
      arg.flags = static_cast<uint16_t>(arg.flags & ~TENON_VALUE_MOVABLE);
      if (arg.tag == TENON_TAG_TENSOR) {
        arg.as.tensor = copies_.of(arg.as.tensor);
      } else if (arg.tag == TENON_TAG_TENSOR_LIST) {
        auto* const* tensors = static_cast<tenon_tensor* const*>(arg.as.list.data);
        std::vector<tenon_tensor*>& list = lists_.emplace_back(tensors, tensors + arg.count);
        for (tenon_tensor*& tensor : list) tensor = copies_.of(tensor);
        arg.as.list.data = list.data();
      } else if (arg.tag == TENON_TAG_DEVICE && arg.as.device.type == device_type()) {
        arg.as.device = tenon::Device();
      }
    }
  }
  tenon_value* data() { return args_.data(); }
  const HostCopies& copies() const { return copies_; }

 private:
  HostCopies copies_;
  std::vector<tenon_value> args_;
  std::vector<std::vector<tenon_tensor*>> lists_;
};

void move_results(const HostCopies& copies, tenon_stack* stack) {
  for (uint32_t i = 0; i < stack->nrets; ++i) {
    const Value result(std::exchange(stack->rets[i], tenon_value{}));
    if (result.tag() == TENON_TAG_TENSOR) {
      stack->rets[i] = Value(copies.back(result.tensor())).release();
    } else if (result.tag() == TENON_TAG_TENSOR_LIST) {
      std::vector<Tensor> moved;
      const tenon::TensorList list = result.tensors();
      for (int64_t j = 0; j < list.size(); ++j) moved.push_back(copies.back(*list[j]));
      stack->rets[i] = Value(moved).release();
    } else {
      stack->rets[i] = Value(result).release();
    }
  }
}

// Runs the CPU kernel on the stack, and writes changed copies back.
tenon_status run_on_host(const tenon_op* op, tenon_stack* stack) {
  HostArguments host(*stack);
  tenon_value* const own = std::exchange(stack->args, host.data());
  const tenon_status status =
      tenon_op_redispatch(op, tenon::KeySet::of({TENON_KEY_CPU}).bits, stack);
  stack->args = own;
  if (status != TENON_OK) return status;
  const tenon::Schema schema = tenon::Op(op).schema();
  for (uint32_t i = 0; i < stack->nargs && i < schema.argument_count(); ++i) {
    const bool written = (schema.argument(i).flags & TENON_ARGUMENT_WRITTEN) != 0;
    if (written && own[i].tag == TENON_TAG_TENSOR) {
      host.copies().write_back_to(own[i].as.tensor);
    }
  }
  move_results(host.copies(), stack);
  return TENON_OK;
}

tenon_status fall_back(void*, const tenon_op* op, tenon_keyset, tenon_stack* stack) {
  ++calls;
  tenon_status status = TENON_OK;
  const tenon_status thrown =
      tenon::detail::guarded(&stack->error, [&] { status = run_on_host(op, stack); });
  return thrown != TENON_OK ? thrown : status;
}

}  // namespace

bool is_npu(const Tensor& tensor) { return tensor.device().type == device_type(); }

int64_t byte_extent(const Tensor& tensor) {
  if (tensor.numel() == 0) return 0;
  int64_t elements = 1;
  for (int64_t dim = 0; dim < tensor.ndim(); ++dim) {
    elements +=
        (tensor.sizes()[static_cast<size_t>(dim)] - 1) * tensor.strides()[static_cast<size_t>(dim)];
  }
  return elements * tenon_dtype_size(static_cast<tenon_dtype>(tensor.dtype()));
}

Tensor to_host(const Tensor& tensor) {
  const Tensor host = Tensor::empty(tensor.sizes(), tensor.dtype(), {}, tensor.strides());
  const tenon::Device from = tensor.device();
  const tenon::Device to = host.device();
  tenon::check(tenon_device_copy(host.raw_data(), &to, tensor.raw_data(), &from,
                                 byte_extent(tensor), /*blocking=*/1));
  return host;
}

Tensor to_device(const Tensor& tensor) {
  const Tensor copy =
      Tensor::empty(tensor.sizes(), tensor.dtype(), {device_type(), 0}, tensor.strides());
  write_back(tensor, copy);
  return copy;
}

void write_back(const Tensor& host, const Tensor& tensor) {
  const tenon::Device from = host.device();
  const tenon::Device to = tensor.device();
  tenon::check(tenon_device_copy(tensor.raw_data(), &to, host.raw_data(), &from, byte_extent(host),
                                 /*blocking=*/1));
}

std::vector<Value> on_host_values(const std::string& name, std::vector<Value> arguments,
                                  std::vector<tenon::Keyword> keywords) {
  // The fallback is below all layers that have already handled this call.
  const tenon::Op op(name);
  const tenon::Schema schema = op.schema();
  std::vector<tenon_value> args(static_cast<size_t>(schema.argument_count()));
  for (size_t i = 0; i < args.size(); ++i) {
    const tenon_argument_info info = schema.argument(static_cast<int64_t>(i));
    if (info.default_value != nullptr) args[i] = *info.default_value;
    if (i < arguments.size()) args[i] = arguments[i].get();
    for (const tenon::Keyword& keyword : keywords) {
      if (keyword.name == info.name) args[i] = keyword.value.get();
    }
    args[i].flags = 0;
  }
  std::vector<tenon_value> rets(static_cast<size_t>(schema.return_count()));
  tenon_stack stack{};
  stack.args = args.data();
  stack.nargs = static_cast<uint32_t>(args.size());
  stack.rets = rets.data();
  stack.nrets = static_cast<uint32_t>(rets.size());
  if (run_on_host(op.get(), &stack) != TENON_OK) {
    tenon::detail::throw_error(stack.error != nullptr ? std::exchange(stack.error, nullptr)
                                                      : tenon_error_take());
  }
  std::vector<Value> results;
  for (tenon_value& ret : rets) results.emplace_back(std::exchange(ret, tenon_value{}));
  return results;
}

Tensor on_host(const std::string& op, std::vector<Value> arguments,
               std::vector<tenon::Keyword> keywords) {
  return on_host_values(op, std::move(arguments), std::move(keywords))[0].tensor();
}

void register_fallback(tenon::Library& all) { all.fallback(key(), &fall_back); }

int64_t fallback_calls() { return calls; }

}  // namespace npu
