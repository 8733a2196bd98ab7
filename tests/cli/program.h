// Runs the built program as a user would.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "heed/tensor/tensor.h"

namespace heed {

struct Outcome {
  int code = -1;
  std::string out;
  std::string err;
};

// heed ARGUMENTS..., with nothing to read on stdin, stdout and stderr caught.
Outcome run_heed(const std::vector<std::string>& arguments);

// The same, with a text on stdin.
Outcome run_heed_with(const std::string& input, const std::vector<std::string>& arguments);

// The same, with a signal sent as soon as the file exists (and the program still runs).
Outcome run_heed_until(const std::string& file, int signal,
                       const std::vector<std::string>& arguments);

// The same while the program runs: `use` gets the port that it names on stderr, and returns the
// signal to send, or 0 to let it end by itself.
Outcome run_heed_with_port(const std::vector<std::string>& arguments,
                           const std::function<int(int port)>& use);

// heed ARGUMENTS... --json; fails the test unless it ends well.
nlohmann::json run_json(std::vector<std::string> arguments);

// Nested lists of numbers, compared one by one.
void expect_near(const nlohmann::json& got, const nlohmann::json& expected,
                 double tolerance = 1e-6);

// A file in a folder of this test run that is removed at its end.
std::string temporary(const std::string& name);

// An array of this shape with numbers that look random, in a file.
std::string array_file(const std::string& name, const Shape& shape, DType type = DType::f32);

}  // namespace heed
