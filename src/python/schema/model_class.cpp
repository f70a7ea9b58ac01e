#include "python/schema/model_class.h"

#include <cstddef>
#include <utility>

#include <structmember.h>

#include "python/object/ref.h"
#include "python/object/slots.h"

namespace lanner::python {

namespace {

PyTypeObject* as_type(PyObject* object) noexcept {
  return reinterpret_cast<PyTypeObject*>(object);  // SAFETY: only called for classes
}

// The slot that the class has for a field. False with an exception set.
bool find_slot(PyObject* type, PyObject* name, Py_ssize_t* offset) noexcept {
  Ref member = Ref::steal(PyObject_GetAttr(type, name));
  if (!member) return false;
  // SAFETY: that is its type, where it is looked at.
  const auto* descriptor = reinterpret_cast<const PyMemberDescrObject*>(member.get());
  if (Py_TYPE(member.get()) != &PyMemberDescr_Type || descriptor->d_member->type != T_OBJECT_EX ||
      !PyType_IsSubtype(as_type(type), descriptor->d_common.d_type)) {
    PyErr_Format(PyExc_TypeError, "%.200s.%U: a field's name is used for something else",
                 as_type(type)->tp_name, name);
    return false;
  }
  *offset = descriptor->d_member->offset;
  return true;
}

// rows: a tuple of (name, name in JSON, has a default, default, factory or None). False with an
// exception set.
bool take_fields(PyObject* type, PyObject* rows) noexcept {
  ModelClass* to = as_model_class(as_type(type));
  const Py_ssize_t count = PyTuple_GET_SIZE(rows);
  to->fields = static_cast<ModelField*>(
      PyMem_Calloc(static_cast<std::size_t>(count) + 1, sizeof(ModelField)));
  if (!to->fields) {
    PyErr_NoMemory();
    return false;
  }
  for (Py_ssize_t i = 0; i < count; ++i) {
    PyObject* name = nullptr;
    PyObject* wire_name = nullptr;
    PyObject* value = nullptr;
    PyObject* factory = nullptr;
    int has_default = 0;
    if (!PyArg_ParseTuple(PyTuple_GET_ITEM(rows, i), "UUpOO", &name, &wire_name, &has_default,
                          &value, &factory)) {
      return false;
    }
    ModelField& field = to->fields[i];
    field.name = share(name);
    field.wire_name = share(wire_name);
    PyUnicode_InternInPlace(&field.name);
    if (has_default) field.default_value = share(value);
    if (factory != Py_None) field.factory = share(factory);
    to->count = i + 1;
    if (!find_slot(type, field.name, &field.offset)) return false;
  }
  return true;
}

// Whether instances have room for anything besides their head and a slot for each field.
bool holds_more(PyTypeObject* type) noexcept {
  const auto slots = as_model_class(type)->count * static_cast<Py_ssize_t>(sizeof(PyObject*));
  return type->tp_basicsize != static_cast<Py_ssize_t>(sizeof(PyObject)) + slots ||
         type->tp_dictoffset != 0 || type->tp_weaklistoffset != 0;
}

// Instances of plain layout need nothing of what subtype_dealloc() looks for.
void give_dealloc(PyTypeObject* type) noexcept {
  if (!as_model_class(type)->more && !type->tp_finalize && !type->tp_del)
    type->tp_dealloc = model_dealloc;
}

// Beside a mixin with slots the class has its layout, and with it object.__new__().
void give_new(PyTypeObject* type) noexcept {
  if (type->tp_new == PyBaseObject_Type.tp_new) type->tp_new = model_new;
}

// class X(Model, frozen=True): lanner.schema._model.prepare() makes the namespace and the fields.
PyObject* meta_new(PyTypeObject* meta, PyObject* args, PyObject* kwargs) noexcept {
  Ref module = Ref::steal(PyImport_ImportModule("lanner.schema._model"));
  Ref prepare = Ref::steal(module ? PyObject_GetAttrString(module.get(), "prepare") : nullptr);
  Ref made = Ref::steal(prepare ? PyObject_Call(prepare.get(), args, kwargs) : nullptr);
  if (!made) return nullptr;
  PyObject* three = nullptr;  // name, bases, namespace
  PyObject* rows = nullptr;
  int frozen = 0;
  if (!PyArg_ParseTuple(made.get(), "O!O!p", &PyTuple_Type, &three, &PyTuple_Type, &rows, &frozen))
    return nullptr;
  Ref type = Ref::steal(PyType_Type.tp_new(meta, three, nullptr));
  if (!type) return nullptr;
  if (!take_fields(type.get(), rows)) return nullptr;
  ModelClass* to = as_model_class(as_type(type.get()));
  to->frozen = frozen != 0;
  to->post_init = PyObject_HasAttrString(type.get(), "__post_init__") != 0;
  to->more = holds_more(as_type(type.get()));
  to->base.ht_type.tp_vectorcall = model_vectorcall;
  give_new(&to->base.ht_type);
  give_dealloc(&to->base.ht_type);
  return type.release();
}

// A class made by a metaclass that derives from ours has no vectorcall of its own.
PyObject* meta_call(PyObject* type, PyObject* args, PyObject* kwargs) noexcept {
  return PyVectorcall_Call(type, args, kwargs);
}

int meta_traverse(PyObject* object, visitproc visit, void* arg) noexcept {
  const ModelClass* type = as_model_class(as_type(object));
  Py_VISIT(Py_TYPE(object));
  for (Py_ssize_t i = 0; i < type->count; ++i) {
    Py_VISIT(type->fields[i].default_value);
    Py_VISIT(type->fields[i].factory);
  }
  return PyType_Type.tp_traverse(object, visit, arg);
}

// Not the fields' places: objects of the class may still go.
int meta_clear(PyObject* object) noexcept {
  ModelClass* type = as_model_class(as_type(object));
  for (Py_ssize_t i = 0; i < type->count; ++i) {
    Py_CLEAR(type->fields[i].default_value);
    Py_CLEAR(type->fields[i].factory);
  }
  return PyType_Type.tp_clear(object);
}

void meta_dealloc(PyObject* object) noexcept {
  ModelClass* type = as_model_class(as_type(object));
  PyTypeObject* meta = Py_TYPE(object);
  for (Py_ssize_t i = 0; i < type->count; ++i) {
    Py_CLEAR(type->fields[i].default_value);
    Py_CLEAR(type->fields[i].factory);
    Py_CLEAR(type->fields[i].name);
    Py_CLEAR(type->fields[i].wire_name);
  }
  type->count = 0;
  PyMem_Free(std::exchange(type->fields, nullptr));
  PyType_Type.tp_dealloc(object);
  drop(reinterpret_cast<PyObject*>(meta));  // SAFETY: PyTypeObject begins with PyObject
}

PyObject* make_meta(PyObject* module) noexcept {
  PyMemberDef members[] = {{"__vectorcalloffset__", T_PYSSIZET,
                            offsetof(PyTypeObject, tp_vectorcall), READONLY, nullptr},
                           {nullptr, 0, 0, 0, nullptr}};
  PyType_Slot slots[] = {
      {Py_tp_new, slot(meta_new)},
      {Py_tp_call, slot(meta_call)},
      {Py_tp_dealloc, slot(meta_dealloc)},
      {Py_tp_traverse, slot(meta_traverse)},
      {Py_tp_clear, slot(meta_clear)},
      {Py_tp_members, members},
      {Py_tp_doc, const_cast<char*>("The class of lanner.Model and of what derives from it.")},
      {0, nullptr}};
  PyType_Spec spec = {
      "lanner._core.ModelMeta", sizeof(ModelClass), 0,
      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_VECTORCALL,
      slots};
  // SAFETY: PyTypeObject begins with PyObject.
  return PyType_FromModuleAndSpec(module, &spec, reinterpret_cast<PyObject*>(&PyType_Type));
}

}  // namespace

int add_model_types(PyObject* module, SchemaState* state) noexcept {
  Ref meta = Ref::steal(make_meta(module));
  Ref base = Ref::steal(meta ? make_model_base(module) : nullptr);
  if (!base || PyModule_AddObjectRef(module, "ModelMeta", meta.get()) < 0 ||
      PyModule_AddObjectRef(module, "ModelBase", base.get()) < 0) {
    return -1;
  }
  state->json.model_meta_type = as_type(meta.release());
  state->json.model_to_dict = model_to_dict;
  return 0;
}

}  // namespace lanner::python
