#pragma once

#include <string>
#include <vector>

#include "labelsieve/files.h"

namespace sieve {

// The Parquet files of a folder as Hugging Face keeps a data set: in the folder or in data/ below
// it, those of "train" first and those of "test" last. Empty if there are none.
std::vector<std::string> parquet_shards(const std::string& folder, FileSystem& files);

// What stands behind FROM to read them as one table, with the names of classes in the place of
// their numbers where dataset_info.json has them. Error(Data) for a number without a name.
std::string hugging_face_table(const std::string& folder);

}  // namespace sieve
