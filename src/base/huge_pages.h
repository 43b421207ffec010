/* src/base/huge_pages.h - a heap in large pages of the host, for a process of
 * our own. A machine of 80 SMs is tens of MB in small pieces that are all used
 * all the time: in pages of 4 KB each of some ten thousand first has to be
 * asked for, and later misses in the host's TLB. */
#ifndef BASE_HUGE_PAGES_H
#define BASE_HUGE_PAGES_H

/* The next 128 MB of malloc's heap lie in large pages, where the host has them;
 * what is not used takes no memory, but for the rest of a page. Changes malloc
 * for the whole process: not for libraries. Call it before there are threads.
 */
void huge_pages_use(void);

#endif
