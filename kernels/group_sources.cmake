# SPDX-License-Identifier: Apache-2.0
# Compiles the sources of a folder together: the C++ library's headers take most of the time of
# each.

# Groups the sources of a target by their folders below the current one. Sources that CMake wrote
# and those named after the target are compiled alone.
function(tenon_group_sources target)
  get_target_property(_sources ${target} SOURCES)
  list(REMOVE_ITEM _sources ${ARGN})
  foreach(_source IN LISTS _sources)
    string(FIND ${_source} ${PROJECT_BINARY_DIR}/ _written)
    if(_written EQUAL 0)
      continue()
    endif()
    cmake_path(ABSOLUTE_PATH _source BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR}
               OUTPUT_VARIABLE _path)
    cmake_path(GET _path PARENT_PATH _folder)
    cmake_path(RELATIVE_PATH _folder BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR})
    string(MAKE_C_IDENTIFIER "${_folder}" _group)
    set_property(SOURCE ${_source} PROPERTY UNITY_GROUP ${_group})
  endforeach()
  set_target_properties(${target} PROPERTIES
    UNITY_BUILD ${TENON_GROUP_SOURCES} UNITY_BUILD_MODE GROUP)
endfunction()
