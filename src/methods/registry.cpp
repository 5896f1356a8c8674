#include "base/named_rows.h"
#include "methods/methods.h"

namespace sieve {

const std::vector<MethodInfo>& all_methods() {
  static const std::vector<MethodInfo> methods = [] {
    std::vector<MethodInfo> all;
    all.push_back(blend_method());
    all.push_back(pml_gan_method());
    all.push_back(pml_lc_method());
    all.push_back(pml_fp_method());
    all.push_back(ml_rbf_method());
    all.push_back(mlp_noise_method());
    all.push_back(comes_hl_method());
    all.push_back(comes_rl_method());
    all.push_back(capml_method());
    all.push_back(mlp_method());
    all.push_back(oracle_method());
    all.push_back(pml_ni_method());
    all.push_back(schirn_method());
    all.push_back(nlr_method());
    all.push_back(particle_vls_method());
    all.push_back(particle_map_method());
    all.push_back(forest_method());
    return all;
  }();
  return methods;
}

const MethodInfo* find_method(const std::string& name) {
  const std::string now = name == "clean" ? "oracle" : name;  // as 0.1.0 called it
  const auto found = std::ranges::find(all_methods(), now, &MethodInfo::name);
  return found != all_methods().end() ? &*found : nullptr;
}

const MethodInfo& method_info(const std::string& name) {
  if (const MethodInfo* method = find_method(name)) return *method;
  throw no_such("method", name, names_of(all_methods()));
}

std::unique_ptr<Learner> make_learner(const std::string& method,
                                      const std::map<std::string, std::string>& settings) {
  const MethodInfo& info = method_info(method);
  Options options(info.options);
  for (const auto& [key, value] : settings) options.set(key, value);
  return info.make(options);
}

}  // namespace sieve
