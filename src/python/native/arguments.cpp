#include "python/native/arguments.h"

#include <algorithm>

#include "python/schema/entry.h"

namespace lanner::python {

using schema::Slug;
using schema::TextValue;

namespace {

// The JSON text of an error's input where there is none.
constexpr std::string_view kNull = "null";

}  // namespace

Arguments::~Arguments() {
  for (std::size_t i = 0; i < operation_.count(); ++i) drop(values_[i]);
  drop_errors(errors_);
}

Arguments::Outcome Arguments::read() noexcept {
  for (std::size_t i = 0; i < operation_.count(); ++i) {
    const std::size_t at = operation_.in_order(i);
    const Argument& argument = operation_.argument(at);
    // What is given by type is made last: nothing is made for a request that is refused.
    if (argument.source >= Source::request && !errors_.empty()) break;
    Found found = read_one(argument, &values_[at]);
    if (found == Found::absent)
      found = fill_absent(argument, &values_[at]) ? Found::value : Found::error;
    if (PyErr_Occurred()) return not_json_ ? Outcome::not_json : Outcome::failed;
    if (found == Found::failed || errors_.no_memory()) {
      (void)PyErr_NoMemory();
      return Outcome::failed;
    }
    if (errors_.enough()) break;
  }
  return errors_.empty() ? Outcome::ready : Outcome::errors;
}

Arguments::Found Arguments::read_one(const Argument& argument, PyObject** to) noexcept {
  errors_.set_prefix(argument.loc, argument.whole || argument.source == Source::body ? 1 : 2);
  switch (argument.source) {
    case Source::path:
    case Source::query:
    case Source::header:
    case Source::cookie:
      return read_found(argument, to);
    case Source::body:
      return read_body(argument, to);
    case Source::member:
      return read_member(argument, to);
    case Source::request:
      return take_given(given_.request(), to);
    case Source::response:
      return take_given(given_.response(), to);
    case Source::tasks:
      return take_given(given_.tasks(), to);
  }
  return Found::failed;
}

Arguments::Found Arguments::take_given(PyObject* made, PyObject** to) noexcept {
  *to = made;
  return made ? Found::value : Found::failed;
}

// A default, or the error that there is no value.
bool Arguments::fill_absent(const Argument& argument, PyObject** to) noexcept {
  if (argument.fallback) {
    *to = share(argument.fallback.get());
    return true;
  }
  if (argument.factory) {
    *to = PyObject_CallNoArgs(argument.factory.get());
    return *to != nullptr;
  }
  if (!errors_.add(Slug::missing, nullptr, {nullptr, kNull}, -1, {})) return false;
  return false;
}

Arguments::Found Arguments::read_found(const Argument& argument, PyObject** to) noexcept {
  if (!texts_.find(argument)) return Found::failed;
  Vector<TextValue>& found = texts_.found();
  if (argument.whole) return read_pairs(argument, found, to);
  if (found.empty()) return Found::absent;
  const bool last = !argument.many;
  const auto count = last ? 1 : static_cast<std::uint32_t>(found.size());
  *to =
      read_text(argument.schema.get(), last ? &found.back() : found.data(), count, false, errors_);
  return *to ? Found::value : Found::error;
}

// A model of all pairs.
Arguments::Found Arguments::read_pairs(const Argument& argument, Vector<TextValue>& found,
                                       PyObject** to) noexcept {
  if (argument.source == Source::query && found.empty() && !argument.required())
    return Found::absent;
  if (!argument.in_order)
    std::stable_sort(found.begin(), found.end(),
                     [](const TextValue& a, const TextValue& b) { return a.name < b.name; });
  const std::size_t mark = errors_.mark();
  *to = read_text(argument.schema.get(), found.data(), static_cast<std::uint32_t>(found.size()),
                  true, errors_);
  for (const HeaderName& header : argument.headers)
    errors_.rename(mark, 1, header.wire, header.field);
  return *to ? Found::value : Found::error;
}

Arguments::Found Arguments::read_body(const Argument& argument, PyObject** to) noexcept {
  if (request_.body.empty()) return Found::absent;
  *to = read_json(argument.schema.get(), request_.body, errors_);
  if (*to) return Found::value;
  not_json_ = PyErr_Occurred() && errors_.empty() && !PyErr_ExceptionMatches(PyExc_MemoryError);
  return Found::error;
}

Arguments::Found Arguments::read_member(const Argument& argument, PyObject** to) noexcept {
  if (request_.body.empty()) return Found::absent;
  if (!members_read_ && !decode_members()) return Found::error;
  if (!members_) return Found::error;  // what was wrong is listed
  PyObject* value = PyDict_GetItemWithError(members_.get(), argument.key.get());
  if (!value) return PyErr_Occurred() ? Found::failed : Found::absent;
  *to = share(value);
  return Found::value;
}

// The object whose members are the bodies. False with an exception set.
bool Arguments::decode_members() noexcept {
  members_read_ = true;
  static constexpr std::string_view kBody = "body";
  schema::LocItem prefix;
  prefix.name = kBody.data();
  prefix.size = static_cast<std::uint32_t>(kBody.size());
  errors_.set_prefix(&prefix, 1);
  const std::size_t mark = errors_.mark();
  members_ = Ref::steal(read_json(operation_.body_schema(), request_.body, errors_));
  // Each is a parameter of its own: what is missing is missing in no object.
  errors_.forget_inputs(mark, Slug::missing, 2,
                        [](void* input) { drop(static_cast<PyObject*>(input)); });
  errors_.set_prefix(nullptr, 0);
  not_json_ = PyErr_Occurred() && !PyErr_ExceptionMatches(PyExc_MemoryError);
  return !PyErr_Occurred();
}

}  // namespace lanner::python
