/*
 * libFuzzer target: every text that a user can give HCOMM as a setting.  The
 * first byte picks the reader, the rest is the text.  What is accepted must
 * read back as itself; nothing may be read out of bounds (build with the
 * address sanitizer).
 */

#include "config/cfg_log.h"
#include "config/cfg_param.h"
#include "config/cfg_units.h"
#include "config/cfg_words.h"
#include "device/dev_load.h"
#include "device/device.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

static void require(bool held)
{
    if (!held)
        abort();
}

static void read_amount(const char *text)
{
    char   printed[64];
    size_t amount, again;

    if (hc_units_bytes(text, &amount) != HCOMM_OK)
        return;
    snprintf(printed, sizeof printed, "%zu", amount);
    require(hc_units_bytes(printed, &again) == HCOMM_OK && again == amount);
}

static void read_quantities(const char *text)
{
    double value = -1;

    require(hc_units_seconds(text, &value) != HCOMM_OK || value >= 0);
    require(hc_units_rate(text, &value) != HCOMM_OK || value >= 0);
}

static void read_parameter(enum hc_param param, const char *text)
{
    if (param == HC_PARAM_LOG_FILE || param == HC_PARAM_LOG_LEVEL)
        return; /* would open files, or fill the terminal */
    if (hc_param_set(param, text, HC_PARAM_MCA) == HCOMM_OK)
        require(strcmp(hc_param_text(param), text) == 0);
    (void)hc_dev_is_emulated((const char *const[]){"nvidia", "amd", NULL});
    /* Where a vendor seems to be here, the check loads its library, whose leaks
     * are not ours to find. */
    (void)hc_param_set(HC_PARAM_EMULATE, "", HC_PARAM_MCA);
    (void)hc_dev_check_wanted();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    char *text;

    if (bytes == 0)
        return 0;
    hc_log_level = (enum hc_log_level) - 1;
    text = strndup((const char *)data + 1, bytes - 1);
    if (text == NULL)
        return 0;
    if (data[0] < HC_PARAM_COUNT) {
        read_parameter((enum hc_param)data[0], text);
    } else {
        read_amount(text);
        read_quantities(text);
        (void)hc_param_nearest(text);
        (void)hc_words_index(text, "error|warn|info");
    }
    free(text);
    return 0;
}
