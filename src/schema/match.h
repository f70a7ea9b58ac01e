// schema/match.h: how well a value fits a type, for unions of the compat profile.

#pragma once

#include <cstdint>

#include "schema/plan.h"

namespace lanner::schema {

// How much had to be made of a value so that it fits: what the compat profile chooses a union's
// member by, as pydantic does.
enum class Exactness : std::uint8_t { exact, strict, lax };
// No initializers: the machine's frames hold hundreds of them, unused. Match{} is exact.
struct Match {
  Exactness exactness;
  bool has_fields;       // there are records in it
  std::uint32_t fields;  // those that the input gave a value to

  void floor(Exactness other) noexcept { exactness = exactness < other ? other : exactness; }
  void add_fields(std::uint32_t count) noexcept {
    has_fields = true;
    fields += count;
  }
  void add_records(const Record& record, std::uint32_t fields_read) noexcept {
    add_fields(fields_read);
    if (record.make != Make::mapping) floor(Exactness::strict);  // an object out of a dict
  }
  bool is_perfect() const noexcept { return exactness == Exactness::exact && !has_fields; }
  bool better_than(const Match& other) const noexcept {
    if (is_perfect()) return true;
    if (has_fields && other.has_fields && fields != other.fields) return fields > other.fields;
    return exactness < other.exactness;
  }
};

}  // namespace lanner::schema
