#include "router/tree.h"

#include <array>

#include "http/target.h"
#include "router/raw_text.h"
#include "router/slashes.h"

namespace lanner::router {

// One search. `at` points behind a '/', `stop` at the next one or at the end.
class Tree::Walk final {
 public:
  Walk(const Tree& tree, const Search& search, Match* match) noexcept
      : tree_(tree),
        match_(match),
        slashes_(search.path),
        end_(search.path.data() + search.path.size()),
        method_(search.method),
        has_escapes_(search.has_escapes),
        and_slash_(search.and_slash) {}

  // Recurs only where another way is left to try; the last one is gone in the loop. A way that leads
  // nowhere may leave values behind.
  bool enter(const Node* node, const char* at) noexcept {
    for (;;) {
      if (at == end_) return end_with_slash(*node);
      const char* stop = slashes_.next(at);
      const std::string_view segment(at, static_cast<std::size_t>(stop - at));
      const std::uint32_t values = match_->count;
      const Node* next = literal_child(*node, segment);
      if (next && (node->children != 0 || node->rests != 0)) {
        if (leave(*next, stop)) return true;
        match_->count = values;
        next = nullptr;
      }
      if (!next && node->children != 0) {
        for (std::uint32_t i = 0; i < node->children; ++i) {
          const Child& child = i == 0 ? node->child : tree_.children_[node->more_children + i - 1];
          if (!bind(child, segment)) continue;
          next = &tree_.nodes_[child.node];
          if (i + 1 == node->children && node->rests == 0) break;
          if (leave(*next, stop)) return true;
          match_->count = values;
          next = nullptr;
        }
      }
      if (!next) return node->rests != 0 && bind_rest(*node, at);
      if (stop == end_) return arrive(*next);
      node = next;
      at = stop + 1;
    }
  }

 private:
  bool leave(const Node& node, const char* stop) noexcept {
    return stop == end_ ? arrive(node) : enter(&node, stop + 1);
  }
  bool arrive(const Node& node) noexcept {
    return and_slash_ ? end_with_slash(node) : take(node.leaf);
  }
  bool end_with_slash(const Node& node) noexcept {
    return take(node.slash_leaf) || (node.rests != 0 && bind_rest(node, end_));
  }
  bool take(std::uint32_t leaf) noexcept {
    return leaf != kNone && tree_.take(tree_.leaves_[leaf], method_, match_);
  }

  // Null: there is none.
  const Node* literal_child(const Node& node, std::string_view segment) const noexcept {
    if (!node.has_literals) return nullptr;
    if (has_escapes_ && segment.find('%') != std::string_view::npos)
      return decoded_child(node, segment);
    return plain_child(node, segment);
  }
  const Node* plain_child(const Node& node, std::string_view segment) const noexcept {
    std::uint32_t child = node.literal_node;
    if (child == kNone) {
      child =
          tree_.segments_.find(static_cast<std::uint32_t>(&node - tree_.nodes_.data()), segment);
      if (child == kNone) return nullptr;
    } else if (TextKey::of(segment) != node.literal) {
      return nullptr;
    }
    return &tree_.nodes_[child];
  }
  // Kept out of enter(), which recurs: the buffer would be in each of its frames.
  [[gnu::noinline]] const Node* decoded_child(const Node& node,
                                              std::string_view segment) const noexcept {
    std::array<char, 3 * kLiteralBytesMax> decoded;
    if (segment.size() > decoded.size()) return nullptr;
    const std::size_t bytes = http::percent_decode(segment, decoded.data());
    return plain_child(node, {decoded.data(), bytes});
  }

  bool bind(const Child& child, std::string_view segment) noexcept {
    if (child.mixed != kNone) return bind_mixed(tree_.mixed_[child.mixed], segment);
    const bool takes = child.converter == Converter::str
                           ? !segment.empty()
                           : converts(child.converter, segment, has_escapes_);
    if (takes) push(segment);
    return takes;
  }
  bool bind_mixed(const Segment& mixed, std::string_view segment) noexcept {
    std::array<std::string_view, kSegmentParametersMax> values;
    if (!match_segment(mixed, segment, values.data())) return false;
    for (std::size_t i = 0; i < mixed.parts.size(); ++i) push(values[i]);
    return true;
  }
  bool bind_rest(const Node& node, const char* at) noexcept {
    for (std::uint32_t i = 0; i < node.rests; ++i) {
      const Rest& rest = tree_.rests_[node.first_rest + i];
      const char* begin = skip_front(at, end_, rest.text);
      if (!begin || !take(rest.leaf)) continue;
      push({begin, static_cast<std::size_t>(end_ - begin)});
      return true;
    }
    return false;
  }
  void push(std::string_view raw) noexcept {
    match_->push(raw, has_escapes_ && raw.find('%') != std::string_view::npos, false);
  }

  const Tree& tree_;
  Match* match_;
  Slashes slashes_;
  const char* end_;
  MethodSet method_;
  bool has_escapes_;
  bool and_slash_;
};

bool Tree::take(const Leaf& leaf, MethodSet method, Match* match) const noexcept {
  match->allowed |= leaf.methods;
  if ((leaf.methods & method) == 0) return false;
  match->route = leaf.route;
  if (leaf.first == kNone) return true;
  const LeafRoute* route = &leaf_routes_[leaf.first];
  while ((route->methods & method) == 0) ++route;
  match->route = route->route;
  return true;
}

bool Tree::find(std::uint32_t root, const Search& search, Match* match) const noexcept {
  if (search.path.size() <= longest_path_ && !search.has_escapes && !search.and_slash) {
    const std::uint32_t leaf = paths_.find(root, search.path);
    if (leaf != kNone && take(leaves_[leaf], search.method, match)) return true;
  }
  return walk(root, search, match);
}

// Kept out of find(): most of what it does is to set the walk up.
[[gnu::noinline]] bool Tree::walk(std::uint32_t root, const Search& search,
                                  Match* match) const noexcept {
  const std::uint32_t values = match->count;
  if (Walk(*this, search, match).enter(&nodes_[root], search.path.data() + 1)) return true;
  match->count = values;
  return false;
}

}  // namespace lanner::router
