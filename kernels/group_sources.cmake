# SPDX-License-Identifier: Apache-2.0
# Compiles the sources of a folder together: the C++ library's headers take most of the time of
# each.

# Groups the sources of a target by their folders below the current one; folders with few sources
# share a group with the folders that follow. Sources that CMake has generated and those named after
# the target are compiled alone.
function(tenon_group_sources target)
  set(_least 8)  # sources in a group: fewer are mostly headers, many leave the last core alone
  get_target_property(_sources ${target} SOURCES)
  list(REMOVE_ITEM _sources ${ARGN})
  list(FILTER _sources EXCLUDE REGEX "^${PROJECT_BINARY_DIR}/")
  foreach(_source IN LISTS _sources)
    cmake_path(ABSOLUTE_PATH _source OUTPUT_VARIABLE _path)
    cmake_path(GET _path PARENT_PATH _folder)
    cmake_path(RELATIVE_PATH _folder)
    string(MAKE_C_IDENTIFIER "in ${_folder}" _folder)
    list(APPEND _folders ${_folder})
    list(APPEND _of_${_folder} ${_source})
  endforeach()
  list(SORT _folders)
  list(REMOVE_DUPLICATES _folders)
  set(_count ${_least})
  foreach(_folder IN LISTS _folders)
    if(_count GREATER_EQUAL ${_least})
      set(_group ${_folder})
      set(_count 0)
    endif()
    set_property(SOURCE ${_of_${_folder}} PROPERTY UNITY_GROUP ${_group})
    list(LENGTH _of_${_folder} _length)
    math(EXPR _count "${_count} + ${_length}")
  endforeach()
  set_target_properties(${target} PROPERTIES
    UNITY_BUILD ${TENON_GROUP_SOURCES} UNITY_BUILD_MODE GROUP)
endfunction()
