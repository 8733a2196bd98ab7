#include "heed/data/read_options.h"

namespace heed {

std::string_view name(DataFormat format) {
  switch (format) {
    case DataFormat::automatic: return "automatic";
    case DataFormat::tab: return "tab";
    case DataFormat::space: return "space";
    case DataFormat::csv: return "csv";
    case DataFormat::json: return "json";
    case DataFormat::conll: return "conll";
    case DataFormat::conllu: return "conllu";
  }
  return "";
}

}  // namespace heed
