// SPDX-License-Identifier: Apache-2.0
// The texts of a native error.
package dev.tenon;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Parses the array that native/error.cpp makes of an error; its layout is documented there. */
final class ErrorText {
  final int code;
  final String kind;
  final String message;
  final List<String> notes;
  final List<ErrorFrame> frames;

  private final byte[] packed;
  private int at;

  ErrorText(byte[] packed) {
    this.packed = packed;
    ByteBuffer numbers = ByteBuffer.wrap(packed).order(ByteOrder.nativeOrder());
    code = numbers.getInt();
    String[] noteTexts = new String[numbers.getInt()];
    ErrorFrame[] places = new ErrorFrame[numbers.getInt()];
    at = numbers.position() + places.length * 2 * Integer.BYTES;
    kind = next();
    message = next();
    for (int i = 0; i < noteTexts.length; i++) {
      noteTexts[i] = next();
    }
    for (int i = 0; i < places.length; i++) {
      String language = ErrorFrame.language(numbers.getInt());
      int line = numbers.getInt();
      places[i] = new ErrorFrame(language, next(), next(), line);
    }
    notes = List.of(noteTexts);
    frames = List.of(places);
  }

  private String next() {
    int start = at;
    while (packed[at] != 0) {
      at++;
    }
    return new String(packed, start, at++ - start, StandardCharsets.UTF_8);
  }
}
