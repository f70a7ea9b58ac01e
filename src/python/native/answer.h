// python/native/answer.h: the answer that a handler's result becomes: head and body, ready to be sent.

#pragma once

#include <Python.h>

#include <cstddef>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "http/response_head.h"
#include "json/output.h"
#include "python/native/operation.h"
#include "python/object/ref.h"

namespace lanner::python {

// Memory of one text that is done, for the next one.
struct TextSpare {
  char* memory = nullptr;
  std::size_t capacity = 0;

  TextSpare() noexcept = default;
  TextSpare(const TextSpare&) = delete;
  TextSpare& operator=(const TextSpare&) = delete;
  ~TextSpare() { std::free(memory); }
};

// Memory in which JSON text is made: the spare, if nobody else uses it now. It can be given away whole.
class TextSpace final : public json::OutputSpace {
 public:
  explicit TextSpace(TextSpare& spare) noexcept : spare_(spare) {}
  TextSpace(const TextSpace&) = delete;
  TextSpace& operator=(const TextSpace&) = delete;
  ~TextSpace();

  char* grow(char* begin, std::size_t used, std::size_t more,
             std::size_t* capacity) noexcept override;
  // How much the text may need.
  void expect(std::size_t bytes) noexcept { expected_ = bytes; }
  // The memory, for std::free().
  char* take() noexcept { return std::exchange(memory_, nullptr); }

 private:
  static constexpr std::size_t kSpareMax = 1 << 20;

  TextSpare& spare_;
  char* memory_ = nullptr;
  std::size_t capacity_ = 0;
  std::size_t expected_ = 0;
};

struct Answer {
  const http::ResponseHead* head = nullptr;
  http::ResponseHead own;  // where the operation's does not do
  std::string_view body;
  bool in_space = false;  // the body is the text in the TextSpace
  Ref holder;             // keeps the body's bytes, or none
  Ref background;         // to be called after the answer, or none
};

class NativeApp;

// False with an exception set: also where the value is not of the type that the handler promised.
// injected: the Response that the handler asked for, or null; tasks: its BackgroundTasks, or null.
bool make_answer(NativeApp& app, Operation& operation, PyObject* value, PyObject* injected,
                 PyObject* tasks, TextSpace& space, Answer* to) noexcept;
// Of a Response: what a handler returned, or an exception handler. injected: its fields are added.
bool take_response(NativeApp& app, PyObject* response, PyObject* injected, Answer* to) noexcept;

}  // namespace lanner::python
