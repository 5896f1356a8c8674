#include "base/named_rows.h"
#include "methods/decided_learner.h"
#include "methods/methods.h"

namespace sieve {

namespace {

#ifdef LABELSIEVE_BASELINES
constexpr bool kBaselines = true;
#define BASELINE(method) with_decision_option<method>
#else
constexpr bool kBaselines = false;
#define BASELINE(method) nullptr
#endif

// All there are, in the order in which they are listed; null where they were not built.
struct Row {
  const char* name;
  MethodInfo (*info)();
};
constexpr Row kMethods[] = {{"blend", blend_method},
                            {"pml-gan", with_decision_option<pml_gan_method>},
                            {"pml-lc", BASELINE(pml_lc_method)},
                            {"pml-fp", BASELINE(pml_fp_method)},
                            {"ml-rbf", BASELINE(ml_rbf_method)},
                            {"mlp-noise", with_decision_option<mlp_noise_method>},
                            {"comes-hl", BASELINE(comes_hl_method)},
                            {"comes-rl", BASELINE(comes_rl_method)},
                            {"capml", BASELINE(capml_method)},
                            {"mlp", with_decision_option<mlp_method>},
                            {"oracle", with_decision_option<oracle_method>},
                            {"pml-ni", BASELINE(pml_ni_method)},
                            {"schirn", BASELINE(schirn_method)},
                            {"nlr", BASELINE(nlr_method)},
                            {"particle-vls", BASELINE(particle_vls_method)},
                            {"particle-map", BASELINE(particle_map_method)},
                            {"forest", forest_method}};
#undef BASELINE

std::string name_now(const std::string& name) {
  return name == "clean" ? "oracle" : name;  // as 0.1.0 called it
}

}  // namespace

const std::vector<MethodInfo>& all_methods() {
  static const std::vector<MethodInfo> methods = [] {
    std::vector<MethodInfo> all;
    for (const Row& row : kMethods)
      if (row.info != nullptr) all.push_back(row.info());
    return all;
  }();
  return methods;
}

const MethodInfo* find_method(const std::string& name) {
  const auto found = std::ranges::find(all_methods(), name_now(name), &MethodInfo::name);
  return found != all_methods().end() ? &*found : nullptr;
}

const MethodInfo& method_info(const std::string& name) {
  if (const MethodInfo* method = find_method(name)) return *method;
  if (!kBaselines && std::ranges::find(kMethods, name, &Row::name) != std::end(kMethods))
    throw Error(Failure::Usage, "this LabelSieve was built without the method " + name, {},
                "build it with -DLABELSIEVE_BASELINES=ON");
  throw no_such("method", name, names_of(all_methods()));
}

std::unique_ptr<Learner> make_learner(const std::string& method,
                                      const std::map<std::string, std::string>& settings) {
  const MethodInfo& info = method_info(method);
  Options options(info.options);
  for (const auto& [key, value] : settings) options.set(key, value);
  return info.make(options);
}

std::shared_ptr<const Learner> learner_of(const std::string& method,
                                          const std::map<std::string, std::string>& settings,
                                          std::shared_ptr<const Learner> typed) {
  if (typed == nullptr) return make_learner(method, settings);
  if (!settings.empty())
    throw Error(Failure::Usage, "settings beside a method that has its own", {},
                "give one or the other");
  return typed;
}

}  // namespace sieve
