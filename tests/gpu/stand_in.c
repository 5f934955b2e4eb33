/*
 * Stands in for NVIDIA's management library, so that the real binding can be driven
 * without a card.  Built by the tests as libnvidia-ml.so.1.
 *
 * What it answers is read at every call from the file that STAND_IN names, a word and its
 * values per line:
 *
 *   version TEXT                          the driver's
 *   device TOTAL USED MIG                 MiB, and 1 where it is cut into parts
 *   part DEVICE TOTAL USED                one of those parts
 *   holds DEVICE|PART PID MIB KIND        c or g; -1 MiB: the driver does not tell.
 *                                         Parts are counted from 100.
 *   error CODE CALL                       what CALL answers (a part of its name)
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef unsigned long long u64;
typedef struct { u64 total, free, used; } first_memory;
typedef struct { unsigned version; u64 total, reserved, free, used; } second_memory;
typedef struct { unsigned pid; u64 used; unsigned instance, compute; } process;

enum { FINE = 0, ARGUMENT = 2, NOT_FOUND = 6, TOO_SMALL = 7, NO_DRIVER = 9 };
#define PARTS 100
#define MIB (1ULL << 20)

/* Call `line` for every line of the figures; the code that is ordered for `call`. */
static int figures(const char *call, void (*line)(const char *, void *), void *into) {
    const char *path = getenv("STAND_IN");
    FILE *file = path ? fopen(path, "r") : NULL;
    char text[256];
    int ordered = FINE;
    if (!file) return NO_DRIVER;
    while (fgets(text, sizeof text, file)) {
        int code;
        char part[64];
        if (sscanf(text, "error %d %63s", &code, part) == 2 && strstr(call, part)) ordered = code;
        if (line) line(text, into);
    }
    fclose(file);
    return ordered;
}

struct search { int wanted, at, mig, kind; long long total, used; unsigned count, room; process *out; };

static void one_device(const char *text, void *into) {
    struct search *s = into;
    long long total, used;
    int mig, of;
    if (s->wanted < PARTS && sscanf(text, "device %lld %lld %d", &total, &used, &mig) == 3) {
        if (s->at++ == s->wanted) { s->total = total; s->used = used; s->mig = mig; }
    } else if (s->wanted >= PARTS && sscanf(text, "part %d %lld %lld", &of, &total, &used) == 3) {
        if (s->at++ == s->wanted - PARTS) { s->total = total; s->used = used; }
    }
}

static void one_process(const char *text, void *into) {
    struct search *s = into;
    int where;
    unsigned pid;
    long long mib;
    char kind;
    if (sscanf(text, "holds %d %u %lld %c", &where, &pid, &mib, &kind) != 4) return;
    if (where != s->wanted || kind != s->kind) return;
    if (s->out && s->count < s->room) {
        s->out[s->count].pid = pid;
        s->out[s->count].used = mib < 0 ? ~0ULL : (u64)mib * MIB;
        s->out[s->count].instance = s->out[s->count].compute = ~0U;
    }
    s->count++;
}

static int search(const char *call, void *handle, struct search *s) {
    memset(s, 0, sizeof *s);
    s->wanted = (int)(long)handle - 1;
    s->total = -1;
    int code = figures(call, one_device, s);
    if (code) return code;
    return s->total < 0 ? ARGUMENT : FINE;
}

static int text(const char *said, char *out, unsigned size) {
    if (strlen(said) >= size) return TOO_SMALL;
    strcpy(out, said);
    return FINE;
}

int nvmlInitWithFlags(unsigned flags) { (void)flags; return figures(__func__, NULL, NULL); }
int nvmlInit_v2(void) { return figures(__func__, NULL, NULL); }
int nvmlShutdown(void) { return FINE; }
const char *nvmlErrorString(int code) { return code == 15 ? "GPU is lost" : "as ordered"; }

static void version(const char *line, void *into) { sscanf(line, "version %79s", (char *)into); }
int nvmlSystemGetDriverVersion(char *out, unsigned size) {
    char said[80] = "580.1";
    int code = figures(__func__, version, said);
    return code ? code : text(said, out, size);
}

static void count(const char *line, void *into) { if (!strncmp(line, "device ", 7)) ++*(unsigned *)into; }
int nvmlDeviceGetCount_v2(unsigned *out) { *out = 0; return figures(__func__, count, out); }
int nvmlDeviceGetHandleByIndex_v2(unsigned index, void **out) {
    struct search s;
    *out = (void *)(long)(index + 1);
    return search(__func__, *out, &s);
}
int nvmlDeviceGetUUID(void *card, char *out, unsigned size) {
    char said[64];
    snprintf(said, sizeof said, "%s-%d", (long)card > PARTS ? "MIG" : "GPU", (int)(long)card - 1);
    int code = figures(__func__, NULL, NULL);
    return code ? code : text(said, out, size);
}
int nvmlDeviceGetName(void *card, char *out, unsigned size) { (void)card; return text("Stand-in 9000", out, size); }
int nvmlDeviceGetMemoryInfo(void *card, first_memory *out) {
    struct search s;
    int code = search(__func__, card, &s);
    if (code) return code;
    /* The old call counts what the driver has set aside: 300 MiB. */
    out->total = (u64)s.total * MIB;
    out->used = (u64)(s.used + 300) * MIB;
    out->free = out->total - out->used;
    return FINE;
}
int nvmlDeviceGetMemoryInfo_v2(void *card, second_memory *out) {
    struct search s;
    int code = search(__func__, card, &s);
    if (code) return code;
    out->total = (u64)s.total * MIB;
    out->reserved = 300 * MIB;
    out->used = (u64)s.used * MIB;
    out->free = out->total - out->used - out->reserved;
    return FINE;
}
static int holders(const char *call, void *card, unsigned *size, process *out, int kind) {
    struct search s;
    int code = search(call, card, &s);
    if (code) return code;
    s.kind = kind; s.count = 0; s.room = *size; s.out = out;
    figures(call, one_process, &s);
    *size = s.count;
    return s.count > s.room ? TOO_SMALL : FINE;
}
int nvmlDeviceGetComputeRunningProcesses_v3(void *c, unsigned *n, process *o) { return holders(__func__, c, n, o, 'c'); }
int nvmlDeviceGetGraphicsRunningProcesses_v3(void *c, unsigned *n, process *o) { return holders(__func__, c, n, o, 'g'); }
int nvmlDeviceGetUtilizationRates(void *card, unsigned *out) {
    (void)card;
    out[0] = 45; out[1] = 10;
    return figures(__func__, NULL, NULL);
}
int nvmlDeviceGetTemperature(void *card, unsigned sensor, unsigned *out) {
    (void)card; (void)sensor;
    *out = 61;
    return figures(__func__, NULL, NULL);
}
int nvmlDeviceGetPowerUsage(void *card, unsigned *out) {
    (void)card;
    *out = 123000;
    return figures(__func__, NULL, NULL);
}
int nvmlDeviceGetMigMode(void *card, unsigned *now, unsigned *next) {
    struct search s;
    int code = search(__func__, card, &s);
    *now = *next = s.mig;
    return code;
}
int nvmlDeviceGetMaxMigDeviceCount(void *card, unsigned *out) { (void)card; *out = 7; return FINE; }
int nvmlDeviceGetMigDeviceHandleByIndex(void *card, unsigned index, void **out) {
    struct search s;
    (void)card;
    *out = (void *)(long)(PARTS + index + 1);
    return search(__func__, *out, &s) ? NOT_FOUND : FINE;
}
