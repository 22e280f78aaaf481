#include "methods/der/der_kernels.h"

#include <random>

#include "math/transport.h"
#include "testing/finite_difference.h"
#include "testing/random_rods.h"
#include "testing/sentence.h"

