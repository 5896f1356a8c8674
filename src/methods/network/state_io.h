#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "labelsieve/learner.h"
#include "labelsieve/matrix.h"
#include "nn/lazy_rows.h"

namespace sieve {

// Walks over everything that makes up the state of a training, either to write it down or to take
// it back: one list for both, so they cannot drift apart.
class StateVisitor {
 public:
  virtual ~StateVisitor() = default;
  virtual void number(const std::string& name, std::uint64_t& value) = 0;
  virtual void real(const std::string& name, double& value) = 0;  // bit for bit
  virtual void array(const std::string& name, Array<float>& values) = 0;
  // All zero if it is not there.
  virtual void array_if_any(const std::string& name, Array<float>& values) = 0;
};

// Error(Training) if one of them is NaN or infinite.
void require_finite(std::span<const float> values);
void require_finite(double value);

// Nothing that diverged is ever written down: a number that is not finite is an Error(Training).
class StateWriter final : public StateVisitor {
 public:
  explicit StateWriter(ModelState& state) : state_(state) {}
  void number(const std::string& name, std::uint64_t& value) override;
  void real(const std::string& name, double& value) override;
  void array(const std::string& name, Array<float>& values) override;
  void array_if_any(const std::string& name, Array<float>& values) override;

 private:
  ModelState& state_;
};

// Error(Model) if something is missing or has another size.
class StateReader final : public StateVisitor {
 public:
  explicit StateReader(const ModelState& state) : state_(state) {}
  void number(const std::string& name, std::uint64_t& value) override;
  void real(const std::string& name, double& value) override;
  void array(const std::string& name, Array<float>& values) override;
  void array_if_any(const std::string& name, Array<float>& values) override;

 private:
  const ModelState& state_;
};

// Which weights of a first layer are behind, by how many of the `steps` steps.
void visit_lazy_rows(const std::string& name, LazyRows<float>& rows, std::uint64_t steps,
                     StateVisitor& visitor);
void visit_adam(const std::string& name, AdamState<float>& state, StateVisitor& visitor);

}  // namespace sieve
