// python/asyncio/loop_watches.cpp: the descriptors that add_reader() and add_writer() watch.

#include "python/asyncio/loop_watches.h"

#include <cerrno>
#include <cstring>
#include <new>

#include "python/asyncio/loop_core.h"
#include "python/object/ref.h"
#include "sys/poller.h"

namespace lanner::python {

// One watched descriptor.
class LoopWatches::Watch final : public net::Watcher {
 public:
  Watch(int descriptor, PyObject* watched, Buffer& ready) noexcept
      : fd(descriptor), file(Ref::borrow(watched)), ready_(ready) {}

  // Without the GIL: the handles are queued after the turn.
  void on_ready(std::uint32_t events) noexcept override {
    const Ready one{
        fd,
        {handles[0] && (events & ~sys::Ready::writable) != 0,
         handles[1] && (events & ~(sys::Ready::readable | sys::Ready::peer_closed)) != 0}};
    // SAFETY: Ready is trivially copyable; the buffer is read back as such. Without memory the
    // event comes again: it is level-triggered.
    (void)ready_.append({reinterpret_cast<const char*>(&one), sizeof one});
  }
  std::uint32_t interest() const noexcept {
    return (handles[0] ? sys::Ready::readable : 0u) | (handles[1] ? sys::Ready::writable : 0u);
  }

  int fd;
  bool registered = false;
  Ref file;
  Ref handles[2];  // by Side

 private:
  Buffer& ready_;
};

namespace {

void cancel(const Ref& handle) noexcept {
  if (!handle) return;
  Ref done = Ref::steal(PyObject_CallMethod(handle.get(), "cancel", nullptr));
  if (!done) PyErr_WriteUnraisable(handle.get());
}

// As selectors._fileobj_to_fd(); -1 with an exception set. `closed`: it has fileno(), which says
// -1.
int descriptor_of(PyObject* file, bool* closed) noexcept {
  *closed = false;
  long fd = -1;
  if (PyLong_Check(file)) {
    fd = PyLong_AsLong(file);
  } else {
    Ref number = Ref::steal(PyObject_CallMethod(file, "fileno", nullptr));
    if (number) number = Ref::steal(PyNumber_Long(number.get()));
    fd = number ? PyLong_AsLong(number.get()) : -1;
  }
  if (PyErr_Occurred()) {
    const bool plain = PyErr_ExceptionMatches(PyExc_AttributeError) ||
                       PyErr_ExceptionMatches(PyExc_TypeError) ||
                       PyErr_ExceptionMatches(PyExc_ValueError);
    if (plain) {
      PyErr_Clear();
      PyErr_Format(PyExc_ValueError, "Invalid file object: %R", file);
    }
    return -1;
  }
  if (fd >= 0 && fd <= INT_MAX) return static_cast<int>(fd);
  PyErr_Format(PyExc_ValueError, "Invalid file descriptor: %ld", fd);
  *closed = true;
  return -1;
}

bool raise_os(Error error) noexcept {
  if (error.code == Errc::no_memory) {
    (void)PyErr_NoMemory();
  } else {
    errno = static_cast<int>(error.detail);
    (void)PyErr_SetFromErrno(PyExc_OSError);
  }
  return false;
}

}  // namespace

LoopWatches::Watch** LoopWatches::slot(int fd) noexcept {
  // SAFETY: the table holds Watch* only, and malloc aligns it.
  Watch** slots = reinterpret_cast<Watch**>(table_.data());
  return static_cast<std::size_t>(fd) < table_size() ? slots + fd : nullptr;
}

LoopWatches::Watch* LoopWatches::find(int fd) noexcept {
  Watch** found = slot(fd);
  return found ? *found : nullptr;
}

// Empty or not; nullptr when memory is out.
LoopWatches::Watch** LoopWatches::make_slot(int fd) noexcept {
  const std::size_t wanted = (static_cast<std::size_t>(fd) + 1) * sizeof(Watch*);
  if (wanted > table_.size()) {
    const std::size_t more = wanted - table_.size();
    char* room = table_.reserve(more);
    if (!room) return nullptr;
    std::memset(room, 0, more);
    table_.commit(more);
  }
  return slot(fd);
}

// A closed file object no longer knows its descriptor: it is found by itself.
int LoopWatches::find_descriptor(PyObject* file) noexcept {
  bool closed = false;
  const int fd = descriptor_of(file, &closed);
  if (fd >= 0) return find(fd) ? fd : -1;
  if (!closed) return -2;
  for (std::size_t i = 0; i < table_size(); ++i) {
    Watch* watch = find(static_cast<int>(i));
    if (!watch || watch->file.get() != file || PyLong_Check(file)) continue;
    PyErr_Clear();
    return watch->fd;
  }
  return -2;
}

// Tells the poller what the watch wants now.
bool LoopWatches::apply(Watch& watch) noexcept {
  if (watch.registered) {
    const Result<void> changed = engine_.change(watch.fd, watch.interest(), watch);
    if (changed) return true;
    // Closed, and opened anew as something else, without remove_reader(): a new registration.
    if (changed.error().detail != ENOENT) return raise_os(changed.error());
  }
  const Result<void> watched = engine_.watch(watch.fd, watch.interest(), watch);
  watch.registered = bool(watched);
  return watch.registered || raise_os(watched.error());
}

void LoopWatches::drop_watch(Watch* watch) noexcept {
  if (watch->registered) engine_.unwatch(watch->fd, *watch);
  *slot(watch->fd) = nullptr;
  delete watch;
}

int LoopWatches::add(PyObject* file, Side side, PyObject* handle) noexcept {
  bool closed = false;
  const int fd = descriptor_of(file, &closed);
  if (fd < 0) return -1;
  Watch** place = make_slot(fd);
  if (place && !*place) *place = new (std::nothrow) Watch(fd, file, ready_);
  if (!place || !*place) {
    (void)PyErr_NoMemory();
    return -1;
  }
  Watch* watch = *place;
  Ref old = std::exchange(watch->handles[static_cast<int>(side)], Ref::borrow(handle));
  watch->file = Ref::borrow(file);
  const bool applied = apply(*watch);
  if (!applied) drop_watch(watch);
  if (applied) cancel(old);
  return applied ? 0 : -1;
}

int LoopWatches::remove(PyObject* file, Side side) noexcept {
  const int fd = find_descriptor(file);
  if (fd < 0) return fd == -1 ? 0 : -1;
  Watch* watch = find(fd);
  Ref handle = std::move(watch->handles[static_cast<int>(side)]);
  if (!handle) return 0;
  if (watch->interest() == 0) {
    drop_watch(watch);
  } else if (!apply(*watch)) {
    drop_watch(watch);
    return -1;
  }
  cancel(handle);
  return 1;
}

bool LoopWatches::queue_ready(LoopCore& core) noexcept {
  for (std::size_t at = 0; at < ready_.size(); at += sizeof(Ready)) {
    Ready one;
    std::memcpy(&one, ready_.data() + at, sizeof one);
    for (int side = 0; side < 2; ++side) {
      const Watch* watch = one.sides[side] ? find(one.fd) : nullptr;
      if (watch && watch->handles[side] && !core.add_ready(watch->handles[side].get()))
        return false;
    }
  }
  ready_.clear();
  return true;
}

PyObject* LoopWatches::list() const noexcept {
  Ref found = Ref::steal(PyDict_New());
  for (std::size_t i = 0; found && i < table_size(); ++i) {
    Watch* watch = nullptr;
    std::memcpy(&watch, table_.data() + i * sizeof watch, sizeof watch);
    if (!watch) continue;
    const auto or_none = [](const Ref& handle) { return handle ? handle.get() : Py_None; };
    Ref row = Ref::steal(
        PyTuple_Pack(3, watch->file.get(), or_none(watch->handles[0]), or_none(watch->handles[1])));
    Ref fd = Ref::steal(PyLong_FromLong(watch->fd));
    if (!row || !fd || PyDict_SetItem(found.get(), fd.get(), row.get()) < 0) return nullptr;
  }
  return found.release();
}

void LoopWatches::clear() noexcept {
  for (std::size_t i = 0; i < table_size(); ++i) {
    if (Watch* watch = find(static_cast<int>(i))) drop_watch(watch);
  }
  ready_.clear();
}

int LoopWatches::traverse(visitproc visit, void* arg) const noexcept {
  for (std::size_t i = 0; i < table_size(); ++i) {
    Watch* watch = nullptr;
    std::memcpy(&watch, table_.data() + i * sizeof watch, sizeof watch);
    if (!watch) continue;
    for (const Ref* ref : {&watch->file, &watch->handles[0], &watch->handles[1]}) {
      if (int code = ref->traverse(visit, arg)) return code;
    }
  }
  return 0;
}

}  // namespace lanner::python
