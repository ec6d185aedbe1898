// How a version stores dated delegate listings: one file per DAO and month, one line per day, ascending. A line is
// exactly one listing as canonical JSON. Its date is in the index and in `days.csv`, in the same order.

/** The month (`YYYY-MM`) of a day; the month's file holds the day's listing. */
export function monthOf(date: string): string {
  return date.slice(0, "2026-10".length);
}

export function byMonth<Day extends { readonly date: string }>(
  days: readonly Day[],
): readonly { readonly month: string; readonly days: readonly Day[] }[] {
  const months = new Map<string, Day[]>();
  for (const day of days) {
    const month = monthOf(day.date);
    const monthDays = months.get(month);
    if (monthDays === undefined) months.set(month, [day]);
    else monthDays.push(day);
  }
  return [...months].map(([month, monthDays]) => ({ month, days: monthDays }));
}

/** Position of a line in its file, newline included. */
export type LineSpan = ReturnType<typeof lineSpans>[number];

export function lineSpans(file: Buffer) {
  const spans: { readonly offset: number; readonly bytes: number }[] = [];
  for (let offset = 0; offset < file.length; ) {
    const newline = file.indexOf(0x0a, offset);
    const end = newline < 0 ? file.length : newline + 1;
    spans.push({ offset, bytes: end - offset });
    offset = end;
  }
  return spans;
}
