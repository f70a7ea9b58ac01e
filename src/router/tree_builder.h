// router/tree_builder.h: collects the paths of routes, and makes the tree of them.

#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "router/pattern.h"
#include "router/tree.h"

namespace lanner::router {

class TreeBuilder final {
 public:
  // A tree of its own, one for each host. Returns its number.
  std::uint32_t add_root();

  struct Added {
    // A route of the same shape that has one of the methods already; kNone: there is none.
    std::uint32_t clash = kNone;
    bool too_many_mixed = false;  // beside each other (limits.h): nothing was added
  };
  // After a clash nothing was added; or, where `first_wins`, the methods that were left.
  Added add(std::uint32_t root, const Pattern& pattern, MethodSet methods, std::uint32_t route,
            bool first_wins);

  // HEAD is added where a shape has GET and no HEAD.
  void freeze(Tree* tree) const;

 private:
  using Routes = std::vector<Tree::LeafRoute>;
  struct Branch {
    Segment segment;
    std::uint32_t node = kNone;
    Routes routes;  // of a rest
  };
  struct Node {
    std::map<std::string, Branch> branches;  // by shape
    std::size_t mixed = 0;
    Routes routes;
    Routes slash_routes;
  };

  std::uint32_t freeze_leaf(Tree* tree, Routes routes) const;
  void freeze_literals(Tree* tree, std::uint32_t index) const;
  void freeze_others(Tree* tree, std::uint32_t index) const;
  // All paths without a parameter below the node, of which `path` is the beginning.
  void freeze_paths(Tree* tree, std::uint32_t root, std::uint32_t index, std::string path) const;

  std::vector<Node> nodes_;
  std::vector<std::uint32_t> roots_;
};

}  // namespace lanner::router
