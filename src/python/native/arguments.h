// python/native/arguments.h: the arguments of one call, read from a request, with all errors in one list.
//
//   Arguments arguments(app, operation, request);
//   switch (arguments.read()) ...   // then call with arguments.data()

#pragma once

#include <Python.h>

#include <array>
#include <cstdint>
#include <string_view>

#include "base/vector.h"
#include "python/native/operation.h"
#include "python/native/request_texts.h"
#include "python/object/ref.h"
#include "schema/errors.h"
#include "schema/text_input.h"

namespace lanner::python {

inline constexpr std::size_t kArgumentsMax = 64;  // of one handler

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
      : operation_(operation),
        request_(request),
        given_(given),
        errors_(errors_max),
        texts_(request) {}
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
  Found read_found(const Argument& argument, PyObject** to) noexcept;
  Found read_pairs(const Argument& argument, Vector<schema::TextValue>& found,
                   PyObject** to) noexcept;
  Found read_body(const Argument& argument, PyObject** to) noexcept;
  Found read_member(const Argument& argument, PyObject** to) noexcept;
  Found take_given(PyObject* made, PyObject** to) noexcept;
  bool fill_absent(const Argument& argument, PyObject** to) noexcept;
  bool decode_members() noexcept;

  const Operation& operation_;
  const NativeRequest& request_;
  Given& given_;
  schema::ErrorList errors_;
  RequestTexts texts_;
  Ref members_;
  bool members_read_ = false;
  bool not_json_ = false;
  std::array<PyObject*, kArgumentsMax> values_{};
};

}  // namespace lanner::python
