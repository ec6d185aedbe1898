// How dated delegate listings lie in a version: a file a DAO and month, a line a day, in order of days. A line is exactly
// one listing as canonical JSON; its day stands in the same row of `days.csv`, and in the index.

/** The month of a day, whose file holds the day's listing. */
export function monthOf(date: string): string {
  return date.slice(0, "2026-10".length);
}

/** Days by their months; what comes in order stays in order. */
export function byMonth<Day extends { readonly date: string }>(
  days: readonly Day[],
): readonly { readonly month: string; readonly days: readonly Day[] }[] {
  const months = new Map<string, Day[]>();
  for (const day of days) {
    const month = monthOf(day.date);
    const own = months.get(month);
    if (own === undefined) months.set(month, [day]);
    else own.push(day);
  }
  return [...months].map(([month, own]) => ({ month, days: own }));
}

/** Where a line lies in its file, its newline included. */
export interface LineSpan {
  readonly offset: number;
  readonly bytes: number;
}

/** The lines of a file, one after the other without a gap. */
export function lineSpans(file: Buffer): readonly LineSpan[] {
  const spans: LineSpan[] = [];
  for (let offset = 0; offset < file.length; ) {
    const newline = file.indexOf(0x0a, offset);
    const end = newline < 0 ? file.length : newline + 1;
    spans.push({ offset, bytes: end - offset });
    offset = end;
  }
  return spans;
}
