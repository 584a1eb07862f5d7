#include "tools/hcc_report.h"

#include "hcomm.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_WIDTH = 12 }; /* columns */

void hcc_report_free(struct hcc_report *r)
{
    for (size_t i = 0; i < r->count; i++) {
        free(r->lines[i].text);
        free(r->lines[i].fix);
    }
    free(r->lines);
    *r = (struct hcc_report){0};
}

static char *format_text(const char *format, va_list args)
{
    char *text = NULL;

    return vasprintf(&text, format, args) < 0 ? NULL : text;
}

void hcc_say(struct hcc_report *r, enum hcc_verdict verdict, const char *name,
             const char *format, ...)
{
    struct hcc_line *grown;
    va_list          args;
    char            *text;

    va_start(args, format);
    text = format_text(format, args);
    va_end(args);
    grown = realloc(r->lines, (r->count + 1) * sizeof *grown);
    if (grown != NULL)
        r->lines = grown;
    if (grown == NULL || text == NULL) {
        free(text);
        r->failed = true;
        return;
    }
    r->lines[r->count++] =
        (struct hcc_line){.verdict = verdict, .name = name, .text = text};
}

void hcc_fix(struct hcc_report *r, const char *format, ...)
{
    va_list args;
    char   *text;

    if (r->failed || r->count == 0)
        return;
    va_start(args, format);
    text = format_text(format, args);
    va_end(args);
    r->failed = text == NULL;
    free(r->lines[r->count - 1].fix);
    r->lines[r->count - 1].fix = text;
}

enum hcc_verdict hcc_report_worst(const struct hcc_report *r)
{
    enum hcc_verdict worst = r->failed ? HCC_FAIL : HCC_OK;

    for (size_t i = 0; i < r->count; i++)
        if (r->lines[i].verdict > worst)
            worst = r->lines[i].verdict;
    return worst;
}

static const char *verdict_word(enum hcc_verdict verdict)
{
    static const char *const words[] = {"OK", "NONE", "WARN", "FAIL"};

    return words[verdict];
}

void hcc_report_print(const struct hcc_report *r, const char *last, FILE *file)
{
    for (size_t i = 0; i < r->count; i++) {
        const struct hcc_line *line = &r->lines[i];

        fprintf(file, "%-4s  %-*s  %s\n", verdict_word(line->verdict),
                NAME_WIDTH, line->name, line->text);
        if (line->fix != NULL)
            fprintf(file, "      %-*s  fix: %s\n", NAME_WIDTH, "", line->fix);
    }
    fprintf(file, "\n%s\n", last);
}

/* A JSON string; what is no ASCII passes as it came if it is UTF-8. */
static void print_string(const char *text, FILE *file)
{
    fputc('"', file);
    for (; *text != '\0'; text++) {
        unsigned char c = (unsigned char)*text;

        if (c == '"' || c == '\\')
            fprintf(file, "\\%c", c);
        else if (c < 0x20 || c == 0x7f)
            fprintf(file, "\\u%04x", c);
        else
            fputc(c, file);
    }
    fputc('"', file);
}

static void print_member(const char *key, const char *value, const char *after,
                         FILE *file)
{
    fprintf(file, "\"%s\": ", key);
    print_string(value, file);
    fputs(after, file);
}

void hcc_report_print_json(const struct hcc_report *r, const char *last,
                           int devices, bool emulated, FILE *file)
{
    fputs("{", file);
    print_member("version", hcomm_version(), ",\n ", file);
    print_member("verdict", verdict_word(hcc_report_worst(r)), ",\n ", file);
    fprintf(file, "\"devices\": %d,\n \"emulated\": %s,\n ", devices,
            emulated ? "true" : "false");
    print_member("summary", last, ",\n \"checks\": [", file);
    for (size_t i = 0; i < r->count; i++) {
        const struct hcc_line *line = &r->lines[i];

        fputs(i > 0 ? ",\n  {" : "\n  {", file);
        print_member("check", line->name, ", ", file);
        print_member("verdict", verdict_word(line->verdict), ", ", file);
        print_member("text", line->text, ", ", file);
        if (line->fix != NULL)
            print_member("fix", line->fix, "}", file);
        else
            fputs("\"fix\": null}", file);
    }
    fputs("\n ]}\n", file);
}
