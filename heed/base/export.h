// HEED_API marks what the library exports; everything else is hidden.
#pragma once

#define HEED_API __attribute__((visibility("default")))
