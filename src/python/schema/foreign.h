// python/schema/foreign.h: objects that a schema reads as a container or record without being one:
// a deque for list[X], a mapping proxy for dict[K, V], an object with attributes for a record.

#pragma once

#include <Python.h>

#include "python/object/ref.h"
#include "schema/plan.h"

namespace lanner::python {

// Whether the container's node takes it besides list, set or dict: Node::object is a class of
// collections.abc, or deque. Text is no sequence. False with an exception set, perhaps.
bool is_of_class(const schema::Node& node, PyObject* object) noexcept;

// Copies; null with an exception set.
Ref as_list(PyObject* iterable) noexcept;
Ref as_dict(PyObject* mapping) noexcept;

// Whether an object may be a record by its attributes: one of a class that is no builtin.
bool has_attributes(PyObject* object) noexcept;
// The fields that it has, by the names that are read; null with an exception set.
Ref attributes_of(const schema::Record& record, PyObject* object) noexcept;

}  // namespace lanner::python
