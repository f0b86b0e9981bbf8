// SPDX-License-Identifier: Apache-2.0
// Tensor: an owning handle. TensorRef and TensorList: borrowed handles, which kernels receive.
#pragma once

#if __cplusplus <= 201703L
#error "tenon/hpp/tensor.hpp needs C++20: compile with -std=c++20 or later"
#else

#include <algorithm>
#include <initializer_list>
#include <memory>
#include <optional>
#include <ostream>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "tenon/autograd.h"
#include "tenon/buffer.h"
#include "tenon/fake.h"
#include "tenon/hpp/types.hpp"
#include "tenon/tensor.h"
#include "tenon/types.h"

// Usage:
//
//   const tenon::Tensor t = tenon::Tensor::from({1.0f, 2.0f, 3.0f, 4.0f}, {2, 2});
//   std::cout << t.ndim() << ' ' << t.numel() << ' ' << t.data<float>()[3] << '\n';

namespace tenon::inline hpp {

using Sizes = std::span<const int64_t>;

namespace detail {

[[noreturn, gnu::cold, gnu::noinline]] inline void fail_counts(const char* function, size_t sizes,
                                                               size_t strides) {
  throw Error(TENON_ERROR_INVALID_ARGUMENT, std::string(function) + ": strides must be " +
                                                std::to_string(sizes) + " like the sizes, got " +
                                                std::to_string(strides));
}
inline void require_as_many(const char* function, Sizes sizes, Sizes strides) {
  if (strides.size() != sizes.size()) [[unlikely]] {
    fail_counts(function, sizes.size(), strides.size());
  }
}

}  // namespace detail

// Sizes or strides of a tensor, borrowed from it. Comparisons compare the numbers.
class IntArrayRef : public Sizes {
 public:
  using Sizes::Sizes;
  IntArrayRef(Sizes sizes) noexcept : Sizes(sizes) {}
  friend bool operator==(const IntArrayRef& a, const IntArrayRef& b) noexcept {
    return std::ranges::equal(a, b);
  }
};

// Properties of a tensor besides its sizes.
struct TensorOptions {
  Dtype dtype = default_dtype();
  Device device{};
};

class SymInt;

// Owns one reference to a tensor, or none. Copies share the tensor. An object without reference
// (default-constructed or moved from) behaves like the undefined tensor: it has no dims, dtype None
// and no data.
class Tensor {
 public:
  Tensor() noexcept {}
  // Takes over the reference.
  explicit Tensor(tenon_tensor* handle) noexcept : handle_(handle) {}
  Tensor(const Tensor& other) noexcept : handle_(tenon_tensor_retain(other.handle_)) {}
  Tensor(Tensor&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Tensor& operator=(const Tensor& other) noexcept { return *this = Tensor(other); }
  Tensor& operator=(Tensor&& other) noexcept {
    const Tensor mine(std::exchange(handle_, std::exchange(other.handle_, nullptr)));
    return *this;
  }
  // Destroying a tensor that was moved from calls nothing.
  ~Tensor() {
    if (handle_ != nullptr) tenon_tensor_release(handle_);
  }

  // Adds a reference to a borrowed handle.
  static Tensor retain(tenon_tensor* handle) { return Tensor(tenon_tensor_retain(handle)); }

  // Creates a tensor with uninitialised elements. Strides are in elements; if they are empty, it is
  // row-major.
  static Tensor empty(Sizes sizes, Dtype dtype, Device device = {}, Sizes strides = {}) {
    if (!strides.empty()) detail::require_as_many("Tensor::empty", sizes, strides);
    tenon_tensor* handle = nullptr;
    check(tenon_tensor_new(static_cast<tenon_dtype>(dtype), &device,
                           static_cast<int64_t>(sizes.size()), sizes.data(),
                           strides.empty() ? nullptr : strides.data(), &handle));
    return Tensor(handle);
  }

  // Copies elements into a new row-major CPU tensor.
  template <class T>
  static Tensor from(std::span<const T> elements, Sizes sizes) {
    static_assert(dtype_of<T> != Dtype::None, "no dtype has elements of this type");
    Tensor tensor = empty(sizes, dtype_of<T>);
    if (tensor.numel() != static_cast<int64_t>(elements.size())) {
      throw Error(TENON_ERROR_INVALID_ARGUMENT,
                  "Tensor::from: elements must be " + std::to_string(tensor.numel()) +
                      " for these sizes, got " + std::to_string(elements.size()));
    }
    std::uninitialized_copy(elements.begin(), elements.end(), tensor.data<T>());
    return tensor;
  }
  template <class T>
  static Tensor from(std::initializer_list<T> elements, std::initializer_list<int64_t> sizes) {
    return from(std::span<const T>(elements.begin(), elements.size()),
                Sizes(sizes.begin(), sizes.size()));
  }

  // Moves a vector into a tensor without copying its elements.
  template <class T>
  static Tensor adopt(std::vector<T>&& elements, Sizes sizes) {
    static_assert(dtype_of<T> != Dtype::None, "no dtype has elements of this type");
    auto owner = std::make_unique<std::vector<T>>(std::move(elements));
    int64_t numel = 1;
    for (int64_t size : sizes) numel *= size;
    if (numel != static_cast<int64_t>(owner->size())) {
      throw Error(TENON_ERROR_INVALID_ARGUMENT,
                  "Tensor::adopt: elements must be " + std::to_string(numel) +
                      " for these sizes, got " + std::to_string(owner->size()));
    }
    void* data = owner->data();
    tenon_tensor* handle = nullptr;
    check(tenon_tensor_wrap(
        data, static_cast<tenon_dtype>(dtype_of<T>), nullptr, static_cast<int64_t>(sizes.size()),
        sizes.data(), nullptr, owner.release(),
        [](void* ctx) { delete static_cast<std::vector<T>*>(ctx); }, &handle));
    return Tensor(handle);
  }

  bool defined() const {
    return handle_ != nullptr && (tenon_tensor_flags(handle_) & TENON_TENSOR_UNDEFINED) == 0;
  }
  explicit operator bool() const noexcept { return handle_ != nullptr; }
  tenon_tensor* get() const noexcept { return handle_; }
  tenon_tensor* release() noexcept { return std::exchange(handle_, nullptr); }

  int64_t ndim() const { return tenon_tensor_ndim(some()); }
  // Both throw for a symbolic shape, which has no numbers.
  IntArrayRef sizes() const { return plain_dims("Tensor::sizes", tenon_tensor_sizes(some())); }
  IntArrayRef strides() const {
    return plain_dims("Tensor::strides", tenon_tensor_strides(some()));
  }
  int64_t size(int64_t dim) const { return sizes()[static_cast<size_t>(wrap(dim))]; }
  // Returns -1 for a symbolic shape.
  int64_t numel() const { return tenon_tensor_numel(some()); }
  // Sizes, strides and so on of any shape, as numbers or symbols. Defined in symbol.hpp.
  std::vector<SymInt> sym_sizes() const;
  std::vector<SymInt> sym_strides() const;
  SymInt sym_size(int64_t dim) const;
  SymInt sym_numel() const;
  SymInt sym_storage_offset() const;
  Dtype dtype() const { return static_cast<Dtype>(tenon_tensor_dtype(some())); }
  // For a fake tensor, factories on the returned device create fake tensors, too.
  Device device() const {
    Device device;
    tenon_fake_device(some(), &device);
    return device;
  }
  bool is_fake() const { return tenon_tensor_is_fake(some()) != 0; }
  bool is_cpu() const { return device().type == TENON_DEVICE_CPU; }
  TensorOptions options() const { return {dtype(), device()}; }
  tenon_keyset keys() const { return tenon_tensor_keys(some()); }
  int64_t version() const { return tenon_tensor_version(some()); }
  bool is_contiguous() const { return (tenon_tensor_flags(some()) & TENON_TENSOR_CONTIGUOUS) != 0; }
  bool is_wrapped_number() const {
    return (tenon_tensor_flags(some()) & TENON_TENSOR_WRAPPED_NUMBER) != 0;
  }
  // Returns data, sizes, strides, dtype, device and flags in one call.
  tenon_tensor_info info() const {
    tenon_tensor_info info;  // filled completely, or check() throws
    check(tenon_tensor_describe(some(), &info));
    return info;
  }

  void* raw_data() const {
    void* data = nullptr;
    check(tenon_tensor_data(some(), &data));
    return data;
  }
  // Returns the first element's address; throws unless T is the dtype's element type.
  template <class T>
  T* data() const {
    static_assert(dtype_of<T> != Dtype::None, "no dtype has elements of this type");
    if (dtype() != dtype_of<T>) [[unlikely]] {
      throw Error(TENON_ERROR_TYPE, std::string("Tensor::data: dtype must be ") +
                                        name_of(dtype_of<T>) + ", got " + name_of(dtype()));
    }
    return static_cast<T*>(raw_data());
  }
  template <class T>
  T* data_ptr() const {
    return data<T>();
  }
  // Returns the elements of a contiguous tensor.
  template <class T>
  std::span<T> elements() const {
    if (!is_contiguous()) {
      throw Error(TENON_ERROR_INVALID_ARGUMENT, "Tensor::elements: tensor must be contiguous");
    }
    return {data<T>(), static_cast<size_t>(numel())};
  }

  // Returns true if the tensor requires grad: it was requested for a leaf, or a recorded call made
  // it from a tensor that requires grad.
  bool requires_grad() const { return tenon_tensor_requires_grad(some()) != 0; }
  // Sets whether a leaf requires grad.
  const Tensor& set_requires_grad(bool requires_grad) const {
    check(tenon_tensor_set_requires_grad(some(), requires_grad ? 1 : 0));
    return *this;
  }
  bool is_leaf() const { return tenon_tensor_is_leaf(some()) != 0; }
  // Returns the gradient that backward passes have accumulated in a leaf, without handle if there
  // is none.
  Tensor grad() const {
    tenon_tensor* grad = nullptr;
    check(tenon_tensor_copy_grad(some(), &grad));
    return Tensor(grad);
  }
  // Sets the gradient; a tensor without handle clears it.
  void set_grad(const Tensor& grad) const { check(tenon_tensor_set_grad(some(), grad.get())); }
  // Runs a backward pass from this tensor. Without a gradient it must have one element, and the
  // gradient is 1.
  void backward(const Tensor& gradient = {}, std::optional<bool> retain_graph = {},
                bool create_graph = false) const;

  // Returns the tensor itself if it is contiguous, otherwise a contiguous copy; in
  // tensor_methods.hpp.
  Tensor contiguous() const;
  // Returns a slice along the first dim, as a view.
  Tensor operator[](int64_t index) const;

  // Returns another view of the same storage. For kernels below ADInplaceOrView; all other code
  // calls view operators. The offset is in elements from the start of the storage.
  Tensor alias(Sizes sizes, Sizes strides, int64_t storage_offset) const {
    detail::require_as_many("Tensor::alias", sizes, strides);
    tenon_tensor* handle = nullptr;
    check(tenon_tensor_new_alias(some(), static_cast<int64_t>(sizes.size()), sizes.data(),
                                 strides.data(), storage_offset, &handle));
    return Tensor(handle);
  }

  std::string str() const {
    tenon_buffer* text = nullptr;
    check(tenon_tensor_print(some(), &text));
    std::string result(static_cast<const char*>(tenon_buffer_data(text)),
                       static_cast<size_t>(tenon_buffer_size(text)));
    tenon_buffer_release(text);
    return result;
  }
  friend std::ostream& operator<<(std::ostream& out, const Tensor& tensor) {
    return out << tensor.str();
  }

 private:
  tenon_tensor* some() const { return handle_ != nullptr ? handle_ : tenon_tensor_undefined(); }

  Sizes plain_dims(const char* function, const int64_t* dims) const {
    if (dims == nullptr) [[unlikely]]
      fail_symbolic(function);
    return {dims, static_cast<size_t>(ndim())};
  }
  [[noreturn, gnu::cold, gnu::noinline]] static void fail_symbolic(const char* function) {
    throw Error(TENON_ERROR_NOT_SUPPORTED,
                std::string(function) + ": tensor must have plain sizes, got a symbolic shape");
  }

  std::vector<SymInt> sym_dims(uint32_t what) const;

  int64_t wrap(int64_t dim) const {
    const int64_t n = ndim();
    if (dim < -n || dim >= n) {
      throw Error(TENON_ERROR_INDEX, "Tensor::size: dim must be in [" + std::to_string(-n) + ", " +
                                         std::to_string(n - 1) + "], got " + std::to_string(dim));
    }
    return dim < 0 ? dim + n : dim;
  }

  tenon_tensor* handle_ = nullptr;
};

// Creates a tensor with uninitialised elements.
inline Tensor empty(Sizes sizes, const TensorOptions& options = {}) {
  return Tensor::empty(sizes, options.dtype, options.device);
}

inline void Tensor::backward(const Tensor& gradient, std::optional<bool> retain_graph,
                             bool create_graph) const {
  tenon_tensor* const outputs[] = {some()};
  tenon_tensor* const grads[] = {gradient.get()};
  tenon_backward_options options{};
  options.struct_size = sizeof options;
  if (retain_graph.value_or(create_graph)) options.flags |= TENON_BACKWARD_KEEP_GRAPH;
  if (create_graph) options.flags |= TENON_BACKWARD_CREATE_GRAPH;
  options.outputs = outputs;
  options.noutputs = 1;
  options.grads = grads;
  check(tenon_backward(&options));
}

// A Tensor that holds no reference, so that a borrowed handle can be passed as `const Tensor&`.
class TensorRef {
 public:
  explicit TensorRef(tenon_tensor* handle) noexcept : tensor_(handle) {}
  TensorRef(const TensorRef& other) noexcept : tensor_(other.tensor_.get()) {}
  TensorRef& operator=(const TensorRef&) = delete;
  ~TensorRef() {}  // the member is in a union, so its destructor does not run

  operator const Tensor&() const noexcept { return tensor_; }
  const Tensor& operator*() const noexcept { return tensor_; }
  const Tensor* operator->() const noexcept { return &tensor_; }
  Tensor& mutable_tensor() noexcept { return tensor_; }

 private:
  union {
    Tensor tensor_;
  };
};

// An absent or borrowed tensor: the parameter type for `Tensor?`.
class OptionalTensor {
 public:
  OptionalTensor() noexcept : ref_(nullptr) {}
  OptionalTensor(std::nullptr_t) noexcept : ref_(nullptr) {}
  OptionalTensor(const Tensor& tensor) noexcept : ref_(tensor.get()) {}
  explicit OptionalTensor(tenon_tensor* handle) noexcept : ref_(handle) {}

  bool has_value() const noexcept { return get() != nullptr; }
  explicit operator bool() const noexcept { return has_value(); }
  const Tensor& operator*() const noexcept { return *ref_; }
  const Tensor* operator->() const noexcept { return &*ref_; }
  tenon_tensor* get() const noexcept { return (*ref_).get(); }

 private:
  TensorRef ref_;
};

// A borrowed list of tensors: the parameter type for `Tensor[]` and `Tensor?[]` (absent = NULL).
class TensorList {
 public:
  TensorList() noexcept = default;
  TensorList(tenon_tensor* const* handles, int64_t count) noexcept
      : handles_(handles), count_(count) {}
  // A Tensor is one pointer wide, and contains nothing but that pointer.
  TensorList(std::span<const Tensor> tensors) noexcept
      : handles_(reinterpret_cast<tenon_tensor* const*>(tensors.data())),
        count_(static_cast<int64_t>(tensors.size())) {}
  TensorList(const std::vector<Tensor>& tensors) noexcept
      : TensorList(std::span<const Tensor>(tensors)) {}

  int64_t size() const noexcept { return count_; }
  bool empty() const noexcept { return count_ == 0; }
  tenon_tensor* const* data() const noexcept { return handles_; }
  TensorRef operator[](int64_t index) const noexcept { return TensorRef(handles_[index]); }

 private:
  tenon_tensor* const* handles_ = nullptr;
  int64_t count_ = 0;
};
static_assert(sizeof(Tensor) == sizeof(tenon_tensor*) && std::is_standard_layout_v<Tensor>);

}  // namespace tenon::inline hpp

#endif
