// python/native/operation.h: one handler as the engine runs it: what each of its arguments is read from, and how what it
// returns becomes an answer. Made from the description of lanner/native/engine.py.

#pragma once

#include <Python.h>

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "http/response_head.h"
#include "http/token.h"
#include "python/native/state.h"
#include "python/object/ref.h"
#include "python/schema/encoder.h"
#include "schema/errors.h"
#include "schema/plan.h"

namespace lanner::python {

enum class Source : std::uint8_t {
  path,
  query,
  header,
  cookie,
  body,      // all of it
  member,    // of the object that the body is
  request,   // lanner.Request
  response,  // an answer to set status and fields on
  tasks,     // BackgroundTasks
};

// A field of a model of all header fields.
struct HeaderName {
  std::string_view field;  // in a request's head, in lower case
  std::string_view wire;   // for the model
};

struct Argument {
  Source source = Source::query;
  bool many = false;      // all values of the name, not the last
  bool whole = false;     // a model of all pairs of the source
  bool in_order = false;  // whole: pairs in the order of the request, not sorted by name
  std::uint8_t path_index = 0;
  http::Token token = http::Token::unknown;
  std::string_view name;  // on the wire; of a header in lower case. A view of `key`
  schema::LocItem loc[2];
  Ref key;                             // str: the name
  std::vector<HeaderName> headers;     // whole: views of `names`
  Ref names;                           // tuple of (field, wire)
  Ref schema;                          // lanner._core.Schema; none for what is given by type
  const schema::Plan* plan = nullptr;  // of the schema, if schema::is_text_checkable()
  Ref fallback;                        // the default; none: required, or made by:
  Ref factory;

  bool required() const noexcept { return !fallback && !factory; }
};

// How what the handler returns is written.
enum class AnswerKind : std::uint8_t {
  json,   // by its schema, or any value
  text,   // str or bytes as they are
  made,   // `maker` makes a Response of the value
  empty,  // no content, whatever is returned
};

class Operation final {
 public:
  Operation() noexcept = default;
  Operation(const Operation&) = delete;
  Operation& operator=(const Operation&) = delete;

  // -1 with an exception set.
  int init(NativeState* state, PyObject* description) noexcept;
  int traverse(visitproc visit, void* arg) const noexcept;

  PyObject* function() const noexcept { return function_.get(); }
  // How a message names the handler.
  std::string_view title() const noexcept { return title_; }
  // Its path, as it was written.
  std::string_view route() const noexcept { return route_; }
  // A `def` that runs on the loop's thread.
  bool runs_inline() const noexcept { return runs_inline_; }
  // The names of the last arguments, or null: all are positional.
  PyObject* keywords() const noexcept { return keywords_.get(); }
  std::size_t count() const noexcept { return count_; }
  std::size_t positional() const noexcept { return positional_; }
  const Argument& argument(std::size_t i) const noexcept { return arguments_[i]; }
  // Arguments in the order in which their errors are listed.
  std::size_t in_order(std::size_t i) const noexcept { return order_[i]; }
  // Of the whole body; none: no parameter is read from it.
  PyObject* body_schema() const noexcept { return body_schema_.get(); }
  bool body_whole() const noexcept { return body_whole_; }
  bool body_required() const noexcept { return body_required_; }
  std::uint64_t body_limit() const noexcept { return body_limit_; }
  // Whether the body is needed at all.
  bool takes_body() const noexcept { return takes_body_; }
  // All that it reads are scalars of path, query, header fields and cookies that need no Python to be refused.
  bool has_checkable_texts() const noexcept { return has_checkable_texts_; }
  // No part of the path or host is a parameter.
  bool path_is_fixed() const noexcept { return path_is_fixed_; }

  AnswerKind kind() const noexcept { return kind_; }
  PyObject* answer_schema() const noexcept { return answer_schema_.get(); }
  const SchemaWriteOptions& options() const noexcept { return options_; }
  PyObject* maker() const noexcept { return maker_.get(); }
  // (value, JSONEncodeError) -> a value that the schema writes; or null: there is no other.
  PyObject* convert() const noexcept { return convert_.get(); }
  int status() const noexcept { return status_; }
  // Status and Content-Type of what the handler returns.
  const http::ResponseHead& head() const noexcept { return head_; }

  bool was_named = false;          // as one that blocks the loop
  std::size_t expected_bytes = 0;  // of the next answer's text, by the last one

 private:
  int take_arguments(NativeState* state, PyObject* list) noexcept;
  int take_argument(NativeState* state, PyObject* description, Argument* to) noexcept;
  bool reads_checkable_texts() const noexcept;
  int take_answer(NativeState* state, PyObject* description) noexcept;

  Ref function_;
  Ref title_object_;
  Ref route_object_;
  std::string_view title_;  // views of them
  std::string_view route_;
  Ref keywords_;
  std::unique_ptr<Argument[]> arguments_;
  std::unique_ptr<std::size_t[]> order_;
  std::size_t count_ = 0;
  std::size_t positional_ = 0;
  Ref body_schema_;
  Ref answer_schema_;
  Ref maker_;
  Ref convert_;
  Ref fallback_;  // that of options_
  SchemaWriteOptions options_;
  http::ResponseHead head_;
  std::uint64_t body_limit_ = 0;
  int status_ = 200;
  AnswerKind kind_ = AnswerKind::json;
  bool body_whole_ = true;
  bool body_required_ = false;
  bool takes_body_ = false;
  bool path_is_fixed_ = true;
  bool runs_inline_ = false;
  bool has_checkable_texts_ = false;
};

}  // namespace lanner::python
