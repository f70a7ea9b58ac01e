// python/schema/model_object.cpp: lanner._core.ModelBase: objects with a slot for each field: made by
// keywords, compared, shown, hashed, copied and pickled.

#include <utility>

#include "python/object/ref.h"
#include "python/object/slots.h"
#include "python/schema/model_class.h"

namespace lanner::python {

namespace {

ModelClass* class_of(PyObject* object) noexcept { return as_model_class(Py_TYPE(object)); }

PyObject* as_object(PyTypeObject* type) noexcept {
  return reinterpret_cast<PyObject*>(type);  // SAFETY: PyTypeObject begins with PyObject
}

void put(PyObject* object, const ModelField& field, PyObject* value) noexcept {
  drop(std::exchange(*model_slot(object, field), value));
}

int missing(PyTypeObject* type, const ModelField& field) noexcept {
  Ref name = Ref::steal(PyType_GetName(type));
  if (name) PyErr_Format(PyExc_TypeError, "%U() needs %U=", name.get(), field.name);
  return -1;
}

// `names`: all names that were given, an iterable of str.
int unknown(PyTypeObject* type, PyObject* names) noexcept {
  const ModelClass* model = as_model_class(type);
  Ref shown = Ref::steal(PyList_New(0));
  Ref each = Ref::steal(PyObject_GetIter(names));
  while (shown && each) {
    Ref name = Ref::steal(PyIter_Next(each.get()));
    if (!name) break;
    bool known = false;
    for (Py_ssize_t i = 0; i < model->count && !known; ++i)
      known = PyUnicode_Compare(name.get(), model->fields[i].name) == 0;
    Ref text = Ref::steal(PyObject_Repr(name.get()));
    if (!text || (!known && PyList_Append(shown.get(), text.get()) < 0)) return -1;
  }
  Ref comma = Ref::steal(PyUnicode_FromString(", "));
  if (!shown || !comma || PyErr_Occurred()) return -1;
  Ref all = Ref::steal(PyUnicode_Join(comma.get(), shown.get()));
  Ref name = Ref::steal(PyType_GetName(type));
  if (all && name) PyErr_Format(PyExc_TypeError, "%U() has no field %U", name.get(), all.get());
  return -1;
}

int only_by_name(PyTypeObject* type, Py_ssize_t count) noexcept {
  Ref name = Ref::steal(PyType_GetName(type));
  if (name) {
    PyErr_Format(PyExc_TypeError,
                 "%U() takes its fields by name: %U(name=value); %zd stand without", name.get(),
                 name.get(), count);
  }
  return -1;
}

// Fields that have no value get their default. -1 with an exception set.
int fill(PyObject* object) noexcept {
  const ModelClass* model = class_of(object);
  for (Py_ssize_t i = 0; i < model->count; ++i) {
    const ModelField& field = model->fields[i];
    if (*model_slot(object, field)) continue;
    if (field.default_value) {
      put(object, field, share(field.default_value));
    } else if (field.factory) {
      PyObject* value = PyObject_CallNoArgs(field.factory);
      if (!value) return -1;
      put(object, field, value);
    } else {
      return missing(Py_TYPE(object), field);
    }
  }
  return 0;
}

int post_init(PyObject* object) noexcept {
  if (!class_of(object)->post_init) return 0;
  Ref result = Ref::steal(PyObject_CallMethod(object, "__post_init__", nullptr));
  return result ? 0 : -1;
}

// The field called so, most likely the one at `guess`; -1: there is none.
Py_ssize_t find(const ModelClass* model, PyObject* name, Py_ssize_t guess) noexcept {
  if (guess < model->count && model->fields[guess].name == name) [[likely]]
    return guess;
  for (Py_ssize_t i = 0; i < model->count; ++i) {
    if (model->fields[i].name == name) return i;
  }
  for (Py_ssize_t i = 0; i < model->count; ++i) {
    if (PyUnicode_Compare(model->fields[i].name, name) == 0) return i;
  }
  return -1;
}

int model_init(PyObject* object, PyObject* args, PyObject* kwargs) noexcept {
  const ModelClass* model = class_of(object);
  if (PyTuple_GET_SIZE(args) != 0) return only_by_name(Py_TYPE(object), PyTuple_GET_SIZE(args));
  Py_ssize_t given = 0;
  for (Py_ssize_t i = 0; i < model->count; ++i) {
    const ModelField& field = model->fields[i];
    PyObject* value = kwargs ? PyDict_GetItemWithError(kwargs, field.name) : nullptr;
    if (!value && PyErr_Occurred()) return -1;
    given += value != nullptr;
    put(object, field, share(value));
  }
  if (fill(object) < 0) return -1;
  if (kwargs && given != PyDict_GET_SIZE(kwargs)) return unknown(Py_TYPE(object), kwargs);
  return post_init(object);
}

}  // namespace

PyObject* model_new(PyTypeObject* type, PyObject*, PyObject*) noexcept {
  PyObject* module = module_of(type);
  if (!module) return nullptr;
  if (!PyObject_TypeCheck(as_object(type), state_of<JsonState>(module)->model_meta_type)) {
    return PyErr_Format(PyExc_TypeError, "%.200s: derive from lanner.Model", type->tp_name);
  }
  return type->tp_alloc(type, 0);
}

namespace {

// A class with its own __new__ or __init__: as type.__call__.
PyObject* call_slowly(PyObject* type, PyObject* const* args, Py_ssize_t count,
                      PyObject* names) noexcept {
  Ref positional = Ref::steal(PyTuple_New(count));
  Ref named = Ref::steal(PyDict_New());
  if (!positional || !named) return nullptr;
  for (Py_ssize_t i = 0; i < count; ++i) PyTuple_SET_ITEM(positional.get(), i, share(args[i]));
  for (Py_ssize_t i = 0; names && i < PyTuple_GET_SIZE(names); ++i) {
    if (PyDict_SetItem(named.get(), PyTuple_GET_ITEM(names, i), args[count + i]) < 0)
      return nullptr;
  }
  return PyType_Type.tp_call(type, positional.get(), named.get());
}

PyObject* model_compare(PyObject* left, PyObject* right, int operation) noexcept {
  if ((operation != Py_EQ && operation != Py_NE) || Py_TYPE(left) != Py_TYPE(right))
    Py_RETURN_NOTIMPLEMENTED;
  const ModelClass* model = class_of(left);
  bool same = true;
  for (Py_ssize_t i = 0; i < model->count && same; ++i) {
    Ref one = Ref::borrow(*model_slot(left, model->fields[i]));
    Ref other = Ref::borrow(*model_slot(right, model->fields[i]));
    if (one.get() == other.get()) continue;
    const int equal = one && other ? PyObject_RichCompareBool(one.get(), other.get(), Py_EQ) : 0;
    if (equal < 0) return nullptr;
    same = equal > 0;
  }
  return PyBool_FromLong(same == (operation == Py_EQ));
}

Py_hash_t model_hash(PyObject* object) noexcept {
  const ModelClass* model = class_of(object);
  if (!model->frozen) {
    Ref name = Ref::steal(PyType_GetName(Py_TYPE(object)));
    if (name) {
      PyErr_Format(PyExc_TypeError,
                   "%U can change, so it has no hash; class %U(Model, frozen=True)", name.get(),
                   name.get());
    }
    return -1;
  }
  Ref values = Ref::steal(PyTuple_New(model->count + 1));
  if (!values) return -1;
  PyTuple_SET_ITEM(values.get(), 0, share(as_object(Py_TYPE(object))));
  for (Py_ssize_t i = 0; i < model->count; ++i) {
    PyObject* value = *model_slot(object, model->fields[i]);
    PyTuple_SET_ITEM(values.get(), i + 1, share(value ? value : Py_Ellipsis));
  }
  return PyObject_Hash(values.get());
}

// "Point(x=1, y=2)", without what has no value.
PyObject* model_repr(PyObject* object) noexcept {
  const ModelClass* model = class_of(object);
  Ref name = Ref::steal(PyType_GetName(Py_TYPE(object)));
  const int inside = name ? Py_ReprEnter(object) : -1;
  if (inside != 0) return inside > 0 ? PyUnicode_FromFormat("%U(...)", name.get()) : nullptr;
  Ref parts = Ref::steal(PyList_New(0));
  for (Py_ssize_t i = 0; i < model->count && parts; ++i) {
    Ref value = Ref::borrow(*model_slot(object, model->fields[i]));
    if (!value) continue;
    Ref part = Ref::steal(PyUnicode_FromFormat("%U=%R", model->fields[i].name, value.get()));
    if (!part || PyList_Append(parts.get(), part.get()) < 0) parts.clear();
  }
  Py_ReprLeave(object);
  Ref comma = Ref::steal(parts ? PyUnicode_FromString(", ") : nullptr);
  Ref all = Ref::steal(comma ? PyUnicode_Join(comma.get(), parts.get()) : nullptr);
  return all ? PyUnicode_FromFormat("%U(%U)", name.get(), all.get()) : nullptr;
}

// The function of lanner.schema._model that is called so; null with an exception set.
PyObject* python_part(const char* name) noexcept {
  Ref module = Ref::steal(PyImport_ImportModule("lanner.schema._model"));
  return module ? PyObject_GetAttrString(module.get(), name) : nullptr;
}

// (restore, (class, ((name, value), ...))), of the fields that have a value, and of what else the
// object holds.
PyObject* model_reduce(PyObject* object, PyObject*) noexcept {
  const ModelClass* model = class_of(object);
  Ref restore = Ref::steal(python_part("restore"));
  if (restore && model->more) {
    Ref held = Ref::steal(python_part("held_by"));
    Ref values = Ref::steal(held ? PyObject_CallOneArg(held.get(), object) : nullptr);
    return values ? Py_BuildValue("O(OO)", restore.get(), as_object(Py_TYPE(object)), values.get())
                  : nullptr;
  }
  Ref pairs = Ref::steal(restore ? PyList_New(0) : nullptr);
  for (Py_ssize_t i = 0; i < model->count && pairs; ++i) {
    PyObject* value = *model_slot(object, model->fields[i]);
    if (!value) continue;
    Ref pair = Ref::steal(PyTuple_Pack(2, model->fields[i].name, value));
    if (!pair || PyList_Append(pairs.get(), pair.get()) < 0) pairs.clear();
  }
  Ref values = Ref::steal(pairs ? PyList_AsTuple(pairs.get()) : nullptr);
  return values ? Py_BuildValue("O(OO)", restore.get(), as_object(Py_TYPE(object)), values.get())
                : nullptr;
}

PyObject* model_copy(PyObject* object, PyObject*) noexcept {
  const ModelClass* model = class_of(object);
  PyTypeObject* type = Py_TYPE(object);
  if (model->more) {
    Ref copy = Ref::steal(python_part("copied"));
    return copy ? PyObject_CallOneArg(copy.get(), object) : nullptr;
  }
  PyObject* copy = type->tp_alloc(type, 0);
  for (Py_ssize_t i = 0; copy && i < model->count; ++i) {
    put(copy, model->fields[i], share(*model_slot(object, model->fields[i])));
  }
  return copy;
}

// The same values but for some, made anew: __post_init__ runs.
PyObject* model_replace(PyObject* object, PyObject* args, PyObject* kwargs) noexcept {
  if (PyTuple_GET_SIZE(args) != 0) {
    (void)only_by_name(Py_TYPE(object), PyTuple_GET_SIZE(args));
    return nullptr;
  }
  const ModelClass* model = class_of(object);
  Ref values = Ref::steal(PyDict_New());
  for (Py_ssize_t i = 0; values && i < model->count; ++i) {
    PyObject* value = *model_slot(object, model->fields[i]);
    if (value && PyDict_SetItem(values.get(), model->fields[i].name, value) < 0) values.clear();
  }
  if (!values || (kwargs && PyDict_Update(values.get(), kwargs) < 0)) return nullptr;
  Ref none = Ref::steal(PyTuple_New(0));
  return none ? PyObject_Call(as_object(Py_TYPE(object)), none.get(), values.get()) : nullptr;
}

PyMethodDef model_methods[] = {
    {"__reduce__", model_reduce, METH_NOARGS, PyDoc_STR("What pickle keeps: class and values.")},
    {"__copy__", model_copy, METH_NOARGS, PyDoc_STR("The same values; nothing is run.")},
    {"__replace__", method(model_replace), METH_VARARGS | METH_KEYWORDS,
     PyDoc_STR(
         "__replace__(**changes)\n\nA copy with other values: copy.replace() of Python 3.13.")},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace

PyObject* model_vectorcall(PyObject* callable, PyObject* const* args, size_t nargsf,
                           PyObject* names) noexcept {
  // SAFETY: only classes of ModelMeta have this function.
  auto* type = reinterpret_cast<PyTypeObject*>(callable);
  const Py_ssize_t count = PyVectorcall_NARGS(nargsf);
  if (type->tp_init != model_init || type->tp_new != model_new) [[unlikely]]
    return call_slowly(callable, args, count, names);
  if (count != 0) {
    (void)only_by_name(type, count);
    return nullptr;
  }
  const ModelClass* model = as_model_class(type);
  const Py_ssize_t named = names ? PyTuple_GET_SIZE(names) : 0;
  Ref object = Ref::steal(type->tp_alloc(type, 0));
  if (!object) return nullptr;
  Py_ssize_t next = 0;
  Py_ssize_t taken = 0;
  for (Py_ssize_t i = 0; i < named; ++i) {
    const Py_ssize_t at = find(model, PyTuple_GET_ITEM(names, i), next);
    if (at < 0) continue;
    put(object.get(), model->fields[at], share(args[i]));
    next = at + 1;
    ++taken;
  }
  if (taken != model->count && fill(object.get()) < 0) return nullptr;
  if (taken != named) {
    (void)unknown(type, names);
    return nullptr;
  }
  return post_init(object.get()) < 0 ? nullptr : object.release();
}

void model_dealloc(PyObject* object) noexcept {
  PyTypeObject* type = Py_TYPE(object);
  const ModelClass* model = as_model_class(type);
  if (PyType_IS_GC(type)) PyObject_GC_UnTrack(object);
  Py_TRASHCAN_BEGIN(object, model_dealloc) for (Py_ssize_t i = 0; i < model->count; ++i)
      put(object, model->fields[i], nullptr);
  type->tp_free(object);
  drop(as_object(type));
  Py_TRASHCAN_END
}

namespace {

// The names that a schema writes, for those of the class statement: once, as annotations may name
// classes that came later. False with an exception set.
bool take_names(PyTypeObject* type) noexcept {
  ModelClass* model = as_model_class(type);
  Ref function = Ref::steal(python_part("written_names"));
  Ref names = Ref::steal(function ? PyObject_CallOneArg(function.get(), as_object(type)) : nullptr);
  if (!names) return false;
  for (Py_ssize_t i = 0; i < model->count && i < PyTuple_GET_SIZE(names.get()); ++i) {
    PyObject* name = share(PyTuple_GET_ITEM(names.get(), i));
    drop(std::exchange(model->fields[i].wire_name, name));
  }
  model->named = true;
  return true;
}

}  // namespace

PyObject* model_to_dict(PyObject* object) noexcept {
  const ModelClass* model = class_of(object);
  if (!model->named && !take_names(Py_TYPE(object))) return nullptr;
  Ref values = Ref::steal(PyDict_New());
  for (Py_ssize_t i = 0; values && i < model->count; ++i) {
    PyObject* value = *model_slot(object, model->fields[i]);
    if (value && PyDict_SetItem(values.get(), model->fields[i].wire_name, value) < 0)
      values.clear();
  }
  return values.release();
}

PyObject* make_model_base(PyObject* module) noexcept {
  PyType_Slot slots[] = {{Py_tp_new, slot(model_new)},
                         {Py_tp_init, slot(model_init)},
                         {Py_tp_repr, slot(model_repr)},
                         {Py_tp_hash, slot(model_hash)},
                         {Py_tp_richcompare, slot(model_compare)},
                         {Py_tp_methods, model_methods},
                         {Py_tp_doc, const_cast<char*>("What lanner.Model is made of.")},
                         {0, nullptr}};
  PyType_Spec spec = {"lanner._core.ModelBase", sizeof(PyObject), 0,
                      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots};
  return PyType_FromModuleAndSpec(module, &spec, nullptr);
}

}  // namespace lanner::python
