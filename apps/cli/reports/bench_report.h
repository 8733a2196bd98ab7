// Results of `heed bench` as text.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "bench/memory.h"
#include "bench/suite.h"

namespace heed::cli {

// Aligned columns, one line per row; bytes in MB. What a row's name already says is left out.
std::string bench_table(const bench::Report& report);

// {"threads", "isa", "peak_gflops", "bandwidth_gbs", "rows": [{"name", "ms", ..}]}; a ceiling that
// was not measured is null.
nlohmann::ordered_json to_json(const bench::Report& report);

nlohmann::ordered_json to_json(const bench::MemoryReport& report);

}  // namespace heed::cli
