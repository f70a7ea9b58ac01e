// python/object/dict_entries.cpp: the entries of a dict where they lie: is the layout what we think?

#include "python/object/dict_entries.h"

namespace lanner::python {

namespace {

#if LANNER_LAYOUTS

// A dict of `count` str keys, every third one deleted again.
Ref sample(int count) noexcept {
  Ref dict = Ref::steal(PyDict_New());
  for (int i = 0; dict && i < count; ++i) {
    Ref key = Ref::steal(PyUnicode_FromFormat("key%d", i));
    Ref value = Ref::steal(PyLong_FromLong(i + 1000));
    if (!key || !value || PyDict_SetItem(dict.get(), key.get(), value.get()) < 0) return {};
    if (i % 3 == 2 && PyDict_DelItem(dict.get(), key.get()) < 0) return {};
  }
  return dict;
}

bool same(PyObject* dict, bool only_str) noexcept {
  const DictEntries entries = dict_entries(dict);
  if (!entries.first || entries.only_str != only_str) return false;
  Py_ssize_t at = 0;
  Py_ssize_t next = 0;
  PyObject* key = nullptr;
  PyObject* value = nullptr;
  while (PyDict_Next(dict, &next, &key, &value)) {
    while (at < entries.count && !entries.value(at)) ++at;
    if (at >= entries.count || next != at + 1) return false;
    if (entries.key(at) != key || entries.value(at) != value) return false;
    ++at;
  }
  while (at < entries.count && !entries.value(at)) ++at;
  return at == entries.count;
}

#endif

}  // namespace

bool dict_entries_known() noexcept {
#if !LANNER_LAYOUTS
  return false;
#else
  Ref one = Ref::steal(PyLong_FromLong(1));
  bool ok = static_cast<bool>(one);
  for (const int count : {1, 5, 6, 20, 200, 1000, 70'000}) {
    Ref dict = ok ? sample(count) : Ref();
    ok = dict && same(dict.get(), true) && PyDict_SetItem(dict.get(), one.get(), one.get()) == 0 &&
         same(dict.get(), false);
  }
  PyErr_Clear();
  return ok;
#endif
}

}  // namespace lanner::python
