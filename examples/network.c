#include "examples/network.h"

#include <math.h>
#include <string.h>

/* Where the parts lie in the vector of weights. */
enum {
    HIDDEN_BIAS = NETWORK_HIDDEN * DIGIT_PIXELS,
    OUT = HIDDEN_BIAS + NETWORK_HIDDEN,
    OUT_BIAS = OUT + DIGIT_CLASSES * NETWORK_HIDDEN,
};

struct activity {
    float pixel[DIGIT_PIXELS];
    float hidden[NETWORK_HIDDEN];
    float share[DIGIT_CLASSES]; /* the classes' probabilities */
};

/* xorshift64*: Vigna, ACM Trans. Math. Softw. 42(4), 2016. */
uint64_t network_random(uint64_t *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return *state * UINT64_C(2685821657736338717);
}

/* Uniform in -limit..limit. */
static void fill(float *values, int count, float limit, uint64_t *state)
{
    for (int i = 0; i < count; i++) {
        float unit = (float)(network_random(state) >> 40) / (1 << 24);

        values[i] = (2 * unit - 1) * limit;
    }
}

void network_init(float *weights, uint64_t seed)
{
    memset(weights, 0, NETWORK_WEIGHTS * sizeof *weights);
    fill(weights, HIDDEN_BIAS, sqrtf(6.0f / DIGIT_PIXELS), &seed);
    fill(weights + OUT, OUT_BIAS - OUT, sqrtf(6.0f / NETWORK_HIDDEN), &seed);
}

static void softmax(float *score)
{
    float most = score[0];
    float sum = 0;

    for (int c = 1; c < DIGIT_CLASSES; c++)
        most = fmaxf(most, score[c]);
    for (int c = 0; c < DIGIT_CLASSES; c++) {
        score[c] = expf(score[c] - most);
        sum += score[c];
    }
    for (int c = 0; c < DIGIT_CLASSES; c++)
        score[c] /= sum;
}

static void forward(const float *weights, const struct digit *digit,
                    struct activity *a)
{
    for (int i = 0; i < DIGIT_PIXELS; i++)
        a->pixel[i] = (float)digit->pixel[i] / DIGIT_LEVEL_MAX;
    for (int h = 0; h < NETWORK_HIDDEN; h++) {
        float sum = weights[HIDDEN_BIAS + h];

        for (int i = 0; i < DIGIT_PIXELS; i++)
            sum += weights[h * DIGIT_PIXELS + i] * a->pixel[i];
        a->hidden[h] = sum > 0 ? sum : 0;
    }
    for (int c = 0; c < DIGIT_CLASSES; c++) {
        a->share[c] = weights[OUT_BIAS + c];
        for (int h = 0; h < NETWORK_HIDDEN; h++)
            a->share[c] += weights[OUT + c * NETWORK_HIDDEN + h] * a->hidden[h];
    }
    softmax(a->share);
}

int network_predict(const float *weights, const struct digit *digit)
{
    struct activity a;
    int             best = 0;

    forward(weights, digit, &a);
    for (int c = 1; c < DIGIT_CLASSES; c++)
        if (a.share[c] > a.share[best])
            best = c;
    return best;
}

static float rounded(float value)
{
    return rintf(value / NETWORK_GRAIN) * NETWORK_GRAIN;
}

float network_gradient(const float *weights, const struct digit *digit,
                       float *gradient)
{
    struct activity a;
    float           loss;

    forward(weights, digit, &a);
    loss = -logf(fmaxf(a.share[digit->label], 1e-12f));
    a.share[digit->label] -= 1; /* now the loss's slope at the scores */

    for (int h = 0; h < NETWORK_HIDDEN; h++) {
        float slope = 0;

        if (a.hidden[h] <= 0)
            continue; /* a unit at rest learns nothing */
        for (int c = 0; c < DIGIT_CLASSES; c++) {
            slope += weights[OUT + c * NETWORK_HIDDEN + h] * a.share[c];
            gradient[OUT + c * NETWORK_HIDDEN + h] +=
                rounded(a.share[c] * a.hidden[h]);
        }
        for (int i = 0; i < DIGIT_PIXELS; i++)
            gradient[h * DIGIT_PIXELS + i] += rounded(slope * a.pixel[i]);
        gradient[HIDDEN_BIAS + h] += rounded(slope);
    }
    for (int c = 0; c < DIGIT_CLASSES; c++)
        gradient[OUT_BIAS + c] += rounded(a.share[c]);
    return rounded(loss);
}

/* FNV-1a. */
uint64_t network_hash(const float *weights)
{
    const unsigned char *byte = (const unsigned char *)weights;
    uint64_t             hash = UINT64_C(14695981039346656037);

    for (size_t i = 0; i < NETWORK_WEIGHTS * sizeof *weights; i++)
        hash = (hash ^ byte[i]) * UINT64_C(1099511628211);
    return hash;
}
