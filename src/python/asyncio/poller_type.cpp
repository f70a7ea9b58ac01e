// python/asyncio/poller_type.cpp: lanner._core.Poller: the engine's loop as asyncio's selector sees it.

#include "python/asyncio/poller_type.h"

#include <cerrno>
#include <cmath>
#include <cstring>
#include <memory>
#include <new>

#include "base/buffer.h"
#include "python/object/forked.h"
#include "python/object/slots.h"
#include "sys/poller.h"
#include "sys/sockets.h"

namespace lanner::python {

namespace {

constexpr int kEventRead = 1;   // selectors.EVENT_READ
constexpr int kEventWrite = 2;  // selectors.EVENT_WRITE

struct Ready {
  int fd;
  int events;
};

// One registered descriptor.
class Watch final : public net::Watcher {
 public:
  Watch(int descriptor, int wanted, Buffer& ready) noexcept
      : fd(descriptor), events(wanted), ready_(ready) {}
  void on_ready(std::uint32_t ready) noexcept override {
    int found = 0;
    if (ready & ~sys::Ready::writable) found |= kEventRead;
    if (ready & ~(sys::Ready::readable | sys::Ready::peer_closed)) found |= kEventWrite;
    found &= events;
    const Ready one{fd, found};
    // SAFETY: Ready is trivially copyable; the buffer is read back as such.
    if (found) (void)ready_.append({reinterpret_cast<const char*>(&one), sizeof one});
  }
  std::uint32_t interest() const noexcept {
    return (events & kEventRead ? sys::Ready::readable : 0u) |
           (events & kEventWrite ? sys::Ready::writable : 0u);
  }
  int fd;
  int events;

 private:
  Buffer& ready_;
};

// The one owner of the GIL of its loop. asyncio hears of signals by itself, and drops objects where
// the guest has the GIL after a turn.
struct PollerState final : net::LoopHook {
  void rest() noexcept override { gil.rest(); }
  void settle() noexcept override {}
  void on_interrupt() noexcept override {}

  std::unique_ptr<net::Loop> loop;
  Buffer table;  // Watch*[], by descriptor
  Buffer ready;  // Ready[], of the turn that runs
  Gil gil;
  TurnGuest* guest = nullptr;
  std::uint64_t rested_ms = 0;    // when the GIL was last let go
  unsigned long turn_thread = 0;  // in_turn: who runs it
  bool in_turn = false;
  const std::uint32_t born = sys::fork_count();

  std::size_t table_size() const noexcept { return table.size() / sizeof(Watch*); }
  Watch** slot(int fd) noexcept {
    // SAFETY: the table holds Watch* only, and malloc aligns it.
    Watch** slots = reinterpret_cast<Watch**>(table.data());
    return fd >= 0 && static_cast<std::size_t>(fd) < table_size() ? slots + fd : nullptr;
  }
  Watch* find(int fd) noexcept {
    Watch** found = slot(fd);
    return found ? *found : nullptr;
  }
  // A slot for fd, empty or not; nullptr when memory is out.
  Watch** make_slot(int fd) noexcept {
    const std::size_t wanted = (static_cast<std::size_t>(fd) + 1) * sizeof(Watch*);
    if (wanted > table.size()) {
      const std::size_t more = wanted - table.size();
      char* room = table.reserve(more);
      if (!room) return nullptr;
      std::memset(room, 0, more);
      table.commit(more);
    }
    return slot(fd);
  }
  ~PollerState() {
    for (std::size_t fd = 0; fd < table_size(); ++fd) {
      Watch* watch = find(static_cast<int>(fd));
      if (!watch) continue;
      loop->unwatch(watch->fd, *watch);
      delete watch;
    }
  }
};

struct PollerObject {
  PyObject_HEAD
  PollerState* state;
};

PollerState* state_of_poller(PyObject* object) noexcept {
  // SAFETY: only called for objects of our type.
  return reinterpret_cast<PollerObject*>(object)->state;
}

// A turn touches what is registered without the GIL. False with an exception set.
bool check_thread(const PollerState* self, const char* method) noexcept {
  if (!self->in_turn || self->turn_thread == PyThread_get_thread_ident()) return true;
  PyErr_Format(PyExc_RuntimeError, "%s was called in another thread while select() runs", method);
  return false;
}

PyObject* raise_os(Error error, int fd) noexcept {
  if (error.code == Errc::no_memory) return PyErr_NoMemory();
  errno = static_cast<int>(error.detail);
  Ref number = Ref::steal(PyLong_FromLong(fd));
  return PyErr_SetFromErrnoWithFilenameObject(PyExc_OSError, number.get());
}

PyObject* poller_new(PyTypeObject* type, PyObject*, PyObject*) noexcept {
  Ref object = Ref::steal(type->tp_alloc(type, 0));
  if (!object) return nullptr;
  Result<std::unique_ptr<net::Loop>> loop = net::Loop::create();
  if (!loop) return raise_os(loop.error(), -1);
  PollerState* state = new (std::nothrow) PollerState;
  if (!state) return PyErr_NoMemory();
  state->loop = std::move(*loop);
  state->loop->set_hook(state);
  reinterpret_cast<PollerObject*>(object.get())->state = state;  // SAFETY: just allocated as such
  return object.release();
}

bool parse_pair(PyObject* args, const char* name, int* fd, int* events) noexcept {
  char format[32];
  (void)PyOS_snprintf(format, sizeof format, "ii:%s", name);
  if (!PyArg_ParseTuple(args, format, fd, events)) return false;
  if (*events > 0 && *events <= (kEventRead | kEventWrite)) return true;
  PyErr_Format(PyExc_ValueError, "invalid events: %d", *events);
  return false;
}

PyObject* poller_register(PyObject* object, PyObject* args) noexcept {
  PollerState* self = state_of_poller(object);
  int fd = -1;
  int events = 0;
  if (!parse_pair(args, "register", &fd, &events) || !check_thread(self, "register()")) {
    return nullptr;
  }
  if (fd < 0) return PyErr_Format(PyExc_ValueError, "invalid descriptor: %d", fd);
  Watch** slot = self->make_slot(fd);
  if (slot && *slot) return PyErr_Format(PyExc_KeyError, "descriptor %d is registered already", fd);
  Watch* watch = slot ? new (std::nothrow) Watch(fd, events, self->ready) : nullptr;
  if (!watch) return PyErr_NoMemory();
  Result<void> watched = self->loop->watch(fd, watch->interest(), *watch);
  if (!watched) {
    delete watch;
    return raise_os(watched.error(), fd);
  }
  *slot = watch;
  return none();
}

PyObject* poller_modify(PyObject* object, PyObject* args) noexcept {
  PollerState* self = state_of_poller(object);
  int fd = -1;
  int events = 0;
  if (!parse_pair(args, "modify", &fd, &events) || !check_thread(self, "modify()")) return nullptr;
  Watch* watch = self->find(fd);
  if (!watch) return PyErr_Format(PyExc_KeyError, "descriptor %d is not registered", fd);
  watch->events = events;
  Result<void> changed = self->loop->change(fd, watch->interest(), *watch);
  return changed ? none() : raise_os(changed.error(), fd);
}

PyObject* poller_unregister(PyObject* object, PyObject* number) noexcept {
  PollerState* self = state_of_poller(object);
  const int fd = PyObject_AsFileDescriptor(number);
  if (fd < 0 || !check_thread(self, "unregister()")) return nullptr;
  Watch* watch = self->find(fd);
  if (!watch) return PyErr_Format(PyExc_KeyError, "descriptor %d is not registered", fd);
  self->loop->unwatch(fd, *watch);
  *self->slot(fd) = nullptr;
  delete watch;
  return none();
}

// Seconds or None -> milliseconds, rounded up as the selectors module does. -2 with an exception
// set.
int wait_ms_of(PyObject* timeout) noexcept {
  if (timeout == Py_None) return -1;
  const double seconds = PyFloat_AsDouble(timeout);
  if (seconds == -1.0 && PyErr_Occurred()) return -2;
  if (!(seconds > 0)) return 0;
  const double ms = std::ceil(seconds * 1000.0);
  return ms > 86'400'000.0 ? 86'400'000 : static_cast<int>(ms);
}

PyObject* take_ready(PollerState* self) noexcept {
  const std::size_t count = self->ready.size() / sizeof(Ready);
  PyObject* list = PyList_New(static_cast<Py_ssize_t>(count));
  for (std::size_t i = 0; list && i < count; ++i) {
    Ready one;
    std::memcpy(&one, self->ready.data() + i * sizeof one, sizeof one);
    PyObject* pair = Py_BuildValue("(ii)", one.fd, one.events);
    if (!pair) {
      drop(list);
      return nullptr;
    }
    PyList_SET_ITEM(list, static_cast<Py_ssize_t>(i), pair);
  }
  self->ready.clear();
  return list;
}

PyObject* poller_select(PyObject* object, PyObject* timeout) noexcept {
  const int wait_ms = wait_ms_of(timeout);
  if (wait_ms == -2 || !poller_turn(object, wait_ms)) return nullptr;
  return take_ready(state_of_poller(object));
}

PyObject* poller_wake(PyObject* object, PyObject*) noexcept {
  state_of_poller(object)->loop->wake();
  return none();
}

PyObject* poller_close(PyObject* object, PyObject*) noexcept {
  PollerState* self = state_of_poller(object);
  if (self->in_turn) {
    return PyErr_Format(PyExc_RuntimeError, "close() called inside select()");
  }
  self->loop->close();
  return none();
}

PyObject* poller_fileno(PyObject* object, PyObject*) noexcept {
  return PyLong_FromLong(state_of_poller(object)->loop->descriptor());
}

void poller_dealloc(PyObject* object) noexcept {
  PyTypeObject* type = Py_TYPE(object);
  delete state_of_poller(object);
  type->tp_free(object);
  drop(reinterpret_cast<PyObject*>(type));  // SAFETY: PyTypeObject begins with PyObject
}

}  // namespace

net::Loop* poller_loop(AsyncioState* state, PyObject* poller) noexcept {
  if (!PyObject_TypeCheck(poller, state->poller_type)) {
    PyErr_Format(PyExc_TypeError, "poller must be a lanner._core.Poller, not %R", poller);
    return nullptr;
  }
  return state_of_poller(poller)->loop.get();
}

Gil& poller_gil(PyObject* poller) noexcept { return state_of_poller(poller)->gil; }
void set_poller_guest(PyObject* poller, TurnGuest* guest) noexcept {
  state_of_poller(poller)->guest = guest;
}
bool poller_in_turn(PyObject* poller) noexcept { return state_of_poller(poller)->in_turn; }

bool poller_turn(PyObject* object, int wait_ms) noexcept {
  PollerState* self = state_of_poller(object);
  if (self->in_turn) {
    PyErr_SetString(PyExc_RuntimeError, "a turn of the engine inside its turn");
    return false;
  }
  Ref keep = Ref::borrow(object);
  if (came_back(self->born)) end_forked();
  if (self->guest && !self->guest->before_wait()) wait_ms = 0;
  self->in_turn = true;
  self->turn_thread = PyThread_get_thread_ident();
  // For a look only it is not worth it, but others who want the GIL get it once a millisecond.
  const std::uint64_t now_ms = self->loop->now_ms();
  if (wait_ms != 0 || now_ms != self->rested_ms) {
    self->rested_ms = now_ms;
    self->gil.rest();
  }
  self->loop->run_once(wait_ms);
  self->gil.hold();
  if (came_back(self->born)) end_forked();
  self->in_turn = false;
  if (self->guest && !self->guest->after_turn()) return false;
  return PyErr_CheckSignals() == 0;
}

int add_poller_type(PyObject* module, AsyncioState* state) noexcept {
  static PyMethodDef methods[] = {
      {"register", poller_register, METH_VARARGS, PyDoc_STR("register(fd, events)")},
      {"modify", poller_modify, METH_VARARGS, PyDoc_STR("modify(fd, events)")},
      {"unregister", poller_unregister, METH_O, PyDoc_STR("unregister(fd)")},
      {"select", poller_select, METH_O,
       PyDoc_STR("select(timeout) -> list of (fd, events)\n\nOne turn of the engine; timeout in "
                 "seconds or None.")},
      {"wake", poller_wake, METH_NOARGS, PyDoc_STR("wake()\n\nAny thread: select() returns.")},
      {"close", poller_close, METH_NOARGS,
       PyDoc_STR("close()\n\nGives the engine's descriptors back. RuntimeError inside select().")},
      {"fileno", poller_fileno, METH_NOARGS,
       PyDoc_STR(
           "fileno() -> int\n\nReadable when a turn has something to do: for another event loop.")},
      {nullptr, nullptr, 0, nullptr}};
  PyType_Slot slots[] = {
      {Py_tp_new, slot(poller_new)},
      {Py_tp_dealloc, slot(poller_dealloc)},
      {Py_tp_methods, methods},
      {Py_tp_doc, const_cast<char*>("Poller()\n\nThe engine's loop as a selector.")},
      {0, nullptr}};
  PyType_Spec spec = {"lanner._core.Poller", sizeof(PollerObject), 0,
                      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE, slots};
  PyObject* type = PyType_FromModuleAndSpec(module, &spec, nullptr);
  state->poller_type = reinterpret_cast<PyTypeObject*>(type);  // SAFETY: it is a type
  return type ? PyModule_AddObjectRef(module, "Poller", type) : -1;
}

}  // namespace lanner::python
