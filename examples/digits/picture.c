// SPDX-License-Identifier: Apache-2.0
// Draws the results of the digits demo as SVG.
#include "picture.h"

#include <math.h>
#include <stdio.h>
#include <tenon/error.h>

enum { WIDTH = 640, HEIGHT = 400, LEFT = 60, RIGHT = 620, TOP = 40, BOTTOM = 350 };
enum { COLUMNS = 12, GRID_ROWS = 8, CELL = 64, PIXEL = 5 };

static FILE* open_svg(const char* path, int width, int height) {
  FILE* file = fopen(path, "w");
  if (file != NULL) {
    fprintf(file,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
            "font-family=\"sans-serif\" font-size=\"13\">\n"
            "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n",
            width, height);
  }
  return file;
}

static tenon_status close_svg(const char* path, FILE* file) {
  int written = 0;
  if (file != NULL) {
    fputs("</svg>\n", file);
    written = !ferror(file);
    written = fclose(file) == 0 && written;
  }
  if (written) {
    return TENON_OK;
  }
  char message[512];
  snprintf(message, sizeof message, "picture: path must be writable, got %s", path);
  return tenon_error_raise(TENON_ERROR_SYSTEM, message);
}

// Range of the losses' axis, from 10^low to 10^high.
typedef struct decades {
  int low, high;
} decades;

static decades decades_of(const double* losses, int64_t count) {
  double least = losses[0], most = losses[0];
  for (int64_t i = 1; i < count; ++i) {
    least = fmin(least, losses[i]);
    most = fmax(most, losses[i]);
  }
  decades axis = {(int)floor(log10(fmax(least, 1e-9))), (int)ceil(log10(fmax(most, 1e-9)))};
  if (axis.high <= axis.low) axis.high = axis.low + 1;
  return axis;
}

static double height_of(decades axis, double exponent) {
  return BOTTOM - (BOTTOM - TOP) * (exponent - axis.low) / (axis.high - axis.low);
}

static double place_of(int64_t epoch, int64_t count) {
  return LEFT + (double)(RIGHT - LEFT) * (double)epoch / (double)(count > 1 ? count - 1 : 1);
}

tenon_status picture_write_losses(const char* path, const double* losses, int64_t count) {
  FILE* file = open_svg(path, WIDTH, HEIGHT);
  if (file == NULL || count == 0) {
    return close_svg(path, file);
  }
  const decades axis = decades_of(losses, count);
  fprintf(file, "<text x=\"%d\" y=\"24\">mean loss of each epoch</text>\n", LEFT);
  for (int exponent = axis.low; exponent <= axis.high; ++exponent) {
    const double y = height_of(axis, exponent);
    fprintf(file,
            "<line x1=\"%d\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\" stroke=\"#ccc\"/>\n"
            "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%g</text>\n",
            LEFT, y, RIGHT, y, LEFT - 8, y + 4, pow(10, exponent));
  }
  const int64_t every = count > 10 ? (count + 7) / 8 : 1;
  for (int64_t epoch = 0; epoch < count; epoch += every) {
    fprintf(file, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%d</text>\n",
            place_of(epoch, count), BOTTOM + 20, (int)epoch + 1);
  }
  fputs("<polyline fill=\"none\" stroke=\"#06c\" stroke-width=\"2\" points=\"", file);
  for (int64_t epoch = 0; epoch < count; ++epoch) {
    fprintf(file, "%.1f,%.1f ", place_of(epoch, count),
            height_of(axis, log10(fmax(losses[epoch], 1e-9))));
  }
  fputs("\"/>\n", file);
  return close_svg(path, file);
}

static void write_digit(FILE* file, const picture_digits* digits, int digit, int cell) {
  const int right = digits->guesses[digit] == digits->labels[digit];
  fprintf(file, "<g transform=\"translate(%d,%d)\">\n", cell % COLUMNS * CELL + 4,
          cell / COLUMNS * (CELL + 4) + 28);
  for (int i = 0; i < 64; ++i) {
    const int gray = 255 - digits->pixels[digit][i] * 255 / 16;
    if (gray == 255) continue;
    fprintf(file, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"#%02x%02x%02x\"/>\n",
            i % 8 * PIXEL + 2, i / 8 * PIXEL + 2, PIXEL, PIXEL, gray, gray, gray);
  }
  fprintf(file,
          "<rect width=\"%d\" height=\"%d\" fill=\"none\" stroke=\"%s\" stroke-width=\"%d\"/>\n",
          8 * PIXEL + 4, 8 * PIXEL + 4, right ? "#5b5" : "#d22", right ? 1 : 3);
  if (right) {
    fprintf(file, "<text x=\"2\" y=\"58\" fill=\"#383\">%d</text>\n", (int)digits->guesses[digit]);
  } else {
    fprintf(file, "<text x=\"2\" y=\"58\" fill=\"#d22\">%d, not %d</text>\n", digits->labels[digit],
            (int)digits->guesses[digit]);
  }
  fputs("</g>\n", file);
}

tenon_status picture_write_digits(const char* path, const picture_digits* digits) {
  const int wide = COLUMNS * CELL + 8;
  FILE* file = open_svg(path, wide, GRID_ROWS * (CELL + 4) + 36);
  int wrong = 0, cell = 0;
  for (int i = 0; i < digits->count; ++i) wrong += digits->guesses[i] != digits->labels[i];
  if (file != NULL) {
    fprintf(
        file,
        "<text x=\"4\" y=\"18\">%d of %d digits that were held out, %d wrong ones first</text>\n",
        COLUMNS * GRID_ROWS, digits->count, wrong);
  }
  for (int right = 0; right <= 1 && file != NULL; ++right) {
    for (int i = 0; i < digits->count && cell < COLUMNS * GRID_ROWS; ++i) {
      if ((digits->guesses[i] == digits->labels[i]) == right) {
        write_digit(file, digits, i, cell++);
      }
    }
  }
  return close_svg(path, file);
}
