// schema/errors.h: the errors of a value: records of slug, location and input, bounded in number
// and size.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include "base/buffer.h"
#include "base/vector.h"
#include "schema/plan.h"

namespace lanner::schema {

inline constexpr std::size_t kInputTextMax = 1024;  // bytes of JSON text kept as an error's `input`
inline constexpr std::size_t kKeyTextMax =
    256;  // bytes of a key in `loc`, of an {error} or a {tag}

// One step of `loc`: a field's name or a label (in the plan), an index, or a key (in the list's
// text).
struct LocItem {
  enum class Kind : std::uint8_t { name, number, text } kind = Kind::name;
  union {
    const char* name = nullptr;
    std::int64_t number;
    std::size_t at;  // in text()
  };
  std::uint32_t size = 0;
};

// The offending value: an object of the builder's, or JSON text.
struct Offender {
  void* object = nullptr;  // counted by the builder
  std::string_view json;   // as in the document; only while the error is added
  bool no_memory = false;  // there is none for it
};

struct ErrorRecord {
  Slug slug = Slug::missing;
  bool input_cut =
      false;  // the JSON text was longer than kInputTextMax: only its beginning is here
  std::uint32_t loc_at = 0, loc_count = 0;
  std::uint32_t rank = 0;      // while they are sorted
  const Rule* rule = nullptr;  // its message and context; null: the slug's message
  std::int64_t number = -1;    // {actual_length}; -1 = not known
  std::size_t error_at = 0;    // {error} or {tag}, in text()
  std::uint32_t error_size = 0;
  std::uint32_t input_size = 0;
  std::size_t input_at = 0;  // JSON, in text()
  std::size_t text_at = 0;   // where its own text begins
  void* input = nullptr;     // the builder's object
};

class ErrorList final {
 public:
  explicit ErrorList(std::uint32_t max) noexcept : max_(max) {}
  ErrorList(ErrorList&&) noexcept = default;
  ErrorList(const ErrorList&) = delete;
  ErrorList& operator=(const ErrorList&) = delete;

  void swap(ErrorList& other) noexcept {
    std::swap(max_, other.max_);
    std::swap(missed_, other.missed_);
    std::swap(no_memory_, other.no_memory_);
    records_.swap(other.records_);
    loc_.swap(other.loc_);
    std::swap(text_, other.text_);
  }
  bool empty() const noexcept { return records_.empty(); }
  bool full() const noexcept { return records_.size() >= max_; }
  // Errors that there was no room for.
  std::size_t missed() const noexcept { return missed_; }
  void set_missed(std::size_t count) noexcept { missed_ = count; }
  // Nobody needs to look further: there are more errors than are kept, or the one that was asked for.
  bool enough() const noexcept { return missed_ > 0 || (max_ == 1 && full()); }
  // All errors so far: what roll_back() goes back to.
  std::size_t mark() const noexcept { return records_.size() + missed_; }
  bool no_memory() const noexcept { return no_memory_; }
  void set_no_memory() noexcept { no_memory_ = true; }
  std::size_t size() const noexcept { return records_.size(); }
  const ErrorRecord& operator[](std::size_t i) const noexcept { return records_[i]; }
  const ErrorRecord* begin() const noexcept { return records_.begin(); }
  const ErrorRecord* end() const noexcept { return records_.end(); }
  const LocItem* loc(const ErrorRecord& error) const noexcept { return loc_.data() + error.loc_at; }
  std::string_view text(std::size_t at, std::size_t size) const noexcept {
    return text_.view().substr(at, size);
  }
  std::string_view loc_text(const LocItem& item) const noexcept {
    return item.kind == LocItem::Kind::text ? text(item.at, item.size)
                                            : std::string_view(item.name, item.size);
  }

  // Steps that the loc of each error begins with from now on, before those of the value: one list
  // holds the errors of several values. The items are borrowed until the next call.
  void set_prefix(const LocItem* items, std::uint32_t count) noexcept {
    prefix_ = items;
    prefix_count_ = count;
  }

  // Begins an error; its loc follows by the add_ functions, outermost first. False: there is no
  // room, nothing begun (then `offender.object` was not taken over, and the error is one missed()).
  [[nodiscard]] bool add(Slug slug, const Rule* rule, Offender offender, std::int64_t number,
                         std::string_view error) noexcept;
  void add_name(std::string_view name) noexcept;  // lives as long as the plan
  void add_number(std::int64_t number) noexcept;
  void add_key(std::string_view key) noexcept;  // copied

  // Forgets all errors from `mark` on (a mark() of before). What they hold goes to drop(void*).
  template <class Drop>
  void roll_back(std::size_t mark, Drop&& drop) noexcept {
    if (mark >= records_.size()) {
      missed_ = mark - records_.size();
      return;
    }
    std::uint32_t loc_at = records_[mark].loc_at;  // they may have been sorted
    std::size_t text_at = records_[mark].text_at;
    for (std::size_t i = mark; i < records_.size(); ++i) {
      if (records_[i].loc_at < loc_at) loc_at = records_[i].loc_at;
      if (records_[i].text_at < text_at) text_at = records_[i].text_at;
      if (records_[i].input) drop(records_[i].input);
    }
    missed_ = 0;
    loc_.shrink(loc_at);
    text_.truncate(text_at);
    records_.shrink(mark);
  }
  // Sorts the errors from `mark` on by the field that step `step` of their loc names; others come
  // last. This is pydantic's order, whatever the order of the document.
  void sort_by_field(std::size_t mark, std::size_t step, const Record& record) noexcept;
  // Errors from `mark` on whose loc has this many steps say that their input was null.
  template <class Drop>
  void forget_inputs(std::size_t mark, Slug slug, std::uint32_t loc_count, Drop&& drop) noexcept {
    for (std::size_t i = mark; i < records_.size(); ++i) {
      ErrorRecord& error = records_[i];
      if (error.slug != slug || error.loc_count != loc_count) continue;
      if (error.input) drop(std::exchange(error.input, nullptr));
      error.input_at = keep("null", kInputTextMax, &error.input_size);
      error.input_cut = false;
    }
  }
  // In the errors from `mark` on, step `step` of loc is `to` (copied) where it was `from`.
  void rename(std::size_t mark, std::uint32_t step, std::string_view from,
              std::string_view to) noexcept;
  // The errors from `middle` on come before those from `mark` on; all three are mark()s.
  void move_before(std::size_t mark, std::size_t middle, std::size_t end) noexcept;

  // The whole message: "Input should be a valid integer".
  [[nodiscard]] bool write_message(const ErrorRecord& error, Buffer* out) const noexcept;

 private:
  void push_loc(const LocItem& item) noexcept;
  std::size_t keep(std::string_view text, std::size_t max, std::uint32_t* size) noexcept;

  std::uint32_t max_;
  std::size_t missed_ = 0;
  bool no_memory_ = false;
  const LocItem* prefix_ = nullptr;
  std::uint32_t prefix_count_ = 0;
  Vector<ErrorRecord> records_;
  Vector<LocItem> loc_;
  Buffer text_;
};

}  // namespace lanner::schema
