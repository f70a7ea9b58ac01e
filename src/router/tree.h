// router/tree.h: the paths of all routes, immutable: a table of the static ones, and a tree with a
// level for each segment.
//
//   root -- cards --+-- new            GET /cards/new
//                   +-- {int}          GET, PUT /cards/{id:int}
//                   +-- {str} -- tags  GET /cards/{name}/tags
//                   +-- {path}         GET /cards/{rest:path}
//
// The children of a node are tried in the order of comes_before() (router/segment.h). A child that
// leads nowhere, or only to routes without the request's method, is left and the next one tried; so
// the first segment in which two routes differ decides between them. Each node is visited at most
// once: a level of the tree is a level of the path. What is visited is bounded by the routes whose
// patterns match the path so far.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "router/match.h"
#include "router/methods.h"
#include "router/segment.h"
#include "router/text_table.h"

namespace lanner::router {

class Tree final {
 public:
  struct Search {
    std::string_view path;     // begins with '/'
    MethodSet method = 0;      // one bit, or none
    bool has_escapes = false;  // a '%' is in the path
    bool and_slash = false;    // as if a '/' followed
  };

  // Adds the values and sets the route of the first match; else adds nothing but the methods of all
  // routes whose path matches to match->allowed. `root`: a number that TreeBuilder gave.
  bool find(std::uint32_t root, const Search& search, Match* match) const noexcept;

 private:
  friend class TreeBuilder;
  class Walk;

  // Where patterns end: the routes of one shape.
  struct Leaf {
    MethodSet methods = 0;    // of all of them
    std::uint32_t route = 0;  // if there is one
    std::uint32_t first = 0;  // in leaf_routes_, if there are more; kNone: one
  };
  struct LeafRoute {
    MethodSet methods;
    std::uint32_t route;
  };
  struct Child {  // that is no literal
    Converter converter = Converter::str;
    std::uint32_t mixed = kNone;  // in mixed_; kNone: one parameter and no text
    std::uint32_t node = 0;
  };
  struct Rest {
    std::string text;  // before the parameter
    std::uint32_t leaf = 0;
  };
  // A cache line: most nodes have one child, which is found without another.
  struct alignas(64) Node {
    TextKey literal;                     // of the only literal, if it is one of TextKey::kWhole
    std::uint32_t literal_node = kNone;  // the child of that; kNone: they are in segments_
    std::uint32_t leaf = kNone;          // the path ends here
    std::uint32_t slash_leaf = kNone;    // it ends with a '/' behind this
    std::uint32_t children = 0;          // that are no literals
    Child child;                         // the first of them
    std::uint32_t more_children = 0;     // in children_: the others
    std::uint32_t first_rest = 0;        // in rests_
    std::uint16_t rests = 0;
    bool has_literals = false;
  };
  static_assert(sizeof(Node) == 64);

  bool walk(std::uint32_t root, const Search& search, Match* match) const noexcept;
  // Whether a route of the leaf has the method.
  bool take(const Leaf& leaf, MethodSet method, Match* match) const noexcept;

  TextTable paths_;               // (root, path without a parameter) -> leaf
  std::size_t longest_path_ = 0;  // in paths_
  TextTable segments_;            // (node, literal) -> node
  std::vector<Node> nodes_;
  std::vector<Child> children_;
  std::vector<Rest> rests_;
  std::vector<Segment> mixed_;
  std::vector<Leaf> leaves_;
  std::vector<LeafRoute> leaf_routes_;
};

}  // namespace lanner::router
