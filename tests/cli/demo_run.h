// Runs demos for the tests of heed demo.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "tests/cli/program.h"

namespace heed {

// The numbers that a demo gives as JSON.
nlohmann::json demo(const std::string& name, const std::vector<std::string>& more = {});

// Models of demos go to a cache of this test.
void use_own_cache();

// A file with one space where a line ends.
std::string text_in(const std::string& path);

// Names, and options that keep the training of those that train short.
std::map<std::string, std::vector<std::string>> short_demos();

// The JSON of every demo, run once for all tests.
const std::map<std::string, nlohmann::json>& pages();

}  // namespace heed
