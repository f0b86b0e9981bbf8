// SPDX-License-Identifier: Apache-2.0
// Language cells of tensors, and other rare fields.
#include <new>
#include <utility>

#include "base/check.h"
#include "tensor/tensor.h"

using namespace tenon::tensor;

TensorExtra* tenon_tensor::require_extra() {
  TensorExtra* extra = extra_.load(std::memory_order_acquire);
  if (extra != nullptr) return extra;
  auto* fresh = new TensorExtra;
  ends_slowly_.store(true, std::memory_order_relaxed);
  if (extra_.compare_exchange_strong(extra, fresh, std::memory_order_acq_rel)) return fresh;
  delete fresh;  // lost the race
  return extra;
}

AutogradState* tenon_tensor::init_autograd(AutogradState* fresh) noexcept {
  TENON_DCHECK(!is_undefined() && fresh->drop != nullptr);
  ends_slowly_.store(true, std::memory_order_relaxed);
  AutogradState* state = nullptr;
  autograd_.compare_exchange_strong(state, fresh, std::memory_order_acq_rel);
  return state != nullptr ? state : fresh;
}

AutogradState* tenon_tensor::replace_autograd(AutogradState* state, uint8_t note) noexcept {
  TENON_DCHECK(!is_undefined());
  if (state != nullptr) ends_slowly_.store(true, std::memory_order_relaxed);
  autograd_note_ = note;
  if (has_one_reference()) {
    AutogradState* old = autograd();
    autograd_.store(state, std::memory_order_release);
    return old;
  }
  return autograd_.exchange(state, std::memory_order_acq_rel);
}

namespace {

// Returns a language's cell outside the header; NULL if memory is short. For Python and Java, the
// object's word is in the header, and this cell holds only its owner.
Cell* cell_of(TensorExtra& extra, uint32_t language) noexcept {
  if (language < tenon::base::kFixedLanguages) return &extra.cells[language];
  constexpr uint32_t kMore = tenon::base::kMaxLanguages - tenon::base::kFixedLanguages;
  Cell* cells = extra.more_cells.load(std::memory_order_acquire);
  if (cells == nullptr) {
    auto* fresh = new (std::nothrow) Cell[kMore];
    if (fresh == nullptr) return nullptr;
    if (extra.more_cells.compare_exchange_strong(cells, fresh, std::memory_order_acq_rel)) {
      cells = fresh;
    } else {
      delete[] fresh;  // lost the race
    }
  }
  return &cells[language - tenon::base::kFixedLanguages];
}

bool is_in_header(uint32_t language) noexcept {
  return language == TENON_LANGUAGE_PYTHON || language == TENON_LANGUAGE_JAVA;
}

bool has_cell(uint32_t language) noexcept {
  return language != TENON_LANGUAGE_NONE && tenon::base::is_language(language);
}

}  // namespace

void** tenon_tensor::cell(uint32_t language) noexcept {
  if (is_in_header(language)) return &cells_[language - TENON_LANGUAGE_PYTHON];
  if (!has_cell(language)) return nullptr;
  try {
    Cell* cell = cell_of(*require_extra(), language);
    return cell != nullptr ? &cell->object : nullptr;
  } catch (...) {
    return nullptr;
  }
}

void tenon_tensor::own_cell(uint32_t language, void* object, tenon_deleter drop) {
  TENON_CHECK_ARG(has_cell(language),
                  "tenon_tensor_own_cell: language must be a registered one, got ", language);
  Cell* cell = cell_of(*require_extra(), language);
  if (cell == nullptr) throw std::bad_alloc();
  void** word = is_in_header(language) ? this->cell(language) : &cell->object;
  void* old_object = std::exchange(*word, object);
  const tenon_deleter old_drop = std::exchange(cell->drop, drop);
  // Atomic, because threads of two languages may do this at the same time.
  extra()->owns_cells.store(true, std::memory_order_relaxed);
  // If the object is the same, only its deleter changes: the old one must not run.
  if (old_drop != nullptr && old_object != object) old_drop(old_object);
}

void* tenon_tensor::owned_object(uint32_t language) const noexcept {
  TensorExtra* extra = this->extra();
  if (extra == nullptr || !has_cell(language)) return nullptr;
  const Cell* cell = cell_of(*extra, language);
  if (cell == nullptr || cell->drop == nullptr) return nullptr;
  return is_in_header(language) ? cells_[language - TENON_LANGUAGE_PYTHON] : cell->object;
}

void tenon_tensor::drop_extra() noexcept {
  TENON_DCHECK(use_count() == 0);
  TensorExtra* extra = extra_.load(std::memory_order_acquire);
  if (extra == nullptr) return;
  extra_.store(nullptr, std::memory_order_relaxed);
  Cell* more = extra->more_cells.load(std::memory_order_acquire);
  const uint32_t languages =
      more != nullptr ? tenon::base::kMaxLanguages : tenon::base::kFixedLanguages;
  const bool owns_cells = extra->owns_cells.load(std::memory_order_relaxed);
  for (uint32_t language = 0; owns_cells && language < languages; ++language) {
    Cell& cell = *cell_of(*extra, language);
    if (cell.drop == nullptr) continue;
    void*& word = is_in_header(language) ? cells_[language - TENON_LANGUAGE_PYTHON] : cell.object;
    cell.drop(std::exchange(word, nullptr));
  }
  if (extra->drop_content != nullptr) extra->drop_content(extra->content);
  if (extra->data_replaced) storage_->release_weak();
  if (extra->symbols != nullptr) extra->symbols->release();
  delete[] more;
  delete extra;
}
