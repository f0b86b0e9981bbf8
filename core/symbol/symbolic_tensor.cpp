// SPDX-License-Identifier: Apache-2.0
#include "symbol/symbolic_tensor.h"

#include <algorithm>

#include "base/check.h"
#include "tenon/symbol.h"
#include "tensor/device_provider.h"

namespace tenon::symbol {

namespace {

using tensor::Tensor;
using tensor::TensorPtr;

constexpr const char* kNewSymbolic = "tenon_tensor_new_symbolic";

// Simplifies words, and checks that their symbols belong to one environment.
class WordSimplifier {
 public:
  Word add(const char* what, Word word) {
    word = base::simplified(word);
    if (base::is_symbol(word)) {
      const tenon_symbol& symbol = *base::symbol_of(word);
      TENON_CHECK_ARG(owner_ == nullptr || owner_ == symbol.owner, kNewSymbolic,
                      ": symbols must be of one shape environment, got two");
      owner_ = symbol.owner;
    } else {
      TENON_CHECK_ARG(word >= 0, kNewSymbolic, ": ", what, " must be >= 0, got ", word);
    }
    return word;
  }
  base::SymbolOwner* owner() const noexcept { return owner_; }

 private:
  base::SymbolOwner* owner_ = nullptr;
};

Word apply(base::SymbolOwner* owner, uint32_t function, Word a, Word b) {
  return static_cast<ShapeEnv*>(owner)->apply(function, a, b);
}

struct Shape {
  int64_t sizes[TENON_TENSOR_MAX_DIMS];
  int64_t strides[TENON_TENSOR_MAX_DIMS];
  int64_t row_major[TENON_TENSOR_MAX_DIMS];
};

// Fills row-major strides like row_major_strides(); returns the number of elements.
Word fill_row_major(base::SymbolOwner* owner, size_t ndim, const int64_t* sizes, int64_t* strides) {
  Word stride = 1, numel = 1;
  for (size_t dim = ndim; dim-- > 0;) {
    strides[dim] = stride;
    const Word counted = apply(owner, TENON_SYMBOL_MAX, sizes[dim], 1);
    if (dim != 0) stride = apply(owner, TENON_SYMBOL_MUL, stride, counted);
    numel = apply(owner, TENON_SYMBOL_MUL, numel, sizes[dim]);
  }
  return numel;
}

bool lies_row_major(tensor::Dims sizes, const int64_t* strides, const int64_t* row_major) noexcept {
  for (size_t dim = 0; dim < sizes.size(); ++dim) {
    if (sizes[dim] != 1 && strides[dim] != row_major[dim]) return false;
  }
  return true;
}

TensorPtr new_plain(const SymbolicOptions& options, tensor::Dims sizes, const int64_t* strides,
                    tenon_device device) {
  if (options.alias_of == nullptr && options.offset == 0) {
    return tensor::new_tensor(options.dtype, &device, sizes, strides);
  }
  int64_t row_major[TENON_TENSOR_MAX_DIMS];
  if (strides == nullptr) tensor::row_major_strides(sizes, row_major);
  const int64_t* known = strides != nullptr ? strides : row_major;
  const int64_t numel = tensor::checked_numel(kNewSymbolic, sizes);
  return TensorPtr::adopt(Tensor::make_symbolic(
      {options.dtype, device, options.alias_of, sizes, known, base::simplified(options.offset),
       numel, tensor::is_row_major(sizes, {known, sizes.size()}), nullptr}));
}

}  // namespace

TensorPtr new_symbolic(const SymbolicOptions& options) {
  TENON_CHECK_ARG(tensor::is_dtype(options.dtype), kNewSymbolic,
                  ": dtype must be a known dtype, got number ", options.dtype);
  const tenon_device meta{TENON_DEVICE_META, 0};
  const Tensor* base_tensor = options.alias_of;
  const tenon_device device =
      base_tensor != nullptr
          ? base_tensor->device()
          : tensor::resolve_device(kNewSymbolic,
                                   options.device != nullptr ? options.device : &meta);
  const bool has_memory = base_tensor != nullptr
                              ? base_tensor->has_memory() || base_tensor->is_undefined()
                              : device.type != TENON_DEVICE_META && !tensor::is_fake_device(device);
  TENON_CHECK_ARG(!has_memory, kNewSymbolic,
                  ": device must be meta or a backend's without memory, got ",
                  tensor::print_device(device));
  Shape shape;
  WordSimplifier words;
  const size_t ndim = options.sizes.size();
  for (size_t dim = 0; dim < ndim; ++dim) {
    shape.sizes[dim] = words.add("size", options.sizes[dim]);
    if (options.strides != nullptr) {
      shape.strides[dim] = words.add("stride", options.strides[dim]);
    }
  }
  const Word offset = words.add("storage_offset", options.offset);
  const tensor::Dims sizes(shape.sizes, ndim);
  const int64_t* strides = options.strides != nullptr ? shape.strides : nullptr;
  if (words.owner() == nullptr) return new_plain(options, sizes, strides, device);
  const Word numel = fill_row_major(words.owner(), ndim, shape.sizes, shape.row_major);
  const bool is_contiguous =
      strides == nullptr || numel == 0 || lies_row_major(sizes, strides, shape.row_major);
  return TensorPtr::adopt(Tensor::make_symbolic({options.dtype, device, base_tensor, sizes,
                                                 strides != nullptr ? strides : shape.row_major,
                                                 offset, numel, is_contiguous, words.owner()}));
}

void specialize(Tensor& tensor, const GuardLocation* place) {
  if (!tensor.is_symbolic()) return;
  Shape shape;
  const auto number_of = [place](Word word) {
    if (!base::is_symbol(word)) return word;
    return env_of(*base::symbol_of(word)).specialize(word, place);
  };
  const size_t ndim = tensor.size_span().size();
  for (size_t dim = 0; dim < ndim; ++dim) {
    shape.sizes[dim] = number_of(tensor.sizes()[dim]);
  }
  for (size_t dim = 0; dim < ndim; ++dim) {
    shape.strides[dim] = number_of(tensor.strides()[dim]);
  }
  tensor.settle({shape.sizes, ndim}, {shape.strides, ndim}, number_of(tensor.offset()));
}

}  // namespace tenon::symbol
