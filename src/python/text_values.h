// python/text_values.h: text values that Python gives (bytes, str; several of a name; pairs of
// name and value) as the views that schema's TextInput reads.

#pragma once

#include <cstdint>
#include <vector>

#include "python/ref.h"
#include "schema/text_input.h"

namespace lanner::python {

class TextValues final {
 public:
  // Most values of one call: more is no query, form or cookie that anybody means.
  static constexpr std::size_t kCountMax = 100'000;

  // `data`: bytes, bytearray, memoryview or str, or a list or tuple of those. False with an
  // exception set, as all below.
  bool add_values(PyObject* data) noexcept;
  // `pairs`: a list or tuple of pairs (name, value). Those with equal names come to lie together.
  bool add_pairs(PyObject* pairs) noexcept;

  const schema::TextValue* data() const noexcept { return values_.data(); }
  std::uint32_t size() const noexcept { return static_cast<std::uint32_t>(values_.size()); }

 private:
  // The bytes of one text, which live as long as this.
  bool view(PyObject* text, std::string_view* out) noexcept;
  bool room_for(Py_ssize_t count) noexcept;

  std::vector<Ref> held_;
  std::vector<schema::TextValue> values_;
};

}  // namespace lanner::python
