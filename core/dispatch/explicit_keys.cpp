// SPDX-License-Identifier: Apache-2.0
#include "dispatch/explicit_keys.h"

#include "base/check.h"
#include "dispatch/key_set.h"
#include "dispatch/operator_entry.h"
#include "schema/schema.h"
#include "tenon/device.h"
#include "tensor/device.h"
#include "tensor/tensor.h"
#include "value/value.h"

namespace tenon::dispatch {

namespace {

using base::ErrorObject;
using base::ErrorPtr;

constexpr tenon_keyset kDenseBit = functionality_bit(TENON_FUNCTIONALITY_DENSE);
constexpr int kMaxNesting = 64;  // levels searched, as in key extraction

uint32_t highest_backend(tenon_keyset keys) noexcept {
  return highest_bit((keys & kBackendMask) | 1);
}

// Returns true if kernels that serve `keys` may read the tensor's memory, or if a layer that is
// among `keys` replaces the tensor before they do.
bool is_readable(const tenon_tensor& tensor, tenon_keyset keys) noexcept {
  const tenon_keyset carried = tensor.keys();
  const tenon_keyset layers = carried & kFunctionalityMask;
  if (layers == 0) return true;  // the undefined tensor, which kernels refuse by name
  if ((layers & kDenseBit) != 0) return highest_backend(carried) <= highest_backend(keys);
  const tenon_keyset lowest = layers & (~layers + 1);
  return (keys & lowest) != 0;
}

const tenon_tensor* first_unreadable(const tenon_value& value, tenon_keyset keys,
                                     int depth) noexcept {
  const auto check = [&](const tenon_tensor* tensor) {
    return tensor == nullptr || is_readable(*tensor, keys) ? nullptr : tensor;
  };
  if (value.tag == TENON_TAG_TENSOR) return check(value.as.tensor);
  if (value.tag == TENON_TAG_TENSOR_LIST) {
    const auto* tensors = static_cast<const tenon_tensor* const*>(value.as.list.data);
    for (uint32_t i = 0; i < value.count; ++i) {
      if (const tenon_tensor* found = check(tensors[i])) return found;
    }
  } else if (value::is_value_list(value.tag) && depth < kMaxNesting) {
    const uint64_t count = value::element_count(value);
    for (uint64_t i = 0; i < count; ++i) {
      if (auto* found = first_unreadable(value::elements(value)[i], keys, depth + 1)) return found;
    }
  }
  return nullptr;
}

std::string describe(const tenon_tensor& tensor) {
  const tenon_keyset keys = tensor.keys();
  const std::string device = tensor::print_device(tensor.device());
  if ((keys & functionality_bit(TENON_FUNCTIONALITY_FAKE)) != 0) {
    return base::concat("a fake tensor on ", device, ", which has no memory");
  }
  if ((keys & kDenseBit) == 0) return "a hollow tensor, which has no memory";
  if (highest_backend(keys) == TENON_BACKEND_META) return "one on meta, which has no memory";
  return base::concat("one on ", device);
}

}  // namespace

ErrorPtr unreadable_argument(const tenon_op& op, const Snapshot& snapshot, tenon_keyset keys,
                             const tenon_value* args, uint32_t nargs) noexcept {
  keys &= snapshot.mask;
  const uint32_t backend = highest_backend(keys);
  if ((keys & kDenseBit) == 0 || backend == TENON_BACKEND_META) return {};
  for (uint32_t i = 0; i < nargs; ++i) {
    const tenon_tensor* tensor = first_unreadable(args[i], keys, 0);
    if (tensor == nullptr) continue;
    try {
      const auto& named = snapshot.schema->arguments();
      const std::string argument =
          i < named.size() ? std::string(named[i].name.view()) : base::concat("argument ", i);
      return ErrorPtr::adopt(ErrorObject::make(
          TENON_ERROR_INVALID_ARGUMENT, {},
          base::concat(op.name(), ": ", argument, " must be a tensor that kernels for ",
                       key_name(TENON_FUNCTIONALITY_DENSE | backend << 8), " can read, got ",
                       describe(*tensor), "; call the operator without explicit keys")));
    } catch (const std::exception&) {
      return ErrorPtr::adopt(ErrorObject::out_of_memory());
    }
  }
  return {};
}

}  // namespace tenon::dispatch
