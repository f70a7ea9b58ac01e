// python/object/layout.h: whether this build may rely on the layout of CPython's objects.
//
// LANNER_LAYOUTS is 1 where the fast paths that read or write the inside of dict, list, str and int
// objects were tested: CPython 3.11 to 3.13 with the GIL, without the interpreter's own counting of
// references. Everywhere else, and with -DLANNER_PORTABLE=ON, it is 0, and the same work is done by
// the documented functions of the C API: slower, with the same results. A new Python version
// starts there; to add it, run the tests on it and raise the bound below.

#pragma once

#include <Python.h>

#if defined(LANNER_PORTABLE) || defined(Py_GIL_DISABLED) || defined(Py_REF_DEBUG) || \
    defined(Py_TRACE_REFS) || PY_VERSION_HEX < 0x030B0000 || PY_VERSION_HEX >= 0x030E0000
#define LANNER_LAYOUTS 0
#else
#define LANNER_LAYOUTS 1
#endif
