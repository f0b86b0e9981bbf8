// SPDX-License-Identifier: Apache-2.0
package dev.tenon;

import static org.junit.jupiter.api.Assertions.*;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.Arrays;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** C errors as exceptions whose messages and stack traces are read lazily. */
final class TenonExceptionTest {
  private Library lib;
  private Tensor x;

  @BeforeEach
  void setUp() {
    Support.plugin();
    lib = Support.library();
    lib.define("good(Tensor x) -> Tensor");
    lib.impl("good", "CPU", args -> args[0]);
    x = Tensor.of(new float[] {1});
  }

  @AfterEach
  void tearDown() {
    x.close();
    lib.close();
  }

  // A kernel of C that complains because the operator it calls does not fail.
  private Object complain() {
    return Operators.find("javatest::error_text").call(lib.namespace() + "::good", x);
  }

  private TenonException caught() {
    return assertThrows(TenonException.class, this::complain);
  }

  private static String printed(Throwable thrown) {
    StringWriter text = new StringWriter();
    thrown.printStackTrace(new PrintWriter(text));
    return text.toString();
  }

  @Test
  void error_isReadInAnyOrder() {
    assertEquals(ErrorCode.STATE, caught().errorCode());
    assertEquals("StateError", caught().kind());
    assertEquals("error_text: the operator must fail", caught().getMessage());
    assertEquals("C", caught().frames().get(0).language());
    assertTrue(caught().notes().isEmpty());
    assertNull(caught().getCause());
    assertEquals(
        "dev.tenon.TenonException: StateError: error_text: the operator must fail",
        caught().toString());
  }

  @Test
  void stackTrace_beginsInC_andGoesOnInJava() {
    TenonException e = caught();
    StackTraceElement[] trace = e.getStackTrace();
    assertEquals("<C>", trace[0].getClassName());
    assertEquals(e.frames().get(0).function(), trace[0].getMethodName());
    assertTrue(
        Arrays.stream(trace).anyMatch(element -> element.getMethodName().equals("complain")));
    assertArrayEquals(trace, e.getStackTrace());
  }

  @Test
  void printing_showsThePlacesInC() {
    Support.contains(printed(caught()), "at <C>.", "complain");
  }

  @Test
  void printing_ofAnExceptionAround_showsThePlacesInC() {
    String text = printed(new IllegalStateException(caught()));
    Support.contains(text.substring(text.indexOf("Caused by")), "at <C>.", "complain");
  }

  @Test
  void printing_showsThePlacesOfTheCause() {
    TenonException e =
        assertThrows(TenonException.class, () -> Operators.find("javatest::fail").call());
    Support.contains(printed(e), "at <C>.fail(javatest.c:77)", "Caused by: ", "the cause");
  }

  @Test
  void setStackTrace_isKept() {
    TenonException e = caught();
    StackTraceElement[] own = {new StackTraceElement("A", "b", "A.java", 1)};
    e.setStackTrace(own);
    assertArrayEquals(own, e.getStackTrace());
  }

  @Test
  void serialised_keepsTextsAndTrace() throws Exception {
    TenonException e = caught();
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
      out.writeObject(e);
    }
    TenonException read;
    try (ObjectInputStream in =
        new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
      read = (TenonException) in.readObject();
    }
    assertEquals(e.errorCode(), read.errorCode());
    assertEquals(e.toString(), read.toString());
    assertArrayEquals(e.getStackTrace(), read.getStackTrace());
    assertTrue(read.frames().isEmpty());
  }

  @Test
  void error_ofCThroughAJavaKernel_keepsItsPlaces() {
    lib.define("relay(Tensor x) -> Tensor");
    lib.impl("relay", "CPU", args -> complain());
    String text =
        (String) Operators.find("javatest::error_text").call(lib.namespace() + "::relay", x);
    Support.contains(text, "[C]", "[Java]", "TenonExceptionTest.complain");
    assertTrue(text.indexOf("[C]") < text.indexOf("[Java]"), text);
    assertFalse(text.contains("dev.tenon.Op"), text);
    assertFalse(text.contains("dev.tenon.Errors"), text);
  }
}
