/** Largest file that is read, in bytes. */
export const maxBytes: number = 4 * 1024 * 1024;

/** Most entries of one file. */
export const maxEntries = 50_000;

/**
 * Most lexical tokens of one file: 50 for each of the entries. A file of brackets or commas would
 * otherwise take the parser hundreds of bytes of memory for each of its own.
 */
export const maxTokens: number = 50 * maxEntries;

/** How deep a file may be nested; an entry needs 6 levels. */
export const maxDepth = 64;

/** How often aliases (`*name`) may be used in one file, merges (`<<`) included. */
export const maxAliases = 10_000;

/** How deep merges may refer to maps that merge others. */
export const maxMergeDepth = 8;

/** Most keys of one map of an entry; merged maps have their own. */
export const maxKeys = 256;

/** Most maps that one `<<` merges. */
export const maxMerged = 16;

/** Most labels of one entry. */
export const maxLabels = 64;

/** How many problems of one file are kept; the others are only counted. */
export const maxProblems = 1_000;

/** How many syntax errors are looked for before the file is given up. */
export const maxSyntaxErrors = 20;
