/* SPDX-License-Identifier: Apache-2.0 */
/* Describes the operators of a namespace in JSON, one a line, from which generate.py writes their
 * wrappers in each language. Usage: tenon_describe NAMESPACE FILE. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tenon/tenon.h"

/* Ends the program with the error of the call that failed. */
static void check(tenon_status status, const char* what) {
  tenon_error* error = NULL;
  if (status == TENON_OK) return;
  error = tenon_error_take();
  fprintf(stderr, "tenon_describe: %s: %s\n", what, error ? tenon_error_message(error) : "unknown");
  exit(1);
}

static void print_bytes(FILE* file, const char* text, size_t size) {
  size_t i;
  fputc('"', file);
  for (i = 0; i < size; ++i) {
    const unsigned char byte = (unsigned char)text[i];
    if (byte == '"' || byte == '\\') {
      fprintf(file, "\\%c", byte);
    } else if (byte < 0x20) {
      fprintf(file, "\\u%04x", byte);
    } else {
      fputc(byte, file);
    }
  }
  fputc('"', file);
}

static void print_text(FILE* file, const char* text) { print_bytes(file, text, strlen(text)); }

/* Writes a float as a string, because JSON has no infinities and does not distinguish floats from
 * ints. */
static void print_float(FILE* file, double number) { fprintf(file, "\"%.17g\"", number); }

static void print_value(FILE* file, const tenon_value* value);

static void print_element(FILE* file, const tenon_value* list, uint32_t i) {
  const void* data = list->as.list.data;
  switch (list->tag) {
    case TENON_TAG_INT_LIST:
      fprintf(file, "%" PRId64, ((const int64_t*)data)[i]);
      break;
    case TENON_TAG_FLOAT_LIST:
      fprintf(file, "{\"float\": ");
      print_float(file, ((const double*)data)[i]);
      fputc('}', file);
      break;
    case TENON_TAG_BOOL_LIST:
      fputs(((const uint8_t*)data)[i] ? "true" : "false", file);
      break;
    default:
      print_value(file, (const tenon_value*)data + i);
  }
}

static void print_value(FILE* file, const tenon_value* value) {
  uint32_t i;
  switch (value->tag) {
    case TENON_TAG_NONE:
      fputs("null", file);
      break;
    case TENON_TAG_BOOL:
      fputs(value->as.i ? "true" : "false", file);
      break;
    case TENON_TAG_INT:
      fprintf(file, "%" PRId64, value->as.i);
      break;
    case TENON_TAG_FLOAT:
      fputs("{\"float\": ", file);
      print_float(file, value->as.f);
      fputc('}', file);
      break;
    case TENON_TAG_COMPLEX:
      fputs("{\"complex\": [", file);
      print_float(file, value->as.c.real);
      fputs(", ", file);
      print_float(file, value->as.c.imag);
      fputs("]}", file);
      break;
    case TENON_TAG_STRING:
      print_bytes(file, (const char*)value->as.list.data, value->count);
      break;
    case TENON_TAG_DTYPE:
    case TENON_TAG_LAYOUT:
    case TENON_TAG_MEMORY_FORMAT:
      fprintf(file, "{\"code\": %" PRId64 "}", value->as.i);
      break;
    case TENON_TAG_DEVICE:
      fprintf(file, "{\"device\": [%d, %d]}", (int)value->as.device.type,
              (int)value->as.device.index);
      break;
    case TENON_TAG_INT_LIST:
    case TENON_TAG_FLOAT_LIST:
    case TENON_TAG_BOOL_LIST:
    case TENON_TAG_LIST:
      fputc('[', file);
      for (i = 0; i < value->count; ++i) {
        if (i > 0) fputs(", ", file);
        print_element(file, value, i);
      }
      fputc(']', file);
      break;
    default:
      fprintf(stderr, "tenon_describe: a default value has the unknown tag %d\n", value->tag);
      exit(1);
  }
}

static void print_argument(FILE* file, const tenon_argument_info* info) {
  fputs("{\"name\": ", file);
  print_text(file, info->name);
  fputs(", \"type\": ", file);
  print_text(file, info->type_text);
  fputs(", \"alias\": ", file);
  print_text(file, info->alias_text);
  fprintf(file, ", \"flags\": %u", info->flags);
  if (info->default_value != NULL) {
    fputs(", \"default\": ", file);
    print_value(file, info->default_value);
  }
  fputc('}', file);
}

typedef tenon_status (*get_argument)(const tenon_schema*, int64_t, tenon_argument_info*);

static void print_arguments(FILE* file, const char* key, const tenon_schema* schema, int64_t count,
                            get_argument get) {
  tenon_argument_info info;
  int64_t i;
  fprintf(file, ", \"%s\": [", key);
  for (i = 0; i < count; ++i) {
    memset(&info, 0, sizeof info);
    info.struct_size = sizeof info;
    check(get(schema, i, &info), "reading a schema");
    if (i > 0) fputs(", ", file);
    print_argument(file, &info);
  }
  fputc(']', file);
}

static void print_operator(FILE* file, const tenon_op* op) {
  tenon_schema* schema;
  tenon_buffer* tags;
  check(tenon_op_copy_schema(op, &schema), tenon_op_name(op));
  check(tenon_op_copy_tags(op, &tags), tenon_op_name(op));
  fputs("{\"name\": ", file);
  print_text(file, tenon_schema_name(schema));
  fputs(", \"overload\": ", file);
  print_text(file, tenon_schema_overload(schema));
  fputs(", \"schema\": ", file);
  print_text(file, tenon_schema_text(schema));
  fputs(", \"signature\": ", file);
  print_text(file, tenon_schema_signature(schema));
  fputs(", \"tags\": ", file);
  print_bytes(file, (const char*)tenon_buffer_data(tags), (size_t)tenon_buffer_size(tags));
  fprintf(file, ", \"flags\": %u", tenon_schema_flags(schema));
  print_arguments(file, "arguments", schema, tenon_schema_argument_count(schema),
                  tenon_schema_get_argument);
  print_arguments(file, "returns", schema, tenon_schema_return_count(schema),
                  tenon_schema_get_return);
  fputs("}\n", file);
  tenon_buffer_release(tags);
  tenon_schema_release(schema);
}

int main(int argc, char** argv) {
  const tenon_op* first;
  tenon_buffer* list;
  const tenon_op* const* ops;
  size_t count, i, size;
  FILE* file;
  if (argc != 3) {
    fputs("usage: tenon_describe NAMESPACE FILE\n", stderr);
    return 2;
  }
  /* A lookup in `aten` loads the plugin with the operators. */
  check(tenon_op_find("aten::add.Tensor", &first), "loading the operators");
  check(tenon_introspect_list_ops(&list), "listing the operators");
  file = fopen(argv[2], "w");
  if (file == NULL) {
    perror(argv[2]);
    return 1;
  }
  ops = (const tenon_op* const*)tenon_buffer_data(list);
  count = (size_t)tenon_buffer_size(list) / sizeof *ops;
  size = strlen(argv[1]);
  for (i = 0; i < count; ++i) {
    const char* name = tenon_op_name(ops[i]);
    if (strncmp(name, argv[1], size) == 0 && strncmp(name + size, "::", 2) == 0) {
      print_operator(file, ops[i]);
    }
  }
  tenon_buffer_release(list);
  if (fclose(file) != 0) {
    perror(argv[2]);
    return 1;
  }
  return 0;
}
