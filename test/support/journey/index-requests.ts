import type { DgiHistory } from "../../../snapshots/format/dao.ts";
import { ENVELOPES } from "../../../snapshots/format/envelope.ts";
import { DGI_PERIOD_DAYS } from "../../../snapshots/format/limits.ts";
import { DGI_PERIODS } from "../../../snapshots/format/value-sets.ts";
import { type JourneyRequest, type JourneySubjects, metaOf, type Promised, sameForAll } from "./promised.ts";

/** The index, and its history in every period. */
export function indexRequests({ published }: JourneySubjects): JourneyRequest[] {
  const meta = metaOf(published);
  const history = published.json("dgi-history.json") as DgiHistory;
  const lastMs = Date.parse(`${meta.as_of.slice(0, 10)}T00:00:00.000Z`);
  const period = (name: keyof typeof DGI_PERIOD_DAYS): Promised => {
    const first = new Date(lastMs - (DGI_PERIOD_DAYS[name] - 1) * 86_400_000).toISOString().slice(0, 10);
    const values = history.values.filter((point) => point.date >= first);
    return {
      status: 200,
      shape: ENVELOPES["dgi-history"],
      data: JSON.stringify({ period: name, values }),
      meta,
      isEntity: false,
    };
  };
  const { interval, ...index } = published.json("dgi.json") as { readonly interval: object };
  const now: Promised = {
    status: 200,
    shape: ENVELOPES.dgi,
    data: JSON.stringify(index),
    meta: { ...meta, interval },
    isEntity: false,
  };
  return [
    sameForAll("the index", "/v1/dgi", now),
    sameForAll("30 days unless asked", "/v1/dgi/history", period("30d")),
    ...DGI_PERIODS.map((name) => sameForAll("a period", `/v1/dgi/history?period=${name}`, period(name))),
  ];
}
