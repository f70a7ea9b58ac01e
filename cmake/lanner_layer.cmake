# lanner_layer(NAME http1 SOURCES ... TESTS ...): one layer = one static library, linked to the layers that
# tools/layers.toml allows, with its unit tests beside its sources.

set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tools/layers.toml)

function(lanner_allowed_layers name out)
  file(STRINGS ${CMAKE_SOURCE_DIR}/tools/layers.toml lines REGEX "^${name} = \\[")
  if(NOT lines)
    message(FATAL_ERROR "layer '${name}' is not in tools/layers.toml")
  endif()
  list(GET lines 0 line)
  string(REGEX MATCHALL "\"[a-z0-9]+\"" names "${line}")
  string(REPLACE "\"" "" names "${names}")
  set(${out} ${names} PARENT_SCOPE)
endfunction()

function(lanner_layer)
  cmake_parse_arguments(L "" "NAME" "SOURCES;TESTS" ${ARGN})
  list(TRANSFORM L_SOURCES PREPEND src/${L_NAME}/)
  list(TRANSFORM L_TESTS PREPEND src/${L_NAME}/)
  add_library(lanner_${L_NAME} STATIC ${L_SOURCES})
  # -iquote, not -I: "sys/sockets.h" is ours, <sys/socket.h> is the system's, whatever src/sys holds.
  target_compile_options(lanner_${L_NAME} PUBLIC "SHELL:-iquote ${CMAKE_SOURCE_DIR}/src")
  target_link_libraries(lanner_${L_NAME} PUBLIC lanner_flags)
  lanner_allowed_layers(${L_NAME} allowed)
  foreach(dependency IN LISTS allowed)
    target_link_libraries(lanner_${L_NAME} PUBLIC lanner_${dependency})
  endforeach()
  if(LANNER_TESTS AND L_TESTS)
    add_executable(${L_NAME}_test ${L_TESTS})
    target_link_libraries(${L_NAME}_test PRIVATE lanner_${L_NAME} GTest::gtest_main)
    gtest_discover_tests(${L_NAME}_test TEST_PREFIX ${L_NAME}. DISCOVERY_TIMEOUT 60)
  endif()
endfunction()
