// schema/json_row_inl.h: reads the fields of a JSON object that come in the record's order, without
// look-ups. Written once for each kind of vector instructions: json_row_*.h say LANNER_ROW_TARGET
// and RowKernel.
//
// It stops before the first unexpected field (another key, an escape, non-ASCII text, a long
// number, a value of another type or out of bounds) and leaves that one to the machine, so it
// reports no errors itself.
//
// RowKernel: stops(at, end) has a bit for each of 64 bytes that plain text does not have: a quote,
// a backslash, a control byte, no ASCII; what is behind the end counts as such, and is not read.
// is_key(field, at, end). copy(to, text, size) of 2 to 64 bytes, and no more than those.

// Builder has new_ascii() besides the leaves of machine.h.
template <class Builder>
class JsonRowReader final {
 public:
  using Value = typename Builder::Value;

  // nest: a record within another may be read. REQUIRES: the kernel outlives it.
  JsonRowReader(const RowKernel& kernel, const char* end, Builder& builder, bool nest) noexcept
      : kernel_(kernel), end_(end), builder_(builder), nest_(nest), block_(end + 1) {}

  // `at`: behind the brace, or behind the value before field `next`. REQUIRES: a NUL at `end`.
  [[gnu::always_inline]] LANNER_ROW_TARGET RowEnd read(const Record& record, std::uint32_t next,
                                                       const char* at, bool first,
                                                       Value* values) noexcept {
    const ReadField* const fields = record.read_fields.data();
    const auto count = static_cast<std::uint32_t>(record.read_fields.size());
    for (; next < count; ++next) {
      const ReadField& field = fields[next];
      const char* p = at;
      if (!first) {
        if (*p != ',') return {at, next};
        ++p;
        if (*p == ' ') ++p;
      }
      if (!kernel_.is_key(field, p, end_)) return {at, next};
      p += field.key_size;
      if (*p == ' ') ++p;
      const char* const behind = read_value(field, p, &values[next]);
      if (behind == nullptr) {
        const bool key_read = field.key_size != 0;
        return {key_read ? p : at, next, key_read, false, failed_};
      }
      at = behind;
      first = false;
    }
    if (*at != '}') return {at, next};
    return {at + 1, next, false, true, false};
  }

 private:
  // The end of the text at `at`, or its first byte that is not plain.
  [[gnu::always_inline]] LANNER_ROW_TARGET const char* text_end(const char* at) noexcept {
    // Several texts share a block: the place of the next one shall not wait for a load.
    const auto offset = static_cast<std::size_t>(at - block_);
    if (offset < 64) {
      const std::uint64_t stops = stops_ >> offset;
      if (stops != 0) [[likely]]
        return at + __builtin_ctzll(stops);
      look(block_ + 64);
    } else {
      look(at);
    }
    while (stops_ == 0) look(block_ + 64);
    return block_ + __builtin_ctzll(stops_);
  }
  [[gnu::always_inline]] LANNER_ROW_TARGET void look(const char* at) noexcept {
    block_ = at;
    stops_ = kernel_.stops(at, end_);
  }

  // Below, null: the value is left to the machine, or could not be made.
  [[gnu::always_inline]] const char* made(Value value, const char* behind, Value* out) noexcept {
    *out = value;
    if (value) [[likely]]
      return behind;
    failed_ = true;
    return nullptr;
  }

  [[gnu::always_inline]] LANNER_ROW_TARGET const char* read_value(const ReadField& field,
                                                                  const char* at,
                                                                  Value* out) noexcept {
    using Read = ReadField::Read;
    if (field.read == Read::string && *at == '"') [[likely]]
      return read_text(field, at + 1, out);
    if (field.read == Read::integer && *at != 'n') return read_integer(field, at, out);
    if (field.read == Read::floating && *at != 'n') return read_floating(field, at, out);
    if (field.nullable && starts_with(at, "null", 4)) return made(builder_.null(), at + 4, out);
    if (field.read == Read::boolean) {
      if (starts_with(at, "true", 4)) return made(builder_.boolean(true), at + 4, out);
      if (starts_with(at, "false", 5)) return made(builder_.boolean(false), at + 5, out);
    }
    if (field.read == Read::record && nest_ && *at == '{')
      return read_inner(*field.record, at + 1, out);
    return nullptr;
  }

  // A record of leaves. An unexpected one is left to the machine as a whole.
  [[gnu::noinline]] LANNER_ROW_TARGET const char* read_inner(const Record& record, const char* at,
                                                             Value* out) noexcept {
    Value values[ReadField::kInnerFieldsMax];
    const RowEnd row = read(record, 0, at, true, values);
    if (row.complete) return made(builder_.record(record, values), row.at, out);
    for (std::uint32_t i = 0; i < row.next; ++i) builder_.drop(values[i]);
    return nullptr;
  }

  [[gnu::always_inline]] bool starts_with(const char* at, const char* word,
                                          std::size_t size) const noexcept {
    return static_cast<std::size_t>(end_ - at) >= size && std::memcmp(at, word, size) == 0;
  }

  [[gnu::always_inline]] LANNER_ROW_TARGET const char* read_text(const ReadField& field,
                                                                 const char* text,
                                                                 Value* out) noexcept {
    const char* const behind = text_end(text);
    const auto size = static_cast<std::size_t>(behind - text);
    if (*behind != '"' || !field.holds(static_cast<std::int64_t>(size))) return nullptr;
    if (size < 2) return made(builder_.string({{text, size}, true, false}), behind + 1, out);
    char* to = nullptr;
    Value value = builder_.new_ascii(size, &to);
    if (!value) return made(value, nullptr, out);
    if (size <= 64) {
      kernel_.copy(to, text, size);
    } else {
      std::memcpy(to, text, size);
    }
    *out = value;
    return behind + 1;
  }

  // Reads up to 18 digits and returns their count; 0 when there are none or more. A loop: branch
  // prediction beats SWAR here, as what follows need not wait (docs/design/0005).

  [[gnu::always_inline]] static std::size_t digits(const char* at, std::uint64_t* number) noexcept {
    const char* p = at;
    std::uint64_t value = 0;  // of more digits it wraps, and is not used
    for (; static_cast<unsigned char>(*p - '0') < 10; ++p) {
      value = value * 10 + static_cast<std::uint64_t>(*p - '0');
    }
    *number = value;
    return p - at <= 18 ? static_cast<std::size_t>(p - at) : 0;
  }

  [[gnu::always_inline]] const char* read_integer(const ReadField& field, const char* at,
                                                  Value* out) noexcept {
    const bool negative = *at == '-';
    at += negative;
    std::uint64_t number = 0;
    const std::size_t count = digits(at, &number);
    const char* const behind = at + count;
    if (count == 0 || (*at == '0' && count > 1) || *behind == '.' || (*behind | 0x20) == 'e')
      return nullptr;
    const auto value = static_cast<std::int64_t>(negative ? 0 - number : number);
    return field.holds(value) ? made(builder_.integer(value), behind, out) : nullptr;
  }

  // Up to 15 digits, and no exponent: both factors are exact, so one rounding.
  [[gnu::always_inline]] const char* read_floating(const ReadField&, const char* at,
                                                   Value* out) noexcept {
    static constexpr std::uint64_t kPowers[] = {
        1, 10, 100, 1000, 10'000, 100'000, 1'000'000, 10'000'000, 100'000'000, 1'000'000'000};
    const bool negative = *at == '-';
    at += negative;
    std::uint64_t number = 0;
    std::size_t count = digits(at, &number);
    if (count == 0 || count > 15 || (*at == '0' && count > 1)) return nullptr;
    at += count;
    double value = static_cast<double>(number);
    if (*at == '.') {
      std::uint64_t fraction = 0;
      const std::size_t more = digits(at + 1, &fraction);
      if (more == 0 || more > 9 || count + more > 15) return nullptr;
      value = static_cast<double>(number * kPowers[more] + fraction) /
              static_cast<double>(kPowers[more]);
      if (negative) value = -value;
      at += 1 + more;
    } else if (negative) {
      value = static_cast<double>(-static_cast<std::int64_t>(number));  // -0 is an integer: 0
    }
    if ((*at | 0x20) == 'e') return nullptr;
    return made(builder_.floating(value), at, out);
  }

  const RowKernel& kernel_;
  const char* const end_;
  Builder& builder_;
  const bool nest_;
  bool failed_ = false;
  const char* block_;        // see look(); at first behind all text and its NUL
  std::uint64_t stops_ = 0;  // of its 64 bytes, those that plain text has not
};

// The implementation of the input's read_row().
template <class Builder>
LANNER_ROW_TARGET RowEnd read_row(const Record& record, std::uint32_t next, const char* at,
                                  const char* end, bool first, bool nest, Builder& builder,
                                  typename Builder::Value* values) noexcept {
  const RowKernel kernel;
  JsonRowReader<Builder> reader(kernel, end, builder, nest);
  return reader.read(record, next, at, first, values);
}

// The implementation of the input's read_records(). `first`: no item was read before.
template <class Machine>
LANNER_ROW_TARGET RecordsEnd read_records(Machine& machine, const Record& record, const char* at,
                                          const char* end, bool first, bool nest) noexcept {
  const RowKernel kernel;
  JsonRowReader<typename Machine::BuilderType> reader(kernel, end, machine.builder(), nest);
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
