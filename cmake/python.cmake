# lanner._core: the Python extension. Sources are listed by hand, relative to src/python/.
set(LANNER_PYTHON_SOURCES
  object/app_log.cpp
  object/dict_entries.cpp
  object/forked.cpp
  object/state.cpp
  object/text_cache.cpp
  answer/held_bytes.cpp
  answer/released.cpp
  answer/response_fields.cpp
  json/array.cpp
  json/decoder.cpp
  json/document.cpp
  json/encoder.cpp
  json/error.cpp
  json/functions.cpp
  json/other.cpp
  json/output.cpp
  json/raw.cpp
  json/scalars.cpp
  json/shapes.cpp
  json/text.cpp
  json/time.cpp
  json/types.cpp
  schema/builder.cpp
  schema/compile.cpp
  schema/context_text.cpp
  schema/encode_leaf.cpp
  schema/encoder.cpp
  schema/entry.cpp
  schema/fit.cpp
  schema/foreign.cpp
  schema/hashes.cpp
  schema/model_class.cpp
  schema/model_object.cpp
  schema/object_input.cpp
  schema/rules.cpp
  schema/schema_type.cpp
  schema/text_values.cpp
  schema/validation_error.cpp
  asyncio/asyncio_parts.cpp
  asyncio/awaitable.cpp
  asyncio/loop_base.cpp
  asyncio/loop_core.cpp
  asyncio/loop_handle.cpp
  asyncio/loop_watches.cpp
  asyncio/poller_type.cpp
  asyncio/stream_hub.cpp
  asyncio/stream_reading.cpp
  asyncio/stream_transport.cpp
  asyncio/stream_transport_type.cpp
  asyncio/stream_writing.cpp
  asyncio/task_registry.cpp
  asyncio/thread_pool.cpp
  asyncio/write_limits.cpp
  wsgi/app.cpp
  wsgi/call.cpp
  wsgi/environ.cpp
  wsgi/file_wrapper.cpp
  wsgi/handler.cpp
  wsgi/input.cpp
  wsgi/loop_gil.cpp
  wsgi/start_response.cpp
  wsgi/state.cpp
  asgi/app.cpp
  asgi/call.cpp
  asgi/callables.cpp
  asgi/fields.cpp
  asgi/handler.cpp
  asgi/scope.cpp
  asgi/send.cpp
  asgi/state.cpp
  native/answer.cpp
  native/arguments.cpp
  native/blocking_look.cpp
  native/call.cpp
  native/handler.cpp
  native/native_app.cpp
  native/native_app_type.cpp
  native/operation.cpp
  native/request_texts.cpp
  native/text_refusal.cpp
  module/engine.cpp
  module/engine_options.cpp
  module/module.cpp
  module/module_state.cpp
  module/server_type.cpp)

option(LANNER_PORTABLE "Rely on no layout of CPython's objects (src/python/object/layout.h)" OFF)
option(LANNER_IN_TREE "Put the extension into lanner/ of this checkout (tools/setup.sh)" OFF)

find_package(Python 3.11 REQUIRED COMPONENTS Interpreter Development.Module)

list(TRANSFORM LANNER_PYTHON_SOURCES PREPEND src/python/)

# json/walk_inl.h and schema/walk_inl.h, once for each level of vector instructions (src/base/cpu.h).
set(LANNER_LEVELS baseline)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  list(APPEND LANNER_LEVELS avx2 avx512)
endif()
set(number 0)
foreach(level IN LISTS LANNER_LEVELS)
  foreach(room json schema)
    set(walk ${CMAKE_BINARY_DIR}/walks/${room}_${level}.cpp)
    file(CONFIGURE OUTPUT ${walk} CONTENT "#define LANNER_WALK_LEVEL ${number}\n#include \"python/${room}/walk_inl.h\"\n")
    list(APPEND LANNER_PYTHON_SOURCES ${walk})
  endforeach()
  math(EXPR number "${number} + 1")
endforeach()

Python_add_library(_core MODULE WITH_SOABI ${LANNER_PYTHON_SOURCES})
target_link_libraries(_core PRIVATE lanner_worker lanner_json lanner_schema lanner_router)
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
