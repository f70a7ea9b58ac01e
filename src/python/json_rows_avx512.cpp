// python/json_rows_avx512.cpp: runs of str keys and plain values of a dict, with the escape check
// of AVX-512 inlined.

#include <cstring>

#include "json/plain_avx512.h"
#include "python/dict_entries.h"
#include "python/json_encoder.h"

namespace lanner::python {

#if defined(__x86_64__)

namespace {

constexpr std::size_t kItemPadding = 2 * 64 + 8;  // of two copy_plain(), and punctuation

struct Ascii {
  const char* data;
  std::size_t size;
};

// False: no exact str of ASCII.
inline bool ascii_of(PyObject* object, Ascii* text) noexcept {
  if (Py_TYPE(object) != &PyUnicode_Type || !PyUnicode_IS_COMPACT_ASCII(object)) return false;
  // SAFETY: a compact ASCII str has its bytes behind the head (PEP 393).
  text->data = reinterpret_cast<const char*>(reinterpret_cast<PyASCIIObject*>(object) + 1);
  text->size = static_cast<std::size_t>(PyUnicode_GET_LENGTH(object));
  return true;
}

}  // namespace

// As next_of_dict(). Done::yes: the frame is at its end.
LANNER_AVX512_TARGET JsonEncoder::Done JsonEncoder::run_rows_avx512(Frame& frame,
                                                                    PyObject** other) noexcept {
  DictEntries entries = dict_entries(frame.owner);
  if (!entries.first) return Done::again;
  const json::PlainCopy plain;
  for (Py_ssize_t at = frame.at; at < entries.count; ++at) {
    PyObject* const value = entries.value(at);
    if (!value) continue;
    PyObject* const name = entries.key(at);
    Ascii key;
    Ascii text{nullptr, 0};
    Done done = Done::again;
    if (ascii_of(name, &key)) [[likely]] {
      const bool is_text = ascii_of(value, &text);
      char* to = out_->reserve(key.size + text.size + kItemPadding);
      if (!to) return no_memory();
      *to = '"';
      if (plain.copy(to + 1, key.data, key.size)) [[likely]] {
        to += key.size + 1;
        std::memcpy(to, "\":\"", 4);
        if (is_text && plain.copy(to + 3, text.data, text.size)) [[likely]] {
          to += text.size + 3;
          to[0] = '"';
          to[1] = ',';
          out_->commit(to + 2);
          continue;
        }
        out_->commit(to + 2);
        done = write_value_of(frame, name, value, other);
        if (done == Done::yes) continue;
      }
    }
    frame.at = at + 1;
    if (done != Done::again) return done;
    *other = value;
    done = write_item(frame, name, other);
    if (done != Done::yes) return done;
    entries = dict_entries(frame.owner);  // a key that is no str may have run any code
    if (!entries.first) return Done::again;
  }
  frame.at = entries.count;
  return Done::yes;
}

#else

JsonEncoder::Done JsonEncoder::run_rows_avx512(Frame&, PyObject**) noexcept { return Done::again; }

#endif

}  // namespace lanner::python
