#pragma once

#include <string>
#include <vector>

#include "data/mat/mat5.h"

namespace sieve::test {

// Makes level-5 MAT files by hand, right or wrong. Values go column by column, as in the file.
class MatBuilder {
 public:
  explicit MatBuilder(bool big_endian = false, bool packed = false);

  struct Full {
    std::vector<std::uint32_t> shape;
    std::vector<double> values;
    MatClass kind = MatClass::Double;
    MatType type = MatType::Double;
    std::uint32_t flags = 0;  // 0x800 complex, 0x200 logical
  };
  MatBuilder& full(const std::string& name, const Full& matrix);

  struct Sparse {
    std::uint32_t rows, cols;
    std::vector<std::uint32_t> row_of, starts;
    std::vector<double> values;
  };
  MatBuilder& sparse(const std::string& name, const Sparse& matrix);
  MatBuilder& cell(const std::string& name, const std::vector<std::string>& texts);
  // Rows of equal length.
  MatBuilder& chars(const std::string& name, const std::vector<std::string>& rows);
  // Only a header, for classes whose content does not matter.
  MatBuilder& bare(const std::string& name, MatClass kind);

  const std::string& bytes() const { return bytes_; }

 private:
  std::string number(double value, MatType type) const;
  std::string word(std::uint32_t value) const { return number(value, MatType::Uint32); }
  std::string element(MatType type, const std::string& content) const;
  std::string numbers(MatType type, const std::vector<double>& values) const;
  std::string head(const std::string& name, std::uint32_t kind_and_flags,
                   const std::vector<std::uint32_t>& shape) const;
  std::string text(const std::string& name, const std::vector<std::string>& rows) const;
  MatBuilder& add(const std::string& content);

  bool big_endian_, packed_;
  std::string bytes_;
};

}  // namespace sieve::test
