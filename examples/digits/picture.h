// SPDX-License-Identifier: Apache-2.0
// Draws the results of the digits demo as SVG.
#ifndef PICTURE_H
#define PICTURE_H

#include <stdint.h>
#include <tenon/status.h>

// Digits of 8 x 8 pixels from 0 to 16, with their labels and the predictions.
typedef struct picture_digits {
  int count;
  const uint8_t (*pixels)[64];
  const uint8_t* labels;
  const int64_t* guesses;
} picture_digits;

// Draws losses, one per epoch, on a logarithmic axis.
//
// Errors:    TENON_ERROR_SYSTEM when the file cannot be written.
tenon_status picture_write_losses(const char* path, const double* losses, int64_t count);

// Draws 96 digits in a grid: misclassified digits first, framed in red, then correct ones, framed
// in green.
//
// Errors: TENON_ERROR_SYSTEM when the file cannot be written.
tenon_status picture_write_digits(const char* path, const picture_digits* digits);

#endif
