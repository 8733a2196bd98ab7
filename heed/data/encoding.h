// How text is encoded, and what becomes of what cannot be read.
#pragma once

#include <cstdint>

namespace heed {

enum class Encoding : uint8_t { utf8, latin1 };

// An error in the data: raise an Error that names the place, or count it and go on.
enum class OnMistake : uint8_t { fail, count };

}  // namespace heed
