// SPDX-License-Identifier: Apache-2.0
// Finds the sanitizer that a plugin's file was built with, without running any code of the file: a
// sanitizer runtime that is loaded late aborts the process.
#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <span>

#include "base/check.h"
#include "plugin/plugin.h"

namespace tenon::plugin {

namespace {

// A file, mapped for reading. Empty if it cannot be mapped: the loader then reports the reason.
class MappedFile {
 public:
  explicit MappedFile(const std::string& path) {
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) return;
    struct stat about {};
    if (::fstat(file, &about) == 0 && S_ISREG(about.st_mode) && about.st_size > 0) {
      size_ = static_cast<size_t>(about.st_size);
      memory_ = ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, file, 0);
    }
    ::close(file);
  }
  ~MappedFile() {
    if (memory_ != MAP_FAILED) ::munmap(memory_, size_);
  }
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  /// Returns `count` objects at an offset; nothing if they are not all within the file.
  template <class T>
  std::span<const T> at(uint64_t offset, uint64_t count) const {
    if (memory_ == MAP_FAILED || offset > size_ || count > (size_ - offset) / sizeof(T)) return {};
    const char* start = static_cast<const char*>(memory_) + offset;
    if (reinterpret_cast<uintptr_t>(start) % alignof(T) != 0) return {};
    return {reinterpret_cast<const T*>(start), static_cast<size_t>(count)};
  }

 private:
  void* memory_ = MAP_FAILED;
  size_t size_ = 0;
};

// Returns the names of the file's dynamic symbols and libraries, separated by zero bytes.
std::string_view dynamic_names(const MappedFile& file) {
  using Header = ElfW(Ehdr);
  const auto header = file.at<Header>(0, 1);
  if (header.empty() || std::memcmp(header[0].e_ident, ELFMAG, SELFMAG) != 0 ||
      header[0].e_ident[EI_CLASS] != (sizeof(void*) == 8 ? ELFCLASS64 : ELFCLASS32)) {
    return {};
  }
  const auto segments = file.at<ElfW(Phdr)>(header[0].e_phoff, header[0].e_phnum);
  uint64_t address = 0;
  uint64_t size = 0;
  for (const auto& segment : segments) {
    if (segment.p_type != PT_DYNAMIC) continue;
    for (const auto& entry :
         file.at<ElfW(Dyn)>(segment.p_offset, segment.p_filesz / sizeof(ElfW(Dyn)))) {
      if (entry.d_tag == DT_STRTAB) address = entry.d_un.d_ptr;
      if (entry.d_tag == DT_STRSZ) size = entry.d_un.d_val;
      if (entry.d_tag == DT_NULL) break;
    }
  }
  for (const auto& segment : segments) {
    if (segment.p_type != PT_LOAD || address < segment.p_vaddr ||
        address - segment.p_vaddr >= segment.p_filesz) {
      continue;
    }
    const auto names = file.at<char>(segment.p_offset + (address - segment.p_vaddr), size);
    return {names.data(), names.size()};
  }
  return {};
}

bool has_name(std::string_view names, std::string_view name) {
  for (size_t at = names.find(name); at != std::string_view::npos; at = names.find(name, at + 1)) {
    const size_t end = at + name.size();
    if (at > 0 && names[at - 1] == '\0' && end < names.size() && names[end] == '\0') return true;
  }
  return false;
}

// Each instrumented file initializes its runtime by calling a function of this name.
constexpr struct {
  uint32_t sanitizer;
  const char* function;
} kRuntimes[] = {{TENON_SANITIZER_ADDRESS, "__asan_init"},
                 {TENON_SANITIZER_THREAD, "__tsan_init"},
                 {TENON_SANITIZER_MEMORY, "__msan_init"}};

}  // namespace

bool has_runtime(uint32_t sanitizer) noexcept {
  if (sanitizer == TENON_SANITIZER_CURRENT) return true;
  for (const auto& runtime : kRuntimes) {
    if (runtime.sanitizer == sanitizer) return ::dlsym(RTLD_DEFAULT, runtime.function) != nullptr;
  }
  return false;
}

void check_sanitizer(const std::string& path) {
  const MappedFile file(path);
  const std::string_view names = dynamic_names(file);
  for (const auto& runtime : kRuntimes) {
    TENON_CHECK(!has_name(names, runtime.function) || has_runtime(runtime.sanitizer),
                TENON_ERROR_ABI, "plugin ", path, ": ", sanitizer_name(runtime.sanitizer),
                ", which it was built with, must be loaded when the process starts, got a process ",
                "without; build the program with it, or run it with LD_PRELOAD of its runtime");
  }
}

}  // namespace tenon::plugin
