// schema/machine.h: reads an input according to a plan and builds the value: one pass, all errors,
// no recursion.
//
//   begin(node) -- leaf -----------> value
//        |                             |
//     container: push a frame          v
//        |                      accept(frame below)
//        v                             |
//   resume(frame): next child -> begin(child), or finish: pop, value
//
// Input: what is read: JSON text (json_input.h), text values (text_input.h) or Python objects
// (python/schema/object_input.h).
// - Item, Container: a value not yet read; an array or object that is open
// - leaf, open: read one; null or Opened::wrong: an error is added or abort() called
// - next_item, next_field; next_key, key, next_value: of an open container
// - read_record, read_row, read_records, where kReadsRows: fast readers of what is just as expected
// - hold, close: keeps an item as if it were open; gives back what open or hold took
// - skip, back_to: passes over an item; reads it once more
// - item_of, offender, key_loc: what errors show: the container, an item that was read, the key
// - keep: what keeps an item valid while user code runs
// Builder: makes the values (python/schema/builder.h); its Value is a pointer, null = no value.
//
// Every begin() consumes its whole item, even when it fails, unless the machine was aborted.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/short_text.h"
#include "schema/errors.h"
#include "schema/match.h"
#include "schema/plan.h"
#include "schema/value_stack.h"

namespace lanner::schema {

inline constexpr int kDepthMax = 128;   // arrays and objects within each other
inline constexpr int kFramesMax = 256;  // those, and unions and functions between them
// Members of unions that are tried in vain read bytes again: this often the whole document, and once
// more for each member of the largest union; and so much of a small one.
inline constexpr std::uint64_t kReadAgainTimes = 8;
inline constexpr std::uint64_t kReadAgainFree = 1 << 20;

// What an Input's find_tag() gives.
struct FoundTag {
  int position = -1;  // among the plan's Tags
  bool is_object = false;
  bool found = false;
  ShortText<64> text;  // the beginning of what it says
};

enum class Step : std::uint8_t { more, end, stopped };

// Where the fast reader of one record, or of an array of records, stopped.
struct RecordsRead {
  enum class End : std::uint8_t {
    before,    // a record that is not read, or anything else
    within,    // a record whose first `next` fields are read
    complete,  // the record
    failed,    // a value could not be made; of the record, `next` were
  } end = End::before;
  std::uint32_t next = 0;
};

template <class Input, class Builder>
class Machine final {
 public:
  using BuilderType = Builder;
  using Value = typename Builder::Value;
  using Item = typename Input::Item;
  using Container = typename Input::Container;

  Machine(const Plan& plan, Input& input, Builder& builder, ErrorList& errors) noexcept
      : plan_(plan), input_(input), builder_(builder), errors_(errors) {}
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;
  ~Machine() { clear(); }

  // The value, or null: then either `errors` has some, or aborted().
  Value run(const Node& root, Item item) noexcept {
    Next next = begin(root, item);
    while (frames_ > 0 && next != Next::aborted) {
      if (next == Next::done) next = accept(top());
      if (next == Next::ready) next = resume(top());
    }
    if (next != Next::aborted && errors_.empty()) return value_;
    if (next != Next::aborted && value_) builder_.drop(value_);
    return Value{};
  }

  // The input or the builder failed with something other than a validation error, which they have
  // recorded.
  bool aborted() const noexcept { return aborted_; }
  void abort() noexcept { aborted_ = true; }
  // Memory is out, and `errors` says so. Returns null, as fail().
  Value no_memory() noexcept {
    errors_.set_no_memory();
    aborted_ = true;
    return Value{};
  }
  const Plan& plan() const noexcept { return plan_; }
  Builder& builder() noexcept { return builder_; }
  Input& input() noexcept { return input_; }
  int depth() const noexcept { return depth_; }

  // Adds an error about `item`, which was read or skipped. Always returns null, for `return
  // machine.fail(...)`.
  Value fail(Slug slug, Item item, const Rule* rule = nullptr, std::string_view error = {},
             std::int64_t number = -1) noexcept {
    (void)note(slug, input_.offender(item), rule, error, number);
    return Value{};
  }

  // The same for an offender that is not an item of the input; true: added, and its loc may be
  // extended.
  bool note(Slug slug, Offender offender, const Rule* rule, std::string_view error,
            std::int64_t number) noexcept {
    if (offender.no_memory) errors_.set_no_memory();
    const bool added = errors_.add(slug, rule, offender, number, error);
    if (added) {
      add_loc();
    } else if (offender.object) {
      builder_.release(offender.object);
    }
    if (errors_.no_memory() || (errors_.enough() && unions_ == 0)) aborted_ = true;
    return added;
  }
  ErrorList& errors() noexcept { return errors_; }

  // A value that user code made, or the error that it raised.
  Value made(Value value, Item item) noexcept {
    if (value) return value;
    Slug slug = Slug::value_error;
    std::string_view text;
    if (builder_.excuse(&slug, &text)) return fail(slug, item, nullptr, text);
    aborted_ = true;
    return Value{};
  }

  // The value in hand is not just what the type says.
  void coerced(Exactness how) noexcept { match_.floor(how); }
  // Nor is what may be anything, but as an item of an array.
  void took_anything() noexcept {
    if (frames_ == 0 || !holds_items(frame_[frames_ - 1].node->kind))
      match_.floor(Exactness::strict);
  }

  // For the input's fast reader of records: room for the values of one, and its end: it is made and
  // becomes an item. Null, false: no memory.
  [[gnu::always_inline]] Value* record_room(const Record& record) noexcept {
    Value* const room = values_.room(record.fields.size());
    if (!room) [[unlikely]]
      (void)no_memory();
    return room;
  }
  [[gnu::always_inline]] bool record_done(const Record& record, Value* values) noexcept {
    value_ = builder_.record(record, values);
    if (value_ && values_.push(value_)) [[likely]]
      return true;
    if (value_) (void)drop_value();
    return false;
  }

 private:
  enum class Next : std::uint8_t {
    other,  // nothing was done
    ready,  // the top frame goes on
    done,   // value_ is a child's, or null: that child failed
    aborted,
  };
  struct Frame {
    const Node* node;
    std::size_t base;  // of its values
    std::uint32_t at;  // record: the field; list: the index; union: the member
    std::uint32_t
        count;  // record: fields that have a value; union: where the chosen member's errors end
    std::uint32_t mark;    // errors before it
    std::uint32_t chosen;  // union: the only member that could take the value
    std::uint32_t read;    // union: read_ before it
    Match outer, best;     // union: of what is around it, and of the best member so far
    std::uint8_t stage;
    bool failed;
    Container in;
  };
  // The position of the frame, which is also its part of `loc`.
  enum Stage : std::uint8_t {
    kItems,    // an item: loc is its index
    kKey,      // record: a field, whose name is the loc; dict: a key
    kValue,    // the value of a key
    kWhole,    // the container itself: no loc
    kChosen,   // union: the only member that could take the value
    kOthers,   // union: that failed, the others add their errors
    kInOrder,  // union: one after the other
    kSmart,    // union: all, for the one that fits best; its value lies on the stack
  };

  static constexpr std::uint32_t kBeforeFirst = UINT32_MAX;  // + 1 = 0

  static Value failed_field() noexcept { return Builder::failed(); }  // not null, no value

  static bool holds_items(Kind kind) noexcept { return kind >= Kind::list && kind <= Kind::tuple; }

  Next done(Value value) noexcept {
    value_ = value;
    return value || !aborted_ ? Next::done : Next::aborted;
  }
  Frame& top() noexcept { return frame_[frames_ - 1]; }
  Next fail_next() noexcept {
    aborted_ = true;
    return Next::aborted;
  }

  Next out_of_memory() noexcept {
    (void)no_memory();
    return Next::aborted;
  }

  [[gnu::always_inline]] Next begin(const Node& node, Item item) noexcept {
    if (is_leaf(node.kind)) [[likely]]
      return done(leaf(node, item));
    return open(node, item);
  }

  [[gnu::always_inline]] Value leaf(const Node& node, Item item) noexcept {
    if (node.nullable && input_.take_null(*this, item)) return builder_.null();
    Value value = input_.leaf(*this, node, item);
    if (!value || node.rules.empty() || builder_.surely_holds(node, value)) [[likely]]
      return value;
    return checked(node, value, item);
  }

  // The value after all rules, or null when one is violated.
  Value checked(const Node& node, Value value, Item item) noexcept {
    std::int64_t number = -1;
    const Rule* broken = nullptr;
    [[maybe_unused]] const auto kept = input_.keep(item);
    if (!builder_.apply(node, &value, &broken, &number)) return made(Value{}, item);
    if (!broken) return value;
    builder_.drop(value);
    return fail(broken->slug, item, broken, {}, number);
  }

  Next open(const Node& node, Item item) noexcept {
    if (node.nullable && input_.take_null(*this, item)) return done(builder_.null());
    if (aborted_) return Next::aborted;
    switch (node.kind) {
      case Kind::union_of:
      case Kind::tagged:
      case Kind::custom:
        return open_choice(node, item);
      default:
        break;
    }
    if (depth_ == kDepthMax || frames_ == kFramesMax) return too_deep(node, item);
    if (Input::kReadsRows && node.kind == Kind::record) {
      const Next next = open_row(node, item);
      if (next != Next::other) return next;
    }
    Frame& frame = frame_[frames_];
    Value ready{};
    switch (input_.open(*this, node, item, &frame.in, &ready)) {
      case Input::Opened::items:
        frame.stage = kItems;
        break;
      case Input::Opened::pairs:
        frame.stage = kKey;
        break;
      case Input::Opened::as_is:
        return done(ready);
      case Input::Opened::wrong:
        return aborted_ ? Next::aborted : done(fail(node.wrong_type, item, node.wrong));
    }
    frame.node = &node;
    frame.base = values_.size();
    frame.at = node.kind == Kind::record ? kBeforeFirst : 0;
    frame.count = 0;
    frame.mark = static_cast<std::uint32_t>(errors_.mark());
    frame.failed = false;
    ++frames_;
    ++depth_;
    if (node.kind == Kind::record && !values_.push_nulls(node.record->fields.size()))
      return out_of_memory();
    return Next::ready;
  }

  // Uses the input's fast readers (machine_rows.h) for a record, for its fields after an unusual
  // one, and for the records of an array.
  Next open_row(const Node& node, Item item) noexcept;
  Next read_row(Frame& frame) noexcept;
  Next read_records(Frame& frame, const Node& child) noexcept;
  // The frame of a record that the fast reader has read as far as `read` states.
  Next push_row(const Node& node, const RecordsRead& read) noexcept;
  Next resume_list(Frame& frame) noexcept;

  Next too_deep(const Node& node, Item item) noexcept;
  // Of an item that holds itself: how many frames lead to where it is met for the second time; -1:
  // it does not.
  int frames_to_loop(const Node& node, Item item) noexcept;

  // Unions, tagged unions and functions: machine_choice.h.
  Next open_choice(const Node& node, Item item) noexcept;
  // The member selected by the tag of `item`; -1: the error has been added and the item consumed
  // (or the machine aborted).
  int find_member(const Node& node, Item item) noexcept;
  Next pop_choice(Frame& frame) noexcept;
  Next accept_member(Frame& frame) noexcept;
  Next accept_smart(Frame& frame) noexcept;
  Next next_member(Frame& frame) noexcept;
  bool skips(const Node& node, std::size_t member, Item item) noexcept;
  bool may_read_again(const Frame& frame, Item item) noexcept;
  Next again(Frame& frame) noexcept;
  Next finish_union(Frame& frame) noexcept;
  Next give_up(Frame& frame) noexcept;
  Next accept_inner(Frame& frame) noexcept;

  // Stores the finished child, value_, in its parent's frame.
  Next accept(Frame& frame) noexcept {
    switch (frame.node->kind) {
      case Kind::record:
        return accept_field(frame);
      case Kind::union_of:
        return accept_member(frame);
      case Kind::tagged:
        return pop_choice(frame);
      case Kind::custom:
        return accept_inner(frame);
      case Kind::dict:
        return accept_entry(frame);
      default:
        return accept_item(frame);
    }
  }

  [[gnu::always_inline]] Next accept_item(Frame& frame) noexcept {
    ++frame.at;
    if (value_) [[likely]]
      return values_.push(value_) ? Next::ready : drop_value();
    frame.failed = true;
    return Next::ready;
  }

  [[gnu::always_inline]] Next accept_entry(Frame& frame) noexcept {
    frame.stage = kKey;
    if (value_) [[likely]]
      return values_.push(value_) ? Next::ready : drop_value();
    frame.failed = true;
    return values_.push(failed_field()) ? Next::ready : out_of_memory();
  }

  // There is no room for the value in hand.
  Next drop_value() noexcept {
    if (value_) builder_.drop(value_);
    return out_of_memory();
  }

  [[gnu::always_inline]] Next accept_field(Frame& frame) noexcept {
    Value& slot = values_[frame.base + frame.at];
    if (!slot) {
      ++frame.count;
    } else if (slot != failed_field()) {
      builder_.drop(slot);
    }
    slot = value_;
    if (!value_) {
      slot = failed_field();
      frame.failed = true;
    }
    return Next::ready;
  }

  Next resume(Frame& frame) noexcept {
    switch (frame.node->kind) {
      case Kind::record:
        return frame.stage == kItems ? resume_places(frame) : resume_record(frame);
      case Kind::dict:
        return resume_dict(frame);
      case Kind::fixed:
        return resume_fixed(frame);
      default:
        return resume_list(frame);
    }
  }

  Next resume_record(Frame& frame) noexcept {
    const Record& record = *frame.node->record;
    for (;;) {
      Item item{};
      int field = static_cast<int>(frame.at) + 1;  // as good a guess as any
      const Step step = input_.next_field(*this, record, frame.in, &field, &item);
      if (step != Step::more) return step == Step::end ? finish_record(frame) : fail_next();
      if (field < 0) {
        if (!unknown_field(frame, record, item)) return fail_next();
        continue;
      }
      frame.at = static_cast<std::uint32_t>(field);
      const Node& node = *record.fields[frame.at].node;
      if (plan_.reject_duplicates && values_[frame.base + frame.at]) {
        if (!input_.skip(*this, item)) return fail_next();
        value_ = fail(Slug::duplicate_key, item);
        if (aborted_) return Next::aborted;
        frame.failed = true;
        continue;
      }
      if (is_leaf(node.kind)) [[likely]] {
        value_ = leaf(node, item);
        if (!value_ && aborted_) return Next::aborted;
      } else {
        Next next = open(node, item);
        // An array of leaves, or of records of leaves, is read here directly, without the
        // dispatcher.
        if (next == Next::ready && top().node == &node && node.shallow) next = resume_list(top());
        if (next != Next::done || &frame != &top()) return next;
      }
      (void)accept_field(frame);
      if (frame.count == frame.at + 1) {
        const Next next = read_row(frame);
        if (next != Next::ready) return next;
      }
    }
  }

  bool unknown_field(Frame& frame, const Record& record, Item item) noexcept {
    if (!input_.skip(*this, item)) return false;
    if (!record.forbid_extra) return true;
    frame.stage = kValue;  // loc names the key, not a field
    (void)fail(Slug::extra_forbidden, item);
    frame.stage = kKey;
    frame.failed = true;
    return !aborted_;
  }

  // Arrays with a place for each item: machine_places.h.
  // A NamedTuple from an array.
  Next resume_places(Frame& frame) noexcept;
  Next resume_fixed(Frame& frame) noexcept;
  Next finish_fixed(Frame& frame) noexcept;
  // As in pydantic, a value that is too long has no other errors. False: aborted.
  bool too_long(Frame& frame, const Rule* rule) noexcept;
  void forget_from(std::size_t mark) noexcept;

  Next resume_dict(Frame& frame) noexcept {
    const Node& key_node = *frame.node->children[0];
    const Node& value_node = *frame.node->children[1];
    for (;;) {
      Item item{};
      if (frame.stage == kKey) {
        const Step step = input_.next_key(*this, frame.in);
        if (step != Step::more) return step == Step::end ? finish(frame) : fail_next();
        value_ = input_.key(*this, key_node, frame.in);
        if (value_ && !key_node.rules.empty())
          value_ = checked(key_node, value_, input_.key_item(frame.in));
        if (!value_) {
          if (aborted_) return Next::aborted;
          frame.failed = true;
        }
        if (!values_.push(value_ ? value_ : failed_field())) return drop_value();
        frame.stage = kValue;
      }
      if (input_.next_value(*this, frame.in, &item) != Step::more) return fail_next();
      if (is_leaf(value_node.kind)) {
        value_ = leaf(value_node, item);
        if (!value_ && aborted_) return Next::aborted;
      } else {
        const Next next = open(value_node, item);
        if (next != Next::done || &frame != &top()) return next;
      }
      if (accept_entry(frame) != Next::ready) return Next::aborted;
    }
  }

  // Missing fields: their defaults, or an error each (machine_rows.h). False: aborted.
  bool fill(Frame& frame) noexcept;

  Next finish_record(Frame& frame) noexcept {
    const Node& node = *frame.node;
    const Record& record = *node.record;
    match_.add_records(record, frame.count);
    if (frame.stage == kItems && frame.count > record.fields.size()) {
      if (!too_long(frame, record.too_long)) return Next::aborted;
    } else if (frame.count != record.fields.size() && !fill(frame)) {
      return Next::aborted;
    }
    Value value{};
    frame.stage = kWhole;  // the place of what follows
    if (!frame.failed) {
      value = builder_.record(record, values_.at(frame.base));
      values_.resize(frame.base);
      if (!value) value = made(value, input_.item_of(frame.in));
      if (aborted_) return Next::aborted;
    } else {
      drop_to(frame.base);
      errors_.sort_by_field(frame.mark, steps_to(frame), record);
    }
    return pop(frame, value);
  }

  Next finish(Frame& frame) noexcept {
    const Node& node = *frame.node;
    const std::size_t count = values_.size() - frame.base;
    if (node.kind == Kind::dict) read_ += count / 2;
    if (frame.failed) {
      const Rule* most =
          node.kind == Kind::list || node.kind == Kind::tuple ? max_length_of(node) : nullptr;
      if (most && frame.at > static_cast<std::uint64_t>(most->integer)) {
        frame.count = frame.at;
        if (!too_long(frame, most)) return Next::aborted;
      }
      drop_to(frame.base);
      return pop(frame, Value{});
    }
    std::int64_t bad = -1;
    Value value =
        builder_.container(node, values_.at(frame.base), count, plan_.reject_duplicates, &bad);
    values_.resize(frame.base);
    if (!value) {
      if (bad < 0 && bad != Builder::kCollisions) return fail_next();
      Slug slug = node.kind == Kind::dict ? Slug::duplicate_key : Slug::set_item_not_hashable;
      if (bad == Builder::kCollisions) slug = Slug::hash_collisions;
      frame.at = static_cast<std::uint32_t>(bad);
      if (node.kind == Kind::dict || bad < 0) frame.stage = kWhole;
      (void)fail(slug, input_.item_of(frame.in));
      return aborted_ ? Next::aborted : pop(frame, Value{});
    }
    frame.stage = kWhole;
    if (!node.rules.empty()) {
      value = checked(node, value, input_.item_of(frame.in));
      if (aborted_) return Next::aborted;
    }
    return pop(frame, value);
  }

  Next pop(Frame& frame, Value value) noexcept {
    --frames_;
    --depth_;
    read_ += frame.at + 1;
    input_.close(frame.in);
    return done(value);
  }

  static const Rule* max_length_of(const Node& node) noexcept {
    for (const Rule* rule : node.rules) {
      if (rule->demand == Demand::max_length) return rule;
    }
    return nullptr;
  }

  // The number of steps of `loc` up to the frame's container.
  std::size_t steps_to(const Frame& until) noexcept {
    std::size_t steps = 0;
    for (const Frame* frame = frame_; frame != &until; ++frame)
      steps += frame->node->kind != Kind::custom;
    return steps;
  }

  // The place of the value in hand, outermost first.
  void add_loc() noexcept;

  void drop_to(std::size_t base) noexcept {
    for (std::size_t i = base; i < values_.size(); ++i) {
      if (values_[i] && values_[i] != failed_field()) builder_.drop(values_[i]);
    }
    values_.resize(base);
  }

  void clear() noexcept {
    drop_to(0);
    while (frames_ > 0) input_.close(frame_[--frames_].in);
  }

  const Plan& plan_;
  Input& input_;
  Builder& builder_;
  ErrorList& errors_;
  bool aborted_ = false;
  int frames_ = 0;
  int depth_ = 0;
  int unions_ = 0;
  std::uint64_t read_ = 0;        // items of containers, about
  std::uint64_t read_again_ = 0;  // bytes, as the input counts them
  Match match_{};
  Value value_{};
  ValueStack<Value> values_;
  Frame frame_[kFramesMax];  // not initialized: only those below frames_ are in use
};

}  // namespace lanner::schema

#include "schema/machine_choice.h"
#include "schema/machine_places.h"
#include "schema/machine_rows.h"
