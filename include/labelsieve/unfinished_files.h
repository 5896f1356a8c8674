#pragma once

namespace sieve {

// Removes the files of this process (not of one it was forked from) that are only half written now,
// such as those of an AtomicFile. For a program that ends inside a signal handler: it is safe to
// call there.
void remove_unfinished_files() noexcept;

}  // namespace sieve
