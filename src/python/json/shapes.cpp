// python/json/shapes.cpp: dicts with the same keys in the same order as one before.

#include "python/json/shapes.h"

#include "python/object/dict_entries.h"

namespace lanner::python {

namespace {

constexpr std::int32_t kPatience = 16;

// Keys are told by their addresses: JsonKeys gives the same str for the same text, mostly.
std::uint64_t fingerprint(PyObject* const* pairs, std::size_t count) noexcept {
  // SAFETY: only the number counts.
  const auto first = reinterpret_cast<std::uintptr_t>(pairs[0]);
  const auto last = reinterpret_cast<std::uintptr_t>(pairs[2 * (count - 1)]);
  return (first ^ last << 7 ^ count << 48) * std::uint64_t{0x9E3779B97F4A7C15};
}

bool has_keys(const DictEntries& entries, PyObject* const* pairs, std::size_t count) noexcept {
  if (!entries.only_str || entries.count != static_cast<Py_ssize_t>(count)) return false;
  for (std::size_t i = 0; i < count; ++i) {
    const auto at = static_cast<Py_ssize_t>(i);
    if (entries.key(at) != pairs[2 * i] || !entries.value(at)) return false;
  }
  return true;
}

}  // namespace

PyObject* JsonShapes::make(PyObject** pairs, std::size_t count) noexcept {
  if (!enabled_ || count < kKeysMin || count > kKeysMax) return nullptr;
  Slot& slot = slots_[fingerprint(pairs, count) >> 56];
  if (!slot.shape || !has_keys(dict_entries(slot.shape), pairs, count)) return nullptr;
  slot.patience = kPatience;
  // A copy may collect garbage, and so run any code: the slot may change under it.
  Ref shape = Ref::borrow(slot.shape);
  Ref made = Ref::steal(PyDict_Copy(shape.get()));
  if (!made) return nullptr;
  const DictEntries entries = dict_entries(made.get());
  if (!has_keys(entries, pairs, count)) return nullptr;
  bool holds_container = false;
  for (std::size_t i = 0; i < count; ++i) {
    PyObject* const value = pairs[2 * i + 1];
    // Not PyObject_IS_GC(), a call: no JSON value is of a type that has tp_is_gc.
    holds_container = holds_container || PyType_IS_GC(Py_TYPE(value));
    PyObject*& place = entries.value(static_cast<Py_ssize_t>(i));
    drop(place);  // None
    place = value;
    drop(pairs[2 * i]);  // the copy has its own
  }
  // A dict of plain values is not tracked; this one got its values behind CPython's back.
  if (holds_container && !PyObject_GC_IsTracked(made.get())) PyObject_GC_Track(made.get());
  return made.release();
}

void JsonShapes::learn(PyObject* dict, PyObject* const* pairs, std::size_t count) noexcept {
  if (!enabled_ || count < kKeysMin || count > kKeysMax) return;
  const std::uint64_t print = fingerprint(pairs, count);
  Slot& slot = slots_[print >> 56];
  if (slot.shape && --slot.patience > 0) return;
  if (slot.missed != print) {  // only what comes twice
    slot.missed = print;
    return;
  }
  Ref shape;
  // Every key once, or the order is another one.
  if (PyDict_GET_SIZE(dict) == static_cast<Py_ssize_t>(count)) shape = Ref::steal(PyDict_New());
  for (std::size_t i = 0; shape && i < count; ++i) {
    if (!PyUnicode_CheckExact(pairs[2 * i]) ||
        PyDict_SetItem(shape.get(), pairs[2 * i], Py_None) < 0) {
      shape.clear();
    }
  }
  PyErr_Clear();
  if (!shape) return;
  PyObject* old = slot.shape;
  slot.shape = shape.release();
  slot.patience = kPatience;
  drop(old);
}

void JsonShapes::clear() noexcept {
  for (Slot& slot : slots_) {
    PyObject* old = slot.shape;
    slot = {};
    drop(old);
  }
}

}  // namespace lanner::python
