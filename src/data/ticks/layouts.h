#pragma once

#include "data/ticks/tick_formats.h"

// The layouts of docs/formats/ticks.md, a pair of functions each.
namespace sieve {

bool looks_like_mturk(const TickRecords& records);
void read_mturk(const TickFile& file);
bool looks_like_crowdflower(const TickRecords& records);
void read_crowdflower(const TickFile& file);
bool looks_like_label_studio(const TickRecords& records);
void read_label_studio(const TickFile& file);
bool looks_like_label_studio_min(const TickRecords& records);
void read_label_studio_min(const TickFile& file);
bool looks_like_prodigy(const TickRecords& records);
void read_prodigy(const TickFile& file);
bool looks_like_argilla(const TickRecords& records);
void read_argilla(const TickFile& file);
bool looks_like_doccano(const TickRecords& records);
void read_doccano(const TickFile& file);
bool looks_like_cekaplus(const TickRecords& records);
// Error(Data) that asks where a table without names holds three or four numbers per line.
void refuse_unnamed_numbers(const TickRecords& records);
void read_cekaplus(const TickFile& file);
bool looks_like_long(const TickRecords& records);
void read_long(const TickFile& file);
bool looks_like_wide(const TickRecords& records);
void read_wide(const TickFile& file);

}  // namespace sieve
