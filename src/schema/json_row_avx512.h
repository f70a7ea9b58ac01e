// schema/json_row_avx512.h: the fields of a JSON object that stand in the record's order, read
// without looking anything up: AVX-512 compares a key, or finds the end of a text, in one step.
//
// It stops before the first field that is not as expected (another key, an escape, text that is not
// ASCII, a long number, a value of another type or out of bounds) and leaves that one to the
// machine; so it needs no errors of its own.

#pragma once

#include <cstdint>
#include <cstring>

#include "json/plain_avx512.h"
#include "schema/plan.h"

namespace lanner::schema {

struct RowEnd {
  const char* at = nullptr;  // behind the last value; at the next one; behind the object
  std::uint32_t next = 0;    // the field that was not read
  bool key_read = false;     // but for its key: `at` is its value
  bool complete = false;     // all fields are read, and the object has ended
  bool failed = false;       // a value could not be made
};

struct RecordsEnd {
  const char* at = nullptr;     // behind the last record that is complete
  const char* start = nullptr;  // of one more, of which `row` tells; null: there is none
  RowEnd row;
};

#if defined(__x86_64__)

// Builder has new_ascii() besides the leaves of machine.h.
template <class Builder>
class JsonRowReader final {
 public:
  using Value = typename Builder::Value;

  // nest: a record within another may be read.
  LANNER_AVX512_TARGET JsonRowReader(const char* end, Builder& builder, bool nest) noexcept
      : end_(end),
        builder_(builder),
        nest_(nest),
        space_(_mm512_set1_epi8(0x20)),
        specials_(_mm512_maskz_broadcast_i32x4(
            UINT16_MAX, _mm_setr_epi8(0, 0, '"', 0, 0, 0, 0, 0, 0, 0, 0, 0, '\\', 0, 0, 0))) {
    // Opaque to the compiler, or it makes them anew for every text.
    asm("" : "+v"(space_), "+v"(specials_));
  }

  // `at`: behind the brace, or behind the value before field `next`. REQUIRES: a NUL at `end`.
  [[gnu::always_inline]] LANNER_AVX512_TARGET RowEnd read(const Record& record, std::uint32_t next,
                                                          const char* at, bool first,
                                                          Value* values) noexcept {
    const ReadField* const fields = record.read_fields.data();
    const auto count = static_cast<std::uint32_t>(record.read_fields.size());
    RowEnd row{at, next};
    for (; row.next < count; ++row.next) {
      const ReadField& field = fields[row.next];
      const char* p = row.at;
      if (!first) {
        if (*p != ',') return row;
        ++p;
        if (*p == ' ') ++p;
      }
      if (!is_key(field, p)) return row;
      p += field.key_size;
      if (*p == ' ') ++p;
      Value value{};
      at_ = p;
      switch (read_value(field, &value)) {
        case Read::made:
          break;
        case Read::left:
          row.key_read = field.key_size != 0;
          if (row.key_read) row.at = p;
          return row;
        case Read::failed:
          row.failed = true;
          return row;
      }
      values[row.next] = value;
      row.at = at_;
      first = false;
    }
    if (*row.at == '}') {
      ++row.at;
      row.complete = true;
    }
    return row;
  }

 private:
  enum class Read : std::uint8_t { made, left, failed };
  struct Text {
    std::uint64_t stops;  // a bit for each byte that plain text does not have, its end included
    __m512i bytes;
  };

  // What is behind the document is not read, and is zero.
  [[gnu::always_inline]] LANNER_AVX512_TARGET __m512i load(const char* at) const noexcept {
    const std::ptrdiff_t left = end_ - at;
    // The next place hangs on this: most loads shall not wait for a mask.
    if (left >= 64) [[likely]]
      return _mm512_loadu_si512(at);
    return _mm512_maskz_loadu_epi8(_bzhi_u64(UINT64_MAX, static_cast<unsigned>(left)), at);
  }
  [[gnu::always_inline]] LANNER_AVX512_TARGET bool is_key(const ReadField& field,
                                                          const char* at) const noexcept {
    const __m512i key = _mm512_load_si512(field.key);
    return _mm512_mask_cmpneq_epu8_mask(field.key_mask, load(at), key) == 0;
  }
  [[gnu::always_inline]] LANNER_AVX512_TARGET Text look(const char* at) const noexcept {
    const __m512i bytes = load(at);
    // By the low half of a byte, the quote or backslash that it can only be. Signed, what is not
    // ASCII is below the space, too.
    const __m512i special = _mm512_maskz_shuffle_epi8(UINT64_MAX, specials_, bytes);
    const std::uint64_t stops =
        _mm512_cmplt_epi8_mask(bytes, space_) | _mm512_cmpeq_epi8_mask(bytes, special);
    return {stops, bytes};
  }

  [[gnu::always_inline]] Read made(Value value, const char* behind, Value* out) noexcept {
    at_ = behind;
    *out = value;
    return value ? Read::made : Read::failed;
  }

  [[gnu::always_inline]] LANNER_AVX512_TARGET Read read_value(const ReadField& field,
                                                              Value* out) noexcept {
    if (field.read == ReadField::Read::string && *at_ == '"') [[likely]]
      return read_text(field, out);
    if (field.nullable && starts_with("null", 4)) return made(builder_.null(), at_ + 4, out);
    switch (field.read) {
      case ReadField::Read::integer:
        return read_integer(field, out);
      case ReadField::Read::floating:
        return read_floating(field, out);
      case ReadField::Read::boolean:
        if (starts_with("true", 4)) return made(builder_.boolean(true), at_ + 4, out);
        if (starts_with("false", 5)) return made(builder_.boolean(false), at_ + 5, out);
        return Read::left;
      case ReadField::Read::record:
        return *at_ == '{' && nest_ ? read_inner(*field.record, out) : Read::left;
      default:
        return Read::left;
    }
  }

  // A record of leaves. One that is not as expected is left as a whole.
  LANNER_AVX512_TARGET [[gnu::noinline]] Read read_inner(const Record& record,
                                                         Value* out) noexcept {
    Value values[ReadField::kInnerFieldsMax];
    const RowEnd row = read(record, 0, at_ + 1, true, values);
    if (row.complete) return made(builder_.record(record, values), row.at, out);
    for (std::uint32_t i = 0; i < row.next; ++i) builder_.drop(values[i]);
    return row.failed ? Read::failed : Read::left;
  }

  [[gnu::always_inline]] bool starts_with(const char* word, std::size_t size) const noexcept {
    return static_cast<std::size_t>(end_ - at_) >= size && std::memcmp(at_, word, size) == 0;
  }

  [[gnu::always_inline]] LANNER_AVX512_TARGET Read read_text(const ReadField& field,
                                                             Value* out) noexcept {
    const char* const text = at_ + 1;
    const Text seen = look(text);
    if (seen.stops == 0) return read_long_text(field, out);
    const auto size = static_cast<std::size_t>(_tzcnt_u64(seen.stops));
    if (text[size] != '"' || !field.holds(static_cast<std::int64_t>(size))) return Read::left;
    if (size < 2) return made(builder_.string({{text, size}, true, false}), text + size + 1, out);
    char* to = nullptr;
    Value value = builder_.new_ascii(size, &to);
    if (!value) return Read::failed;
    _mm512_mask_storeu_epi8(to, _bzhi_u64(UINT64_MAX, static_cast<unsigned>(size)), seen.bytes);
    return made(value, text + size + 1, out);
  }

  LANNER_AVX512_TARGET Read read_long_text(const ReadField& field, Value* out) noexcept {
    const char* const text = at_ + 1;
    const char* stop = text + 64;
    for (;;) {
      const std::uint64_t stops = look(stop).stops;
      if (stops != 0) {
        stop += _tzcnt_u64(stops);
        break;
      }
      stop += 64;
    }
    const auto size = static_cast<std::size_t>(stop - text);
    if (*stop != '"' || !field.holds(static_cast<std::int64_t>(size))) return Read::left;
    char* to = nullptr;
    Value value = builder_.new_ascii(size, &to);
    if (!value) return Read::failed;
    std::memcpy(to, text, size);
    return made(value, stop + 1, out);
  }

  // Up to 18 digits, without a leading zero. False: none, or more.
  [[gnu::always_inline]] bool digits(const char** at, std::int64_t* number) const noexcept {
    const char* p = *at;
    std::uint64_t value = 0;  // of more digits it wraps, and is not used
    for (; static_cast<unsigned char>(*p - '0') < 10; ++p) {
      value = value * 10 + static_cast<std::uint64_t>(*p - '0');
    }
    const std::ptrdiff_t count = p - *at;
    if (count == 0 || count > 18 || (**at == '0' && count > 1)) return false;
    *at = p;
    *number = static_cast<std::int64_t>(value);
    return true;
  }

  [[gnu::always_inline]] Read read_integer(const ReadField& field, Value* out) noexcept {
    const bool negative = *at_ == '-';
    const char* p = at_ + negative;
    std::int64_t number = 0;
    if (!digits(&p, &number) || *p == '.' || (*p | 0x20) == 'e') return Read::left;
    if (negative) number = -number;
    if (!field.holds(number)) return Read::left;
    return made(builder_.integer(number), p, out);
  }

  // Up to 15 digits, and no exponent: both factors are exact, so one rounding.
  [[gnu::always_inline]] Read read_floating(const ReadField&, Value* out) noexcept {
    static constexpr double kPowers[] = {1e0, 1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                         1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
    const bool negative = *at_ == '-';
    const char* p = at_ + negative;
    const char* const first = p;
    std::int64_t number = 0;
    if (!digits(&p, &number) || p - first > 15) return Read::left;
    double value = static_cast<double>(negative ? -number : number);
    if (*p == '.') {
      const char* const fraction = ++p;
      for (; static_cast<unsigned char>(*p - '0') < 10; ++p) {
        if (p - first > 15) return Read::left;
        number = number * 10 + (*p - '0');
      }
      if (p == fraction) return Read::left;
      value = static_cast<double>(number) / kPowers[p - fraction];
      if (negative) value = -value;
    }
    if ((*p | 0x20) == 'e') return Read::left;
    return made(builder_.floating(value), p, out);
  }

  const char* const end_;
  const char* at_ = nullptr;
  Builder& builder_;
  const bool nest_;
  __m512i space_;
  __m512i specials_;
};

// What the input's read_row() does.
template <class Builder>
LANNER_AVX512_TARGET RowEnd read_row_avx512(const Record& record, std::uint32_t next,
                                            const char* at, const char* end, bool first, bool nest,
                                            Builder& builder,
                                            typename Builder::Value* values) noexcept {
  JsonRowReader<Builder> reader(end, builder, nest);
  return reader.read(record, next, at, first, values);
}

// What the input's read_records() does. `first`: no item was read before.
template <class Machine>
LANNER_AVX512_TARGET RecordsEnd read_records_avx512(Machine& machine, const Record& record,
                                                    const char* at, const char* end, bool first,
                                                    bool nest) noexcept {
  JsonRowReader<typename Machine::BuilderType> reader(end, machine.builder(), nest);
  RecordsEnd records{at, nullptr, {}};
  for (;; first = false) {
    const char* p = records.at;
    if (!first) {
      if (*p != ',') return records;
      ++p;
      if (*p == ' ') ++p;
    }
    if (*p != '{') return records;
    typename Machine::Value* values = machine.record_room(record);
    if (!values) {
      records.row.failed = true;
      return records;
    }
    records.row = reader.read(record, 0, p + 1, true, values);
    if (!records.row.complete) {
      records.start = p;
      return records;
    }
    records.at = records.row.at;
    if (!machine.record_done(record, values)) {  // which took the values over
      records.row = {p, 0, false, false, true};
      return records;
    }
  }
}

#else

template <class Builder>
RowEnd read_row_avx512(const Record&, std::uint32_t next, const char* at, const char*, bool, bool,
                       Builder&, typename Builder::Value*) noexcept {
  return {at, next};
}

template <class Machine>
RecordsEnd read_records_avx512(Machine&, const Record&, const char* at, const char*, bool,
                               bool) noexcept {
  return {at, nullptr, {}};
}

#endif

}  // namespace lanner::schema
