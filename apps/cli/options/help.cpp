#include "apps/cli/options/help.h"

#include <sstream>
#include <string>

namespace heed::cli {
namespace {

constexpr size_t kHelpWidth = 80;
constexpr size_t kNames = 26;  // columns for the names of options

// Lines of at most `width` columns, cut at spaces.
std::string wrapped(const std::string& text, size_t width) {
  std::istringstream words(text);
  std::string result;
  size_t column = 0;
  for (std::string word; words >> word;) {
    const bool fits = column + 1 + word.size() <= width;
    if (column > 0) result += fits ? ' ' : '\n';
    column = column > 0 && fits ? column + 1 + word.size() : word.size();
    result += word;
  }
  return result;
}

class HelpFormatter : public CLI::Formatter {
 public:
  HelpFormatter() { column_width(kNames); }

  std::string make_option_desc(const CLI::Option* option) const override {
    return wrapped(option->get_description(), kHelpWidth - kNames);
  }
};

}  // namespace

std::shared_ptr<CLI::Formatter> help_formatter() { return std::make_shared<HelpFormatter>(); }

}  // namespace heed::cli
