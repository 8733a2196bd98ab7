// What heed db query says of the entries that weigh most.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "heed/database/database.h"

namespace heed::cli {

// Texts are their own names; their keys say nothing to a reader.
bool has_text_keys(const Database& database);

// "0.5, 1", with at most this many numbers.
std::string numbers_text(const Tensor& numbers, int64_t max_count);

// One line per entry that an answer names to query `row`, below a line that says what is in the
// columns: weight, number (from 1), name if there are names, key and value. As many numbers of keys
// and values are shown as fit into `width` columns.
std::string named_entries(const Database& database, const DatabaseAnswer& answer, int64_t row,
                          int width);

// The same of all queries, as fields of the page: entries (from 1) and weights, keys and values
// [N, top, ..], and names. Keys that are texts are left out.
void add_named_entries(const Database& database, const DatabaseAnswer& answer,
                       nlohmann::ordered_json& page);

}  // namespace heed::cli
