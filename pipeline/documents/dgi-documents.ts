import type { DgiHistory, PublishedDgi } from "../../snapshots/format/dao.ts";
import { roundedEnds } from "../../snapshots/format/envelope.ts";
import { dayOf, timestampOf } from "../../snapshots/format/ids.ts";
import { DGI_PERIOD_DAYS } from "../../snapshots/format/limits.ts";
import { byComponent } from "../../snapshots/format/value-sets.ts";
import { endedDayEndsMs } from "../facts/days.ts";
import type { CurrentIndex, GovernanceIndex } from "../score/ranking/governance-index.ts";
import { published, publishedComponents } from "./scored-dao.ts";

/** The longest period that the API offers; shorter periods are its last days. */
const PERIOD = "365d";

/** Builds `dgi.json`; `undefined` with too few DAOs for an index. */
export function buildDgi(index: CurrentIndex | undefined): PublishedDgi | undefined {
  if (index === undefined) return undefined;
  const { ends } = index;
  return {
    composite: published(index.composite),
    components: publishedComponents(index.components),
    dao_count: index.daoCount,
    calculated_at: timestampOf(index.asOfMs),
    interval: { composite: roundedEnds(ends.gvs), ...byComponent((key) => roundedEnds(ends[key])) },
  };
}

/** Builds `dgi-history.json`: the index of the last 365 ended days; `undefined` if there never was one. */
export function buildDgiHistory(
  asOfMs: number,
  index: GovernanceIndex | undefined,
  indexHistory: readonly GovernanceIndex[],
): DgiHistory | undefined {
  const days = new Set(endedDayEndsMs(asOfMs, DGI_PERIOD_DAYS[PERIOD]).map(dayOf));
  const values = indexHistory
    .filter((point) => days.has(dayOf(point.asOfMs)))
    .map(({ asOfMs: dayEndMs, composite, components, gvsEnds: ends }) => ({
      date: dayOf(dayEndMs),
      composite: published(composite),
      components: publishedComponents(components),
      ...(ends && { interval: roundedEnds({ low: ends[0], high: ends[1] }) }),
    }));
  return index === undefined && values.length === 0 ? undefined : { period: PERIOD, values };
}
