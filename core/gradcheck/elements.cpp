// SPDX-License-Identifier: Apache-2.0
#include "gradcheck/elements.h"

#include <algorithm>

#include "autograd/operators.h"
#include "base/check.h"
#include "tensor/dtype.h"
#include "tensor/layout.h"

namespace tenon::gradcheck {

namespace {

using tensor::Tensor;
using tensor::TensorPtr;

// Calls `each(dim, index in that dim)` for the element at row-major position `index`, starting with
// the last dim.
template <class Each>
void split_index(tensor::Dims sizes, size_t index, Each&& each) {
  for (size_t dim = sizes.size(); dim-- > 0;) {
    const auto size = static_cast<size_t>(sizes[dim]);
    each(dim, static_cast<int64_t>(index % size));
    index /= size;
  }
}

}  // namespace

Elements read_elements(const Tensor& tensor) {
  const TensorPtr host = tensor::new_tensor(TENON_DTYPE_C128, nullptr, tensor.size_span());
  autograd::operators::copy_into(*host, *autograd::operators::detached_alias(tensor));
  const auto* first = static_cast<const std::complex<double>*>(host->data());
  return {first, first + host->numel()};
}

TensorPtr make_tensor(const Elements& elements, const Tensor& like) {
  const bool is_complex = tensor::is_complex(like.dtype());
  TensorPtr host = tensor::new_tensor(is_complex ? TENON_DTYPE_C128 : TENON_DTYPE_F64, nullptr,
                                      like.size_span());
  TENON_DCHECK(elements.size() == static_cast<size_t>(host->numel()));
  if (is_complex) {
    std::ranges::copy(elements, static_cast<std::complex<double>*>(host->data()));
  } else {
    std::ranges::transform(elements, static_cast<double*>(host->data()),
                           [](std::complex<double> element) { return element.real(); });
  }
  const tenon_device device = like.device();
  if (like.dtype() == host->dtype() && device.type == TENON_DEVICE_CPU) return host;
  TensorPtr made = tensor::new_tensor(like.dtype(), &device, like.size_span());
  autograd::operators::copy_into(*made, *host);
  return made;
}

std::string print_place(tensor::Dims sizes, size_t index) {
  std::vector<int64_t> place(sizes.size());
  split_index(sizes, index, [&](size_t dim, int64_t at) { place[dim] = at; });
  return tensor::print_dims(place);
}

ElementWriter::ElementWriter(std::string_view what, Tensor& tensor) {
  if (tensor.numel() == 0) return;
  TENON_CHECK_ARG(tensor.has_storage() && tensor.data() != nullptr, what,
                  " must have memory, got a tensor without");
  TENON_CHECK_ARG(!tensor.storage()->is_read_only(), what,
                  " must be writable, got a read-only tensor");
  const tenon_device device = tensor.device();
  tensor.retain();
  alias_ = tensor::wrap_tensor(tensor.data(), tensor.dtype(), &device, tensor.size_span(),
                               tensor.stride_span().data(), &tensor,
                               [](void* kept) { static_cast<Tensor*>(kept)->release(); });
}

void ElementWriter::write(size_t index, std::complex<double> value) {
  int64_t offset = 0;
  split_index(alias_->size_span(), index,
              [&](size_t dim, int64_t at) { offset += at * alias_->stride_span()[dim]; });
  const TensorPtr element = autograd::operators::as_strided(*alias_, {}, {}, offset);
  autograd::operators::fill(*element, tensor::is_complex(alias_->dtype())
                                          ? tenon_value_of_complex(value.real(), value.imag())
                                          : tenon_value_of_float(value.real()));
}

}  // namespace tenon::gradcheck
