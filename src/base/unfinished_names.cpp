#include "base/unfinished_names.h"

#include <unistd.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <utility>

#include "labelsieve/files.h"

namespace sieve {
namespace {

// A handler cannot wait for a lock, so this is a table of pointers. A file that finds no room in
// it stays behind until the next run removes it.
struct Slot {
  std::atomic<const char*> name = nullptr;
  std::atomic<pid_t> owner = 0;
};
std::array<Slot, 256> slots;
static_assert(std::atomic<const char*>::is_always_lock_free);

}  // namespace

UnfinishedName::UnfinishedName(std::string name) : name_(std::move(name)), slot_(-1) {
  for (std::size_t i = 0; i < slots.size(); ++i) {
    const char* free = nullptr;
    if (!slots[i].name.compare_exchange_strong(free, name_.c_str())) continue;
    slots[i].owner = ::getpid();
    slot_ = static_cast<int>(i);
    return;
  }
}

UnfinishedName::~UnfinishedName() {
  if (slot_ < 0) return;
  slots[static_cast<std::size_t>(slot_)].owner = 0;
  slots[static_cast<std::size_t>(slot_)].name = nullptr;
}

void remove_unfinished_files() noexcept {
  for (const Slot& slot : slots)
    if (const char* name = slot.name; name != nullptr && slot.owner == ::getpid()) ::unlink(name);
}

}  // namespace sieve
