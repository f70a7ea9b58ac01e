// python/schema/text_values.h: converts text values from Python (bytes, str; several of one name; pairs of
// name and value) to the views that schema's TextInput reads.

#pragma once

#include <cstdint>

#include "base/vector.h"
#include "python/object/ref.h"
#include "schema/text_input.h"

namespace lanner::python {

class TextValues final {
 public:
  // The most values of one call; a larger query, form or cookie is not plausible.
  static constexpr std::size_t kCountMax = 100'000;

  // `data`: bytes, bytearray, memoryview or str, or a list or tuple of those. False with an
  // exception set, as all below.
  bool add_values(PyObject* data) noexcept;
  // `pairs`: a list or tuple of pairs (name, value). Pairs with equal names are grouped.
  bool add_pairs(PyObject* pairs) noexcept;

  const schema::TextValue* data() const noexcept { return values_.data(); }
  std::uint32_t size() const noexcept { return static_cast<std::uint32_t>(values_.size()); }

 private:
  // The bytes of one text, which live as long as this.
  bool view(PyObject* text, std::string_view* out) noexcept;
  bool hold(Ref object) noexcept;
  bool room_for(Py_ssize_t count) noexcept;

  Vector<Ref> held_;
  Vector<schema::TextValue> values_;
};

}  // namespace lanner::python
