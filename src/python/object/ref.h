// python/object/ref.h: owning references to Python objects: the only file that changes reference counts
// directly.
//
// Everything here needs the GIL.

#pragma once

#include <utility>

#include "python/object/layout.h"

namespace lanner::python {

// Owns one reference, or none.
class Ref final {
 public:
  Ref() noexcept = default;
  // Takes over a new reference (what most C API calls return); null is fine.
  static Ref steal(PyObject* object) noexcept { return Ref(object); }
  // Takes a reference of its own.
  static Ref borrow(PyObject* object) noexcept {
    Py_XINCREF(object);
    return Ref(object);
  }
  Ref(const Ref&) = delete;
  Ref& operator=(const Ref&) = delete;
  Ref(Ref&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  Ref& operator=(Ref&& other) noexcept {
    PyObject* old = std::exchange(object_, std::exchange(other.object_, nullptr));
    Py_XDECREF(old);
    return *this;
  }
  ~Ref() { Py_XDECREF(object_); }

  PyObject* get() const noexcept { return object_; }
  explicit operator bool() const noexcept { return object_ != nullptr; }
  // Gives the reference away.
  PyObject* release() noexcept { return std::exchange(object_, nullptr); }
  void clear() noexcept {
    PyObject* old = std::exchange(object_, nullptr);
    Py_XDECREF(old);
  }
  // For tp_traverse.
  int traverse(visitproc visit, void* arg) const noexcept {
    return object_ ? visit(object_, arg) : 0;
  }

 private:
  explicit Ref(PyObject* object) noexcept : object_(object) {}
  PyObject* object_ = nullptr;
};

// Drops a reference that someone else's structure held.
inline void drop(PyObject* object) noexcept { Py_XDECREF(object); }
// A new reference to the same object.
inline PyObject* share(PyObject* object) noexcept {
  Py_XINCREF(object);
  return object;
}
inline PyObject* none() noexcept { return share(Py_None); }

// Nobody but the caller's own `mine` references holds it.
inline bool only_mine(PyObject* object, Py_ssize_t mine = 1) noexcept {
#if !LANNER_LAYOUTS
  (void)object;
  (void)mine;
  return false;  // a borrowed reference may not be counted there (Python 3.14): never reuse
#else
  return Py_REFCNT(object) == mine;
#endif
}

}  // namespace lanner::python
