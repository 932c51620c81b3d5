/* Giuthi 2x8x8 perft in C: the algorithm of mancala_ai/games/giuthi.py line by line, as a measure of the hardware.
 *
 * Build: cc -O3 -march=native giuthi_perft.c -o giuthi_perft
 * Run:   giuthi_perft DEPTH REPEATS     prints "leaves checksum best_seconds"
 *
 * The checksum is that of mancala_ai.counting, so that equal lines mean equal leaf positions.
 */
#define _POSIX_C_SOURCE 199309L
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { HOLES = 8, RING = 16, MOST = 144, PASS = RING, MAX_LAPS = 10000 };

typedef uint64_t word;
typedef struct { word pits[2], flags; } position; /* South's eight lanes, North's; flags as in mancala_ai/kernels.py */

static const word ONES = 0x0101010101010101, LOW = 0x7F7F7F7F7F7F7F7F, TWO_OR_MORE = 0xFEFEFEFEFEFEFEFE;
static const word SIDE = (word)1 << 61, ENDLESS = (word)1 << 62, OVER = (word)1 << 63;

static word sowing[2][RING][MOST + 1][2];    /* adding it lifts n seeds from a pit and sows them */
static uint8_t entered[2][RING][MOST + 1];   /* bit r: a seed falls into row r */
static word ranges[RING][HOLES + 1][2];      /* masks of n consecutive pits */

static inline word lanes_to_bits(word w) { /* bit i: lane i is not zero */
    return (((((w & LOW) + LOW) | w) & ~LOW) >> 7) * 0x0102040810204080 >> 56;
}

static inline unsigned get(const position *p, unsigned pit) { return (pit < 8 ? p->pits[0] : p->pits[1]) >> (pit & 7) * 8 & 255; }

static inline word lane_sum(word w) { return w * ONES >> 56; }

static inline position settle(position p) {
    if (!((p.pits[0] | p.pits[1]) & TWO_OR_MORE)) p.flags |= OVER;
    return p;
}

static position play(position p, unsigned move) {
    if (move == PASS) { p.flags ^= SIDE; return p; }
    position before = p;
    unsigned side = p.flags >> 61 & 1, own = HOLES * side, pit = own + (move >> 1), backward = move & 1;
    unsigned rows = 0, laps = 1;
    for (;;) {
        unsigned hand = get(&p, pit);
        const word *row = sowing[backward][pit][hand];
        p.pits[0] += row[0];
        p.pits[1] += row[1];
        rows |= entered[backward][pit][hand];
        pit = (pit + (backward ? RING * (MOST / RING + 1) - hand : hand)) % RING;
        if (get(&p, pit) == 1) break;
        if (laps == MAX_LAPS) { before.flags |= OVER | ENDLESS; return before; }
        laps++;
        backward ^= 1;
    }
    unsigned local = pit - own;
    if (local >= HOLES) { p.flags ^= SIDE; return settle(p); }
    if (!(rows >> (1 - side) & 1)) {
        if (!(p.pits[side] & TWO_OR_MORE)) p.flags ^= SIDE;
        return settle(p);
    }
    word occupied = lanes_to_bits(p.pits[side]);
    unsigned length, opposite;
    if (backward) {
        word below = occupied & (((word)1 << local) - 1);
        length = local - (below ? 64 - __builtin_clzll(below) : 0) + 1;
        opposite = RING - 1 - pit;
    } else {
        length = __builtin_ctzll(occupied >> (local + 1) | (word)1 << (HOLES - 1 - local)) + 1;
        opposite = RING - 1 - pit - (length - 1);
    }
    const word *targets = ranges[opposite][length];
    word gain = lane_sum(p.pits[0] & targets[0]) + lane_sum(p.pits[1] & targets[1]) + 1;
    p.pits[0] &= ~targets[0] & ~ranges[pit][1][0];
    p.pits[1] &= ~targets[1] & ~ranges[pit][1][1];
    p.flags = (p.flags ^ SIDE) + (gain << (40 + 8 * side));
    return settle(p);
}

static word checksum;

static word perft(position p, int depth) {
    word count = 0, legal = lanes_to_bits(p.pits[p.flags >> 61 & 1] & TWO_OR_MORE);
    int pass = !legal;
    while (legal || pass) {
        unsigned first = pass ? PASS : 2 * __builtin_ctzll(legal), last = pass ? PASS : first + 1;
        for (unsigned move = first; move <= last; move++) {
            position after = play(p, move);
            if (depth == 1) {
                const word mix = 0x9E3779B97F4A7C15;
                count++;
                checksum += (after.pits[0] * mix + after.pits[1]) * mix + after.flags;
            } else if (!(after.flags & OVER)) {
                count += perft(after, depth - 1);
            }
        }
        legal &= legal - 1;
        pass = 0;
    }
    return count;
}

static void make_tables(void) {
    for (int d = 0; d < 2; d++)
        for (int start = 0; start < RING; start++)
            for (int n = 0; n <= MOST; n++) {
                word *row = sowing[d][start][n];
                for (int seed = 1; seed <= n; seed++) {
                    int pit = ((start + (d ? -seed : seed)) % RING + RING) % RING;
                    row[pit / 8] += (word)1 << 8 * (pit % 8);
                    entered[d][start][n] |= 1 << pit / HOLES;
                }
                row[start / 8] -= (word)n << 8 * (start % 8);
            }
    for (int first = 0; first < RING; first++)
        for (int n = 0; n <= HOLES; n++)
            for (int pit = first; pit < first + n && pit < RING; pit++)
                ranges[first][n][pit / 8] |= (word)255 << 8 * (pit % 8);
}

int main(int argc, char **argv) {
    if (argc != 3) { fprintf(stderr, "usage: giuthi_perft DEPTH REPEATS\n"); return 2; }
    make_tables();
    position start = {{8 * ONES, 8 * ONES}, 0};
    double best = 1e9;
    word leaves = 0;
    for (int i = 0; i < atoi(argv[2]); i++) {
        struct timespec from, to;
        checksum = 0;
        clock_gettime(CLOCK_MONOTONIC, &from);
        leaves = perft(start, atoi(argv[1]));
        clock_gettime(CLOCK_MONOTONIC, &to);
        double seconds = (to.tv_sec - from.tv_sec) + (to.tv_nsec - from.tv_nsec) * 1e-9;
        if (seconds < best) best = seconds;
    }
    printf("%llu %llu %.6f\n", (unsigned long long)leaves, (unsigned long long)checksum, best);
    return 0;
}
