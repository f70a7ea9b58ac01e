// python/schema_rows_avx512.cpp: runs of short ASCII text in the slots of a record, written with
// the escape check of AVX-512 inlined.

#include <cstring>

#include "json/plain_avx512.h"
#include "python/schema_encoder.h"

namespace lanner::python {

#if defined(__x86_64__)

namespace {
constexpr std::size_t kRoom =
    schema::Field::kWrittenWide + 64 + 8;  // a key, a copy's padding, punctuation
}

LANNER_AVX512_TARGET bool SchemaEncoder::write_row_avx512(Frame& frame) noexcept {
  const json::PlainCopy plain;
  const std::vector<schema::Field>& fields = frame.node->record->fields;
  const std::size_t count = fields.size();
  for (auto i = static_cast<std::size_t>(frame.at); i < count; ++i) {
    const schema::Field& field = fields[i];
    if (field.node->kind != schema::Kind::string ||
        field.written.size() > schema::Field::kWrittenWide) {
      frame.at = static_cast<Py_ssize_t>(i);
      return true;
    }
    // SAFETY: the offset is that of a T_OBJECT_EX member of the owner's type.
    PyObject* value =
        *reinterpret_cast<PyObject**>(reinterpret_cast<char*>(frame.owner) + field.offset);
    if (value == Py_None && field.node->nullable) {
      char* to = out_.reserve(kRoom);
      if (!to) return false;
      std::memcpy(to, field.wide, schema::Field::kWrittenWide);
      to += field.written.size();
      std::memcpy(to, "null,", 5);
      out_.commit(to + 5);
      continue;
    }
    if (!value || Py_TYPE(value) != &PyUnicode_Type || !PyUnicode_IS_COMPACT_ASCII(value)) {
      frame.at = static_cast<Py_ssize_t>(i);
      return true;
    }
    const auto size = static_cast<std::size_t>(PyUnicode_GET_LENGTH(value));
    char* to = out_.reserve(size + kRoom);
    if (!to) return false;
    std::memcpy(to, field.wide, schema::Field::kWrittenWide);
    to += field.written.size();
    *to = '"';
    // SAFETY: a compact ASCII str has its bytes behind the head (PEP 393).
    const char* text = reinterpret_cast<const char*>(reinterpret_cast<PyASCIIObject*>(value) + 1);
    if (!plain.copy(to + 1, text, size)) {
      frame.at = static_cast<Py_ssize_t>(i);
      return true;
    }
    to += size + 1;
    to[0] = '"';
    to[1] = ',';
    out_.commit(to + 2);
  }
  frame.at = static_cast<Py_ssize_t>(count);
  return true;
}

#else

bool SchemaEncoder::write_row_avx512(Frame&) noexcept { return true; }

#endif

}  // namespace lanner::python
