#include "methods/network/trainee.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "labelsieve/error.h"
#include "methods/shared/decision.h"

namespace sieve {
namespace {

std::uint64_t stored_number(const ModelState& state, const std::string& name) {
  const auto found = state.choices.counters.find(name);
  if (found == state.choices.counters.end())
    throw Error(Failure::Model, "the checkpoint lacks '" + name + "'");
  return found->second;
}

[[noreturn]] void diverged() {
  throw Error(Failure::Training, "the training diverged: a number is no longer finite", {},
              "lower the learning rate, or look for extreme values in the features");
}

}  // namespace

void require_finite(std::span<const float> values) {
  if (!all_finite(values)) diverged();
}

void require_finite(double value) {
  if (!std::isfinite(value)) diverged();
}

void StateWriter::number(const std::string& name, std::uint64_t& value) {
  state_.choices.counters[name] = value;
}

void StateWriter::real(const std::string& name, double& value) {
  require_finite(value);
  state_.choices.counters[name] = std::bit_cast<std::uint64_t>(value);
}

void StateWriter::array(const std::string& name, Array<float>& values) {
  require_finite({values.data(), values.size()});
  state_.tensors.push_back({name, {values.size()}, {values.begin(), values.end()}});
}

void StateWriter::array_if_any(const std::string& name, Array<float>& values) {
  if (std::ranges::any_of(values, [](float value) { return value != 0; })) array(name, values);
}

void StateReader::number(const std::string& name, std::uint64_t& value) {
  value = stored_number(state_, name);
}

void StateReader::real(const std::string& name, double& value) {
  value = std::bit_cast<double>(stored_number(state_, name));
}

void StateReader::array(const std::string& name, Array<float>& values) {
  const Tensor& tensor = state_.tensor(name);
  if (tensor.values.size() != values.size())
    throw Error(Failure::Model, "tensor '" + name + "' of the checkpoint has another size");
  std::ranges::copy(tensor.values, values.begin());
}

void StateReader::array_if_any(const std::string& name, Array<float>& values) {
  if (std::ranges::find(state_.tensors, name, &Tensor::name) != state_.tensors.end())
    return array(name, values);
  std::ranges::fill(values, 0.0F);
}

void visit_lazy_rows(const std::string& name, LazyRows<float>& rows, std::uint64_t steps,
                     StateVisitor& visitor) {
  std::vector<std::uint64_t> missed = rows.missed(steps);
  Array<float> values(missed.size());
  std::ranges::copy(missed, values.begin());
  visitor.array_if_any(name + "/missed", values);
  const auto count_of = [](float value) {
    return value >= 0 && value < 1e6F ? static_cast<std::uint64_t>(value) : ~std::uint64_t{0};
  };
  std::ranges::transform(values, missed.begin(), count_of);
  if (!rows.set_missed(missed, steps))
    throw Error(Failure::Model, "the checkpoint belongs to another training");
}

void visit_adam(const std::string& name, AdamState<float>& state, StateVisitor& visitor) {
  visitor.array(name + "/first", state.first);
  visitor.array(name + "/second", state.second);
  visitor.number(name + "/step", state.step);
}

}  // namespace sieve
