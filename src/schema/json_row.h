// schema/json_row.h: how far the fast reader of records got.

#pragma once

#include <cstdint>

namespace lanner::schema {

struct RowEnd {
  const char* at = nullptr;  // behind the last value; at the next one; behind the object
  std::uint32_t next = 0;    // the field that was not read
  bool key_read = false;     // but for its key: `at` is its value
  bool complete = false;     // all fields are read, and the object has ended
  bool failed = false;       // a value could not be made
};

struct RecordsEnd {
  const char* at = nullptr;     // behind the last record that is complete
  const char* start = nullptr;  // of one more, of which `row` tells; null: there is none
  RowEnd row;
};

}  // namespace lanner::schema
