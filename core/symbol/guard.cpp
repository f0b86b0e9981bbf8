// SPDX-License-Identifier: Apache-2.0
#include "symbol/guard.h"

#include "base/concat.h"
#include "base/language.h"
#include "base/thread.h"
#include "dispatch/operator_entry.h"

namespace tenon::symbol {

namespace {

// Returns the operator whose kernel the calling thread runs, "" if it runs none.
const char* running_op() noexcept {
  const base::ThreadRecord* thread = base::current_thread();
  const base::RunningPlace* place = thread->top.load(std::memory_order_relaxed);
  while (place != thread->running) {
    const uintptr_t shown = base::shown_at(*--place, std::memory_order_relaxed);
    if (shown == 0 || (shown & base::kPicking) != 0) continue;
    const tenon_op* op = reinterpret_cast<const dispatch::Kernel*>(shown)->op();
    if (op != nullptr) return op->name();
  }
  return "";
}

}  // namespace

GuardLocation GuardLocation::current() {
  GuardLocation place;
  place.op = running_op();
  const base::ErrorPtr frames = base::capture_frames("");
  tenon_error_frame frame;
  for (int64_t k = 0; frames->get_frame(k, &frame); ++k) {
    if (frame.file == nullptr) continue;
    place.file = frame.file;
    place.line = frame.line;
    break;
  }
  return place;
}

std::string GuardLocation::text() const {
  std::string text;
  if (!op.empty()) base::append(text, op);
  if (!file.empty()) {
    text += base::concat(text.empty() ? "" : ", ", file, ":", line);
  }
  return text.empty() ? text : base::concat(" (", text, ")");
}

}  // namespace tenon::symbol
