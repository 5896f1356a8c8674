#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace sieve {

// A value as bytes for a pipe or a message (CBOR), by the to_json() and from_json() of its type.
template <class T>
std::string pack(const T& value) {
  std::string bytes;
  nlohmann::json::to_cbor(value, bytes);
  return bytes;
}

// False if the bytes are not all of a T, such as those of a process that died. Deep nesting takes
// the stack up: for bytes of our own processes only.
template <class T>
bool unpack(const std::string& bytes, T& into) {
  try {
    nlohmann::json::from_cbor(bytes).get_to(into);
    return true;
  } catch (const nlohmann::json::exception&) {
    return false;
  }
}

}  // namespace sieve
