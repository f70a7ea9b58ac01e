// fuzz/json_tree.h: a JSON document as a tree, to be written in other words: with white space, with
// escaped keys, with its keys in another order.

#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fuzz/check.h"
#include "json/reader.h"

namespace lanner::fuzz {

struct JsonTree {
  char look = 'n';              // the first byte
  std::string key;              // where it stands in an object
  std::string scalar;           // as written; of a string: what it says
  std::vector<JsonTree> items;  // of an array or object
};

struct JsonStyle {
  bool space = false;         // around every token
  bool escaped_keys = false;  // each ASCII letter as \u00XX
  bool escaped_text = false;
  bool turned = false;  // objects from the last key to the first
  bool sorted = false;
};

// `text` as a JSON string, all of it escaped or only what must be.
inline std::string write_string(std::string_view text, bool escaped) {
  static constexpr char kHex[] = "0123456789abcdef";
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || c == '"' || c == '\\' || (escaped && byte < 0x80)) {
      out += "\\u00";
      out += kHex[byte >> 4];
      out += kHex[byte & 15];
    } else {
      out += c;
    }
  }
  return out + "\"";
}

// REQUIRES: `at` stands at a value that skip_value() accepts.
inline const char* read_tree(json::Reader& reader, const char* at, JsonTree* out) {
  out->look = *at;
  json::String text;
  if (*at == '"') {
    at = reader.string(at + 1, &text);
    LANNER_FUZZ_CHECK(at != nullptr);
    out->scalar = text.utf8;
    return at;
  }
  if (*at != '[' && *at != '{') {
    const char* const end = reader.skip_value(at, 0);
    LANNER_FUZZ_CHECK(end != nullptr);
    out->scalar.assign(at, end);
    return end;
  }
  const char close = *at == '[' ? ']' : '}';
  at = json::skip_space(at + 1);
  while (*at != close) {
    if (*at == ',') at = json::skip_space(at + 1);
    JsonTree child;
    if (close == '}') {
      at = reader.string(at + 1, &text);
      LANNER_FUZZ_CHECK(at != nullptr);
      child.key = text.utf8;
      at = json::skip_space(json::skip_space(at) + 1);
    }
    at = json::skip_space(read_tree(reader, at, &child));
    out->items.push_back(std::move(child));
  }
  return at + 1;
}

inline bool has_equal_keys(const JsonTree& tree) {
  std::vector<std::string_view> keys;
  for (const JsonTree& child : tree.items) {
    if (has_equal_keys(child)) return true;
    if (tree.look == '{') keys.push_back(child.key);
  }
  std::sort(keys.begin(), keys.end());
  return std::adjacent_find(keys.begin(), keys.end()) != keys.end();
}

inline void write_tree(const JsonTree& tree, const JsonStyle& style, std::string* out) {
  const std::string gap = style.space ? " \t\n\r" : "";
  *out += gap;
  if (tree.look == '"') {
    *out += write_string(tree.scalar, style.escaped_text);
  } else if (tree.look == '[' || tree.look == '{') {
    std::vector<const JsonTree*> items;
    for (const JsonTree& item : tree.items) items.push_back(&item);
    const bool object = tree.look == '{';
    if (object && style.turned) std::reverse(items.begin(), items.end());
    if (object && style.sorted) {
      std::stable_sort(items.begin(), items.end(),
                       [](const JsonTree* a, const JsonTree* b) { return a->key < b->key; });
    }
    *out += tree.look;
    for (const JsonTree* item : items) {
      if (item != items.front()) *out += ',';
      if (object) *out += gap + write_string(item->key, style.escaped_keys) + gap + ":";
      write_tree(*item, style, out);
    }
    *out += gap;
    *out += object ? '}' : ']';
  } else {
    *out += tree.scalar;
  }
  *out += gap;
}

// One text for all documents that say the same.
inline std::string canonical(std::string_view document) {
  const std::string copy(document);  // with a NUL behind it
  json::Reader reader{std::string_view(copy)};
  JsonTree tree;
  (void)read_tree(reader, json::skip_space(reader.begin()), &tree);
  std::string out;
  JsonStyle style;
  style.sorted = true;
  write_tree(tree, style, &out);
  return out;
}

}  // namespace lanner::fuzz
