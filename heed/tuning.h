// Tuning a language model: conversations, rewards, alignment.
#pragma once

#include "heed/tuning/tune.h"
