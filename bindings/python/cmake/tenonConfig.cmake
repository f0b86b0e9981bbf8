# SPDX-License-Identifier: Apache-2.0
# find_package(tenon) against the Python package: CMAKE_PREFIX_PATH is tenon.get_cmake_dir(). The
# kernels of ATen's operators are the component cpu. Defines the targets of an installed Tenon.
get_filename_component(_tenon ${CMAKE_CURRENT_LIST_DIR} PATH)
file(STRINGS ${_tenon}/include/tenon/common.h _abi REGEX "^#define TENON_ABI_MAJOR")
string(REGEX REPLACE "[^0-9]" "" _abi "${_abi}")

if(NOT TARGET tenon::tenon)
  add_library(tenon::headers INTERFACE IMPORTED)
  target_include_directories(tenon::headers INTERFACE ${_tenon}/include)
  target_compile_features(tenon::headers INTERFACE cxx_std_20)
  add_library(tenon::tenon SHARED IMPORTED)
  set_target_properties(tenon::tenon PROPERTIES
    IMPORTED_LOCATION ${_tenon}/libtenon.so.${_abi} IMPORTED_SONAME libtenon.so.${_abi}
    INTERFACE_LINK_LIBRARIES tenon::headers)
  add_library(tenon::cpu MODULE IMPORTED)
  set_target_properties(tenon::cpu PROPERTIES IMPORTED_LOCATION ${_tenon}/libtenon_cpu.so)
endif()
include(${CMAKE_CURRENT_LIST_DIR}/tenonPlugin.cmake)

set(tenon_cpu_FOUND TRUE)
foreach(_component IN LISTS tenon_FIND_COMPONENTS)
  if(tenon_FIND_REQUIRED_${_component} AND NOT tenon_${_component}_FOUND)
    set(tenon_FOUND FALSE)
    set(tenon_NOT_FOUND_MESSAGE "component ${_component} must be in ${_tenon}, got none")
  endif()
endforeach()
