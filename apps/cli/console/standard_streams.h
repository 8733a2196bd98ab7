// The descriptors 0, 1 and 2.
#pragma once

namespace heed::cli {

// Some daemons start programs without them. The next file that is opened would take the place of
// stdout or stderr, and get the messages. So each that is closed becomes /dev/null, opened such
// that to read stdin or to write stdout is an error as before. To be called first.
void open_closed_streams();

}  // namespace heed::cli
