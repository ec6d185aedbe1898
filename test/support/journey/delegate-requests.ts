import type { DaoSummary } from "../../../snapshots/format/dao.ts";
import type { DelegateListing } from "../../../snapshots/format/delegates.ts";
import { DelegateEnvelope } from "../../../snapshots/format/envelope.ts";
import { DELEGATE_LIMITS } from "../../../snapshots/format/limits.ts";
import { WEIGHT_TIERS } from "../../../snapshots/format/value-sets.ts";
import type { PublishedFiles } from "../published-files.ts";
import {
  INVALID_PARAMETER,
  type JourneyRequest,
  type JourneySubjects,
  metaOf,
  NOT_FOUND,
  type Promised,
  proOnly,
  sameForAll,
} from "./promised.ts";

/** A listing cut as the proxy must cut it: by tier first, then to the limit. */
function cutListing(
  published: PublishedFiles,
  path: string,
  tier: string | undefined,
  limit: number,
): Promised {
  const listing = published.json(path) as DelegateListing;
  const rows = listing.delegates.filter((row) => tier === undefined || row.weight_tier === tier);
  const date = path.match(/(\d{4}-\d\d-\d\d)\.json$/)?.[1];
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
        const file = `delegates/${spaceId}/${date ?? "latest"}.json`;
        const promised = cutListing(published, file, tier, limit ?? 10);
        const isFree = date === undefined && (limit ?? 10) <= 10;
        const request = isFree ? sameForAll : proOnly;
        requests.push(request("delegates, cut", query.size === 0 ? path : `${path}?${query}`, promised));
      }
  return requests;
}

/** Delegates of every DAO: every limit, tier and some days of the one with most rows, and what is none. */
export function delegateRequests({ published }: JourneySubjects): JourneyRequest[] {
  const dated = new Map<string, string[]>();
  for (const path of published.paths) {
    const [, spaceId, name] = path.match(/^delegates\/(.+)\/(.+)\.json$/) ?? [];
    if (spaceId === undefined || name === undefined) continue;
    dated.set(spaceId, [...(dated.get(spaceId) ?? []), ...(name === "latest" ? [] : [name])]);
  }
  const rows = (id: string) =>
    (published.json(`delegates/${id}/latest.json`) as DelegateListing).delegates.length;
  const [[spaceId, dates] = ["", []], ...others] = [...dated].sort(([a], [b]) => rows(b) - rows(a));
  const path = `/v1/daos/${spaceId}/delegates`;
  const unlisted = (published.json("daos.json") as DaoSummary[]).filter((dao) => !dated.has(dao.space_id));
  return [
    ...cutRequests(published, spaceId, [dates[0] ?? "", dates.at(-1) ?? ""]),
    ...others.map(([id]) =>
      sameForAll(
        "delegates of another DAO",
        `/v1/daos/${id}/delegates`,
        cutListing(published, `delegates/${id}/latest.json`, undefined, 10),
      ),
    ),
    ...unlisted.map((dao) =>
      sameForAll("a DAO without delegation data", `/v1/daos/${dao.space_id}/delegates`, NOT_FOUND),
    ),
    sameForAll("a DAO nobody tracks", "/v1/daos/no-such-dao.example/delegates", NOT_FOUND),
    ...["11", "30", "1000", "99999999999999999999999"].map((limit) =>
      proOnly("a limit above 10 that is not offered", `${path}?limit=${limit}`, INVALID_PARAMETER),
    ),
    ...["0", "5", "-10", "1e1", "%2010", "0x0a", "10.0", "%2B10", "010", "", "ten"].map((limit) =>
      sameForAll("a limit that is none", `${path}?limit=${limit}`, INVALID_PARAMETER),
    ),
    sameForAll("two limits", `${path}?limit=10&limit=10`, INVALID_PARAMETER),
    ...["T4", "t1", "", "T1&tier=T1"].map((tier) =>
      sameForAll("a tier that is none", `${path}?tier=${tier}`, INVALID_PARAMETER),
    ),
    ...["2026-02-30", "2026-13-01", "yesterday", "", "20261001", "2026-10-01T00:00:00Z"].map((date) =>
      proOnly("a date that is none", `${path}?date=${date}`, INVALID_PARAMETER),
    ),
    proOnly("two dates", `${path}?date=2026-10-01&date=2026-10-01`, INVALID_PARAMETER),
    proOnly("a day before the data", `${path}?date=2001-01-01`, NOT_FOUND),
    proOnly("a day that is still to come", `${path}?date=2999-12-31`, NOT_FOUND),
    sameForAll("an unknown parameter", `${path}?order=asc`, INVALID_PARAMETER),
  ];
}
