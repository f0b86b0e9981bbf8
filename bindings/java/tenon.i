// SPDX-License-Identifier: Apache-2.0
// The flat Java layer: every function of the C interface as a static native on `long`.
//
// Pointers and function pointers are `long` addresses. Texts are `String` in Java and cross as
// UTF-8 bytes, because JNI's own text functions use another encoding. Out parameters are addresses
// of memory that the caller provides. Statuses are returned unchanged; the public classes convert
// them to exceptions. Open structs are read by address, so there are no proxy classes.
%module(jniclassname="TenonJNI") TenonNative

%pragma(java) jniclassclassmodifiers="final class"
%pragma(java) moduleclassmodifiers="public final class"
%pragma(java) modulecode=%{
  private TenonNative() {}
%}
%pragma(java) jniclasscode=%{
  static {
    Loader.load();
  }

  private TenonJNI() {}
%}

%{
#include <string.h>

#include "tenon/tenon.h"

// Copies a text to a new array. Returns NULL for NULL, or with a pending OutOfMemoryError.
static jbyteArray bytes_of(JNIEnv *env, const char *text) {
  jsize size;
  jbyteArray bytes;
  if (text == NULL) return NULL;
  size = (jsize)strlen(text);
  bytes = (*env)->NewByteArray(env, size);
  if (bytes != NULL) (*env)->SetByteArrayRegion(env, bytes, 0, size, (const jbyte *)text);
  return bytes;
}
%}

// Constants are compile-time constants in Java too; the build strips C's `u` suffix from them.
%javaconst(1);

// Integers by width; unsigned ones are passed as signed ones of the same width. SWIG's own stdint.i
// would map int64_t to a C type that differs from the compiler's.
%apply int { int32_t, uint32_t, unsigned int };
%apply long long { int64_t, uint64_t };
%apply short { int16_t, uint16_t };

%typemap(jni) SWIGTYPE *, SWIGTYPE **, void *, void ** "jlong"
%typemap(jtype) SWIGTYPE *, SWIGTYPE **, void *, void ** "long"
%typemap(jstype) SWIGTYPE *, SWIGTYPE **, void *, void ** "long"
%typemap(javain) SWIGTYPE *, SWIGTYPE **, void *, void ** "$javainput"
%typemap(javaout) SWIGTYPE *, SWIGTYPE **, void *, void ** {
    return $jnicall;
  }
%typemap(in) SWIGTYPE *, SWIGTYPE **, void *, void ** %{ $1 = ($1_ltype)(intptr_t)$input; %}
%typemap(out) SWIGTYPE *, SWIGTYPE **, void *, void ** %{ $result = (jlong)(intptr_t)$1; %}
%typemap(freearg) SWIGTYPE *, SWIGTYPE **, void *, void ** ""
%typemap(argout) SWIGTYPE *, SWIGTYPE **, void *, void ** ""

%typemap(jni) const char * "jbyteArray"
%typemap(jtype) const char * "byte[]"
%typemap(jstype) const char * "String"
%typemap(javain) const char * "Text.encode($javainput)"
%typemap(javaout) const char * {
    return Text.decode($jnicall);
  }
%typemap(in) const char * %{
  $1 = NULL;
  if ($input != NULL) {
    $1 = ($1_ltype)(*jenv)->GetByteArrayElements(jenv, $input, NULL);
    if ($1 == NULL) return $null;
  }
%}
%typemap(freearg) const char * %{
  if ($1 != NULL) (*jenv)->ReleaseByteArrayElements(jenv, $input, (jbyte *)$1, JNI_ABORT);
%}
%typemap(out) const char * %{ $result = bytes_of(jenv, $1); %}

%rename("$ignore", %$isclass) "";
%rename("$ignore", %$isunion) "";

%include "headers.i"
