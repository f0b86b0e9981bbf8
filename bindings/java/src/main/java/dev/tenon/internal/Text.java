// SPDX-License-Identifier: Apache-2.0
// Texts as UTF-8 bytes, for C.
package dev.tenon.internal;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Converts texts to NUL-terminated UTF-8 and back. Internal. */
public final class Text {
  private Text() {}

  /** Returns the bytes of a text with a NUL at the end; null for null. */
  public static byte[] encode(String text) {
    if (text == null) {
      return null;
    }
    int lone = loneSurrogate(text);
    if (lone >= 0) {
      throw new IllegalArgumentException(
          "text: must be valid Unicode, got a lone surrogate at index " + lone);
    }
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    for (byte b : bytes) {
      if (b == 0) {
        throw new IllegalArgumentException("text: must be without NUL characters, got one");
      }
    }
    return Arrays.copyOf(bytes, bytes.length + 1);
  }

  /** Returns the index of the first unpaired surrogate, which UTF-8 cannot encode, or -1. */
  public static int loneSurrogate(String text) {
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (!Character.isSurrogate(c)) {
        continue;
      }
      boolean pair =
          Character.isHighSurrogate(c)
              && i + 1 < text.length()
              && Character.isLowSurrogate(text.charAt(i + 1));
      if (!pair) {
        return i;
      }
      i++;
    }
    return -1;
  }

  /** Returns the text of UTF-8 bytes; null for null. */
  public static String decode(byte[] bytes) {
    return bytes == null ? null : new String(bytes, StandardCharsets.UTF_8);
  }

  /** Reads a NUL-terminated text at an address; "" for address 0. */
  public static String read(long address) {
    if (address == 0) {
      return "";
    }
    int size = 0;
    while (Memory.getByte(address + size) != 0) {
      size++;
    }
    return read(address, size);
  }

  /** Reads {@code size} bytes of text at an address. */
  public static String read(long address, int size) {
    byte[] bytes = new byte[size];
    Memory.copyOut(address, bytes, 0, size);
    return new String(bytes, StandardCharsets.UTF_8);
  }
}
