# SPDX-License-Identifier: Apache-2.0
# Sets TENON_JDK22 to the home of a JDK 22 or newer, or to nothing when there is none.
set(TENON_JDK22_HOME "" CACHE PATH
    "Home of the JDK 22 or newer that compiles what such machines run; looked for when empty.")

file(GLOB _homes /usr/lib/jvm/*)
list(PREPEND _homes ${TENON_JDK22_HOME} ${JAVA_HOME} $ENV{JAVA_HOME})
set(TENON_JDK22)
foreach(_home IN LISTS _homes)
  if(TENON_JDK22 OR NOT EXISTS "${_home}/release" OR NOT EXISTS "${_home}/bin/javac")
    continue()
  endif()
  file(STRINGS "${_home}/release" _version REGEX "^JAVA_VERSION=")
  if(_version MATCHES "\"([0-9]+)" AND CMAKE_MATCH_1 GREATER_EQUAL 22)
    set(TENON_JDK22 ${_home})
    message(STATUS "Java: classes for Java 22 and newer by JDK ${CMAKE_MATCH_1}, ${_home}")
  endif()
endforeach()
if(TENON_JDK22_HOME AND NOT TENON_JDK22 STREQUAL TENON_JDK22_HOME)
  message(FATAL_ERROR
    "TENON_JDK22_HOME must be the home of a JDK 22 or newer, got ${TENON_JDK22_HOME}")
endif()
if(NOT TENON_JDK22)
  message(STATUS "Java: no JDK 22 or newer found (TENON_JDK22_HOME): tenon.jar has no classes for "
                 "Java 22 and newer, which will use those for 17")
endif()
