#include "apps/server/page.h"

namespace heed::server {

std::string_view page_html() {
  return R"(<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>heed</title></head>
<body>
<h1>heed serve</h1>
<p>The server runs. <a href="/health">/health</a>, <a href="/api/models">/api/models</a>,
<a href="/v1/models">/v1/models</a>, <a href="/metrics">/metrics</a>.</p>
</body>
</html>
)";
}

}  // namespace heed::server
