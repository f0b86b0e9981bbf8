// SPDX-License-Identifier: Apache-2.0
#include "graph/file.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <map>
#include <memory>

#include "base/check.h"
#include "dispatch/lazy_operator.h"
#include "graph/json.h"
#include "graph/operators.h"
#include "graph/text.h"

namespace tenon::graph {

namespace {

constexpr std::string_view kFormat = "tenon.graph", kVersion = "1";
constexpr size_t kLength = sizeof(uint64_t);  // of the header's length, little-endian
constexpr size_t kAlignment = 64;             // of the first tensor's bytes

struct DtypeName {
  tenon_dtype dtype;
  std::string_view name;
};
constexpr DtypeName kDtypes[] = {{TENON_DTYPE_BOOL, "BOOL"},
                                 {TENON_DTYPE_U8, "U8"},
                                 {TENON_DTYPE_I8, "I8"},
                                 {TENON_DTYPE_I16, "I16"},
                                 {TENON_DTYPE_I32, "I32"},
                                 {TENON_DTYPE_I64, "I64"},
                                 {TENON_DTYPE_F16, "F16"},
                                 {TENON_DTYPE_BF16, "BF16"},
                                 {TENON_DTYPE_F32, "F32"},
                                 {TENON_DTYPE_F64, "F64"},
                                 {TENON_DTYPE_C64, "C64"},
                                 {TENON_DTYPE_F8_E5M2, "F8_E5M2"},
                                 {TENON_DTYPE_F8_E4M3FN, "F8_E4M3"},
                                 {TENON_DTYPE_U16, "U16"},
                                 {TENON_DTYPE_U32, "U32"},
                                 {TENON_DTYPE_U64, "U64"}};

std::string_view name_of(tenon_dtype dtype) {
  for (const DtypeName& each : kDtypes) {
    if (each.dtype == dtype) return each.name;
  }
  return {};
}

tenon_dtype dtype_of(std::string_view name) {
  for (const DtypeName& each : kDtypes) {
    if (each.name == name) return each.dtype;
  }
  fail(TENON_ERROR_PARSE, "tenon_graph_read: dtype of a tensor must be a safetensors dtype, got ",
       name);
}

constinit dispatch::LazyOperator contiguous(operators::kContiguous);

// Returns the tensor with its elements contiguous in row-major order.
tensor::TensorPtr packed(const Attribute& attribute) {
  tensor::Tensor& tensor = *attribute.tensor;
  const bool has_bytes = tensor.has_storage() && tensor.device().type == TENON_DEVICE_CPU &&
                         (tensor.numel() == 0 || tensor.has_memory());
  TENON_CHECK(has_bytes && !name_of(tensor.dtype()).empty(), TENON_ERROR_NOT_SUPPORTED,
              "tenon_graph_write: attribute ", attribute.name,
              " must be a CPU tensor of a safetensors dtype, got ",
              tensor::dtype_name(tensor.dtype()), " on ", tensor::print_device(tensor.device()));
  if (tensor.is_contiguous()) return tensor::TensorPtr::share(&tensor);
  tenon_value args[2] = {tenon_value_of_tensor(&tensor),
                         tenon_value_of_memory_format(TENON_MEMORY_FORMAT_CONTIGUOUS)};
  return contiguous.call_tensor(args);
}

int64_t bytes_of(const tensor::Tensor& tensor) { return tensor.numel() * tensor.itemsize(); }

std::string list_text(const int64_t* numbers, size_t count) {
  std::string text = "[";
  for (size_t i = 0; i < count; ++i) {
    base::append(text, i == 0 ? "" : ",");
    base::append(text, numbers[i]);
  }
  return text + ']';
}

/// A tensor's entry in the header.
struct TensorEntry {
  tenon_dtype dtype = TENON_DTYPE_NONE;
  std::vector<int64_t> sizes;
  std::vector<int64_t> offsets;
};

struct Header {
  std::string text;
  std::string sizes;  // "fixed": runs refuse inputs of other sizes
  std::map<std::string, TensorEntry> entries;
};

TensorEntry read_entry(Json& json, const std::string& name) {
  TensorEntry entry;
  bool has_sizes = false;
  json.object([&](const std::string& key) {
    if (key == "dtype") {
      entry.dtype = dtype_of(json.string());
    } else if (key == "shape") {
      entry.sizes = json.naturals(TENON_TENSOR_MAX_DIMS);
      has_sizes = true;
    } else if (key == "data_offsets") {
      entry.offsets = json.naturals(2);
    } else {
      fail(TENON_ERROR_PARSE, "tenon_graph_read: tensor ", name,
           " must have dtype, shape and data_offsets, got ", key);
    }
  });
  TENON_CHECK(entry.dtype != TENON_DTYPE_NONE && has_sizes && entry.offsets.size() == 2,
              TENON_ERROR_PARSE, "tenon_graph_read: tensor ", name,
              " must have dtype, shape and data_offsets, got fewer fields");
  return entry;
}

Header read_header(std::string_view text) {
  Header header;
  std::string format, version;
  Json json(text);
  json.object([&](const std::string& key) {
    if (key != "__metadata__") {
      const bool fresh = header.entries.emplace(key, read_entry(json, key)).second;
      TENON_CHECK(fresh, TENON_ERROR_PARSE, "tenon_graph_read: tensor ", key,
                  " must appear only once, got a second one");
      return;
    }
    json.object([&](const std::string& name) {
      std::string value = json.string();
      (name == "format"    ? format
       : name == "version" ? version
       : name == "sizes"   ? header.sizes
                           : header.text) = std::move(value);
    });
  });
  json.expect_end();
  TENON_CHECK(format == kFormat && version == kVersion, TENON_ERROR_PARSE,
              "tenon_graph_read: metadata must have format ", kFormat, ' ', kVersion, ", got '",
              format, ' ', version, '\'');
  return header;
}

tensor::TensorPtr read_tensor(const std::string& name, const TensorEntry& entry,
                              std::string_view data) {
  constexpr const char* kFunction = "tenon_graph_read";
  const int64_t numel = tensor::checked_numel(kFunction, entry.sizes);
  const int64_t size = tensor::checked_bytes(kFunction, numel, tensor::dtype_size(entry.dtype));
  const int64_t begin = entry.offsets[0], end = entry.offsets[1];
  TENON_CHECK(begin <= end && static_cast<uint64_t>(end) <= data.size() && end - begin == size,
              TENON_ERROR_PARSE, kFunction, ": tensor ", name, " must have ", size,
              " bytes inside the file, got bytes ", begin, " to ", end);
  tensor::TensorPtr tensor = tensor::new_tensor(entry.dtype, nullptr, entry.sizes);
  if (size != 0) {
    std::memcpy(tensor->data(), data.data() + begin, static_cast<size_t>(size));
  }
  return tensor;
}

std::vector<std::string> attribute_names(std::string_view text) {
  constexpr std::string_view kLine = "attribute ";
  std::vector<std::string> names;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    if (line.substr(0, kLine.size()) == kLine) {
      const std::string_view rest = line.substr(kLine.size());
      names.emplace_back(rest.substr(0, rest.find(' ')));
    }
    text.remove_prefix(std::min(text.size(), line.size() + 1));
  }
  return names;
}

struct CloseFile {
  void operator()(std::FILE* file) const noexcept { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, CloseFile>;

[[noreturn]] void fail_on(const char* function, const char* path) {
  fail(TENON_ERROR_SYSTEM, function, ": ", path, ": ", std::strerror(errno));
}

}  // namespace

std::string write_bytes(const Graph& graph) {
  std::string header =
      base::concat("{\"__metadata__\":{\"format\":\"", kFormat, "\",\"version\":\"", kVersion,
                   graph.has_fixed_sizes() ? "\",\"sizes\":\"fixed" : "",
                   "\",\"graph\":", json_quoted(print_graph(graph)), '}');
  std::vector<tensor::TensorPtr> tensors;
  int64_t at = 0;
  for (const Attribute& attribute : graph.attributes()) {
    tensors.push_back(packed(attribute));
    const tensor::Tensor& tensor = *tensors.back();
    const int64_t offsets[2] = {at, at + bytes_of(tensor)};
    at = offsets[1];
    header +=
        base::concat(',', json_quoted(attribute.name), ":{\"dtype\":\"", name_of(tensor.dtype()),
                     "\",\"shape\":", list_text(tensor.sizes(), tensor.size_span().size()),
                     ",\"data_offsets\":", list_text(offsets, 2), '}');
  }
  header += '}';
  const size_t past = (kLength + header.size()) % kAlignment;
  header.append(past == 0 ? 0 : kAlignment - past, ' ');
  std::string bytes(kLength, '\0');
  for (size_t i = 0; i < kLength; ++i) bytes[i] = static_cast<char>(header.size() >> 8 * i & 255);
  bytes += header;
  for (const tensor::TensorPtr& tensor : tensors) {
    if (tensor->numel() == 0) continue;
    bytes.append(static_cast<const char*>(tensor->data()), static_cast<size_t>(bytes_of(*tensor)));
  }
  return bytes;
}

GraphPtr read_bytes(std::string_view bytes) {
  constexpr const char* kFunction = "tenon_graph_read";
  uint64_t length = 0;
  TENON_CHECK(bytes.size() >= kLength, TENON_ERROR_PARSE, kFunction,
              ": data must begin with the length of a header, got ", bytes.size(), " bytes");
  for (size_t i = kLength; i-- > 0;) length = length << 8 | static_cast<unsigned char>(bytes[i]);
  bytes.remove_prefix(kLength);
  TENON_CHECK(length <= bytes.size(), TENON_ERROR_PARSE, kFunction, ": header must have ", length,
              " bytes, got ", bytes.size());
  const Header header = read_header(bytes.substr(0, length));
  const std::string_view data = bytes.substr(length);
  std::vector<tensor::TensorPtr> tensors;
  std::vector<tenon_tensor*> handles;
  for (const std::string& name : attribute_names(header.text)) {
    const auto found = header.entries.find(name);
    TENON_CHECK(found != header.entries.end(), TENON_ERROR_PARSE, kFunction,
                ": each attribute must have a tensor in the file, got none named ", name);
    tensors.push_back(read_tensor(name, found->second, data));
    handles.push_back(tensors.back().get());
  }
  TENON_CHECK(tensors.size() == header.entries.size(), TENON_ERROR_PARSE, kFunction,
              ": number of tensors must be that of the attributes, got ", header.entries.size(),
              " for ", tensors.size());
  GraphPtr graph = parse_graph(header.text, handles);
  if (header.sizes == "fixed") graph->fix_sizes();
  return graph;
}

// Writes to a temporary file first, so that a failure keeps the old file.
void save_file(const Graph& graph, const char* path) {
  constexpr const char* kFunction = "tenon_graph_save";
  const std::string bytes = write_bytes(graph);
  const std::string beside = base::concat(path, ".part");
  File file(std::fopen(beside.c_str(), "wb"));
  if (file == nullptr) fail_on(kFunction, beside.c_str());
  const bool written = std::fwrite(bytes.data(), 1, bytes.size(), file.get()) == bytes.size();
  const bool closed = std::fclose(file.release()) == 0;
  if (!written || !closed || std::rename(beside.c_str(), path) != 0) {
    const int reason = errno;
    std::remove(beside.c_str());
    errno = reason;
    fail_on(kFunction, path);
  }
}

GraphPtr load_file(const char* path) {
  constexpr const char* kFunction = "tenon_graph_load";
  const File file(std::fopen(path, "rb"));
  if (file == nullptr) fail_on(kFunction, path);
  std::string bytes;
  char chunk[65536];
  while (const size_t got = std::fread(chunk, 1, sizeof chunk, file.get()))
    bytes.append(chunk, got);
  if (std::ferror(file.get()) != 0) fail_on(kFunction, path);
  return read_bytes(bytes);
}

}  // namespace tenon::graph
