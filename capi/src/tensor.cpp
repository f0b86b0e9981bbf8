// SPDX-License-Identifier: Apache-2.0
// Tensors and storages; see tenon/tensor.h. DLPack is in dlpack.cpp.
#include "tensor/tensor.h"

#include "autograd/tensor_state.h"
#include "base/check.h"
#include "base/read_struct.h"
#include "dispatch/alias_notice.h"
#include "guard.h"
#include "not_null.h"
#include "tenon/tensor.h"
#include "tensor/printer.h"
#include "value/buffer.h"
#include "value/value.h"

using tenon::capi::guarded;
using tenon::tensor::Dims;
using tenon::tensor::ForeignMemory;

namespace {

// Reads sizes passed by C. Throws TENON_ERROR_INVALID_ARGUMENT for a bad count, or for NULL with
// dims.
Dims dims_from(const char* function, int64_t ndim, const int64_t* sizes) {
  TENON_CHECK_ARG(ndim >= 0 && ndim <= TENON_TENSOR_MAX_DIMS, function, ": ndim must be in [0, ",
                  TENON_TENSOR_MAX_DIMS, "], got ", ndim);
  TENON_CHECK_ARG(sizes != nullptr || ndim == 0, function, ": sizes must be given, got NULL for ",
                  ndim, " dims");
  return {sizes, static_cast<size_t>(ndim)};
}

bool is_cpu(const tenon_device* device) noexcept {
  return device == nullptr || (device->type == TENON_DEVICE_CPU && device->index == 0);
}

// Size of the struct in its first release.
constexpr size_t kFirstTensorOptions = 96;
static_assert(sizeof(tenon_tensor_options) >= kFirstTensorOptions);

// Makes a value of a word, with known replacements applied.
tenon_value value_of_word(int64_t word) {
  word = tenon::base::simplified(word);
  tenon_value borrowed = tenon_value_of_int(word);
  if (tenon::base::is_symbol(word)) {
    borrowed.tag = TENON_TAG_SYMINT;
    borrowed.as.symbol = tenon::base::symbol_of(word);
  }
  return tenon::value::copy(borrowed);
}

// Makes a list of words, with known replacements applied.
tenon_value value_of_words(Dims words) {
  int64_t simpler[TENON_TENSOR_MAX_DIMS];
  tenon_value borrowed{};
  borrowed.tag = TENON_TAG_INT_LIST;
  borrowed.count = static_cast<uint32_t>(words.size());
  borrowed.as.list.data = simpler;
  for (size_t dim = 0; dim < words.size(); ++dim) {
    simpler[dim] = tenon::base::simplified(words[dim]);
    if (tenon::base::is_symbol(simpler[dim])) borrowed.flags = TENON_VALUE_HAS_SYMBOLIC;
  }
  return tenon::value::copy(borrowed);
}

tenon_value dims_of(const tenon_tensor& tensor, uint32_t what) {
  const bool is_list = what == TENON_DIMS_SIZES || what == TENON_DIMS_STRIDES;
  TENON_CHECK_ARG(is_list || what == TENON_DIMS_OFFSET || what == TENON_DIMS_NUMEL,
                  "tenon_tensor_dims: what must be one of TENON_DIMS_*, got ", what);
  if (is_list) {
    return value_of_words(what == TENON_DIMS_SIZES ? tensor.size_span() : tensor.stride_span());
  }
  return value_of_word(what == TENON_DIMS_OFFSET ? tensor.offset() : tensor.numel_word());
}

}  // namespace

extern "C" {

tenon_status tenon_tensor_new(tenon_dtype dtype, const tenon_device* device, int64_t ndim,
                              const int64_t* sizes, const int64_t* strides,
                              tenon_tensor** out_tensor) {
  TENON_REQUIRE(out_tensor);
  if (is_cpu(device) && strides == nullptr && (sizes != nullptr || ndim == 0)) {
    *out_tensor = tenon_tensor::try_make_small(dtype, {sizes, static_cast<size_t>(ndim)});
    if (*out_tensor != nullptr) return TENON_OK;
  }
  *out_tensor = nullptr;
  return guarded([&] {
    *out_tensor =
        tenon_tensor::make(dtype, device, dims_from("tenon_tensor_new", ndim, sizes), strides);
  });
}

tenon_status tenon_tensor_new_like(const tenon_tensor* like, tenon_dtype dtype,
                                   tenon_tensor** out_tensor, void** out_data) {
  TENON_REQUIRE(out_tensor, out_data);
  TENON_REQUIRE(like, out_tensor, out_data);
  *out_tensor = tenon_tensor::try_make_like(*like, dtype);
  if (*out_tensor != nullptr) {
    if (out_data != nullptr) *out_data = (*out_tensor)->storage()->data();
    return TENON_OK;
  }
  if (out_data != nullptr) *out_data = nullptr;
  return guarded([&] {
    *out_tensor = tenon_tensor::make_like(*like, dtype);
    if (out_data != nullptr) *out_data = (*out_tensor)->data();
  });
}

tenon_status tenon_tensor_wrap(void* data, tenon_dtype dtype, const tenon_device* device,
                               int64_t ndim, const int64_t* sizes, const int64_t* strides,
                               void* ctx, tenon_deleter deleter, tenon_tensor** out_tensor) {
  TENON_REQUIRE_OWNED(out_tensor, ctx, deleter);
  if (is_cpu(device) && strides == nullptr && (sizes != nullptr || ndim == 0)) {
    *out_tensor =
        tenon_tensor::try_wrap(data, dtype, {sizes, static_cast<size_t>(ndim)}, ctx, deleter);
    if (*out_tensor != nullptr) return TENON_OK;
  }
  *out_tensor = nullptr;
  return guarded([&] {
    Dims dims;
    try {
      dims = dims_from("tenon_tensor_wrap", ndim, sizes);
    } catch (...) {
      if (deleter != nullptr) deleter(ctx);
      throw;
    }
    const ForeignMemory memory{"tenon_tensor_wrap", data, -1, false, ctx, deleter};
    *out_tensor = tenon_tensor::wrap(memory, dtype, device, {dims, strides, 0});
  });
}

tenon_status tenon_tensor_wrap_with(void* data, const tenon_tensor_options* options, void* ctx,
                                    tenon_deleter deleter, tenon_tensor** out_tensor) {
  TENON_REQUIRE_OWNED(out_tensor, ctx, deleter);
  constexpr const char* kWrapWith = "tenon_tensor_wrap_with";
  *out_tensor = nullptr;
  return guarded([&] {
    ForeignMemory memory{kWrapWith, data, -1, false, ctx, deleter};
    tenon_tensor_options whole;
    Dims dims;
    try {
      TENON_CHECK_ARG(options != nullptr, kWrapWith, ": options must be given, got NULL");
      whole = tenon::base::read_struct(kWrapWith, kFirstTensorOptions, *options);
      tenon::base::check_reserved(kWrapWith, whole.reserved0, whole.reserved);
      TENON_CHECK_ARG((whole.flags & ~TENON_TENSOR_READ_ONLY) == 0, kWrapWith,
                      ": flags must be 0 or TENON_TENSOR_READ_ONLY, got ", whole.flags);
      TENON_CHECK_ARG(whole.storage_nbytes >= -1, kWrapWith,
                      ": storage_nbytes must be >= 0, or -1, got ", whole.storage_nbytes);
      dims = dims_from(kWrapWith, whole.ndim, whole.sizes);
    } catch (...) {
      if (deleter != nullptr) deleter(ctx);
      throw;
    }
    memory.nbytes = whole.storage_nbytes;
    memory.read_only = whole.flags == TENON_TENSOR_READ_ONLY;
    *out_tensor = tenon_tensor::wrap(memory, whole.dtype, whole.device,
                                     {dims, whole.strides, whole.storage_offset});
  });
}

tenon_status tenon_tensor_new_alias(const tenon_tensor* base, int64_t ndim, const int64_t* sizes,
                                    const int64_t* strides, int64_t storage_offset,
                                    tenon_tensor** out_tensor) {
  TENON_REQUIRE(out_tensor);
  TENON_REQUIRE(base, out_tensor);
  constexpr const char* kAlias = "tenon_tensor_new_alias";
  if (sizes != nullptr && strides != nullptr) {
    *out_tensor = tenon_tensor::try_make_alias(*base, {sizes, static_cast<size_t>(ndim)}, strides,
                                               storage_offset);
    if (*out_tensor != nullptr) return TENON_OK;
  }
  *out_tensor = nullptr;
  return guarded([&] {
    const Dims dims = dims_from(kAlias, ndim, sizes);
    TENON_CHECK_ARG(strides != nullptr || ndim == 0, kAlias,
                    ": strides must be given, got NULL for ", ndim, " dims");
    *out_tensor = tenon_tensor::make_alias(*base, dims, {strides, dims.size()}, storage_offset);
  });
}

tenon_status tenon_tensor_new_alias_as(const tenon_tensor* base, tenon_dtype dtype, int64_t ndim,
                                       const int64_t* sizes, const int64_t* strides,
                                       int64_t storage_offset, tenon_tensor** out_tensor) {
  TENON_REQUIRE(out_tensor);
  TENON_REQUIRE(base, out_tensor);
  constexpr const char* kAliasAs = "tenon_tensor_new_alias_as";
  *out_tensor = nullptr;
  return guarded([&] {
    const Dims dims = dims_from(kAliasAs, ndim, sizes);
    TENON_CHECK_ARG(strides != nullptr || ndim == 0, kAliasAs,
                    ": strides must be given, got NULL for ", ndim, " dims");
    *out_tensor =
        tenon_tensor::make_alias_as(*base, dtype, dims, {strides, dims.size()}, storage_offset);
  });
}

tenon_status tenon_tensor_new_detached(const tenon_tensor* base, int64_t ndim, const int64_t* sizes,
                                       const int64_t* strides, int64_t storage_offset,
                                       tenon_tensor** out_tensor) {
  TENON_REQUIRE(out_tensor);
  TENON_REQUIRE(base, out_tensor);
  constexpr const char* kDetached = "tenon_tensor_new_detached";
  *out_tensor = nullptr;
  return guarded([&] {
    const Dims dims = dims_from(kDetached, ndim, sizes);
    TENON_CHECK_ARG(strides != nullptr || ndim == 0, kDetached,
                    ": strides must be given, got NULL for ", ndim, " dims");
    TENON_CHECK_ARG(base->has_storage(), kDetached,
                    ": base must have storage, got a tensor without memory");
    *out_tensor = tenon_tensor::make_detached(*base, dims, {strides, dims.size()}, storage_offset);
  });
}

tenon_status tenon_tensor_new_number(const tenon_value* number, tenon_tensor** out_tensor) {
  TENON_REQUIRE(out_tensor);
  TENON_REQUIRE(number, out_tensor);
  *out_tensor = nullptr;
  return guarded([&] { *out_tensor = tenon::tensor::new_number(*number).detach(); });
}

tenon_tensor* tenon_tensor_undefined(void) { return tenon_tensor::undefined(); }

tenon_tensor* tenon_tensor_retain(tenon_tensor* tensor) {
  if (tensor != nullptr) tensor->retain();
  return tensor;
}

void tenon_tensor_release(tenon_tensor* tensor) {
  if (tensor != nullptr) tensor->release();
}

int64_t tenon_tensor_use_count(const tenon_tensor* tensor) {
  TENON_NEVER_NULL(tensor);
  return tensor->use_count();
}

tenon_status tenon_tensor_describe(const tenon_tensor* tensor, tenon_tensor_info* out_info) {
  TENON_NEVER_NULL(tensor);
  TENON_NEVER_NULL(out_info);
  if (__builtin_expect(!tensor->is_symbolic(), 1)) {
    tensor->describe(out_info);
    return TENON_OK;
  }
  *out_info = {};
  return tenon_error_raise(
      TENON_ERROR_NOT_SUPPORTED,
      "tenon_tensor_describe: tensor must have concrete sizes, got a symbolic shape");
}

int64_t tenon_tensor_ndim(const tenon_tensor* tensor) {
  TENON_NEVER_NULL(tensor);
  return tensor->ndim();
}

const int64_t* tenon_tensor_sizes(const tenon_tensor* tensor) {
  TENON_NEVER_NULL(tensor);
  return tensor->is_symbolic() ? nullptr : tensor->sizes();
}

int64_t tenon_tensor_copy_dims(const tenon_tensor* tensor, int64_t* out_sizes,
                               int64_t* out_strides) {
  return tensor->copy_dims(out_sizes, out_strides);
}

const int64_t* tenon_tensor_strides(const tenon_tensor* tensor) {
  TENON_NEVER_NULL(tensor);
  return tensor->is_symbolic() ? nullptr : tensor->strides();
}

int64_t tenon_tensor_numel(const tenon_tensor* tensor) {
  TENON_NEVER_NULL(tensor);
  return tensor->numel();
}

tenon_status tenon_tensor_dims(const tenon_tensor* tensor, uint32_t what, tenon_value* out_value) {
  TENON_REQUIRE(out_value);
  TENON_REQUIRE(tensor, out_value);
  *out_value = {};
  return guarded([&] { *out_value = dims_of(*tensor, what); });
}

tenon_dtype tenon_tensor_dtype(const tenon_tensor* tensor) {
  TENON_NEVER_NULL(tensor);
  return tensor->dtype();
}

void tenon_tensor_device(const tenon_tensor* tensor, tenon_device* out_device) {
  TENON_NEVER_NULL(tensor);
  TENON_NEVER_NULL(out_device);
  *out_device = tenon::tensor::claimed_device(tensor->device());
}

tenon_status tenon_tensor_data(const tenon_tensor* tensor, void** out_data) {
  TENON_REQUIRE(out_data);
  TENON_REQUIRE(tensor, out_data);
  *out_data = tensor->data();
  if (__builtin_expect(tensor->has_memory(), 1)) return TENON_OK;
  *out_data = nullptr;
  return guarded([&] {
    tenon::fail(TENON_ERROR_STATE, "tenon_tensor_data: tensor must have memory, got ",
                tensor->is_undefined()                       ? "the undefined tensor"
                : tensor->is_hollow()                        ? "a hollow tensor"
                : tensor->is_fake()                          ? "a fake tensor"
                : tensor->device().type == TENON_DEVICE_META ? "a tensor on meta"
                                                             : "a tensor without memory");
  });
}

uint32_t tenon_tensor_flags(const tenon_tensor* tensor) {
  TENON_NEVER_NULL(tensor);
  return tensor->flags();
}

tenon_status tenon_tensor_set_wrapped_number(tenon_tensor* tensor, int32_t wrapped) {
  TENON_REQUIRE(tensor);
  return guarded([&] { tensor->set_wrapped_number(wrapped != 0); });
}

tenon_keyset tenon_tensor_keys(const tenon_tensor* tensor) {
  TENON_NEVER_NULL(tensor);
  return tensor->keys();
}

int64_t tenon_tensor_version(const tenon_tensor* tensor) {
  TENON_NEVER_NULL(tensor);
  return tensor->version();
}

void tenon_tensor_bump_version(tenon_tensor* tensor) {
  TENON_NEVER_NULL(tensor);
  tensor->bump_version();
}

tenon_status tenon_tensor_resize(tenon_tensor* tensor, int64_t ndim, const int64_t* sizes,
                                 const int64_t* strides) {
  TENON_REQUIRE(tensor);
  return guarded([&] {
    tensor->resize(dims_from("tenon_tensor_resize", ndim, sizes), strides);
    tenon::dispatch::notice_resize(*tensor);
  });
}

tenon_status tenon_tensor_restride(tenon_tensor* tensor, int64_t ndim, const int64_t* sizes,
                                   const int64_t* strides, int64_t storage_offset) {
  TENON_REQUIRE(tensor);
  constexpr const char* kRestride = "tenon_tensor_restride";
  return guarded([&] {
    const Dims dims = dims_from(kRestride, ndim, sizes);
    TENON_CHECK_ARG(strides != nullptr || ndim == 0, kRestride,
                    ": strides must be given, got NULL for ", ndim, " dims");
    tenon::autograd::restride(*tensor, dims, {strides, dims.size()}, storage_offset);
  });
}

tenon_storage* tenon_tensor_storage(const tenon_tensor* tensor) {
  TENON_NEVER_NULL(tensor);
  return tensor->storage();
}

tenon_storage* tenon_storage_retain(tenon_storage* storage) {
  if (storage != nullptr) storage->retain();
  return storage;
}

void tenon_storage_release(tenon_storage* storage) {
  if (storage != nullptr) storage->release();
}

void* tenon_storage_data(const tenon_storage* storage) {
  TENON_NEVER_NULL(storage);
  return storage->data();
}

int64_t tenon_storage_nbytes(const tenon_storage* storage) {
  TENON_NEVER_NULL(storage);
  return storage->nbytes();
}

tenon_status tenon_tensor_print(const tenon_tensor* tensor, tenon_buffer** out_text) {
  TENON_REQUIRE(out_text);
  TENON_REQUIRE(tensor, out_text);
  *out_text = nullptr;
  return guarded([&] {
    std::string text = tenon::tensor::print_tensor(*tensor);
    tenon::autograd::add_to_print(*const_cast<tenon_tensor*>(tensor), &text);
    *out_text = tenon::value::text_buffer(text).detach();
  });
}

void** tenon_tensor_cell(tenon_tensor* tensor, uint32_t language) { return tensor->cell(language); }

tenon_status tenon_tensor_own_cell(tenon_tensor* tensor, uint32_t language, void* object,
                                   tenon_deleter drop) {
  return guarded([&] { tensor->own_cell(language, object, drop); });
}

}  // extern "C"
