/** Largest file that is read, bytes; what a key's value may be, too. */
export const maxValueBytes: number = 1024 * 1024;

/** Most files that one bucket's directory may hold. */
export const maxFiles = 100_000;

/** Longest name of a file, bytes (NAME_MAX of Linux, macOS and others). */
export const maxNameBytes = 255;

/** How many files are worked on at once. */
export const parallelism = 32;
