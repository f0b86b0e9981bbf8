# SPDX-License-Identifier: Apache-2.0
# tenon_add_plugin(NAME SOURCES ... [LIBS ...])
# Builds a plugin against Tenon's public headers: lib<NAME>.so, which exports only the function
# tenon_plugin_query(). Sources may be C or C++20.
function(tenon_add_plugin name)
  set(_map ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/plugin.map)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;LIBS")
  if(NOT arg_SOURCES OR arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "tenon_add_plugin: ${name}: arguments must be SOURCES ... [LIBS ...], got "
                        "${ARGN}")
  endif()
  add_library(${name} MODULE ${arg_SOURCES})
  set_target_properties(${name} PROPERTIES
    PREFIX lib C_VISIBILITY_PRESET hidden CXX_VISIBILITY_PRESET hidden
    VISIBILITY_INLINES_HIDDEN ON LINK_DEPENDS ${_map})
  if(CMAKE_CXX_COMPILER_LOADED)
    target_compile_features(${name} PRIVATE cxx_std_20)
  endif()
  target_compile_options(${name} PRIVATE
    # Unique symbols would keep a plugin from being unloaded, and two copies of one library would
    # share their variables.
    $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-fno-gnu-unique>)
  target_link_libraries(${name} PRIVATE tenon::tenon ${arg_LIBS})
  target_link_options(${name} PRIVATE -Wl,--version-script=${_map})
endfunction()
