#pragma once

#include <string>
#include <vector>

namespace sieve {

// What `sieve train --log` wrote: one column a name, one value an epoch.
struct EpochHistory {
  struct Column {
    std::string name;
    std::vector<double> values;  // NaN where an epoch did not report it
  };
  std::size_t epochs = 0;
  std::vector<Column> columns;  // in the order of their first appearance

  const Column* find(const std::string& name) const;  // null if there is none
};

// Error(Data) with the line for anything but one flat JSON object of numbers a line.
EpochHistory read_epoch_log(const std::string& path);

}  // namespace sieve
