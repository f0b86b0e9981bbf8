// SPDX-License-Identifier: Apache-2.0
// Starts Python and Java inside a C process, so that one program has all languages.
#define PY_SSIZE_T_CLEAN
#include <Python.h>
// Python.h comes first: it sets feature macros.
#include <jni.h>
#include <stdio.h>
#include <string.h>

#include "polyglot.h"

static PyThreadState* python_main_state = NULL;
static JavaVM* java_vm = NULL;

void polyglot_print_error(const char* what) {
  tenon_error* error = tenon_error_take();
  fprintf(stderr, "%s: %s\n", what,
          error != NULL ? tenon_error_format(error) : "failed without an error");
  tenon_error_release(error);
}

tenon_status polyglot_call_text(const char* op_name, const char* text) {
  const tenon_op* op = NULL;
  const tenon_status status = tenon_op_find(op_name, &op);
  if (status != TENON_OK) {
    return status;
  }
  const tenon_value argument = tenon_value_of_string(text, (uint32_t)strlen(text));
  return tenon_op_call_named(op, &argument, 1, NULL, NULL, 0, NULL, 0);
}

static tenon_status raise_python_error(const char* what) {
  char message[1024];
  PyObject *type = NULL, *value = NULL, *profile = NULL;
  PyErr_Fetch(&type, &value, &profile);
  PyErr_NormalizeException(&type, &value, &profile);
  PyObject* text = value != NULL ? PyObject_Repr(value) : NULL;
  const char* utf8 = text != NULL ? PyUnicode_AsUTF8(text) : NULL;
  snprintf(message, sizeof message, "%s: %s", what, utf8 != NULL ? utf8 : "unknown Python error");
  Py_XDECREF(text);
  PyErr_Restore(type, value, profile);
  PyErr_Print();  // shows the module's author the traceback
  return tenon_error_raise(TENON_ERROR_RUNTIME, message);
}

tenon_status polyglot_start_python(const char* path, const char* module) {
  if (!Py_IsInitialized()) {
    PyConfig config;
    PyConfig_InitPythonConfig(&config);
    config.install_signal_handlers = 0;  // the host has its own handlers
    PyStatus status = PyConfig_SetBytesString(&config, &config.program_name, POLYGLOT_PYTHON);
    if (!PyStatus_Exception(status)) {
      status = Py_InitializeFromConfig(&config);
    }
    PyConfig_Clear(&config);
    if (PyStatus_Exception(status)) {
      return tenon_error_raise(TENON_ERROR_SYSTEM,
                               status.err_msg != NULL ? status.err_msg : "Python did not start");
    }
  } else {
    PyEval_RestoreThread(python_main_state);
  }
  tenon_status result = TENON_OK;
  PyObject* sys_path = PySys_GetObject("path");
  char copy[4096];
  snprintf(copy, sizeof copy, "%s", path);
  Py_ssize_t at = 0;
  for (char* folder = strtok(copy, ":"); folder != NULL && result == TENON_OK;
       folder = strtok(NULL, ":")) {
    PyObject* text = PyUnicode_FromString(folder);
    if (text == NULL || PyList_Insert(sys_path, at++, text) != 0) {
      result = raise_python_error("sys.path");
    }
    Py_XDECREF(text);
  }
  if (result == TENON_OK) {
    PyObject* imported = PyImport_ImportModule(module);
    if (imported == NULL) {
      result = raise_python_error(module);
    }
    Py_XDECREF(imported);
  }
  python_main_state = PyEval_SaveThread();
  return result;
}

tenon_status polyglot_stop_python(const char* module) {
  tenon_status result = TENON_OK;
  PyEval_RestoreThread(python_main_state);
  PyObject* imported = PyImport_ImportModule(module);
  PyObject* done = imported != NULL ? PyObject_CallMethod(imported, "unregister", NULL) : NULL;
  if (done == NULL) {
    result = raise_python_error(module);
  }
  Py_XDECREF(done);
  Py_XDECREF(imported);
  if (Py_FinalizeEx() != 0 && result == TENON_OK) {
    result = tenon_error_raise(TENON_ERROR_RUNTIME, "Python did not end cleanly");
  }
  return result;
}

static JNIEnv* java_env(void) {
  JNIEnv* env = NULL;
  if (java_vm == NULL || (*java_vm)->GetEnv(java_vm, (void**)&env, JNI_VERSION_10) != JNI_OK) {
    return NULL;
  }
  return env;
}

static tenon_status call_java_static(const char* class_name, const char* method) {
  JNIEnv* env = java_env();
  if (env == NULL) {
    return tenon_error_raise(TENON_ERROR_STATE, "the Java VM does not run on this thread");
  }
  const jclass type = (*env)->FindClass(env, class_name);
  const jmethodID id = type != NULL ? (*env)->GetStaticMethodID(env, type, method, "()V") : NULL;
  if (id != NULL) {
    (*env)->CallStaticVoidMethod(env, type, id);
  }
  if (type != NULL) {
    (*env)->DeleteLocalRef(env, type);
  }
  if ((*env)->ExceptionCheck(env)) {
    char message[512];
    (*env)->ExceptionDescribe(env);  // shows the class's author the stack trace
    (*env)->ExceptionClear(env);
    snprintf(message, sizeof message, "%s.%s() threw", class_name, method);
    return tenon_error_raise(TENON_ERROR_RUNTIME, message);
  }
  return TENON_OK;
}

tenon_status polyglot_start_java(const char* classpath, const char* library_path,
                                 const char* class_name) {
  if (java_vm == NULL) {
    char classpath_option[4096], library_option[1024], tenon_option[1024];
    snprintf(classpath_option, sizeof classpath_option, "-Djava.class.path=%s", classpath);
    snprintf(library_option, sizeof library_option, "-Djava.library.path=%s", library_path);
    snprintf(tenon_option, sizeof tenon_option, "-Dtenon.library.path=%s", library_path);
    JavaVMOption options[5];
    memset(options, 0, sizeof options);
    options[0].optionString = classpath_option;
    options[1].optionString = library_option;
    options[2].optionString = tenon_option;
    options[3].optionString = (char*)"-Xrs";  // the host handles signals itself
    options[4].optionString = (char*)"-Xmx512m";
    JavaVMInitArgs arguments;
    memset(&arguments, 0, sizeof arguments);
    arguments.version = JNI_VERSION_10;
    arguments.nOptions = 5;
    arguments.options = options;
    JNIEnv* env = NULL;
    if (JNI_CreateJavaVM(&java_vm, (void**)&env, &arguments) != JNI_OK) {
      java_vm = NULL;
      return tenon_error_raise(TENON_ERROR_SYSTEM, "the Java VM did not start");
    }
  }
  return call_java_static(class_name, "register");
}

tenon_status polyglot_stop_java(const char* class_name) {
  const tenon_status result = call_java_static(class_name, "unregister");
  (*java_vm)->DestroyJavaVM(java_vm);
  java_vm = NULL;
  return result;
}
