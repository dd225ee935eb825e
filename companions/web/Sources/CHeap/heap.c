#include "CHeap.h"
#include <malloc.h>

void initweb_trim_heap(void) { malloc_trim(0); }
