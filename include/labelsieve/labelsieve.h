#pragma once

// Everything a program needs to learn from candidate labels, to predict, to clean and to audit. The
// headers below say more about each part; examples/quickstart.cpp shows most of it on one page.

#include "labelsieve/claims.h"
#include "labelsieve/crowd.h"
#include "labelsieve/data_io.h"
#include "labelsieve/dataset.h"
#include "labelsieve/error.h"
#include "labelsieve/learner.h"
#include "labelsieve/methods.h"
#include "labelsieve/metrics.h"
#include "labelsieve/model_io.h"
#include "labelsieve/pipeline.h"
#include "labelsieve/predict.h"
#include "labelsieve/prepare.h"
#include "labelsieve/threads.h"
