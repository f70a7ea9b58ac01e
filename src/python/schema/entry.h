// python/schema/entry.h: what other rooms do with a compiled schema: read a document or text, write a value, with the
// errors of several schemas in one list.
//
//   ErrorList errors(max);
//   errors.set_prefix(...);
//   Ref a = Ref::steal(read_json(schema_a, document, errors));
//   Ref b = Ref::steal(read_text(schema_b, values, count, false, errors));
//   if (!a || !b) -> an exception is set, or `errors` says why

#pragma once

#include <Python.h>

#include <cstdint>
#include <string_view>

#include "json/output.h"
#include "python/object/ref.h"
#include "python/schema/encoder.h"
#include "python/schema/state.h"
#include "schema/errors.h"
#include "schema/text_input.h"

namespace lanner::python {

// A lanner._core.Schema that was made.
bool is_schema(SchemaState* state, PyObject* object) noexcept;

// REQUIRES, in all below: is_schema(). Null: an exception is set (JSONDecodeError: it is no JSON), or there are errors.
// `document` has a NUL behind it.
PyObject* read_json(PyObject* schema, std::string_view document,
                    schema::ErrorList& errors) noexcept;
// All values of one name; pairs: of all names, equal ones side by side.
PyObject* read_text(PyObject* schema, const schema::TextValue* values, std::uint32_t count,
                    bool pairs, schema::ErrorList& errors) noexcept;
// False with an exception set: JSONEncodeError where the value is not of the type.
bool write_json(PyObject* schema, PyObject* value, json::Output& out,
                const SchemaWriteOptions& options) noexcept;

// Immutable; lives as long as the schema. May be read without the GIL.
const schema::Plan& plan_of(PyObject* schema) noexcept;

// A ValidationError with the errors, which are taken over also when it fails: null with an exception set. owner: keeps
// the plans alive that the errors point into.
PyObject* make_validation_error(SchemaState* state, schema::ErrorList& errors, PyObject* owner,
                                PyObject* title) noexcept;
// Forgets errors that nobody will see.
void drop_errors(schema::ErrorList& errors) noexcept;

}  // namespace lanner::python
