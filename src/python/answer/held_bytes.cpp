// python/answer/held_bytes.cpp: a bytes object on its way to a client.

#include "python/answer/held_bytes.h"

#include <new>
#include <string_view>

namespace lanner::python {

namespace {

struct Held {
  Released* list;
  PyObject* object;
};

void release_held(void* owner) noexcept {
  Held* held = static_cast<Held*>(owner);
  held->list->add(held->object);
  delete held;
}

}  // namespace

http::Payload hold_bytes(PyObject* bytes, Released* list) noexcept {
  const std::string_view view(PyBytes_AS_STRING(bytes),
                              static_cast<std::size_t>(PyBytes_GET_SIZE(bytes)));
  if (view.size() < http::kReferenceBytesMin) return {view, nullptr, nullptr};
  list->drop_all();  // large ones of a turn must not add up
  Held* held = new (std::nothrow) Held{list, bytes};
  if (!held) return {view, nullptr, nullptr};
  (void)share(bytes);
  return {view, held, release_held};
}

}  // namespace lanner::python
