// SPDX-License-Identifier: Apache-2.0
// DLPack import and export. Import either refuses a description, which the producer then still
// owns, or creates a tensor that stays within its memory; the producer's deleter runs exactly once.
// Export must return the same description.
#include <memory>
#include <vector>

#include "fuzz.h"
#include "tensor/dlpack.h"

namespace tenon::fuzz {
namespace {

using tensor::dlpack::View;

constexpr size_t kMemory = 256;

// A DLPack producer whose arrays have exactly the promised size, so that sanitizers detect reads
// beyond their ends.
template <class Managed>
struct Producer {
  explicit Producer(Input& input);
  static void count(Managed* self) { ++static_cast<Producer*>(self->manager_ctx)->deleted; }

  alignas(16) unsigned char memory[kMemory] = {};
  std::unique_ptr<int64_t[]> shape, strides;
  Managed managed{};
  int deleted = 0;
};

std::unique_ptr<int64_t[]> dims(Input& input, int64_t count) {
  auto all = std::make_unique<int64_t[]>(static_cast<size_t>(count));
  for (int64_t i = 0; i < count; ++i) all[static_cast<size_t>(i)] = input.interesting();
  return all;
}

template <class Managed>
Producer<Managed>::Producer(Input& input) {
  View& view = managed.tensor;
  const uint8_t pick = input.byte();
  view.ndim = pick < 250 ? pick % 6 : static_cast<int32_t>(input.interesting());
  if (pick == 249) view.ndim = 64;
  const int64_t listed = view.ndim < 0 || view.ndim > TENON_TENSOR_MAX_DIMS ? 0 : view.ndim;
  const uint8_t which = input.byte();
  if (which % 16 != 1) shape = dims(input, listed);
  if (which % 4 != 0) strides = dims(input, listed);
  view.shape = shape.get();
  view.strides = strides.get();
  constexpr uint8_t kBits[] = {8, 16, 32, 64, 128, 1, 0};
  view.dtype.code = input.byte() % 16;
  view.dtype.bits = kBits[input.below(std::size(kBits))];
  view.dtype.lanes = input.below(16) == 0 ? input.number<uint16_t>() : 1;
  const uint8_t device = input.byte();
  view.device.type = device < 200 ? 1 : device % 16;
  view.device.id = input.below(8) == 0 ? static_cast<int32_t>(input.interesting()) : 0;
  view.data = input.below(16) == 0 ? nullptr : memory;
  view.byte_offset = input.below(4) == 0 ? static_cast<uint64_t>(input.interesting()) : 0;
  managed.manager_ctx = this;
  managed.deleter = input.below(16) == 0 ? nullptr : &count;
}

// Returns true if all elements are inside the producer's memory; computed without overflow.
bool within(const View& view) {
  __int128 last = 0;
  for (int32_t i = 0; i < view.ndim; ++i) {
    if (view.shape[i] == 0) return true;
  }
  __int128 step = 1;
  for (int32_t i = view.ndim - 1; i >= 0; --i) {
    const __int128 stride = view.strides != nullptr ? __int128{view.strides[i]} : step;
    last += (view.shape[i] - 1) * stride;
    step *= view.shape[i];
  }
  const __int128 bytes = (last + 1) * (view.dtype.bits / 8) + view.byte_offset;
  return last >= 0 && view.data != nullptr && bytes <= __int128{kMemory};
}

template <class Exported, class Export>
void check_export(tenon_tensor* tensor, Export to, const View& from) {
  Exported* managed = nullptr;
  const tenon_status status = to(tensor, nullptr, &managed);
  settle(status);
  if (status != TENON_OK) {
    FUZZ_CHECK(managed == nullptr && status == TENON_ERROR_NOT_SUPPORTED);
    return;
  }
  const View& view = managed->tensor;
  FUZZ_CHECK(view.ndim == from.ndim);
  FUZZ_CHECK(view.dtype.code == from.dtype.code && view.dtype.bits == from.dtype.bits);
  for (int32_t i = 0; i < view.ndim; ++i) {
    FUZZ_CHECK(view.shape[i] == from.shape[i]);
    if (from.strides != nullptr) FUZZ_CHECK(view.strides[i] == from.strides[i]);
  }
  managed->deleter(managed);
}

void check_tensor(tenon_tensor* tensor, const View& view) {
  tenon_tensor_info info;
  FUZZ_CHECK(tenon_tensor_describe(tensor, &info) == TENON_OK);
  FUZZ_CHECK(info.ndim == view.ndim && info.numel >= 0);
  if (info.numel != 0) {
    FUZZ_CHECK(reinterpret_cast<uintptr_t>(info.data) ==
               reinterpret_cast<uintptr_t>(view.data) + view.byte_offset);
  }
  for (int32_t i = 0; i < info.ndim; ++i) FUZZ_CHECK(info.sizes[i] == view.shape[i]);
  if (info.device.type == TENON_DEVICE_CPU && info.ndim <= 4 && within(view)) {
    tenon_buffer* text = nullptr;
    const tenon_status status = tenon_tensor_print(tensor, &text);
    settle(status);
    tenon_buffer_release(text);
  }
  if (info.device.type == TENON_DEVICE_CPU) {  // export of a GPU tensor needs its stream
    check_export<DLManagedTensorVersioned>(tensor, &tenon_tensor_to_dlpack, view);
    check_export<DLManagedTensor>(tensor, &tenon_tensor_to_dlpack_legacy, view);
  }
}

template <class Managed, class Import>
void import_and_check(Producer<Managed>* producer, Import import, bool known_version) {
  const bool counts = producer->managed.deleter != nullptr;
  tenon_tensor* tensor = nullptr;
  const tenon_status status = import(&producer->managed, &tensor);
  settle(status);
  FUZZ_CHECK((status == TENON_OK) == (tensor != nullptr));
  FUZZ_CHECK((status == TENON_ERROR_ABI) == !known_version);
  if (status != TENON_OK) {
    FUZZ_CHECK(producer->deleted == (!known_version && counts ? 1 : 0));
    return;
  }
  check_tensor(tensor, producer->managed.tensor);
  FUZZ_CHECK(producer->deleted == 0);
  tenon_tensor_release(tensor);
  FUZZ_CHECK(producer->deleted == (counts ? 1 : 0));
}

}  // namespace

void fuzz_dlpack(const uint8_t* data, size_t size) {
  const LeakCheck nothing_left;
  Input input(data, size);
  if (input.coin()) {
    Producer<DLManagedTensor> producer(input);
    import_and_check(&producer, &tenon_tensor_from_dlpack_legacy, true);
    return;
  }
  const uint32_t major = input.below(32) == 0 ? input.number<uint32_t>() : 1;
  Producer<DLManagedTensorVersioned> producer(input);
  producer.managed.version = {major, input.byte()};
  producer.managed.flags = input.byte();
  import_and_check(&producer, &tenon_tensor_from_dlpack, major == 1);
}

}  // namespace tenon::fuzz
