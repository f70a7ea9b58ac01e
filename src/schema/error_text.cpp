#include "schema/error_text.h"

#include <algorithm>
#include <charconv>

#include "json/escape.h"
#include "json/utf8.h"

namespace lanner::schema {

namespace {

bool append_number(std::int64_t number, Buffer* out) noexcept {
  char digits[24];
  const char* const end = std::to_chars(digits, digits + sizeof digits, number).ptr;
  return out->append({digits, static_cast<std::size_t>(end - digits)});
}

bool append_loc(const ErrorList& errors, const ErrorRecord& error, Buffer* out) noexcept {
  if (!out->append(",\"loc\":[")) return false;
  for (std::uint32_t i = 0; i < error.loc_count; ++i) {
    const LocItem& item = errors.loc(error)[i];
    const bool done = item.kind == LocItem::Kind::number
                          ? append_number(item.number, out)
                          : append_json_string(errors.loc_text(item), out);
    if (!done || !out->append(i + 1 < error.loc_count ? "," : "]")) return false;
  }
  return error.loc_count > 0 || out->append("]");
}

// A short one that JSON has as it is.
bool is_plain(std::string_view text) noexcept {
  constexpr std::size_t kShort = 32;
  return text.size() <= kShort && std::all_of(text.begin(), text.end(), [](char c) noexcept {
           return c >= 0x20 && c != 0x7F && c != '"' && c != '\\';
         });
}

// For text that needs no escape, as slugs and their messages.
bool append_plain(std::string_view text, Buffer* out) noexcept {
  return out->append("\"") && out->append(text) && out->append("\"");
}

bool append_message(const ErrorList& errors, const ErrorRecord& error, Buffer* out) noexcept {
  if (!error.rule && error.error_size == 0)
    return out->append(",\"msg\":") && append_plain(slug_message(error.slug), out);
  Buffer message;
  return out->append(",\"msg\":") && errors.write_message(error, &message) &&
         append_json_string(message.view(), out);
}

bool append_context(const ErrorList& errors, const ErrorRecord& error, Buffer* out) noexcept {
  const bool fixed = error.rule && error.rule->context;
  if (error.error_size) {
    return !fixed && out->append(",\"ctx\":{\"error\":") &&
           append_json_string(errors.text(error.error_at, error.error_size), out) &&
           out->append("}");
  }
  if (!fixed) return true;
  return has_written_context(*error.rule) && out->append(",\"ctx\":") &&
         out->append(error.rule->context_text.view());
}

// Those whose context has a part that only this error knows are Python's to write.
bool is_plain(const ErrorRecord& error) noexcept {
  return !error.input && !error.input_cut && error.input_size > 0 && error.slug != Slug::foreign &&
         error.slug != Slug::too_short && error.slug != Slug::too_long &&
         error.slug != Slug::union_tag_invalid;
}

bool append_error(const ErrorList& errors, const ErrorRecord& error, Buffer* out) noexcept {
  return is_plain(error) && out->append("{\"type\":") && append_plain(slug_name(error.slug), out) &&
         append_loc(errors, error, out) && append_message(errors, error, out) &&
         out->append(",\"input\":") && out->append(errors.text(error.input_at, error.input_size)) &&
         append_context(errors, error, out) && out->append("}");
}

}  // namespace

bool append_json_string(std::string_view text, Buffer* out) noexcept {
  if (is_plain(text)) return append_plain(text, out);
  if (!json::is_utf8(text) || !out->append("\"")) return false;
  char* const to = out->reserve(json::escaped_room(text.size()));
  if (!to) return false;
  const char* const end = json::escape_kernels().utf8(to, text.data(), text.size());
  out->commit(static_cast<std::size_t>(end - to));
  return out->append("\"");
}

bool has_written_context(const Rule& rule) noexcept {
  return !rule.context || !rule.context_text.empty();
}

bool write_errors(const ErrorList& errors, Buffer* out) noexcept {
  if (errors.no_memory() || !out->append("[")) return false;
  bool first = true;
  for (const ErrorRecord& error : errors) {
    if (!first && !out->append(",")) return false;
    if (!append_error(errors, error, out)) return false;
    first = false;
  }
  return out->append("]");
}

}  // namespace lanner::schema
