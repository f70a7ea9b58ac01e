// python/wsgi/input.cpp: wsgi.input: a request's body as a file.

#include "python/wsgi/input.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <optional>

#include "base/buffer.h"
#include "python/object/slots.h"

namespace lanner::python {

namespace {

constexpr std::size_t kBlockBytes =
    65536;  // read ahead for lines, and the step for bodies of unknown size

// Its state belongs to the one request; the GIL protects it, and `reading` where that is let go.
struct Input {
  PyObject_HEAD
  http::Body* body;
  Buffer ahead;       // read for readline(), not yet handed out
  std::size_t taken;  // of `ahead`
  bool blocking;
  bool failed;
  bool ended;
  bool reading;  // some thread is in a method of this
};

Input* as_input(PyObject* object) noexcept {
  return reinterpret_cast<Input*>(object);  // SAFETY: only called for objects of our type
}

PyObject* raise(Input* self, Errc code) noexcept {
  self->failed = true;
  const std::string_view name = error_python_class(code);
  PyObject* type = name == "ConnectionResetError" ? PyExc_ConnectionResetError
                   : name == "TimeoutError"       ? PyExc_TimeoutError
                   : name == "MemoryError"        ? PyExc_MemoryError
                                                  : PyExc_OSError;
  const std::string_view text = error_text(code);
  PyErr_Format(type, "request body: %s", text.data());
  return nullptr;
}

bool check_bound(Input* self) noexcept {
  if (self->body) return true;
  PyErr_SetString(
      PyExc_ValueError,
      "wsgi.input was read after its request had ended: read the body before returning");
  return false;
}

// One method call, of any thread; nobody else reads meanwhile. false: with an exception set.
class Reading final {
 public:
  explicit Reading(Input* self) noexcept : self_(check_bound(self) ? self : nullptr) {
    if (self_ && self_->reading) {
      PyErr_SetString(PyExc_RuntimeError, "wsgi.input is being read by another thread");
      self_ = nullptr;
    }
    if (self_) self_->reading = true;
  }
  Reading(const Reading&) = delete;
  Reading& operator=(const Reading&) = delete;
  ~Reading() {
    if (self_) self_->reading = false;
  }
  explicit operator bool() const noexcept { return self_ != nullptr; }

 private:
  Input* self_;
};

// Up to `room` bytes; 0 = the end; -1 with an exception set.
Py_ssize_t fill(Input* self, char* to, std::size_t room) noexcept {
  if (self->ended || room == 0) return 0;
  if (!check_bound(self)) return -1;  // the request has ended since the last one
  Result<std::size_t> got = std::size_t{0};
  if (self->blocking) {
    http::Body* body = self->body;
    body->begin_read();
    Py_BEGIN_ALLOW_THREADS got = body->read(to, room);
    body->end_read();
    Py_END_ALLOW_THREADS
  } else {
    got = self->body->read(to, room);
  }
  if (!got) {
    raise(self, got.code());
    return -1;
  }
  self->ended = *got == 0;
  return static_cast<Py_ssize_t>(*got);
}

std::size_t take_ahead(Input* self, char* to, std::size_t room) noexcept {
  const std::size_t count = std::min(room, self->ahead.size() - self->taken);
  if (count == 0) return 0;
  std::memcpy(to, self->ahead.data() + self->taken, count);
  self->taken += count;
  if (self->taken == self->ahead.size()) {
    self->ahead.clear();
    self->taken = 0;
  }
  return count;
}

// What read-ahead and body give until `to` is full; fewer only at the end. -1 with an exception
// set.
Py_ssize_t fill_whole(Input* self, char* to, std::size_t room) noexcept {
  std::size_t count = take_ahead(self, to, room);
  while (count < room) {
    const Py_ssize_t got = fill(self, to + count, room - count);
    if (got < 0) return -1;
    if (got == 0) break;
    count += static_cast<std::size_t>(got);
  }
  return static_cast<Py_ssize_t>(count);
}

// Up to `size` bytes (not more than are known to be there): one allocation, no copy.
PyObject* read_known(Input* self, Py_ssize_t size) noexcept {
  PyObject* bytes = PyBytes_FromStringAndSize(nullptr, size);
  if (!bytes) return nullptr;
  const Py_ssize_t count =
      fill_whole(self, PyBytes_AS_STRING(bytes), static_cast<std::size_t>(size));
  if (count < 0) {
    drop(bytes);
    return nullptr;
  }
  if (count < size && _PyBytes_Resize(&bytes, count) < 0) return nullptr;
  return bytes;
}

// Up to `size` bytes of a body whose size nobody knows: memory grows with what comes.
PyObject* read_growing(Input* self, std::uint64_t size) noexcept {
  Buffer all;
  while (all.size() < size) {
    const std::size_t step =
        static_cast<std::size_t>(std::min<std::uint64_t>(kBlockBytes, size - all.size()));
    char* to = all.reserve(step);
    if (!to) return PyErr_NoMemory();
    const Py_ssize_t got = fill_whole(self, to, step);
    if (got < 0) return nullptr;
    all.commit(static_cast<std::size_t>(got));
    if (static_cast<std::size_t>(got) < step) break;
  }
  return PyBytes_FromStringAndSize(all.data(), static_cast<Py_ssize_t>(all.size()));
}

// Exactly `size` bytes, fewer only at the end; negative: all.
PyObject* read_sized(Input* self, Py_ssize_t size) noexcept {
  const std::uint64_t wanted =
      size < 0 ? static_cast<std::uint64_t>(PY_SSIZE_T_MAX) : static_cast<std::uint64_t>(size);
  const std::optional<std::uint64_t> left = self->body->bytes_left();
  if (!left && wanted > kBlockBytes) return read_growing(self, wanted);
  const std::uint64_t there = left ? *left + (self->ahead.size() - self->taken) : wanted;
  return read_known(self, static_cast<Py_ssize_t>(std::min(wanted, there)));
}

// One line with its '\n', or what is left; b"" at the end. `size` < 0 = any length.
PyObject* read_line(Input* self, Py_ssize_t size) noexcept {
  std::size_t searched = 0;
  for (;;) {
    const char* begin = self->ahead.data() + self->taken;
    const std::size_t held = self->ahead.size() - self->taken;
    std::size_t most = held;
    if (size >= 0) most = std::min(most, static_cast<std::size_t>(size));
    const void* lf =
        most > searched ? std::memchr(begin + searched, '\n', most - searched) : nullptr;
    const bool cut = size >= 0 && held >= static_cast<std::size_t>(size);
    if (lf || cut || self->ended) {
      const std::size_t count =
          lf ? static_cast<std::size_t>(static_cast<const char*>(lf) - begin) + 1 : most;
      PyObject* line = PyBytes_FromStringAndSize(nullptr, static_cast<Py_ssize_t>(count));
      if (line) (void)take_ahead(self, PyBytes_AS_STRING(line), count);
      return line;
    }
    searched = most;
    if (self->taken > 0) {
      self->ahead.consume(self->taken);
      self->taken = 0;
    }
    char* to = self->ahead.reserve(kBlockBytes);
    if (!to) return PyErr_NoMemory();
    const Py_ssize_t got = fill(self, to, kBlockBytes);
    if (got < 0) return nullptr;
    self->ahead.commit(static_cast<std::size_t>(got));
  }
}

// One optional integer or None; -1 = no limit. False with an exception set.
bool parse_size(const char* name, PyObject* const* args, Py_ssize_t count,
                Py_ssize_t* size) noexcept {
  *size = -1;
  if (count > 1) {
    PyErr_Format(PyExc_TypeError, "%s() takes at most 1 argument (%zd given)", name, count);
    return false;
  }
  if (count == 0 || args[0] == Py_None) return true;
  *size = PyNumber_AsSsize_t(args[0], PyExc_OverflowError);
  return *size != -1 || !PyErr_Occurred();
}

PyObject* input_read(PyObject* object, PyObject* const* args, Py_ssize_t count) noexcept {
  Input* self = as_input(object);
  Py_ssize_t size = -1;
  if (!parse_size("read", args, count, &size)) return nullptr;
  const Reading reading(self);
  return reading ? read_sized(self, size) : nullptr;
}

PyObject* input_readline(PyObject* object, PyObject* const* args, Py_ssize_t count) noexcept {
  Input* self = as_input(object);
  Py_ssize_t size = -1;
  if (!parse_size("readline", args, count, &size)) return nullptr;
  const Reading reading(self);
  return reading ? read_line(self, size) : nullptr;
}

PyObject* input_readlines(PyObject* object, PyObject* const* args, Py_ssize_t count) noexcept {
  Input* self = as_input(object);
  Py_ssize_t hint = -1;
  if (!parse_size("readlines", args, count, &hint)) return nullptr;
  const Reading reading(self);
  if (!reading) return nullptr;
  Ref lines = Ref::steal(PyList_New(0));
  Py_ssize_t total = 0;
  while (lines) {
    Ref line = Ref::steal(read_line(self, -1));
    if (!line) return nullptr;
    const Py_ssize_t bytes = PyBytes_GET_SIZE(line.get());
    if (bytes == 0) break;
    if (PyList_Append(lines.get(), line.get()) < 0) return nullptr;
    total += bytes;
    if (hint > 0 && total >= hint) break;
  }
  return lines.release();
}

PyObject* input_readinto(PyObject* object, PyObject* target) noexcept {
  Input* self = as_input(object);
  Py_buffer view;
  const Reading reading(self);
  if (!reading || PyObject_GetBuffer(target, &view, PyBUF_WRITABLE) < 0) return nullptr;
  const Py_ssize_t got =
      fill_whole(self, static_cast<char*>(view.buf), static_cast<std::size_t>(view.len));
  PyBuffer_Release(&view);
  return got < 0 ? nullptr : PyLong_FromSsize_t(got);
}

PyObject* input_readable(PyObject*, PyObject*) noexcept { return share(Py_True); }

PyObject* input_next(PyObject* object) noexcept {
  Input* self = as_input(object);
  const Reading reading(self);
  if (!reading) return nullptr;
  PyObject* line = read_line(self, -1);
  if (line && PyBytes_GET_SIZE(line) == 0) {
    drop(line);
    return nullptr;
  }
  return line;
}

void input_dealloc(PyObject* object) noexcept {
  PyTypeObject* type = Py_TYPE(object);
  as_input(object)->ahead.~Buffer();
  type->tp_free(object);
  // SAFETY: PyTypeObject begins with PyObject. A heap type's instance owns a reference to it.
  drop(reinterpret_cast<PyObject*>(type));
}

}  // namespace

PyObject* new_input(WsgiState* state) noexcept {
  PyObject* object = state->input_type->tp_alloc(state->input_type, 0);
  if (!object) return nullptr;
  ::new (static_cast<void*>(&as_input(object)->ahead)) Buffer();
  return object;
}

void bind_input(PyObject* input, http::Body* body, bool blocking) noexcept {
  Input* self = as_input(input);
  self->body = body;
  self->blocking = blocking;
  self->failed = self->ended = false;
}

void unbind_input(PyObject* input) noexcept {
  Input* self = as_input(input);
  self->body = nullptr;
  if (self->reading) return;  // what it has read ahead goes with it
  self->taken = 0;
  if (self->ahead.capacity() > 0) self->ahead.release();
}

bool input_failed(PyObject* input) noexcept { return as_input(input)->failed; }

int add_input_type(PyObject* module, WsgiState* state) noexcept {
  // Tables are copied by PyType_FromModuleAndSpec, but for the methods: those must stay.
  static PyMethodDef methods[] = {
      {"read", method(input_read), METH_FASTCALL,
       PyDoc_STR(
           "read([size]) -> bytes\n\nExactly size bytes, fewer only at the end of the body.")},
      {"readline", method(input_readline), METH_FASTCALL,
       PyDoc_STR("readline([size]) -> bytes\n\nOne line with its newline, cut at size bytes.")},
      {"readlines", method(input_readlines), METH_FASTCALL,
       PyDoc_STR("readlines([hint]) -> list of bytes")},
      {"readinto", method(input_readinto), METH_O,
       PyDoc_STR("readinto(buffer) -> int\n\nBytes put into buffer; 0 at the end.")},
      {"readable", method(input_readable), METH_NOARGS, PyDoc_STR("readable() -> True")},
      {nullptr, nullptr, 0, nullptr}};
  PyType_Slot slots[] = {{Py_tp_dealloc, slot(input_dealloc)},
                         {Py_tp_methods, methods},
                         {Py_tp_iter, slot(PyObject_SelfIter)},
                         {Py_tp_iternext, slot(input_next)},
                         {Py_tp_doc, const_cast<char*>("The body of a WSGI request (PEP 3333).")},
                         {0, nullptr}};
  PyType_Spec spec = {
      "lanner._core.Input", sizeof(Input), 0,
      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION | Py_TPFLAGS_IMMUTABLETYPE, slots};
  PyObject* type = PyType_FromModuleAndSpec(module, &spec, nullptr);
  state->input_type = reinterpret_cast<PyTypeObject*>(type);  // SAFETY: it is a type
  return type ? 0 : -1;
}

}  // namespace lanner::python
