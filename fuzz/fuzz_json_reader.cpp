// fuzz/fuzz_json_reader.cpp: JSON documents: kernels of all levels agree with code that takes byte
// by byte, numbers and text come back, and nothing outside the document is read.

#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/cpu.h"
#include "fuzz/check.h"
#include "fuzz/json_reference.h"
#include "json/decimal.h"
#include "json/escape.h"
#include "json/reader.h"
#include "json/scan.h"
#include "json/utf8_kernels.h"

namespace {

using namespace lanner;

void check_scans(std::string_view in) {
  const char* const end = in.data() + in.size();
  std::vector<char> wanted_room(in.size() + json::kUnescapePadding);
  std::vector<char> room(in.size() + json::kUnescapePadding);
  for (int level = 0; level <= static_cast<int>(simd_level()); ++level) {
    const json::ScanKernels& kernels = json::scan_kernels_of(static_cast<SimdLevel>(level));
    for (const char* at = in.data(); at != end;) {
      const json::StringScan wanted = fuzz::scan_string(at, end);
      const json::StringScan found = kernels.string(at, end);
      LANNER_FUZZ_CHECK(found.stop == wanted.stop && found.high == wanted.high);
      const json::Unescaped text = fuzz::unescape(at, end, wanted_room.data());
      const json::Unescaped same = kernels.unescape(at, end, end, room.data());
      const auto size = static_cast<std::size_t>(text.to - wanted_room.data());
      LANNER_FUZZ_CHECK(same.stop == text.stop && same.high == text.high);
      LANNER_FUZZ_CHECK(same.to == room.data() + size);
      LANNER_FUZZ_CHECK(std::memcmp(room.data(), wanted_room.data(), size) == 0);
      at = wanted.stop == end ? end : wanted.stop + 1;
    }
  }
}

template <class Element>
void check_decoded(std::string_view text, std::size_t size,
                   void (*json::Utf8Kernels::*decode)(std::string_view, Element*) noexcept) {
  std::vector<Element> wanted(size);
  fuzz::decode(text, wanted.data());
  for (int level = 0; level <= static_cast<int>(simd_level()); ++level) {
    std::vector<Element> found(size);
    (json::utf8_kernels_of(static_cast<SimdLevel>(level)).*decode)(text, found.data());
    LANNER_FUZZ_CHECK(found == wanted);
  }
}

// Text of one of CPython's widths, escaped by every kernel, is a string literal that reads as it.
template <class Element>
void check_escaped(std::string_view utf8, const std::vector<Element>& text,
                   char* (*json::EscapeKernels::*kernel)(char*, const Element*,
                                                         std::size_t) noexcept) {
  std::string first;
  for (int level = 0; level <= static_cast<int>(simd_level()); ++level) {
    std::vector<char> room(json::escaped_room(text.size()) + 2);
    const json::EscapeKernels& kernels = json::escape_kernels_of(static_cast<SimdLevel>(level));
    char* const end = (kernels.*kernel)(room.data(), text.data(), text.size());
    LANNER_FUZZ_CHECK(end != nullptr);
    const std::string escaped(room.data(), end);
    if (level == 0) first = escaped;
    LANNER_FUZZ_CHECK(escaped == first);
  }
  const std::string document = "\"" + first + "\"";
  json::Reader reader(document);
  json::String back;
  LANNER_FUZZ_CHECK(reader.string(reader.begin() + 1, &back) == reader.end());
  LANNER_FUZZ_CHECK(back.utf8 == utf8);
}

void check_text(std::string_view text) {
  const bool valid = json::invalid_utf8_at(text) == text.size();
  LANNER_FUZZ_CHECK(json::is_utf8(text) == valid);
  if (!valid) return;
  const json::Utf8Shape shape = fuzz::shape(text);
  for (int level = 0; level <= static_cast<int>(simd_level()); ++level) {
    const json::Utf8Shape found = json::utf8_kernels_of(static_cast<SimdLevel>(level)).shape(text);
    LANNER_FUZZ_CHECK(found.code_points == shape.code_points && found.max == shape.max);
  }
  std::vector<std::uint32_t> four(shape.code_points);
  json::decode_utf8(text, four.data());
  check_decoded(text, shape.code_points, &json::Utf8Kernels::decode32);
  check_escaped(text, four, &json::EscapeKernels::ucs4);
  check_escaped(text, std::vector<char>(text.begin(), text.end()), &json::EscapeKernels::utf8);
  if (shape.max <= 0xFFFF) {
    check_decoded(text, shape.code_points, &json::Utf8Kernels::decode16);
    std::vector<std::uint16_t> two(four.begin(), four.end());
    check_escaped(text, two, &json::EscapeKernels::ucs2);
  }
  if (shape.max <= 0xFF) {
    check_decoded(text, shape.code_points, &json::Utf8Kernels::decode8);
    std::vector<std::uint8_t> one(four.begin(), four.end());
    check_escaped(text, one, &json::EscapeKernels::latin1);
  }
}

// A number that is read, written and read again is the same.
void check_number(const json::Number& number) {
  char text[json::kDoubleRoom + 1];
  char* end = text;
  if (number.kind == json::NumberKind::real) end = json::write_double(text, number.real);
  if (number.kind == json::NumberKind::int64) end = json::write_int64(text, number.int64);
  if (number.kind == json::NumberKind::uint64) end = json::write_uint64(text, number.uint64);
  if (end == text) return;
  *end = '\0';
  json::Number again;
  const char* failed = nullptr;
  Errc code = Errc::ok;
  LANNER_FUZZ_CHECK(json::read_number(text, end, &again, &code, &failed) == end);
  LANNER_FUZZ_CHECK(again.kind == number.kind && again.uint64 == number.uint64);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // A block of its own size, and the NUL: ASan sees any byte read past it.
  const std::unique_ptr<char[]> copy(new char[size + 1]);
  if (size != 0) std::memcpy(copy.get(), data, size);
  copy[size] = '\0';
  const std::string_view in(copy.get(), size);
  check_scans(in);
  check_text(in);
  json::Reader reader(in);
  const char* at = json::skip_space(reader.begin());
  if (*at == '-' || (*at >= '0' && *at <= '9')) {
    json::Number number;
    if (reader.number(at, &number) != nullptr) check_number(number);
  }
  json::Reader whole(in);
  at = whole.skip_value(json::skip_space(whole.begin()), 0);
  if (at != nullptr) {
    LANNER_FUZZ_CHECK(at > in.data() && at <= in.data() + size);
    LANNER_FUZZ_CHECK(whole.error().code == Errc::ok);
  } else {
    LANNER_FUZZ_CHECK(whole.error().code != Errc::ok && whole.offset() <= size);
    LANNER_FUZZ_CHECK(json::position_of(in, whole.offset()).line >= 1);
  }
  return 0;
}
