// bench/python_rung.cpp: a rung of the ladder, as an extension module: the server, and a handler
// that calls Python.
//
// serve(fd, function): serves until it is killed. Each request is one call of function(), which
// returns the body as bytes: what taking the GIL, calling Python and letting go of it again cost,
// and nothing of WSGI.

#include <Python.h>

#include <memory>

#include "hello_handler.h"
#include "python/object/gil.h"
#include "python/object/ref.h"
#include "server/server.h"

namespace lanner::bench {
namespace {

class PythonHandler final : public http::Handler, public net::LoopHook {
 public:
  explicit PythonHandler(PyObject* function) noexcept : function_(function) {}
  http::Plan plan(const http::RequestHead&) noexcept override { return {}; }
  void handle(http::Exchange& exchange, const http::Plan&) noexcept override {
    gil_.hold();
    const python::Ref body = python::Ref::steal(PyObject_CallNoArgs(function_));
    if (!body || !PyBytes_Check(body.get()) || !set_hello_head(&head_)) return exchange.abort();
    const std::string_view bytes(PyBytes_AS_STRING(body.get()),
                                 static_cast<std::size_t>(PyBytes_GET_SIZE(body.get())));
    if (!exchange.start(head_, bytes.size())) return exchange.abort();
    (void)exchange.write({bytes, nullptr, nullptr});
    (void)exchange.finish();
  }
  void rest() noexcept override { gil_.rest(); }
  void settle() noexcept override { gil_.rest(); }
  void on_interrupt() noexcept override {}

 private:
  PyObject* function_;
  http::ResponseHead head_;
  python::Gil gil_;
};

PyObject* serve(PyObject*, PyObject* args) noexcept {
  int listener = -1;
  PyObject* function = nullptr;
  if (!PyArg_ParseTuple(args, "iO:serve", &listener, &function)) return nullptr;
  Result<std::unique_ptr<net::Loop>> loop = net::Loop::create();
  if (!loop) return PyErr_NoMemory();
  PythonHandler handler(function);
  (*loop)->set_hook(&handler);
  const std::unique_ptr<server::Server> server = server::Server::create(**loop, handler, {});
  if (!server || !server->listen(listener)) return PyErr_NoMemory();
  (void)server->run();
  Py_RETURN_NONE;
}

PyMethodDef methods[] = {
    {"serve", serve, METH_VARARGS, "serve(fd, function): answers every request with function()."},
    {nullptr, nullptr, 0, nullptr}};
PyModuleDef module{
    PyModuleDef_HEAD_INIT, "python_rung", nullptr, 0, methods, nullptr, nullptr, nullptr, nullptr};

}  // namespace
}  // namespace lanner::bench

PyMODINIT_FUNC PyInit_python_rung() { return PyModule_Create(&lanner::bench::module); }
