/** Where waiting between attempts starts, and where doubling ends. */
export interface BackOff {
  readonly firstMs: number;
  readonly longestMs: number;
}

/** The wait after the n-th failed attempt: doubled each time, then between half and all of it, so that many do not return at once. */
export function backOffMs({ firstMs, longestMs }: BackOff, attempt: number, random: number): number {
  const fullMs = Math.min(longestMs, firstMs * 2 ** (attempt - 1));
  return fullMs * (0.5 + random / 2);
}
