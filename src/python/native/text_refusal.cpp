#include "python/native/text_refusal.h"

#include "schema/error_text.h"
#include "schema/text_check.h"

namespace lanner::python {

namespace {

using schema::ErrorList;
using schema::TextFit;

constexpr std::uint64_t kMediaTypeBytesMax = 256;

TextFit check(const Argument& argument, RequestTexts& texts, ErrorList& errors) noexcept {
  if (!texts.find(argument)) return TextFit::unsure;
  errors.set_prefix(argument.loc, 2);
  if (!texts.found().empty())
    return schema::check_text(*argument.plan, texts.found().back().value, errors);
  if (!argument.required()) return TextFit::fits;
  (void)errors.add(schema::Slug::missing, nullptr, {nullptr, "null"}, -1, {});
  return TextFit::error;
}

}  // namespace

TextRefusal::TextRefusal(const Refusals& refusals, std::uint32_t errors_max) noexcept
    : refusals_(refusals), errors_max_(errors_max), errors_(errors_max) {
  if (head_.set_status(422, {}) &&
      !head_.add("content-type", refusals.media_type, kMediaTypeBytesMax))
    head_.clear();
}

bool TextRefusal::finds(const Operation& operation, const NativeRequest& request) noexcept {
  if (head_.field_count() == 0) return false;  // there was no memory
  RequestTexts texts(request);
  if (errors_.no_memory()) {  // once, which a list remembers
    ErrorList fresh(errors_max_);
    errors_.swap(fresh);
  }
  errors_.roll_back(0, [](void*) noexcept {});  // none holds an object
  for (std::size_t i = 0; i < operation.count() && !errors_.enough(); ++i) {
    const Argument& argument = operation.argument(operation.in_order(i));
    if (argument.source >= Source::body) break;
    if (check(argument, texts, errors_) == TextFit::unsure) return false;
  }
  body_.clear();
  return !errors_.empty() && body_.append(refusals_.errors_begin) &&
         schema::write_errors(errors_, &body_) && body_.append("}");
}

}  // namespace lanner::python
