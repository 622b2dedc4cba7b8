// The one spelling of every choice, for the command line, model files, messages and bindings.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "xofm/assign.hpp"
#include "xofm/dataset.hpp"
#include "xofm/encoder.hpp"
#include "xofm/loss.hpp"
#include "xofm/model.hpp"
#include "xofm/optimize.hpp"

namespace xofm {

template <class Enum>
using EnumName = std::pair<Enum, std::string_view>;

template <class Enum>
inline constexpr EnumName<Enum> enum_names[1] = {};

template <>
inline constexpr EnumName<AttributeKind> enum_names<AttributeKind>[] = {{AttributeKind::numeric, "numeric"},
                                                                        {AttributeKind::categorical, "categorical"}};
template <>
inline constexpr EnumName<TimePart> enum_names<TimePart>[] = {{TimePart::none, "none"},
                                                              {TimePart::days, "days"},
                                                              {TimePart::month, "month"},
                                                              {TimePart::weekday, "weekday"},
                                                              {TimePart::hour, "hour"}};
template <>
inline constexpr EnumName<KnotPlacement> enum_names<KnotPlacement>[] = {{KnotPlacement::equal_width, "equal_width"},
                                                                        {KnotPlacement::quantile, "quantile"}};
template <>
inline constexpr EnumName<Direction> enum_names<Direction>[] = {
    {Direction::none, "none"}, {Direction::increasing, "increasing"}, {Direction::decreasing, "decreasing"}};
template <>
inline constexpr EnumName<LossForm> enum_names<LossForm>[] = {
    {LossForm::automatic, "automatic"}, {LossForm::sweep, "sweep"}, {LossForm::histogram, "histogram"}};
template <>
inline constexpr EnumName<PairWeighting> enum_names<PairWeighting>[] = {{PairWeighting::uniform, "uniform"},
                                                                        {PairWeighting::distance, "distance"},
                                                                        {PairWeighting::balanced, "balanced"},
                                                                        {PairWeighting::adjacent, "adjacent"}};
template <>
inline constexpr EnumName<Optimizer> enum_names<Optimizer>[] = {
    {Optimizer::lbfgs, "lbfgs"}, {Optimizer::boost, "boost"}, {Optimizer::sgd, "sgd"}, {Optimizer::gibbs, "gibbs"}};
template <>
inline constexpr EnumName<StepRule> enum_names<StepRule>[] = {
    {StepRule::constant, "constant"}, {StepRule::adagrad, "adagrad"}, {StepRule::adam, "adam"}};
template <>
inline constexpr EnumName<StopReason> enum_names<StopReason>[] = {{StopReason::converged, "converged"},
                                                                  {StopReason::epoch_limit, "epoch_limit"},
                                                                  {StopReason::no_descent, "no_descent"},
                                                                  {StopReason::diverged, "diverged"},
                                                                  {StopReason::interrupted, "interrupted"}};
template <>
inline constexpr EnumName<AssignmentRule> enum_names<AssignmentRule>[] = {{AssignmentRule::support, "support"},
                                                                          {AssignmentRule::threshold, "threshold"},
                                                                          {AssignmentRule::probability, "probability"}};
template <>
inline constexpr EnumName<Preference> enum_names<Preference>[] = {
    {Preference::none, "none"}, {Preference::lower, "lower"}, {Preference::higher, "higher"}};
template <>
inline constexpr EnumName<ReferenceScores> enum_names<ReferenceScores>[] = {
    {ReferenceScores::automatic, "automatic"},
    {ReferenceScores::training, "training"},
    {ReferenceScores::out_of_sample, "out_of_sample"}};
template <>
inline constexpr EnumName<PairChoice> enum_names<PairChoice>[] = {{PairChoice::all, "all"},
                                                                  {PairChoice::automatic, "auto"},
                                                                  {PairChoice::count, "count"},
                                                                  {PairChoice::listed, "listed"}};
template <>
inline constexpr EnumName<Aim> enum_names<Aim>[] = {{Aim::accuracy, "accuracy"}, {Aim::mae, "mae"}};

template <class Enum>
std::string name_of(Enum value) {
  for (const auto& [candidate, name] : enum_names<Enum>) {
    if (candidate == value) return std::string(name);
  }
  return {};
}

template <class Enum>
std::optional<Enum> from_name(std::string_view name) {
  for (const auto& [candidate, candidate_name] : enum_names<Enum>) {
    if (candidate_name == name) return candidate;
  }
  return std::nullopt;
}

}  // namespace xofm
