/* A plain reader and depth pooler of TREC runs, as one writes it in C: the yardstick of tests/benchmarks.

   reader DEPTH POOLED RUN... reads and checks every run (six columns, one tag, finite scores, no document
   twice in a topic) and prints the pool of the first POOLED as sorted lines "topic docno". Ties are broken as
   trec_eval does. Errors end the program: a yardstick needs no kinder word. */

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    const char *docno;
    double score;
} Line;

typedef struct {
    char *name;
    Line *lines;
    size_t count, room;
    char **pool; /* open addressing, `slots` a power of 2 */
    size_t pooled, slots;
} Topic;

static Topic *topics;
static size_t topic_count;

static void fail(const char *file, size_t line, const char *what) {
    fprintf(stderr, "%s:%zu: %s\n", file, line, what);
    exit(1);
}

static void *sized(void *old, size_t bytes) {
    void *new = realloc(old, bytes);
    if (!new && bytes) fail("memory", bytes, "no more of it");
    return new;
}

static uint64_t hash(const char *text) {
    uint64_t h = 14695981039346656037u; /* FNV-1a */
    for (; *text; text++) h = (h ^ (unsigned char)*text) * 1099511628211u;
    return h ^ h >> 32;
}

static Topic *topic_named(const char *name) {
    for (size_t i = 0; i < topic_count; i++)
        if (!strcmp(topics[i].name, name)) return &topics[i];
    topics = sized(topics, (topic_count + 1) * sizeof *topics);
    memset(&topics[topic_count], 0, sizeof *topics);
    topics[topic_count].name = strdup(name);
    return &topics[topic_count++];
}

/* Puts a docno into a set of pointers; 0 where it was there already. */
static int put(char **set, size_t slots, char *docno) {
    size_t at = hash(docno) & (slots - 1);
    for (; set[at]; at = (at + 1) & (slots - 1))
        if (!strcmp(set[at], docno)) return 0;
    set[at] = docno;
    return 1;
}

static int better_first(const void *a, const void *b) {
    const Line *x = a, *y = b;
    if (x->score != y->score) return x->score > y->score ? -1 : 1;
    return -strcmp(x->docno, y->docno);
}

static void check_repeats(const char *file, Topic *topic) {
    size_t slots = 1;
    while (slots < 2 * topic->count) slots *= 2;
    char **set = calloc(slots, sizeof *set);
    for (size_t i = 0; i < topic->count; i++)
        if (!put(set, slots, (char *)topic->lines[i].docno)) fail(file, i + 1, "a document twice");
    free(set);
}

static void pool_first(Topic *topic, size_t depth) {
    for (size_t i = 0; i < depth && i < topic->count; i++) {
        if (2 * topic->pooled >= topic->slots) {
            size_t slots = topic->slots ? 2 * topic->slots : 1024;
            char **grown = calloc(slots, sizeof *grown);
            for (size_t j = 0; j < topic->slots; j++)
                if (topic->pool[j]) put(grown, slots, topic->pool[j]);
            free(topic->pool);
            topic->pool = grown;
            topic->slots = slots;
        }
        char *kept = strdup(topic->lines[i].docno);
        if (put(topic->pool, topic->slots, kept)) topic->pooled++;
        else free(kept);
    }
}

static char *whole(const char *file) {
    FILE *in = fopen(file, "rb");
    if (!in) fail(file, 0, "cannot be opened");
    fseek(in, 0, SEEK_END);
    size_t size = (size_t)ftell(in);
    rewind(in);
    char *text = sized(NULL, size + 1);
    if (fread(text, 1, size, in) != size) fail(file, 0, "cannot be read");
    text[size] = 0;
    fclose(in);
    return text;
}

static int is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

static void read_lines(const char *file, char *text) {
    Topic *topic = NULL;
    char *tag = NULL, *at = text;
    for (size_t number = 1; *at; number++) {
        char *column[6];
        size_t columns = 0;
        int more = 1;
        while (more) {
            while (is_space(*at) && *at != '\n') at++;
            if (!*at) break;
            if (*at == '\n') {
                at++;
                break;
            }
            if (columns == 6) fail(file, number, "more than six columns");
            column[columns++] = at;
            while (*at && !is_space(*at)) at++;
            more = *at && *at != '\n';
            if (*at) *at++ = 0;
        }
        if (!columns) continue;
        if (columns < 6) fail(file, number, "fewer than six columns");
        if (!topic || strcmp(topic->name, column[0])) topic = topic_named(column[0]);
        if (!tag) tag = column[5];
        else if (strcmp(tag, column[5])) fail(file, number, "another tag");
        char *end;
        double score = strtod(column[4], &end);
        if (*end || !isfinite(score)) fail(file, number, "the score is no finite number");
        if (topic->count == topic->room) {
            topic->room = topic->room ? 2 * topic->room : 1024;
            topic->lines = sized(topic->lines, topic->room * sizeof *topic->lines);
        }
        topic->lines[topic->count++] = (Line){column[2], score};
    }
}

static void read_run(const char *file, size_t depth, int pooled) {
    char *text = whole(file);
    for (size_t i = 0; i < topic_count; i++) topics[i].count = 0;
    read_lines(file, text);
    for (size_t i = 0; i < topic_count; i++) {
        check_repeats(file, &topics[i]);
        qsort(topics[i].lines, topics[i].count, sizeof(Line), better_first);
        if (pooled) pool_first(&topics[i], depth);
    }
    free(text);
}

static int by_name(const void *a, const void *b) {
    return strcmp(((const Topic *)a)->name, ((const Topic *)b)->name);
}

static int by_docno(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

static void print_pool(void) {
    qsort(topics, topic_count, sizeof *topics, by_name);
    for (size_t i = 0; i < topic_count; i++) {
        Topic *topic = &topics[i];
        size_t count = 0;
        for (size_t j = 0; j < topic->slots; j++)
            if (topic->pool[j]) topic->pool[count++] = topic->pool[j];
        qsort(topic->pool, count, sizeof *topic->pool, by_docno);
        for (size_t j = 0; j < count; j++) printf("%s %s\n", topic->name, topic->pool[j]);
    }
}

int main(int count, char **names) {
    if (count < 4) fail("usage", 0, "reader DEPTH POOLED RUN...");
    size_t depth = strtoul(names[1], NULL, 10);
    int pooled = atoi(names[2]);
    for (int i = 3; i < count; i++) read_run(names[i], depth, i - 3 < pooled);
    print_pool();
    return 0;
}
