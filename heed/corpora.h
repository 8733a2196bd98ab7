// The small worlds that the program makes up to train on.
#pragma once

#include "heed/corpora/context_corpus.h"
#include "heed/corpora/context_labels.h"
#include "heed/corpora/corpus_part.h"
#include "heed/corpora/date_corpus.h"
#include "heed/corpora/phrase_corpus.h"
#include "heed/corpora/picture_corpus.h"
#include "heed/corpora/report_corpus.h"
#include "heed/corpora/reversed_corpus.h"
#include "heed/corpora/tone_corpus.h"
#include "heed/corpora/world_corpus.h"
