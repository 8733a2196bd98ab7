// Checks of the numbers on the command line.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace heed::cli {

// A check of the text of one value: empty if the value will do, otherwise what is wrong with it.
using Check = std::function<std::string(const std::string& value)>;

// The number that a text is, all of it.
std::optional<double> number_in(const std::string& text);

// Accept numbers only as they are described.
Check positive_number();
Check finite_number();
Check natural_number();  // 0 or more, of 64 bits
Check number(double low, double high);
Check whole_number(int64_t low, int64_t high);

}  // namespace heed::cli
