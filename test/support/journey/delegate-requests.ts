import type { DaoSummary } from "../../../snapshots/format/dao.ts";
import type { DelegateListing } from "../../../snapshots/format/delegates.ts";
import { DelegateEnvelope } from "../../../snapshots/format/envelope.ts";
import { DELEGATE_LIMITS } from "../../../snapshots/format/limits.ts";
import { WEIGHT_TIERS } from "../../../snapshots/format/value-sets.ts";
import type { PublishedFiles } from "../published-files.ts";
import {
  type JourneyRequest,
  type JourneySubjects,
  metaOf,
  NOT_FOUND,
  type Promised,
  proOnly,
  sameForAll,
} from "./promised.ts";

/** A listing cut like the proxy must cut it: first by tier, then to the limit. */
function cutListing(
  published: PublishedFiles,
  { spaceId, date }: { readonly spaceId: string; readonly date?: string | undefined },
  tier: string | undefined,
  limit: number,
): Promised {
  const listing = (
    date === undefined
      ? published.json(`delegates/${spaceId}/latest.json`)
      : published.dated(spaceId).get(date)
  ) as DelegateListing;
  const rows = listing.delegates.filter((row) => tier === undefined || row.weight_tier === tier);
  const meta = metaOf(published);
  return {
    status: 200,
    shape: DelegateEnvelope,
    data: JSON.stringify({ ...listing, delegates: rows.slice(0, limit) }),
    meta: date === undefined ? meta : { ...meta, as_of: `${date}T23:59:59.999Z` },
    isEntity: false,
  };
}

/** Every limit × tier × day of one DAO that lists delegates. */
function cutRequests(published: PublishedFiles, spaceId: string, dates: readonly string[]): JourneyRequest[] {
  const path = `/v1/daos/${spaceId}/delegates`;
  const requests: JourneyRequest[] = [];
  for (const limit of [undefined, ...DELEGATE_LIMITS])
    for (const tier of [undefined, ...WEIGHT_TIERS])
      for (const date of [undefined, ...dates]) {
        const query = new URLSearchParams({
          ...(limit === undefined ? {} : { limit: String(limit) }),
          ...(tier === undefined ? {} : { tier }),
          ...(date === undefined ? {} : { date }),
        });
        const promised = cutListing(published, { spaceId, date }, tier, limit ?? 10);
        const isFree = date === undefined && (limit ?? 10) <= 10;
        const request = isFree ? sameForAll : proOnly;
        requests.push(request("delegates, cut", query.size === 0 ? path : `${path}?${query}`, promised));
      }
  return requests;
}

/** Delegates of every DAO; for the DAO with the most rows, every limit and tier on some days. */
export function delegateRequests({ published }: JourneySubjects): JourneyRequest[] {
  const dated = new Map<string, string[]>();
  for (const path of published.paths) {
    const [, spaceId] = path.match(/^delegates\/(.+)\/latest\.json$/) ?? [];
    if (spaceId !== undefined) dated.set(spaceId, [...published.dated(spaceId).keys()]);
  }
  const rows = (id: string) =>
    (published.json(`delegates/${id}/latest.json`) as DelegateListing).delegates.length;
  const [[spaceId, dates] = ["", []], ...others] = [...dated].sort(([a], [b]) => rows(b) - rows(a));
  const unlisted = (published.json("daos.json") as DaoSummary[]).filter((dao) => !dated.has(dao.space_id));
  return [
    ...cutRequests(published, spaceId, [dates[0] ?? "", dates.at(-1) ?? ""]),
    ...others.map(([id]) =>
      sameForAll(
        "delegates of another DAO",
        `/v1/daos/${id}/delegates`,
        cutListing(published, { spaceId: id }, undefined, 10),
      ),
    ),
    ...unlisted.map((dao) =>
      sameForAll("a DAO without delegation data", `/v1/daos/${dao.space_id}/delegates`, NOT_FOUND),
    ),
  ];
}
