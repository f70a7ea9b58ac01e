#include "schema/errors.h"

#include <algorithm>
#include <charconv>

#include "base/short_text.h"

namespace lanner::schema {

std::size_t ErrorList::keep(std::string_view text, std::size_t max, std::uint32_t* size) noexcept {
  text = beginning(text, max);
  const std::size_t at = text_.size();
  if (!text_.append(text)) {
    no_memory_ = true;
    text = {};
  }
  *size = static_cast<std::uint32_t>(text.size());
  return at;
}

bool ErrorList::add(Slug slug, const Rule* rule, Offender offender, std::int64_t number,
                    std::string_view error) noexcept {
  if (full()) {
    ++missed_;
    return false;
  }
  ErrorRecord record;
  record.text_at = text_.size();
  record.slug = slug;
  record.rule = rule;
  record.number = number;
  record.loc_at = static_cast<std::uint32_t>(loc_.size());
  record.input = offender.object;
  if (!error.empty()) record.error_at = keep(error, kKeyTextMax, &record.error_size);
  if (!offender.json.empty()) {
    record.input_at = keep(offender.json, kInputTextMax, &record.input_size);
    record.input_cut = record.input_size != offender.json.size();
  }
  if (!records_.push(record)) {
    no_memory_ = true;
    return false;
  }
  for (std::uint32_t i = 0; i < prefix_count_; ++i) push_loc(prefix_[i]);
  return true;
}

void ErrorList::push_loc(const LocItem& item) noexcept {
  if (!loc_.push(item)) {
    no_memory_ = true;
    return;
  }
  ++records_[records_.size() - 1].loc_count;
}

void ErrorList::add_name(std::string_view name) noexcept {
  LocItem item;
  item.name = name.data();
  item.size = static_cast<std::uint32_t>(name.size());
  push_loc(item);
}

void ErrorList::add_number(std::int64_t number) noexcept {
  LocItem item;
  item.kind = LocItem::Kind::number;
  item.number = number;
  push_loc(item);
}

void ErrorList::add_key(std::string_view key) noexcept {
  LocItem item;
  item.kind = LocItem::Kind::text;
  item.at = keep(key, kKeyTextMax, &item.size);
  push_loc(item);
}

void ErrorList::sort_by_field(std::size_t mark, std::size_t step, const Record& record) noexcept {
  step += prefix_count_;
  const auto count = static_cast<std::uint32_t>(record.fields.size());
  const auto is_field = [&](const LocItem& item, std::uint32_t field) noexcept {
    return field < count && record.fields[field].name.data() == item.name;
  };
  std::uint32_t last = 0;
  for (std::size_t i = mark; i < records_.size(); ++i) {
    ErrorRecord& error = records_[i];
    error.rank = count;
    if (error.loc_count <= step) continue;
    const LocItem& item = loc(error)[step];
    if (item.kind != LocItem::Kind::name) continue;
    for (error.rank = last; error.rank < count && !is_field(item, error.rank);) ++error.rank;
    if (error.rank == count) {  // not behind the last one
      for (error.rank = 0; error.rank < count && !is_field(item, error.rank);) ++error.rank;
    }
    last = error.rank;
  }
  // By insertion: there are few, and most are in order.
  for (std::size_t i = mark + 1; i < records_.size(); ++i) {
    const ErrorRecord moving = records_[i];
    std::size_t k = i;
    for (; k > mark && records_[k - 1].rank > moving.rank; --k) records_[k] = records_[k - 1];
    records_[k] = moving;
  }
}

void ErrorList::rename(std::size_t mark, std::uint32_t step, std::string_view from,
                       std::string_view to) noexcept {
  for (std::size_t i = mark; i < records_.size(); ++i) {
    if (records_[i].loc_count <= step) continue;
    LocItem& item = loc_[records_[i].loc_at + step];
    if (item.kind == LocItem::Kind::number || loc_text(item) != from) continue;
    item.kind = LocItem::Kind::text;
    item.at = keep(to, kKeyTextMax, &item.size);
  }
}

void ErrorList::move_before(std::size_t mark, std::size_t middle, std::size_t end) noexcept {
  const std::size_t size = records_.size();
  std::rotate(records_.begin() + std::min(mark, size), records_.begin() + std::min(middle, size),
              records_.begin() + std::min(end, size));
}

bool ErrorList::write_message(const ErrorRecord& error, Buffer* out) const noexcept {
  std::string_view rest =
      error.rule ? std::string_view(error.rule->message) : slug_message(error.slug);
  while (!rest.empty()) {
    const std::size_t open = rest.find('\x01');  // a hole in a rule's message
    const std::size_t brace = error.rule ? open : rest.find('{');
    if (brace == std::string_view::npos) return out->append(rest);
    if (!out->append(rest.substr(0, brace))) return false;
    if (error.rule) {
      char digits[24];
      const char* end = std::to_chars(digits, digits + sizeof digits, error.number).ptr;
      const std::string_view number =
          error.number < 0 ? std::string_view("more")
                           : std::string_view(digits, static_cast<std::size_t>(end - digits));
      const bool says = error.error_size != 0 || error.slug == Slug::union_tag_invalid;
      if (!out->append(says ? text(error.error_at, error.error_size) : number)) return false;
      rest.remove_prefix(brace + 1);
    } else {
      if (!out->append(text(error.error_at, error.error_size))) return false;
      rest.remove_prefix(rest.find('}', brace) + 1);
    }
  }
  return true;
}

}  // namespace lanner::schema
