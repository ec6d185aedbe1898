import type { Dgi, DgiHistory } from "../../snapshots/format/dao.ts";
import { dayOf, timestampOf } from "../../snapshots/format/ids.ts";
import { DGI_PERIOD_DAYS } from "../../snapshots/format/limits.ts";
import { endedDayEndsMs } from "../facts/days.ts";
import type { GovernanceIndex } from "../score/ranking/governance-index.ts";
import { published, publishedComponents } from "./scored-dao.ts";

/** The longest period a caller may ask for; the shorter ones are its tails. */
const PERIOD = "365d";

/** `dgi.json`; `undefined` where too few DAOs are members for an index. */
export function buildDgi(index: GovernanceIndex | undefined): Dgi | undefined {
  if (index === undefined) return undefined;
  return {
    composite: published(index.composite),
    components: publishedComponents(index.components),
    dao_count: index.daoCount,
    calculated_at: timestampOf(index.asOfMs),
  };
}

/** `dgi-history.json`: the points of the 365 days that end with the last ended one; `undefined` where there never was an index. */
export function buildDgiHistory(
  asOfMs: number,
  index: GovernanceIndex | undefined,
  indexHistory: readonly GovernanceIndex[],
): DgiHistory | undefined {
  const days = new Set(endedDayEndsMs(asOfMs, DGI_PERIOD_DAYS[PERIOD]).map(dayOf));
  const values = indexHistory
    .filter((point) => days.has(dayOf(point.asOfMs)))
    .map((point) => ({
      date: dayOf(point.asOfMs),
      composite: published(point.composite),
      components: publishedComponents(point.components),
    }));
  return index === undefined && values.length === 0 ? undefined : { period: PERIOD, values };
}
