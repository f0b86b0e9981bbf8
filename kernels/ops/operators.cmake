# SPDX-License-Identifier: Apache-2.0
# Generates sources from ops.list: the table of all operators, the table of each device's kernels,
# and the sources for each header and device.
set(_list ${CMAKE_CURRENT_LIST_DIR}/ops.list)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${_list})

# Calls `body` for each overload with ns, header, facts, functors and devices set.
macro(_each_operator)
  file(STRINGS ${_list} _lines REGEX "^[^#]")
  foreach(_line IN LISTS _lines)
    string(REGEX REPLACE " +" ";" _words "${_line}")
    list(POP_FRONT _words _ns _header _facts _functors)
    cmake_language(CALL ${ARGV0})
  endforeach()
endmacro()

macro(_add_facts)
  list(APPEND _headers ${_header})
  string(APPEND _entries "    {\"${_ns}\", &ops::${_facts}, nullptr},\n")
  string(APPEND _checks "static_assert(is_complete(ops::${_facts}));\n")
  if(${_folder}/${_header}.cpp IN_LIST _beside)
    list(APPEND _files ${_folder}/${_header}.cpp)
  endif()
endmacro()

# Sets `out` to the source of operators() and the .cpp files next to the headers.
function(tenon_operator_table out)
  set(_folder ${CMAKE_CURRENT_FUNCTION_LIST_DIR})
  file(GLOB_RECURSE _beside CONFIGURE_DEPENDS ${_folder}/*.cpp)
  _each_operator(_add_facts)
  list(REMOVE_DUPLICATES _headers)
  list(TRANSFORM _headers REPLACE "(.+)" "#include \"kernels/ops/\\1.h\"" OUTPUT_VARIABLE _includes)
  list(JOIN _includes "\n" _includes)
  set(_file ${CMAKE_CURRENT_BINARY_DIR}/operators.cpp)
  file(CONFIGURE OUTPUT ${_file} @ONLY CONTENT [[
// Generated from kernels/ops/ops.list.
#include "kernels/ops/operators.h"

@_includes@

namespace tenon::kernels {

@_checks@
std::span<const Operator> operators() {
  static constexpr Operator kOperators[] = {
@_entries@  };
  return kOperators;
}

}  // namespace tenon::kernels
]])
  list(REMOVE_DUPLICATES _files)
  set(${out} ${_file} ${_files} PARENT_SCOPE)
endfunction()

macro(_add_kernel)
  if(_device IN_LIST _words)
    string(APPEND _declared "Operator operator_${_facts}();\n")
    string(APPEND _entries "      operator_${_facts}(),\n")
    if(_functors STREQUAL "-")
      list(APPEND _own ${_header}.cpp)
      continue()
    endif()
    list(APPEND _headers ${_header})
    string(REPLACE "," ", ops::" _templates "${_functors}")
    string(APPEND _source_${_header} "
Operator operator_${_facts}() {
  static constexpr auto kKernel = kernel_of<ops::${_facts}, ops::${_templates}>();
  return {\"${_ns}\", &ops::${_facts}, &kKernel};
}
")
  endif()
endmacro()

# Sets `out` to the sources of a device's kernels. `suffix` is .cpp or .cu; `together` headers share
# a source, because includes take most of the compile time. An operator without functors has its own
# source below the device's folder, with the path of its header below kernels/ops, which defines
# operator_<facts>().
function(tenon_device_operators out device suffix together)
  set(_device ${device})
  _each_operator(_add_kernel)
  list(REMOVE_DUPLICATES _headers)
  set(_files ${CMAKE_CURRENT_BINARY_DIR}/operators.cpp)
  file(CONFIGURE OUTPUT ${_files} @ONLY CONTENT [[
// Generated from kernels/ops/ops.list.
#include "kernels/@device@/operators.h"

namespace tenon::kernels::@device@ {

@_declared@
std::vector<Operator> operators() {
  return {
@_entries@  };
}

}  // namespace tenon::kernels::@device@
]])
  while(_headers)
    list(GET _headers 0 _name)
    list(SUBLIST _headers 0 ${together} _shared)
    list(REMOVE_ITEM _headers ${_shared})
    set(_includes "")
    set(_body "")
    foreach(_header IN LISTS _shared)
      string(APPEND _includes "#include \"kernels/ops/${_header}.h\"\n")
      string(APPEND _body "${_source_${_header}}")
    endforeach()
    set(_file ${CMAKE_CURRENT_BINARY_DIR}/ops/${_name}${suffix})
    file(CONFIGURE OUTPUT ${_file} @ONLY CONTENT [[
// Generated from kernels/ops/ops.list.
@_includes@
#include "kernels/@device@/kernel_of.h"

namespace tenon::kernels::@device@ {
@_body@
}  // namespace tenon::kernels::@device@
]])
    list(APPEND _files ${_file})
  endwhile()
  if(_own)
    list(REMOVE_DUPLICATES _own)
  endif()
  set(${out} ${_files} ${_own} PARENT_SCOPE)
endfunction()
