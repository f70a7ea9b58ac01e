// python/native/arguments.h: the arguments of one call, read from a request, with all errors in one list.
//
//   Arguments arguments(app, operation, request);
//   switch (arguments.read()) ...   // then call with arguments.data()

#pragma once

#include <Python.h>

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "base/buffer.h"
#include "base/vector.h"
#include "http/head.h"
#include "python/native/operation.h"
#include "python/object/ref.h"
#include "router/match.h"
#include "schema/errors.h"
#include "schema/text_input.h"

namespace lanner::python {

inline constexpr std::size_t kQueryPairsMax = 1000;
inline constexpr std::size_t kArgumentsMax = 64;  // of one handler

// What arguments are read from.
struct NativeRequest {
  const http::RequestHead& head;
  std::span<const router::Value> path_values;
  std::string_view body;  // with a NUL behind it
};

// Makes what a handler asks for by type. Null with an exception set.
class Given {
 public:
  virtual PyObject* request() noexcept = 0;
  virtual PyObject* response() noexcept = 0;
  virtual PyObject* tasks() noexcept = 0;

 protected:
  ~Given() = default;
};

class Arguments final {
 public:
  Arguments(const Operation& operation, const NativeRequest& request, Given& given,
            std::uint32_t errors_max) noexcept
      : operation_(operation), request_(request), given_(given), errors_(errors_max) {}
  Arguments(const Arguments&) = delete;
  Arguments& operator=(const Arguments&) = delete;
  ~Arguments();

  enum class Outcome : std::uint8_t {
    ready,     // data() has a value for each
    errors,    // errors() is not empty
    not_json,  // the body is no JSON: JSONDecodeError is set
    failed,    // another exception is set
  };
  Outcome read() noexcept;

  PyObject** data() noexcept { return values_.data(); }
  schema::ErrorList& errors() noexcept { return errors_; }

 private:
  enum class Found : std::uint8_t { value, absent, error, failed };

  Found read_one(const Argument& argument, PyObject** to) noexcept;
  Found read_path(const Argument& argument, PyObject** to) noexcept;
  Found read_query(const Argument& argument, PyObject** to) noexcept;
  Found read_pairs(const Argument& argument, PyObject** to) noexcept;
  Found read_headers(const Argument& argument, PyObject** to) noexcept;
  Found read_header(const Argument& argument, PyObject** to) noexcept;
  Found read_cookie(const Argument& argument, PyObject** to) noexcept;
  Found read_body(const Argument& argument, PyObject** to) noexcept;
  Found read_member(const Argument& argument, PyObject** to) noexcept;
  Found read_texts(const Argument& argument, bool pairs, PyObject** to) noexcept;
  Found take_given(PyObject* made, PyObject** to) noexcept;
  bool fill_absent(const Argument& argument, PyObject** to) noexcept;
  bool split_query() noexcept;
  bool decode_members() noexcept;
  // A copy of decoded text that lives as long as this; false: no memory.
  bool keep(std::string_view text, std::size_t (*decode)(std::string_view, char*) noexcept,
            std::string_view* to) noexcept;
  bool keep_latin1(std::string_view text, std::string_view* to) noexcept;

  // Decoded text, in blocks that do not move.
  struct Block {
    Block* next;
  };
  char* space(std::size_t bytes) noexcept;

  const Operation& operation_;
  const NativeRequest& request_;
  Given& given_;
  schema::ErrorList errors_;
  Vector<schema::TextValue> query_;
  Vector<schema::TextValue> texts_;  // of the argument in hand
  Block* blocks_ = nullptr;
  Ref members_;
  bool query_split_ = false;
  bool members_read_ = false;
  bool not_json_ = false;
  std::array<PyObject*, kArgumentsMax> values_{};
};

}  // namespace lanner::python
