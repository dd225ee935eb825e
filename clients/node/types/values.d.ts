/** A name in the protocol: one of these names, or a name that a later supervisor adds. */
export type Word<Known extends string> = Known | (string & {});

/** Any JSON value. */
export type Json = null | boolean | number | string | Json[] | { [name: string]: Json };
