// SPDX-License-Identifier: Apache-2.0
// Reads and writes pictures as tensors: uint8, [height, width, 3], RGB.
#ifndef IMAGE_H
#define IMAGE_H

#include <tenon/tenon.h>

// Reads a PNG or JPEG file; its first bytes determine the format.
//
// Errors:    TENON_ERROR_SYSTEM if the file cannot be read, TENON_ERROR_INVALID_ARGUMENT if it has
//            neither format or is damaged.
// Ownership: new reference in `out_image`.
tenon_status image_read(const char* path, tenon_tensor** out_image);

// Writes a PNG file. The tensor is uint8 [height, width, 3], or float32 in [0, 1] of that shape or
// [height, width], contiguous, on the CPU.
//
// Errors:    TENON_ERROR_TYPE for another tensor, TENON_ERROR_SYSTEM when the file cannot be
// written.
tenon_status image_write(const char* path, const tenon_tensor* image);

#endif
