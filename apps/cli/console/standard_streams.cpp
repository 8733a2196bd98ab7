#include "apps/cli/console/standard_streams.h"

#include <fcntl.h>
#include <unistd.h>

#include <initializer_list>

namespace heed::cli {

void open_closed_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(stream, F_GETFD) >= 0) continue;
    // The lowest number that is free is this one, for those below are open.
    const int how = stream == STDIN_FILENO ? O_WRONLY : O_RDONLY;
    if (::open("/dev/null", how) != stream) ::_exit(1);  // nobody could be told
  }
}

}  // namespace heed::cli
