#include "router/tree_builder.h"

#include <algorithm>
#include <utility>

namespace lanner::router {

std::uint32_t TreeBuilder::add_root() {
  const auto root = static_cast<std::uint32_t>(nodes_.size());
  nodes_.emplace_back();
  roots_.push_back(root);
  return root;
}

TreeBuilder::Added TreeBuilder::add(std::uint32_t root, const Pattern& pattern, MethodSet methods,
                                    std::uint32_t route, bool first_wins) {
  std::uint32_t at = root;
  Routes* routes = nullptr;
  for (const Segment& segment : pattern.segments) {
    const std::string shape = segment_shape(segment);
    if (!nodes_[at].branches.contains(shape)) {
      if (segment.is_mixed() && nodes_[at].mixed == kMixedSegmentsMax) return {kNone, true};
      nodes_[at].mixed += segment.is_mixed() ? 1 : 0;
      Branch branch{segment, kNone, {}};
      if (!segment.is_rest()) {
        branch.node = static_cast<std::uint32_t>(nodes_.size());
        nodes_.emplace_back();
      }
      nodes_[at].branches.emplace(shape, std::move(branch));
    }
    Branch& branch = nodes_[at].branches.find(shape)->second;
    if (segment.is_rest()) routes = &branch.routes;
    at = branch.node;
  }
  if (!routes) routes = pattern.trailing_slash ? &nodes_[at].slash_routes : &nodes_[at].routes;
  Added added;
  for (const Tree::LeafRoute& other : *routes) {
    if (added.clash == kNone && (other.methods & methods) != 0) added.clash = other.route;
    methods &= ~other.methods;
  }
  if (methods != 0 && (added.clash == kNone || first_wins)) routes->push_back({methods, route});
  return added;
}

std::uint32_t TreeBuilder::freeze_leaf(Tree* tree, Routes routes) const {
  if (routes.empty()) return kNone;
  Tree::Leaf leaf;
  for (const Tree::LeafRoute& route : routes) leaf.methods |= route.methods;
  if ((leaf.methods & kGet) != 0 && (leaf.methods & kHead) == 0) {
    leaf.methods |= kHead;
    for (Tree::LeafRoute& route : routes) {
      if ((route.methods & kGet) != 0) route.methods |= kHead;
    }
  }
  leaf.route = routes.front().route;
  leaf.first = kNone;
  if (routes.size() > 1) {
    leaf.first = static_cast<std::uint32_t>(tree->leaf_routes_.size());
    tree->leaf_routes_.insert(tree->leaf_routes_.end(), routes.begin(), routes.end());
  }
  tree->leaves_.push_back(leaf);
  return static_cast<std::uint32_t>(tree->leaves_.size() - 1);
}

void TreeBuilder::freeze_literals(Tree* tree, std::uint32_t index) const {
  Tree::Node& node = tree->nodes_[index];
  std::size_t literals = 0;
  for (const auto& [shape, branch] : nodes_[index].branches) {
    if (!branch.segment.is_literal()) continue;
    tree->segments_.add(index, shape, branch.node);
    node.has_literals = true;
    const bool only = ++literals == 1 && shape.size() <= TextKey::kWhole;
    node.literal = only ? TextKey::of(shape) : TextKey();
    node.literal_node = only ? branch.node : kNone;
  }
}

void TreeBuilder::freeze_others(Tree* tree, std::uint32_t index) const {
  Tree::Node& node = tree->nodes_[index];
  std::vector<const Branch*> others;
  for (const auto& [shape, branch] : nodes_[index].branches) {
    if (!branch.segment.is_literal()) others.push_back(&branch);
  }
  std::sort(others.begin(), others.end(),
            [](const Branch* a, const Branch* b) { return comes_before(a->segment, b->segment); });
  node.more_children = static_cast<std::uint32_t>(tree->children_.size());
  node.first_rest = static_cast<std::uint32_t>(tree->rests_.size());
  for (const Branch* branch : others) {
    if (branch->segment.is_rest()) {
      tree->rests_.push_back({branch->segment.text, freeze_leaf(tree, branch->routes)});
      ++node.rests;
      continue;
    }
    Tree::Child child{branch->segment.parts[0].converter, kNone, branch->node};
    if (branch->segment.is_mixed()) {
      child.mixed = static_cast<std::uint32_t>(tree->mixed_.size());
      tree->mixed_.push_back(branch->segment);
    }
    if (node.children++ == 0) {
      node.child = child;
    } else {
      tree->children_.push_back(child);
    }
  }
}

void TreeBuilder::freeze_paths(Tree* tree, std::uint32_t root, std::uint32_t index,
                               std::string path) const {
  const auto add = [tree, root, &path](std::uint32_t leaf) {
    if (leaf == kNone) return;
    tree->paths_.add(root, path, leaf);
    tree->longest_path_ = std::max(tree->longest_path_, path.size());
  };
  add(tree->nodes_[index].leaf);
  path += '/';
  add(tree->nodes_[index].slash_leaf);
  for (const auto& [shape, branch] : nodes_[index].branches) {
    if (branch.segment.is_literal()) freeze_paths(tree, root, branch.node, path + shape);
  }
}

void TreeBuilder::freeze(Tree* tree) const {
  *tree = {};
  tree->nodes_.resize(nodes_.size());
  for (std::uint32_t i = 0; i < nodes_.size(); ++i) {
    freeze_literals(tree, i);
    freeze_others(tree, i);
    tree->nodes_[i].leaf = freeze_leaf(tree, nodes_[i].routes);
    tree->nodes_[i].slash_leaf = freeze_leaf(tree, nodes_[i].slash_routes);
  }
  for (const std::uint32_t root : roots_) freeze_paths(tree, root, root, {});
  tree->segments_.freeze();
  tree->paths_.freeze();
}

}  // namespace lanner::router
