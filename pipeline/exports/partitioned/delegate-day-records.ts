import { DelegateDay } from "../../../snapshots/format/delegate-day.ts";

/** The rows of a `days.csv`, which the version's manifest vouches for; no field of it holds a comma or a quote. */
export function* delegateDayRecords(spaceId: string, bytes: Buffer): Generator<object> {
  const [, ...lines] = bytes.toString("utf8").trimEnd().split("\n");
  for (const line of lines) {
    const [date, block, as_of, source, delegates, total] = line.split(",");
    yield {
      space_id: spaceId,
      ...DelegateDay.parse({
        date,
        block: block === "" ? null : Number(block),
        as_of,
        source,
        delegates: Number(delegates),
        total_votes: Number(total),
      }),
    };
  }
}
