/** Milliseconds of a UTC day, which always has the same length. */
export const DAY_MS = 86_400_000;
