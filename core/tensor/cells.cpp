// SPDX-License-Identifier: Apache-2.0
// Language cells of tensors, and the rest that few tensors have.
#include <new>

#include "base/check.h"
#include "tensor/tensor.h"

using namespace tenon::tensor;

TensorExtra* tenon_tensor::require_extra() {
  TensorExtra* extra = extra_.load(std::memory_order_acquire);
  if (extra != nullptr) return extra;
  auto* fresh = new TensorExtra;
  if (extra_.compare_exchange_strong(extra, fresh, std::memory_order_acq_rel)) return fresh;
  delete fresh;  // another language was faster
  return extra;
}

void** tenon_tensor::binding(uint32_t language) noexcept {
  if (language == TENON_LANGUAGE_PYTHON || language == TENON_LANGUAGE_JAVA) {
    return &cells_[language - TENON_LANGUAGE_PYTHON];
  }
  if (language == TENON_LANGUAGE_NONE || language >= TENON_LANGUAGE_COUNT) return nullptr;
  try {
    return &require_extra()->cells[language];
  } catch (...) {
    return nullptr;
  }
}

void tenon_tensor::own_binding(uint32_t language, void* object, tenon_deleter drop) {
  TENON_CHECK_ARG(language != TENON_LANGUAGE_NONE && language < TENON_LANGUAGE_COUNT,
                  "tenon_tensor_own_binding: language must be a TENON_LANGUAGE_* number, got ",
                  language);
  TensorExtra* extra = require_extra();
  void** cell = binding(language);
  void* old_object = *cell;
  const tenon_deleter old_drop = extra->drops[language];
  *cell = object;
  extra->drops[language] = drop;
  // The same object again only changes who owns it; another one ends the ownership of the first.
  if (old_drop != nullptr && old_object != object) old_drop(old_object);
}

void tenon_tensor::drop_extra() noexcept {
  TensorExtra* extra = extra_.exchange(nullptr, std::memory_order_acq_rel);
  if (extra == nullptr) return;
  for (uint32_t language = 0; language < TENON_LANGUAGE_COUNT; ++language) {
    const tenon_deleter drop = extra->drops[language];
    if (drop == nullptr) continue;
    const bool in_header = language == TENON_LANGUAGE_PYTHON || language == TENON_LANGUAGE_JAVA;
    void*& cell = in_header ? cells_[language - TENON_LANGUAGE_PYTHON] : extra->cells[language];
    drop(std::exchange(cell, nullptr));
  }
  if (extra->drop_autograd != nullptr) extra->drop_autograd(extra->autograd);
  if (extra->drop_content != nullptr) extra->drop_content(extra->content);
  delete extra;
}
