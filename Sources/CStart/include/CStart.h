#pragma once
// This target has no functions to call; it only needs to be linked. See start.c.
