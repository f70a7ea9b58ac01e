# The layers, in dependency order. Sources are listed by hand.
lanner_layer(NAME base
  SOURCES arena.cpp block_pool.cpp cpu.cpp errors.cpp timer_wheel.cpp
  TESTS arena_test.cpp base64_test.cpp block_pool_test.cpp budget_test.cpp buffer_test.cpp cpu_test.cpp errors_test.cpp indexed_heap_test.cpp intrusive_list_test.cpp ring_test.cpp short_text_test.cpp
    simd128_test.cpp slab_test.cpp timer_wheel_test.cpp vector_test.cpp)
lanner_layer(NAME sys
  SOURCES clock.cpp files.cpp fork.cpp log_stamp.cpp memory.cpp poller.cpp process.cpp signals.cpp sockets.cpp
  TESTS clock_test.cpp files_test.cpp fork_test.cpp log_stamp_test.cpp memory_test.cpp poller_test.cpp process_test.cpp signals_test.cpp sockets_test.cpp)
lanner_layer(NAME http
  SOURCES cookie.cpp date.cpp forwarded.cpp ip_address.cpp method.cpp query.cpp response_head.cpp set_cookie.cpp status.cpp target.cpp
    token.cpp trust_list.cpp
  TESTS ascii_test.cpp cookie_test.cpp date_test.cpp forwarded_test.cpp ip_address_test.cpp list_test.cpp media_type_test.cpp method_test.cpp query_test.cpp
    response_head_test.cpp set_cookie_test.cpp status_test.cpp target_test.cpp token_test.cpp trust_list_test.cpp)
lanner_layer(NAME net
  SOURCES fake_transport.cpp job_queue.cpp listener.cpp loop.cpp out_buffer.cpp tcp_transport.cpp
  TESTS job_queue_test.cpp listener_test.cpp loop_test.cpp out_buffer_test.cpp transport_test.cpp)
lanner_layer(NAME http1
  SOURCES chunked.cpp field_rules.cpp head_parser.cpp response_writer.cpp scan.cpp scan_avx2.cpp scan_avx512.cpp session.cpp
  TESTS chunked_test.cpp field_rules_test.cpp head_parser_test.cpp response_writer_test.cpp scan_test.cpp session_test.cpp vectors_test.cpp)
if(TARGET http1_test)
  target_compile_definitions(http1_test PRIVATE
    LANNER_HTTP1_CASES="${CMAKE_SOURCE_DIR}/tests/vectors/http1/cases.txt")
endif()
lanner_layer(NAME websocket
  SOURCES handshake.cpp
  TESTS handshake_test.cpp)
lanner_layer(NAME process
  SOURCES board.cpp
  TESTS board_test.cpp)
lanner_layer(NAME json
  SOURCES decimal.cpp escape.cpp kernels_avx2.cpp kernels_avx512.cpp number.cpp number_avx2.cpp output.cpp reader.cpp scan.cpp shortest.cpp text.cpp unescape.cpp unescape_avx2.cpp unescape_avx512.cpp utf8.cpp utf8_avx2.cpp utf8_avx512.cpp
  TESTS allocation_failure_test.cpp decimal_test.cpp escape_test.cpp number_test.cpp output_test.cpp reader_test.cpp scan_test.cpp shortest_test.cpp text_test.cpp
    unescape_test.cpp utf8_test.cpp)
lanner_memory_may_fail(json)
find_library(LANNER_SIMDJSON simdjson REQUIRED)  # tools/setup.sh installs it, and fast_float's headers
target_link_libraries(lanner_json PUBLIC ${LANNER_SIMDJSON})
lanner_layer(NAME schema
  SOURCES error_text.cpp errors.cpp name_index.cpp pattern.cpp plan.cpp scalar_rules.cpp scalars.cpp temporal.cpp text_check.cpp
  TESTS allocation_failure_test.cpp error_text_test.cpp errors_test.cpp json_row_test.cpp machine_test.cpp name_index_test.cpp pattern_test.cpp
    plan_test.cpp scalar_rules_test.cpp scalars_test.cpp temporal_test.cpp text_check_test.cpp text_input_test.cpp)
lanner_memory_may_fail(schema)
# RE2 throws where memory is out; pattern.cpp alone catches it.
set_source_files_properties(src/schema/pattern.cpp PROPERTIES COMPILE_OPTIONS -fexceptions)
find_library(LANNER_RE2 re2 REQUIRED)  # tools/setup.sh installs it
target_link_libraries(lanner_schema PUBLIC ${LANNER_RE2})
lanner_layer(NAME router
  SOURCES builder.cpp converter.cpp host_table.cpp location.cpp match.cpp methods.cpp pattern.cpp router.cpp segment.cpp text_table.cpp tree.cpp
    tree_builder.cpp url.cpp
  TESTS builder_test.cpp converter_test.cpp host_table_test.cpp location_test.cpp match_test.cpp methods_test.cpp pattern_test.cpp
    raw_text_test.cpp router_test.cpp segment_test.cpp slashes_test.cpp text_table_test.cpp tree_test.cpp tree_builder_test.cpp url_test.cpp)
lanner_layer(NAME cache
  SOURCES cache_control.cpp cache_key.cpp cache_status.cpp dictionary.cpp entry.cpp eviction.cpp freshness.cpp group.cpp storability.cpp store.cpp validation.cpp
    vary.cpp
  TESTS cache_control_test.cpp cache_key_test.cpp cache_status_test.cpp dictionary_test.cpp entry_test.cpp eviction_test.cpp
    freshness_test.cpp group_test.cpp hash_test.cpp storability_test.cpp store_test.cpp text_writer_test.cpp validation_test.cpp vary_test.cpp)
lanner_memory_may_fail(cache)
lanner_layer(NAME log
  SOURCES access_line.cpp access_log.cpp log.cpp log_writer.cpp
  TESTS access_line_test.cpp access_log_test.cpp log_test.cpp log_writer_test.cpp)
lanner_layer(NAME server
  SOURCES answer_space.cpp body_store.cpp connection.cpp connection_output.cpp connection_time.cpp exchange_core.cpp exchange_forwarding.cpp file_cleaner.cpp
    http1_protocol.cpp http1_sink.cpp http1_time.cpp relay.cpp
    relay_queue.cpp server.cpp spool.cpp spool_file.cpp
  TESTS allocation_failure_test.cpp answer_space_test.cpp answer_tap_test.cpp body_store_test.cpp connection_output_test.cpp connection_test.cpp connection_time_test.cpp
    exchange_core_test.cpp exchange_forwarding_test.cpp file_cleaner_test.cpp handler_plan_test.cpp handshake_test.cpp listener_settings_test.cpp protocol_test.cpp relay_queue_test.cpp relay_storm_test.cpp
    relay_test.cpp server_board_test.cpp server_test.cpp spool_file_test.cpp spool_test.cpp transport_faults_test.cpp)
lanner_memory_may_fail(server)
lanner_layer(NAME worker
  SOURCES worker.cpp
  TESTS worker_test.cpp)
