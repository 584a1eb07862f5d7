#ifndef NETWORK_H
#define NETWORK_H

#include "examples/digits.h"

#include <stdint.h>

/*
 * A small network: 64 pixels, 32 rectified units, 10 classes.  It is computed
 * on the CPU, bit for bit the same in every run: what it is an example of is
 * how its numbers travel.
 */

enum {
    NETWORK_HIDDEN = 32,
    NETWORK_WEIGHTS = NETWORK_HIDDEN * (DIGIT_PIXELS + 1) +
                      DIGIT_CLASSES * (NETWORK_HIDDEN + 1),
};

/* Every gradient is a multiple of this, so that a sum of fp32 that stays below
 * 2^24 of it is exact, in whatever order it is made. */
#define NETWORK_GRAIN (1.0f / 65536)

/* weights [NETWORK_WEIGHTS] */
void network_init(float *weights, uint64_t seed);

/* The digit that the network sees. */
int network_predict(const float *weights, const struct digit *digit);

/* Add one digit's gradient, rounded to NETWORK_GRAIN, to gradient
 * [NETWORK_WEIGHTS].  Returns its loss, also a multiple of the grain. */
float network_gradient(const float *weights, const struct digit *digit,
                       float *gradient);

/* The next number of a generator; equal on every machine. */
uint64_t network_random(uint64_t *state);

/* A fingerprint of the weights' bits. */
uint64_t network_hash(const float *weights);

#endif
