// python/module/module_state.cpp: where each room's state is, and what of it the garbage collector sees.

#include "python/module/module_state.h"

namespace lanner::python {

namespace {

ModuleState* whole_of(void* whole) noexcept { return static_cast<ModuleState*>(whole); }

// Calls f(state) for each room until one gives non-zero.
template <class F>
int each_room(ModuleState& s, F&& f) noexcept {
  if (const int code = f(s.object)) return code;
  if (const int code = f(s.json)) return code;
  if (const int code = f(s.schema)) return code;
  if (const int code = f(s.asyncio)) return code;
  if (const int code = f(s.wsgi)) return code;
  if (const int code = f(s.asgi)) return code;
  return f(s.native);
}

}  // namespace

template <>
ModuleState* state_in<ModuleState>(void* whole) noexcept {
  return whole_of(whole);
}
template <>
ObjectState* state_in<ObjectState>(void* whole) noexcept {
  return &whole_of(whole)->object;
}
template <>
JsonState* state_in<JsonState>(void* whole) noexcept {
  return &whole_of(whole)->json;
}
template <>
SchemaState* state_in<SchemaState>(void* whole) noexcept {
  return &whole_of(whole)->schema;
}
template <>
AsyncioState* state_in<AsyncioState>(void* whole) noexcept {
  return &whole_of(whole)->asyncio;
}
template <>
WsgiState* state_in<WsgiState>(void* whole) noexcept {
  return &whole_of(whole)->wsgi;
}
template <>
AsgiState* state_in<AsgiState>(void* whole) noexcept {
  return &whole_of(whole)->asgi;
}

template <>
NativeState* state_in<NativeState>(void* whole) noexcept {
  return &whole_of(whole)->native;
}

int ModuleState::init() noexcept {
  if (object.init() < 0 || wsgi.init() < 0 || asgi.init() < 0) return -1;
  asyncio.loop_keyword = Py_BuildValue("(O)", object.loop);
  return asyncio.loop_keyword ? 0 : -1;
}

int ModuleState::traverse(visitproc visit, void* arg) noexcept {
  Py_VISIT(server_type);
  if (const int code = asyncio.parts.traverse(visit, arg)) return code;
  return each_room(*this, [&](auto& room) {
    return room.each([&](PyObject** slot) { return *slot ? visit(*slot, arg) : 0; });
  });
}

void ModuleState::clear() noexcept {
  Py_CLEAR(server_type);
  asyncio.parts.clear();
  asyncio.spares.clear();
  (void)each_room(*this, [](auto& room) {
    return room.each([](PyObject** slot) {
      PyObject* old = *slot;
      *slot = nullptr;
      drop(old);
      return 0;
    });
  });
  json.keys.clear();
}

}  // namespace lanner::python
