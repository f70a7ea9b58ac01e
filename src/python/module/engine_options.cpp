// python/module/engine_options.cpp: the options of Server.__init__, from a mapping to an EngineOptions.

#include <cstring>
#include <string_view>
#include <utility>

#include "python/module/engine.h"

namespace lanner::python {

namespace {

constexpr std::uint64_t kBuffersLeast = 4u << 20;  // for a few hundred small answers

int bad_type(PyObject* key, const char* wanted, PyObject* value) noexcept {
  PyErr_Format(PyExc_TypeError, "option %R must be %s, not %R", key, wanted, value);
  return -1;
}

int get_bool(PyObject* key, PyObject* value, bool* to) noexcept {
  const int truth = PyBool_Check(value) ? PyObject_IsTrue(value) : -1;
  if (truth < 0) return bad_type(key, "a bool", value);
  *to = truth == 1;
  return 0;
}

int get_int(PyObject* key, PyObject* value, long long least, long long most,
            long long* to) noexcept {
  if (!PyLong_Check(value)) return bad_type(key, "an int", value);
  *to = PyLong_AsLongLong(value);
  if ((*to == -1 && PyErr_Occurred()) || *to < least || *to > most) {
    PyErr_Clear();
    PyErr_Format(PyExc_ValueError, "option %R must be from %lld to %lld, not %R", key, least, most,
                 value);
    return -1;
  }
  return 0;
}

int get_int(PyObject* key, PyObject* value, long long least, long long most, int* to) noexcept {
  long long wide = 0;
  if (get_int(key, value, least, most, &wide) < 0) return -1;
  *to = static_cast<int>(wide);
  return 0;
}

int get_str(PyObject* key, PyObject* value, Ref* to) noexcept {
  if (!PyUnicode_Check(value)) return bad_type(key, "a str", value);
  *to = Ref::borrow(value);
  return 0;
}

int get_level(PyObject* key, PyObject* value, log::LogLevel* to) noexcept {
  Py_ssize_t size = 0;
  const char* text = PyUnicode_Check(value) ? PyUnicode_AsUTF8AndSize(value, &size) : nullptr;
  if (!text) return bad_type(key, "a str", value);
  const auto level = log::log_level_from_text({text, static_cast<std::size_t>(size)});
  if (!level) {
    PyErr_Format(PyExc_ValueError,
                 "option %R must be one of critical, error, warning, info, debug, not %R", key,
                 value);
    return -1;
  }
  *to = *level;
  return 0;
}

// 1 = it was a limit, 0 = it was not, -1 with an exception set.
int get_limit(http::Limits* limits, std::string_view name, PyObject* key,
              PyObject* value) noexcept {
  std::uint64_t* to = nullptr;
#define LANNER_LIMIT(field, default_value, unit, flag, help, precedent) \
  if (name == #field) to = &limits->field;
#include "http/limits.def"
#undef LANNER_LIMIT
  if (!to) return 0;
  long long number = 0;
  if (get_int(key, value, 0, 1LL << 53, &number) < 0) return -1;
  *to = static_cast<std::uint64_t>(number);
  return 1;
}

int get_text(PyObject* key, PyObject* value, std::string_view* text) noexcept {
  Py_ssize_t size = 0;
  const char* utf8 = PyUnicode_Check(value) ? PyUnicode_AsUTF8AndSize(value, &size) : nullptr;
  if (!utf8) return bad_type(key, "a str", value);
  *text = {utf8, static_cast<std::size_t>(size)};
  return 0;
}

int refuse_entry(std::string_view text, Error error, const char* what, const char* why) noexcept {
  const std::string_view entry = http::TrustList::entry_at(text, error.detail);
  Ref shown = Ref::steal(
      PyUnicode_DecodeUTF8(entry.data(), static_cast<Py_ssize_t>(entry.size()), "replace"));
  if (shown) PyErr_Format(PyExc_ValueError, "%R %s: %s", shown.get(), what, why);
  return -1;
}

int get_trust(PyObject* key, PyObject* value, EngineOptions* o) noexcept {
  std::string_view text;
  if (get_text(key, value, &text) < 0) return -1;
  Result<http::TrustList> list = http::TrustList::parse(text);
  if (!list) {
    const char* why = list.code() == Errc::network_invalid
                          ? "write an IP address, a network such as 10.0.0.0/8, * or unix:"
                          : error_text(list.code()).data();
    return refuse_entry(text, list.error(), "is nobody to trust", why);
  }
  o->worker.trust = std::move(*list);
  o->worker.server.trust = &o->worker.trust;
  return 0;
}

int get_access_format(PyObject* key, PyObject* value,
                      std::optional<log::AccessFormat>* to) noexcept {
  std::string_view text;
  if (get_text(key, value, &text) < 0) return -1;
  if (text.empty()) return 0;
  Result<log::AccessFormat> format = log::AccessFormat::compile(text);
  if (!format) {
    const bool malformed = format.code() == Errc::log_format_invalid;
    PyErr_Format(
        PyExc_ValueError, "%s, at character %u of %R%s", error_text(format.code()).data(),
        static_cast<unsigned>(format.error().detail), value,
        malformed ? "; write gunicorn's atoms, such as %(h)s and %({host}i)s, or json" : "");
    return -1;
  }
  *to = std::move(*format);
  return 0;
}

int get_forwarded_names(PyObject* key, PyObject* value, EngineOptions* o) noexcept {
  std::string_view text;
  if (get_text(key, value, &text) < 0) return -1;
  const Result<http::ForwardedNames> names = http::ForwardedNames::parse(text);
  if (!names) {
    return refuse_entry(text, names.error(), "is no forwarding field",
                        "known are forwarded, x-forwarded-for, -proto, -host, -port, and others "
                        "that are passed on, such as x-real-ip");
  }
  o->forwarded_names = Ref::borrow(value);  // which the views are of
  o->worker.server.forwarded_names = *names;
  return 0;
}

int parse_one(EngineOptions* o, std::string_view name, PyObject* key, PyObject* value) noexcept {
  if (name == "threads") return get_int(key, value, 1, EngineOptions::kThreadsMax, &o->threads);
  if (name == "root_path") return get_str(key, value, &o->root_path);
  if (name == "server_header") return get_bool(key, value, &o->worker.server.server_header);
  if (name == "date_header") return get_bool(key, value, &o->worker.server.date_header);
  if (name == "access_log_fd") return get_int(key, value, -1, 1 << 30, &o->worker.access_log_fd);
  if (name == "access_log_format") return get_access_format(key, value, &o->worker.access_format);
  if (name == "log_fd") return get_int(key, value, -1, 1 << 30, &o->worker.log_fd);
  if (name == "log_level") return get_level(key, value, &o->worker.log_level);
  if (name == "forwarded_allow_ips") return get_trust(key, value, o);
  if (name == "forwarded_headers") {
    return get_forwarded_names(key, value, o);
  }
  if (name == "apply_forwarded") {
    return get_bool(key, value, &o->worker.server.apply_forwarded);
  }
  if (name == "drop_untrusted") return get_bool(key, value, &o->worker.server.drop_untrusted);
  if (name == "own_listeners") return get_bool(key, value, &o->worker.server.owned);
  if (name == "multiprocess") return get_bool(key, value, &o->multiprocess);
  if (name == "board_fd") return get_int(key, value, -1, 1 << 30, &o->worker.board_fd);
  if (name == "board_wake_fd") return get_int(key, value, -1, 1 << 30, &o->worker.board_wake_fd);
  if (name == "board_slot") return get_int(key, value, 0, 1023, &o->worker.board_slot);
  if (name == "spool_directory") {
    Ref text;
    if (get_str(key, value, &text) < 0) return -1;
    if (PyUnicode_GET_LENGTH(text.get()) > 0) {
      o->spool_directory = Ref::steal(PyUnicode_EncodeFSDefault(text.get()));
      if (!o->spool_directory) return -1;
    }
    return 0;
  }
  const int limit = get_limit(&o->worker.server.limits, name, key, value);
  if (limit != 0) return limit < 0 ? -1 : 0;
  PyErr_Format(PyExc_TypeError, "unknown option %R (known: limits() and the list in help(Server))",
               key);
  return -1;
}

int check(const http::Limits& limits) noexcept {
  const char* wrong = nullptr;
  if (limits.fields == 0 || limits.fields > 10'000) wrong = "fields must be from 1 to 10000";
  if (limits.head_bytes < 128 || limits.head_bytes > (1u << 26)) {
    wrong = "head_bytes must be from 128 to 67108864";
  }
  if (limits.request_line_bytes < 64) wrong = "request_line_bytes must be at least 64";
  if (limits.field_bytes < 64) wrong = "field_bytes must be at least 64";
  if (limits.connections == 0) wrong = "connections must be at least 1";
  if (limits.requests_per_turn == 0) wrong = "requests_per_turn must be at least 1";
  if (limits.out_low_bytes > limits.out_high_bytes || limits.out_high_bytes == 0) {
    wrong = "out_low_bytes must not be above out_high_bytes";
  }
  if (limits.buffers_bytes > 0 && limits.buffers_bytes < kBuffersLeast) {
    wrong = "buffers_bytes must be 0 or at least 4194304";
  }
  if (!wrong) return 0;
  PyErr_SetString(PyExc_ValueError, wrong);
  return -1;
}

}  // namespace

int EngineOptions::parse(PyObject* mapping) noexcept {
  root_path = Ref::steal(PyUnicode_FromString(""));
  if (!root_path) return -1;
  if (mapping == Py_None) return 0;
  Ref items = Ref::steal(PyMapping_Items(mapping));
  if (!items) return -1;
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(items.get()); ++i) {
    PyObject* pair = PyList_GET_ITEM(items.get(), i);
    PyObject* key = PyTuple_GET_ITEM(pair, 0);
    const char* name = PyUnicode_Check(key) ? PyUnicode_AsUTF8(key) : nullptr;
    if (!name) return bad_type(key, "named by a str", key);
    if (parse_one(this, name, key, PyTuple_GET_ITEM(pair, 1)) < 0) return -1;
  }
  worker.server.shared = multiprocess;
  return check(worker.server.limits);
}

}  // namespace lanner::python
