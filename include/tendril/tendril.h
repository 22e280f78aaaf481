// Everything: #include "tendril/tendril.h"
#pragma once

#include "tendril/frame.h"
#include "tendril/live.h"
#include "tendril/method.h"
#include "tendril/problem.h"
#include "tendril/record.h"
#include "tendril/scene.h"
#include "tendril/simulate.h"
#include "tendril/types.h"
