#include <iostream>

#include <labelsieve/error.h>
#include <labelsieve/prepare.h>

int main() {
  sieve::ThreadPool pool;
  const sieve::Dataset data = sieve::make_synthetic({.rows = 50}, pool);
  std::cout << "LabelSieve " << sieve::version() << ": " << data.rows() << " rows\n";
  return data.rows() == 50 ? 0 : 1;
}
