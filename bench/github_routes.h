// bench/github_routes.h: a router of as many routes as are asked for, in the manner of GitHub's API.

#pragma once

#include <array>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "router/builder.h"

namespace lanner::bench {

inline constexpr std::array<std::string_view, 40> kGithubPaths = {
    "/repos/{owner}/{repo}/issues/{number:int}",
    "/user",
    "/users/{username}",
    "/users/{username}/repos",
    "/repos/{owner}/{repo}",
    "/repos/{owner}/{repo}/issues",
    "/repos/{owner}/{repo}/issues/{number:int}/comments",
    "/repos/{owner}/{repo}/contents/{path:path}",
    "/repos/{owner}/{repo}/compare/{base}...{head}",
    "/search/repositories",
    "/authorizations",
    "/authorizations/{id:int}",
    "/applications/{client_id}/tokens/{access_token}",
    "/events",
    "/repos/{owner}/{repo}/events",
    "/networks/{owner}/{repo}/events",
    "/orgs/{org}/events",
    "/users/{username}/received_events",
    "/users/{username}/received_events/public",
    "/users/{username}/events/orgs/{org}",
    "/feeds",
    "/notifications",
    "/notifications/threads/{id:int}/subscription",
    "/repos/{owner}/{repo}/notifications",
    "/user/starred/{owner}/{repo}",
    "/gists/{id}",
    "/gists/{id}/star",
    "/repos/{owner}/{repo}/git/blobs/{sha}",
    "/repos/{owner}/{repo}/git/commits/{sha}",
    "/repos/{owner}/{repo}/git/refs/{ref:path}",
    "/repos/{owner}/{repo}/git/tags/{sha}",
    "/repos/{owner}/{repo}/git/trees/{sha}",
    "/issues",
    "/user/issues",
    "/orgs/{org}/issues",
    "/repos/{owner}/{repo}/assignees/{assignee}",
    "/repos/{owner}/{repo}/labels/{name}",
    "/repos/{owner}/{repo}/milestones/{number:int}/labels",
    "/repos/{owner}/{repo}/pulls/{number:int}/files",
    "/search/code",
};

// A path that the pattern matches.
inline std::string example_of(std::string_view pattern) {
  std::string path;
  while (!pattern.empty()) {
    if (pattern.front() != '{') {
      path += pattern.front();
      pattern.remove_prefix(1);
      continue;
    }
    const std::string_view parameter = pattern.substr(0, pattern.find('}'));
    path += parameter.ends_with(":int") ? "1347" : parameter.ends_with(":path") ? "a/b" : "octocat";
    pattern.remove_prefix(parameter.size() + 1);
  }
  return path;
}

// The first 40 as they are; then under other names, one half beside the first segment, the other
// below a repository, so that the nodes that are passed have thousands of children. *examples: a
// path of each.
inline std::unique_ptr<const router::Router> make_github_router(
    std::size_t routes, std::vector<std::string>* examples) {
  static constexpr std::string_view kMethods[] = {"GET"};
  router::RouterBuilder builder;
  for (std::size_t i = 0; i < routes; ++i) {
    const std::string number = i < kGithubPaths.size() ? "" : std::to_string(i);
    std::string pattern(kGithubPaths[i % kGithubPaths.size()]);
    if (!number.empty() && i % 2 == 0) pattern = "/service-" + number + pattern;
    if (!number.empty() && i % 2 == 1)
      pattern = "/repos/{owner}/{repo}/feature-" + number + "/{id}/settings";
    std::string why;
    if (!builder.add({pattern, "", kMethods, ""}, &why)) {
      std::fprintf(stderr, "%s\n", why.c_str());
      std::abort();
    }
    examples->push_back(example_of(pattern));
  }
  return builder.freeze();
}

}  // namespace lanner::bench
