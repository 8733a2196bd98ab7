// How long a client may take, and how much it may send.
#pragma once

#include <cstddef>

namespace heed::server {

struct HttpLimits {
  size_t head_bytes = 64 << 10;  // request line and headers
  size_t body_bytes = 2 << 20;   // after decompression
  double head_seconds = 10;      // for all of the head
  double body_seconds = 60;      // for all of the body
  double idle_seconds = 30;      // between two requests of a connection
  double write_seconds = 30;     // for the client to take some bytes
  int connections = 256;         // more are answered with 503
};

}  // namespace heed::server
