#pragma once
// Nothing to call: linking this target is its use. See start.c.
