// fuzz/fuzz_schema.cpp: plans and documents of all kinds: what is read is the same by every kernel
// and by every road through the machine, and for every way to write the document; malformed JSON
// is never accepted; errors keep their bounds; nothing is lost, also when memory runs out.

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/buffer.h"
#include "base/cpu.h"
#include "fuzz/check.h"
#include "fuzz/choices.h"
#include "fuzz/json_tree.h"
#include "fuzz/plan_maker.h"
#include "json/scan.h"
#include "schema/json_input.h"
#include "schema/text_builder.h"

namespace {

using namespace lanner;
using fuzz::Choices;
using fuzz::JsonStyle;
using fuzz::JsonTree;
using fuzz::PlanMaker;
using lanner::test::shortage;
using schema::ErrorList;
using schema::ErrorRecord;
using schema::LocItem;
using schema::TextBuilder;

struct Outcome {
  bool json = true;  // the document is JSON, as far as it was read
  std::string value;
  std::vector<std::string> errors;  // "slug/place/of/it", in order
  bool full = false;                // there may be more errors
  bool gave_up = false;             // a bound on tries ended it
  int made = 0;                     // values
  bool no_memory = false;

  bool operator==(const Outcome&) const = default;
};

struct Road {
  SimdLevel level = simd_level();
  int fails_at = -1;  // the value, counted from 0, for which there is no memory; -1: there is some
};

std::string place_of(const ErrorList& errors, const ErrorRecord& error) {
  std::string out(schema::slug_name(error.slug));
  for (std::uint32_t i = 0; i < error.loc_count; ++i) {
    const LocItem& item = errors.loc(error)[i];
    out += '/';
    out += item.kind == LocItem::Kind::number ? std::to_string(item.number)
                                              : std::string(errors.loc_text(item));
  }
  return out;
}

void check_error(const ErrorList& errors, const ErrorRecord& error, std::string_view document) {
  LANNER_FUZZ_CHECK(error.input_size <= schema::kInputTextMax);
  LANNER_FUZZ_CHECK(error.error_size <= schema::kKeyTextMax);
  LANNER_FUZZ_CHECK(error.loc_count <= schema::kFramesMax + 1);
  const std::string_view input = errors.text(error.input_at, error.input_size);
  LANNER_FUZZ_CHECK(!input.empty() && document.find(input) != std::string_view::npos);
  for (std::uint32_t i = 0; i < error.loc_count; ++i) {
    const LocItem& item = errors.loc(error)[i];
    LANNER_FUZZ_CHECK(item.kind != LocItem::Kind::number || item.number >= 0);
    LANNER_FUZZ_CHECK(item.kind != LocItem::Kind::text || item.size <= schema::kKeyTextMax);
  }
  Buffer message;
  LANNER_FUZZ_CHECK(errors.write_message(error, &message) && !message.view().empty());
}

Outcome decode(const schema::Plan& plan, std::string_view text, const Road& road) {
  // A block of its own size, and the NUL: ASan sees any byte read past it.
  const std::unique_ptr<char[]> copy(new char[text.size() + 1]);
  if (!text.empty()) std::memcpy(copy.get(), text.data(), text.size());
  copy[text.size()] = '\0';
  const std::string_view document(copy.get(), text.size());
  json::Reader reader(document, json::scan_kernels_of(road.level));
  TextBuilder builder(&fuzz::canonical);
  schema::JsonInput<TextBuilder> input(reader, builder);
  if (road.level == SimdLevel::baseline) input.use_rows(false);
  input.use_rows(road.level);
  ErrorList errors(plan.errors_max);
  Outcome out;
  {
    schema::Machine<schema::JsonInput<TextBuilder>, TextBuilder> machine(plan, input, builder,
                                                                         errors);
    if (road.fails_at >= 0) shortage.begin(road.fails_at, true);
    std::string* value = machine.run(*plan.root, input.first());
    shortage.end();
    const bool read = !machine.aborted() && input.finish();
    LANNER_FUZZ_CHECK(!value || (errors.empty() && !machine.aborted()));
    out.json = reader.error().code == Errc::ok;
    LANNER_FUZZ_CHECK(out.json || reader.offset() <= text.size());
    LANNER_FUZZ_CHECK(read == (out.json && !machine.aborted()));
    out.full = errors.full();
    out.no_memory = builder.ran_out();
    LANNER_FUZZ_CHECK(!out.no_memory || (machine.aborted() && !value));
    LANNER_FUZZ_CHECK(!machine.aborted() || out.no_memory || out.full || !out.json);
    LANNER_FUZZ_CHECK(value || !out.json || !errors.empty() || out.no_memory);
    if (value) out.value = *value;
    if (value) builder.drop(value);
  }
  LANNER_FUZZ_CHECK(builder.alive() == 0);
  out.made = builder.made();
  LANNER_FUZZ_CHECK(errors.size() <= plan.errors_max);
  for (const ErrorRecord& error : errors) {
    check_error(errors, error, document);
    out.errors.push_back(place_of(errors, error));
    out.gave_up = out.gave_up || error.slug == schema::Slug::recursion_depth_exceeded;
  }
  return out;
}

// What the document in other words must have in common; in_order: the errors' order, too.
void check_same(const Outcome& one, Outcome two, bool in_order) {
  LANNER_FUZZ_CHECK(one.value == two.value);
  // What is too long forgets the errors of its items; whether the list was full before that hangs
  // on the order of the keys.
  if (one.full || two.full || one.gave_up || two.gave_up) return;
  std::vector<std::string> wanted = one.errors;
  if (!in_order) {
    std::sort(wanted.begin(), wanted.end());
    std::sort(two.errors.begin(), two.errors.end());
  }
  LANNER_FUZZ_CHECK(wanted == two.errors);
}

void check_rewritten(const PlanMaker& maker, std::string_view text, const Outcome& first) {
  const std::string copy(text);
  json::Reader reader{std::string_view(copy)};
  JsonTree tree;
  (void)fuzz::read_tree(reader, json::skip_space(reader.begin()), &tree);
  const bool turns = !fuzz::has_equal_keys(tree);
  for (int i = 0; i < 4; ++i) {
    JsonStyle style;
    style.space = i == 0 || i == 3;
    style.escaped_keys = i == 1;
    style.escaped_text = i == 1;
    style.turned = i >= 2 && turns;
    std::string other;
    fuzz::write_tree(tree, style, &other);
    check_same(first, decode(maker.plan, other, Road()), !style.turned || !maker.order_shows);
  }
}

// Members are chosen by their look; where nothing is coerced it must come out the same in order.
void check_unions_in_order(PlanMaker* maker, std::string_view text, const Outcome& first) {
  const bool json = maker->plan.profile == schema::Profile::json;
  if (maker->unions.empty() || maker->mixed_numbers || !json) return;
  for (schema::Node* node : maker->unions) node->keep_order = true;
  const Outcome other = decode(maker->plan, text, Road());
  for (schema::Node* node : maker->unions) node->keep_order = false;
  if (!other.gave_up && !first.gave_up) check_same(first, other, true);
}

void check(PlanMaker* maker, std::string_view text) {
  const Outcome first = decode(maker->plan, text, Road());
  for (int level = 0; level < static_cast<int>(simd_level()); ++level) {
    Road road;
    road.level = static_cast<SimdLevel>(level);
    Outcome other = decode(maker->plan, text, road);
    other.made = first.made;  // the fast reader may make values of a record that it then leaves
    LANNER_FUZZ_CHECK(other == first);
  }
  const std::string copy(text);
  json::Reader whole{std::string_view(copy)};
  const char* end = whole.skip_value(json::skip_space(whole.begin()), 0);
  const bool valid = end != nullptr && whole.finish(end);
  LANNER_FUZZ_CHECK(valid ? first.json : !first.json || first.full);
  LANNER_FUZZ_CHECK(valid || first.value.empty() || !first.json);
  for (int i = 0; i < 6; ++i) {
    Road road;
    road.fails_at = first.made * i / 6;
    const Outcome failed = decode(maker->plan, text, road);
    LANNER_FUZZ_CHECK(failed.no_memory || failed == first);
  }
  if (!valid) return;
  check_rewritten(*maker, text, first);
  check_unions_in_order(maker, text, first);
}

}  // namespace

// The first byte: how many bytes choose the plan, and whether the rest is a document, or choices of
// one.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  // SAFETY: bytes as char, both one byte wide.
  std::string_view rest(reinterpret_cast<const char*>(data) + 1, size - 1);
  const std::size_t choosing = std::min<std::size_t>(data[0] >> 1, rest.size());
  Choices plan(rest.substr(0, choosing));
  rest.remove_prefix(choosing);
  PlanMaker maker(plan);
  if ((data[0] & 1) == 0) {
    check(&maker, rest);
    return 0;
  }
  Choices document(rest);
  check(&maker, fuzz::DocumentMaker(document).make(*maker.plan.root));
  return 0;
}
