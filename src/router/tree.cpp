#include "router/tree.h"

#include <array>
#include <cstring>

#include "http/target.h"
#include "router/raw_text.h"

namespace lanner::router {

// One search. `at` points behind a '/', `stop` at the next one or at the end.
class Tree::Walk final {
 public:
  Walk(const Tree& tree, const Search& search, Match* match) noexcept
      : tree_(tree),
        match_(match),
        end_(search.path.data() + search.path.size()),
        method_(search.method),
        has_escapes_(search.has_escapes),
        and_slash_(search.and_slash) {}

  bool take(std::uint32_t leaf) noexcept {
    if (leaf == kNone) return false;
    const Leaf& found = tree_.leaves_[leaf];
    match_->allowed |= found.methods;
    if ((found.methods & method_) == 0) return false;
    const LeafRoute* route = &tree_.leaf_routes_[found.first];
    while ((route->methods & method_) == 0) ++route;
    match_->route = route->route;
    return true;
  }

  bool enter(std::uint32_t index, const char* at) noexcept {
    const Node& node = tree_.nodes_[index];
    if (at == end_) return end_with_slash(node);
    const void* slash = std::memchr(at, '/', static_cast<std::size_t>(end_ - at));
    const char* stop = slash ? static_cast<const char*>(slash) : end_;
    const std::string_view segment(at, static_cast<std::size_t>(stop - at));
    const std::uint32_t literal = literal_child(index, node, segment);
    if (literal != kNone && leave(literal, stop)) return true;
    const std::uint32_t before = match_->count;
    for (std::uint32_t i = 0; i < node.children; ++i) {
      const Child& child = tree_.children_[node.first_child + i];
      if (bind(child, segment) && leave(child.node, stop)) return true;
      match_->count = before;
    }
    return node.rests != 0 && bind_rest(node, at);
  }

 private:
  bool leave(std::uint32_t index, const char* stop) noexcept {
    if (stop != end_) return enter(index, stop + 1);
    const Node& node = tree_.nodes_[index];
    return and_slash_ ? end_with_slash(node) : take(node.leaf);
  }

  bool end_with_slash(const Node& node) noexcept {
    return take(node.slash_leaf) || (node.rests != 0 && bind_rest(node, end_));
  }

  std::uint32_t literal_child(std::uint32_t index, const Node& node,
                              std::string_view segment) const noexcept {
    if (node.literals == 0) return kNone;
    if (has_escapes_ && segment.find('%') != std::string_view::npos)
      return decoded_child(index, node, segment);
    return plain_child(index, node, segment);
  }
  std::uint32_t plain_child(std::uint32_t index, const Node& node,
                            std::string_view segment) const noexcept {
    if (node.literals > 1) return tree_.segments_.find(index, segment);
    const bool same =
        segment.size() == node.literal_bytes &&
        same_bytes(tree_.texts_.data() + node.literal_at, segment.data(), segment.size());
    return same ? node.literal_node : kNone;
  }
  // Kept out of enter(), which recurs: the buffer would be in each of its frames.
  [[gnu::noinline]] std::uint32_t decoded_child(std::uint32_t index, const Node& node,
                                                std::string_view segment) const noexcept {
    std::array<char, 3 * kLiteralBytesMax> decoded;
    if (segment.size() > decoded.size()) return kNone;
    const std::size_t bytes = http::percent_decode(segment, decoded.data());
    return plain_child(index, node, {decoded.data(), bytes});
  }

  bool bind(const Child& child, std::string_view segment) noexcept {
    if (child.mixed != kNone) return bind_mixed(tree_.mixed_[child.mixed], segment);
    if (!converts(child.converter, segment)) return false;
    push(segment);
    return true;
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
  const char* end_;
  MethodSet method_;
  bool has_escapes_;
  bool and_slash_;
};

bool Tree::find(std::uint32_t root, const Search& search, Match* match) const noexcept {
  Walk walk(*this, search, match);
  if (!search.has_escapes && !search.and_slash && walk.take(paths_.find(root, search.path)))
    return true;
  return walk.enter(root, search.path.data() + 1);
}

}  // namespace lanner::router
