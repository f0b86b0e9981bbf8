// SPDX-License-Identifier: Apache-2.0
// Reads and writes pictures as tensors, with libpng and libjpeg.
#include "image.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jpeglib.h>
#include <png.h>
#include <setjmp.h>

static tenon_status fail(tenon_status code, const char* function, const char* path,
                         const char* reason) {
  char message[512];
  snprintf(message, sizeof message, "%s: %s: %s", function, path, reason);
  return tenon_error_raise(code, message);
}

static tenon_status new_image(int64_t height, int64_t width, tenon_tensor** out_image,
                              void** out_data) {
  const int64_t sizes[3] = {height, width, 3};
  tenon_status status = tenon_tensor_new(TENON_DTYPE_U8, NULL, 3, sizes, NULL, out_image);
  if (status == TENON_OK) {
    status = tenon_tensor_data(*out_image, out_data);
  }
  return status;
}

static tenon_status read_png(const char* path, tenon_tensor** out_image) {
  png_image png;
  memset(&png, 0, sizeof png);
  png.version = PNG_IMAGE_VERSION;
  if (!png_image_begin_read_from_file(&png, path)) {
    return fail(TENON_ERROR_INVALID_ARGUMENT, "image_read", path, png.message);
  }
  png.format = PNG_FORMAT_RGB;
  void* data = NULL;
  tenon_status status = new_image(png.height, png.width, out_image, &data);
  if (status == TENON_OK && !png_image_finish_read(&png, NULL, data, 0, NULL)) {
    status = fail(TENON_ERROR_INVALID_ARGUMENT, "image_read", path, png.message);
  }
  png_image_free(&png);
  return status;
}

typedef struct jpeg_failure {
  struct jpeg_error_mgr manager;
  jmp_buf back;
  char message[JMSG_LENGTH_MAX];
} jpeg_failure;

static void on_jpeg_error(j_common_ptr jpeg) {
  jpeg_failure* failure = (jpeg_failure*)jpeg->err;
  failure->manager.format_message(jpeg, failure->message);
  longjmp(failure->back, 1);
}

static tenon_status read_jpeg(const char* path, FILE* file, tenon_tensor** out_image) {
  struct jpeg_decompress_struct jpeg;
  jpeg_failure failure;
  memset(&jpeg, 0, sizeof jpeg);
  jpeg.err = jpeg_std_error(&failure.manager);
  failure.manager.error_exit = &on_jpeg_error;
  if (setjmp(failure.back)) {
    jpeg_destroy_decompress(&jpeg);
    return fail(TENON_ERROR_INVALID_ARGUMENT, "image_read", path, failure.message);
  }
  jpeg_create_decompress(&jpeg);
  jpeg_stdio_src(&jpeg, file);
  jpeg_read_header(&jpeg, TRUE);
  jpeg.out_color_space = JCS_RGB;
  jpeg_start_decompress(&jpeg);
  void* data = NULL;
  const tenon_status status = new_image(jpeg.output_height, jpeg.output_width, out_image, &data);
  if (status == TENON_OK) {
    while (jpeg.output_scanline < jpeg.output_height) {
      JSAMPROW row = (JSAMPROW)data + (size_t)jpeg.output_scanline * jpeg.output_width * 3;
      jpeg_read_scanlines(&jpeg, &row, 1);
    }
    jpeg_finish_decompress(&jpeg);
  }
  jpeg_destroy_decompress(&jpeg);
  return status;
}

tenon_status image_read(const char* path, tenon_tensor** out_image) {
  *out_image = NULL;
  FILE* file = fopen(path, "rb");
  if (file == NULL) {
    return fail(TENON_ERROR_SYSTEM, "image_read", path, "cannot be opened");
  }
  unsigned char head[3] = {0, 0, 0};
  const size_t got = fread(head, 1, sizeof head, file);
  rewind(file);
  tenon_status status;
  if (got == 3 && head[0] == 0xff && head[1] == 0xd8 && head[2] == 0xff) {
    status = read_jpeg(path, file, out_image);
  } else if (got == 3 && head[0] == 0x89 && head[1] == 'P' && head[2] == 'N') {
    status = read_png(path, out_image);
  } else {
    status = fail(TENON_ERROR_INVALID_ARGUMENT, "image_read", path, "must be a PNG or JPEG file");
  }
  fclose(file);
  if (status != TENON_OK) {
    tenon_tensor_release(*out_image);
    *out_image = NULL;
  }
  return status;
}

tenon_status image_write(const char* path, const tenon_tensor* image) {
  tenon_tensor_info info;
  const tenon_status status = tenon_tensor_describe(image, &info);
  if (status != TENON_OK) {
    return status;
  }
  const int color = info.ndim == 3 && info.sizes[2] == 3;
  const int gray = info.ndim == 2 && info.dtype == TENON_DTYPE_F32;
  const int known = info.dtype == TENON_DTYPE_U8 || info.dtype == TENON_DTYPE_F32;
  if (!known || !(color || gray) || (info.flags & TENON_TENSOR_CONTIGUOUS) == 0) {
    return fail(TENON_ERROR_TYPE, "image_write", path,
                "image must be contiguous uint8 or float32 [height, width, 3] or "
                "float32 [height, width]");
  }
  png_image png;
  memset(&png, 0, sizeof png);
  png.version = PNG_IMAGE_VERSION;
  png.height = (png_uint_32)info.sizes[0];
  png.width = (png_uint_32)info.sizes[1];
  png.format = color ? PNG_FORMAT_RGB : PNG_FORMAT_GRAY;
  const void* pixels = info.data;
  unsigned char* bytes = NULL;
  if (info.dtype == TENON_DTYPE_F32) {
    bytes = malloc((size_t)info.numel);
    if (bytes == NULL) {
      return fail(TENON_ERROR_OUT_OF_MEMORY, "image_write", path, "no memory for the pixels");
    }
    for (int64_t i = 0; i < info.numel; ++i) {
      const float value = ((const float*)info.data)[i];
      bytes[i] = (unsigned char)(value <= 0 ? 0 : value >= 1 ? 255 : value * 255 + 0.5f);
    }
    pixels = bytes;
  }
  const int written = png_image_write_to_file(&png, path, 0, pixels, 0, NULL);
  free(bytes);
  return written ? TENON_OK : fail(TENON_ERROR_SYSTEM, "image_write", path, png.message);
}
