const UNITS = ["B", "kB", "MB", "GB", "TB"] as const;

/** A size for people: three digits or so, in thousands, never rounded down to nothing. */
export function formatBytes(bytes: number): string {
  const place = Math.min(UNITS.length - 1, Math.max(0, Math.floor(Math.log10(Math.max(1, bytes)) / 3)));
  const value = bytes / 1000 ** place;
  return `${place === 0 ? value : value.toFixed(1)} ${UNITS[place]}`;
}
