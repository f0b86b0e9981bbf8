# SPDX-License-Identifier: Apache-2.0
# Compiles SOURCE. The only error must be SENTENCE; without SENTENCE there must be none.
execute_process(
  COMMAND ${COMPILER} -fsyntax-only -std=c++${STANDARD} -I${INCLUDE} ${DEFINES} ${SOURCE}
  RESULT_VARIABLE status ERROR_VARIABLE text)
string(REGEX MATCHALL "error: " errors "${text}")
list(LENGTH errors count)
if(NOT SENTENCE)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "must compile, got:\n${text}")
  endif()
elseif(status EQUAL 0)
  message(FATAL_ERROR "must be refused, but it compiles")
else()
  string(FIND "${text}" "${SENTENCE}" found)
  if(found EQUAL -1 OR NOT count EQUAL 1)
    message(FATAL_ERROR "must be refused with \"${SENTENCE}\" alone, got ${count} errors:\n${text}")
  endif()
endif()
