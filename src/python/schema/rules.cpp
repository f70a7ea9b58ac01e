#include "python/schema/rules.h"

#include <cmath>

#include "python/object/call_method.h"
#include "python/object/ref.h"
#include "python/schema/builder.h"
#include "python/schema/hashes.h"

namespace lanner::python {

namespace {

using schema::Demand;
using schema::Kind;
using schema::Rule;

enum class Verdict : std::uint8_t { holds, broken, raised };

Verdict verdict(int truth) noexcept {
  return truth < 0 ? Verdict::raised : truth ? Verdict::holds : Verdict::broken;
}

int comparison(Demand demand) noexcept {
  switch (demand) {
    case Demand::ge:
      return Py_GE;
    case Demand::gt:
      return Py_GT;
    case Demand::le:
      return Py_LE;
    default:
      return Py_LT;
  }
}

template <class Number>
bool compares(Demand demand, Number value, Number bound) noexcept {
  switch (demand) {
    case Demand::ge:
      return value >= bound;
    case Demand::gt:
      return value > bound;
    case Demand::le:
      return value <= bound;
    default:
      return value < bound;
  }
}

// What was raised says that the numbers are beyond what can be compared or divided: it is cleared.
bool arithmetic_failed() noexcept {
  if (!PyErr_ExceptionMatches(PyExc_ArithmeticError)) return false;
  PyErr_Clear();
  return true;
}

// A time with an offset and a bound without one, or the other way round: as the clock shows them,
// as pydantic does. REQUIRES: a TypeError is set.
Verdict check_without_zone(const Rule& rule, PyObject* value, PyObject* bound) noexcept {
  if (!PyObject_HasAttrString(value, "tzinfo") || !PyObject_HasAttrString(bound, "tzinfo"))
    return Verdict::raised;
  PyErr_Clear();
  const Ref replace = Ref::steal(PyUnicode_InternFromString("replace"));
  const Ref names = Ref::steal(replace ? Py_BuildValue("(s)", "tzinfo") : nullptr);
  if (!names) return Verdict::raised;
  PyObject* mine[] = {value, Py_None};
  PyObject* its[] = {bound, Py_None};
  const Ref left = Ref::steal(PyObject_VectorcallMethod(replace.get(), mine, 1, names.get()));
  const Ref right = Ref::steal(PyObject_VectorcallMethod(replace.get(), its, 1, names.get()));
  if (!left || !right) return Verdict::raised;
  return verdict(PyObject_RichCompareBool(left.get(), right.get(), comparison(rule.demand)));
}

Verdict check_bound(const Rule& rule, PyObject* value) noexcept {
  if (rule.has_integer && PyLong_CheckExact(value)) {
    int overflow = 0;
    const long long number = PyLong_AsLongLongAndOverflow(value, &overflow);
    if (!overflow) {
      return verdict(compares<std::int64_t>(rule.demand, number, rule.integer));
    }
    const bool above = rule.demand == Demand::ge || rule.demand == Demand::gt;
    return verdict((overflow > 0) == above);
  }
  if (rule.has_floating && PyFloat_CheckExact(value)) {
    return verdict(compares(rule.demand, PyFloat_AS_DOUBLE(value), rule.floating));
  }
  auto* bound = static_cast<PyObject*>(rule.object);
  const int truth = PyObject_RichCompareBool(value, bound, comparison(rule.demand));
  if (truth >= 0) return verdict(truth);
  if (arithmetic_failed()) return Verdict::broken;  // a Decimal that is no number
  if (!PyErr_ExceptionMatches(PyExc_TypeError)) return Verdict::raised;
  return check_without_zone(rule, value, bound);
}

bool is_whole(double number) noexcept { return number == std::floor(number); }

// An int as it is, a float as the decimal number that its shortest text says: a Fraction.
Ref exact(PyObject* fraction, PyObject* number) noexcept {
  const Ref text = Ref::steal(PyFloat_Check(number) ? PyObject_Repr(number) : nullptr);
  if (PyFloat_Check(number) && !text) return {};
  return Ref::steal(PyObject_CallOneArg(fraction, text ? text.get() : number));
}

Verdict check_multiple_exactly(PyObject* value, PyObject* bound) noexcept {
  if (PyFloat_Check(value) && !std::isfinite(PyFloat_AS_DOUBLE(value))) return Verdict::broken;
  const Ref module = Ref::steal(PyImport_ImportModule("fractions"));
  const Ref fraction = Ref::steal(module ? get_attribute(module.get(), "Fraction") : nullptr);
  const Ref left = fraction ? exact(fraction.get(), value) : Ref();
  const Ref right = left ? exact(fraction.get(), bound) : Ref();
  const Ref rest = Ref::steal(right ? PyNumber_Remainder(left.get(), right.get()) : nullptr);
  if (!rest) return Verdict::raised;
  const int truth = PyObject_IsTrue(rest.get());
  return truth < 0 ? Verdict::raised : verdict(!truth);
}

// 0.3 is a multiple of 0.1, and so is 0.1 + 0.2: a float may be off by two rounding errors. Where
// these are not small beside the bound, the decimal numbers decide.
Verdict check_multiple(const Rule& rule, double number, PyObject* value) noexcept {
  const double bound = rule.floating;
  const double rest = std::fabs(std::fmod(number, bound));
  if (rest == 0) return Verdict::holds;
  if (!std::isfinite(number) || (is_whole(number) && is_whole(bound))) return Verdict::broken;
  const double slack = std::fabs(number) * 0x1p-51;
  if (slack >= bound / 4) return check_multiple_exactly(value, static_cast<PyObject*>(rule.object));
  return verdict(std::fmin(rest, bound - rest) <= slack);
}

Verdict check_multiple(const Rule& rule, PyObject* value) noexcept {
  auto* bound = static_cast<PyObject*>(rule.object);
  if (rule.has_floating && PyFloat_CheckExact(value))
    return check_multiple(rule, PyFloat_AS_DOUBLE(value), value);
  if (PyFloat_Check(bound) != PyFloat_Check(value) && (PyLong_Check(bound) || PyLong_Check(value)))
    return check_multiple_exactly(value, bound);
  Ref rest = Ref::steal(PyNumber_Remainder(value, bound));
  if (!rest) return arithmetic_failed() ? Verdict::broken : Verdict::raised;
  const int truth = PyObject_IsTrue(rest.get());
  return truth < 0 ? Verdict::raised : verdict(!truth);
}

Verdict check_length(const Rule& rule, PyObject* value, std::int64_t* number) noexcept {
  const Py_ssize_t length =
      PyUnicode_Check(value) ? PyUnicode_GET_LENGTH(value) : PyObject_Size(value);
  if (length < 0) return Verdict::raised;
  // As pydantic: a set or dict is too long as soon as one more comes.
  const bool at_once = PyAnySet_Check(value) || PyDict_Check(value);
  *number = rule.demand == Demand::max_length && at_once ? -1 : length;
  return verdict(rule.demand == Demand::max_length ? length <= rule.integer
                                                   : length >= rule.integer);
}

Verdict check_pattern(const Rule& rule, PyObject* value) noexcept {
  if (rule.pattern) {
    std::string_view text;
    if (!utf8_view(value, &text)) return PyErr_Occurred() ? Verdict::raised : Verdict::broken;
    const schema::Pattern::Found found = rule.pattern->found_in(text);
    if (found != schema::Pattern::Found::no_memory)
      return verdict(found == schema::Pattern::Found::yes);
    PyErr_NoMemory();
    return Verdict::raised;
  }
  Ref found = Ref::steal(PyObject_CallOneArg(static_cast<PyObject*>(rule.object), value));
  return found ? verdict(found.get() != Py_None) : Verdict::raised;
}

Verdict check_zone(const Rule& rule, PyObject* value) noexcept {
  Ref offset = Ref::steal(call_method(value, "utcoffset"));
  if (!offset) return Verdict::raised;
  return verdict((offset.get() != Py_None) == (rule.demand == Demand::tz_aware));
}

Verdict check_unique(PyObject* value) noexcept {
  if (too_many_collide(PySequence_Fast_ITEMS(value),
                       static_cast<std::size_t>(PySequence_Fast_GET_SIZE(value)), 1)) {
    PyErr_SetString(PyExc_ValueError, "too many items have the same hash");
    return Verdict::raised;
  }
  Ref set = Ref::steal(PySet_New(value));
  if (!set && take_unhashable()) {
    const Ref module = Ref::steal(PyImport_ImportModule("lanner.schema._unique"));
    const Ref others = Ref::steal(module ? call_method(module.get(), "stand_ins", value) : nullptr);
    set = Ref::steal(others ? PySet_New(others.get()) : nullptr);
  }
  return set ? verdict(PySet_GET_SIZE(set.get()) == PyObject_Size(value)) : Verdict::raised;
}

Verdict check_call(const Rule& rule, PyObject* value) noexcept {
  Ref result = Ref::steal(PyObject_CallOneArg(static_cast<PyObject*>(rule.object), value));
  return result ? verdict(PyObject_IsTrue(result.get())) : Verdict::raised;
}

Verdict change_case(const Rule& rule, PyObject** value) noexcept {
  const char* method = rule.demand == Demand::strip   ? "strip"
                       : rule.demand == Demand::lower ? "lower"
                                                      : "upper";
  PyObject* changed = call_method(*value, method);
  if (!changed) return Verdict::raised;
  drop(std::exchange(*value, changed));
  return Verdict::holds;
}

Verdict check(const Rule& rule, PyObject** value, std::int64_t* number) noexcept {
  switch (rule.demand) {
    case Demand::strip:
    case Demand::lower:
    case Demand::upper:
      return change_case(rule, value);
    case Demand::ge:
    case Demand::gt:
    case Demand::le:
    case Demand::lt:
      return check_bound(rule, *value);
    case Demand::multiple_of:
      return check_multiple(rule, *value);
    case Demand::max_length:
    case Demand::min_length:
      return check_length(rule, *value, number);
    case Demand::pattern:
      return check_pattern(rule, *value);
    case Demand::tz_aware:
    case Demand::tz_naive:
      return check_zone(rule, *value);
    case Demand::unique:
      return check_unique(*value);
    case Demand::max_digits:
    case Demand::decimal_places:
    case Demand::predicate:
      return check_call(rule, *value);
  }
  return Verdict::holds;
}

}  // namespace

bool apply_rules(const schema::Node& node, PyObject** value, const Rule** broken,
                 std::int64_t* number) noexcept {
  for (const Rule* rule : node.rules) {
    const Verdict result = check(*rule, value, number);
    if (result == Verdict::holds) [[likely]]
      continue;
    if (result == Verdict::broken) {
      *broken = rule;
      return true;
    }
    drop(std::exchange(*value, nullptr));
    return false;
  }
  return true;
}

}  // namespace lanner::python
