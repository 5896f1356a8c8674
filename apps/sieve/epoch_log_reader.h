#pragma once

#include <string>
#include <vector>

namespace sieve {

// A stretch of a training in which every epoch reported the same things.
struct EpochHistory {
  struct Column {
    std::string name;
    std::vector<double> values;  // one an epoch; NaN for what was not a number
  };
  std::size_t epochs = 0;
  std::vector<Column> columns;  // by name

  const Column* find(const std::string& name) const;  // null if there is none
};

// What `sieve train --log` wrote, one stretch after the other: a method that first compares
// networks and then trains the chosen ones may report other things then. Error(Data) with the line
// for anything but one flat JSON object of numbers a line.
std::vector<EpochHistory> read_epoch_log(const std::string& path);

}  // namespace sieve
