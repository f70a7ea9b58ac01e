#include "python/schema/entry.h"

#include "json/reader.h"
#include "python/json/error.h"
#include "python/schema/object_input.h"
#include "python/schema/schema_type.h"
#include "schema/json_input.h"
#include "schema/machine.h"

namespace lanner::python {

namespace {

using schema::ErrorList;

const SchemaObject* as_schema(PyObject* object) noexcept {
  return reinterpret_cast<const SchemaObject*>(object);  // SAFETY: see is_schema()
}

}  // namespace

bool is_schema(SchemaState* state, PyObject* object) noexcept {
  return PyObject_TypeCheck(object, state->schema_type) && as_schema(object)->plan != nullptr;
}

const schema::Plan& plan_of(PyObject* object) noexcept { return *as_schema(object)->plan; }

PyObject* read_json(PyObject* object, std::string_view document, ErrorList& errors) noexcept {
  using Input = schema::JsonInput<SchemaBuilder>;
  const SchemaObject* schema = as_schema(object);
  const std::size_t before = errors.mark();
  json::Reader reader(document);
  SchemaBuilder builder(schema->made_of, *schema->state);
  Input input(reader, builder);
  schema::Machine<Input, SchemaBuilder> machine(*schema->plan, input, builder, errors);
  Ref result = Ref::steal(machine.run(*schema->plan->root, input.first()));
  const bool read = !machine.aborted() && input.finish();
  if (result && read) return result.release();
  if (!PyErr_Occurred() && reader.error().code != Errc::ok) {
    errors.roll_back(before,
                     [](void* input_object) { drop(static_cast<PyObject*>(input_object)); });
    raise_json_error(reader);
  } else if (!PyErr_Occurred() && errors.no_memory()) {
    (void)PyErr_NoMemory();
  }
  return nullptr;
}

PyObject* read_text(PyObject* object, const schema::TextValue* values, std::uint32_t count,
                    bool pairs, ErrorList& errors) noexcept {
  using Input = schema::TextInput<SchemaBuilder>;
  const SchemaObject* schema = as_schema(object);
  SchemaBuilder builder(schema->made_of, *schema->state);
  Input input(builder, false);
  schema::Machine<Input, SchemaBuilder> machine(*schema->plan, input, builder, errors);
  const Input::Shape shape = pairs ? Input::Shape::pairs : Input::Shape::values;
  PyObject* result = machine.run(*schema->plan->root, {values, count, shape});
  if (!result && !PyErr_Occurred() && errors.no_memory()) (void)PyErr_NoMemory();
  return result;
}

bool write_json(PyObject* object, PyObject* value, json::Output& out,
                const SchemaWriteOptions& options) noexcept {
  const SchemaObject* schema = as_schema(object);
  SchemaEncoder encoder(schema->made_of, schema->state, out, options);
  return encoder.write(*schema->plan->root, value);
}

void drop_errors(ErrorList& errors) noexcept {
  errors.roll_back(0, [](void* object) { drop(static_cast<PyObject*>(object)); });
}

}  // namespace lanner::python
