#include "python/native/text_refusal.h"

#include "schema/error_text.h"
#include "schema/text_check.h"

namespace lanner::python {

namespace {

using schema::ErrorList;
using schema::TextFit;

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

bool refused_by_texts(const Operation& operation, const NativeRequest& request,
                      std::uint32_t errors_max, Buffer* body) noexcept {
  RequestTexts texts(request);
  ErrorList errors(errors_max);
  for (std::size_t i = 0; i < operation.count() && !errors.enough(); ++i) {
    const Argument& argument = operation.argument(operation.in_order(i));
    if (argument.source >= Source::body) break;
    if (check(argument, texts, errors) == TextFit::unsure) return false;
  }
  return !errors.empty() && schema::write_errors(errors, body);
}

}  // namespace lanner::python
