# SPDX-License-Identifier: Apache-2.0
# Small sources are compiled together, for the C++ library's headers take most of the time of each.

# Groups those of a target's sources that are not written by CMake, but for the ones named behind
# it. Who is in a group depends on first letters alone, so that a new source moves no other one.
function(tenon_group_sources target)
  get_target_property(_sources ${target} SOURCES)
  list(REMOVE_ITEM _sources ${ARGN})
  foreach(_source IN LISTS _sources)
    string(FIND ${_source} ${PROJECT_BINARY_DIR}/ _written)
    if(_written EQUAL 0)
      continue()
    endif()
    cmake_path(GET _source STEM _name)
    string(SUBSTRING ${_name} 0 1 _letter)
    string(FIND abcdefghijklmnopqrstuvwxyz ${_letter} _place)
    math(EXPR _pair "${_place} / 2")
    set_property(SOURCE ${_source} PROPERTY UNITY_GROUP ${_pair})
  endforeach()
  set_target_properties(${target} PROPERTIES
    UNITY_BUILD ${TENON_GROUP_SOURCES} UNITY_BUILD_MODE GROUP)
endfunction()
