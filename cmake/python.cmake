# lanner._core: the Python extension. Sources are listed by hand, relative to src/python/.
set(LANNER_PYTHON_SOURCES
  app_log.cpp
  asgi_app.cpp
  asgi_call.cpp
  asgi_callables.cpp
  asgi_fields.cpp
  asgi_handler.cpp
  asgi_scope.cpp
  asgi_send.cpp
  asyncio_parts.cpp
  awaitable.cpp
  dict_entries.cpp
  engine.cpp
  engine_options.cpp
  environ.cpp
  file_wrapper.cpp
  forked.cpp
  held_bytes.cpp
  json_array.cpp
  json_decoder.cpp
  json_document.cpp
  json_encoder.cpp
  json_error.cpp
  json_functions.cpp
  json_other.cpp
  json_output.cpp
  json_raw.cpp
  json_scalars.cpp
  json_shapes.cpp
  json_text.cpp
  json_time.cpp
  json_types.cpp
  json_walk_avx2.cpp
  json_walk_base.cpp
  json_walk_vbmi2.cpp
  loop_base.cpp
  loop_core.cpp
  loop_handle.cpp
  loop_watches.cpp
  model_class.cpp
  model_object.cpp
  module.cpp
  module_state.cpp
  poller_type.cpp
  released.cpp
  response_fields.cpp
  schema_builder.cpp
  schema_compile.cpp
  schema_encode_leaf.cpp
  schema_foreign.cpp
  schema_encoder.cpp
  schema_fit.cpp
  schema_hashes.cpp
  schema_object_input.cpp
  schema_rules.cpp
  schema_type.cpp
  schema_walk_avx2.cpp
  schema_walk_base.cpp
  schema_walk_vbmi2.cpp
  server_type.cpp
  start_response.cpp
  stream_hub.cpp
  stream_reading.cpp
  stream_transport.cpp
  stream_transport_type.cpp
  stream_writing.cpp
  task_registry.cpp
  text_cache.cpp
  text_values.cpp
  thread_pool.cpp
  validation_error.cpp
  write_limits.cpp
  wsgi_app.cpp
  wsgi_call.cpp
  wsgi_handler.cpp
  wsgi_input.cpp)

option(LANNER_PORTABLE "Rely on no layout of CPython's objects (src/python/layout.h)" OFF)
option(LANNER_IN_TREE "Put the extension into lanner/ of this checkout (tools/setup.sh)" OFF)

find_package(Python 3.11 REQUIRED COMPONENTS Interpreter Development.Module)

list(TRANSFORM LANNER_PYTHON_SOURCES PREPEND src/python/)
Python_add_library(_core MODULE WITH_SOABI ${LANNER_PYTHON_SOURCES})
target_link_libraries(_core PRIVATE lanner_server lanner_json lanner_schema)
if(LANNER_PORTABLE)
  target_compile_definitions(_core PRIVATE LANNER_PORTABLE)
endif()
# CPython's macros are C: they cast the old way, and that is no fault of the file that uses them.
set_source_files_properties(${LANNER_PYTHON_SOURCES} PROPERTIES COMPILE_OPTIONS "-Wno-old-style-cast;-Wno-pedantic")
if(LANNER_SANITIZE AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # GCC 12 takes its own AVX-512 intrinsics to task under -fsanitize.
  set_property(SOURCE ${LANNER_PYTHON_SOURCES} APPEND PROPERTY COMPILE_OPTIONS -Wno-maybe-uninitialized)
endif()

if(LANNER_IN_TREE)
  set_target_properties(_core PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${CMAKE_SOURCE_DIR}/lanner)
endif()
install(TARGETS _core DESTINATION lanner COMPONENT python)
