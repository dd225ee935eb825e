// Gives free memory back to the system: the allocator itself gives back only the end of its heaps.
void initweb_trim_heap(void);
