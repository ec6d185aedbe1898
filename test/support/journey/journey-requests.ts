import type { z } from "zod";
import type { DaoSummary, DgiHistory } from "../../../snapshots/format/dao.ts";
import type { DelegateListing } from "../../../snapshots/format/delegates.ts";
import { DelegateEnvelope, ENVELOPES } from "../../../snapshots/format/envelope.ts";
import { DELEGATE_LIMITS, DGI_PERIOD_DAYS } from "../../../snapshots/format/limits.ts";
import { CATEGORIES, DGI_PERIODS, WEIGHT_TIERS } from "../../../snapshots/format/value-sets.ts";
import { contractRows } from "../contract-table.ts";
import type { PublishedFiles } from "../published-files.ts";
import {
  certaintyOf,
  type JourneyRequest,
  type JourneySubjects,
  metaOf,
  NOT_FOUND,
  NOT_SCORED,
  type Promised,
  proOnly,
  sameForAll,
  textOf,
} from "./check-answer.ts";

/** Detail and risk of every DAO. */
export function daoRequests({ published }: JourneySubjects): JourneyRequest[] {
  const daos = published.json("daos.json") as DaoSummary[];
  const unscored = published.json("unscored.json") as { space_id: string }[];
  const file = (shape: z.ZodType, path: string, id: string): Promised => {
    if (!published.paths.includes(path)) return NOT_FOUND;
    // The dates of a detail are served in its meta.
    const { gvs_30d_dates, ...data } = published.json(path) as { readonly gvs_30d_dates?: unknown };
    const dates = gvs_30d_dates === undefined ? {} : { gvs_30d_dates };
    const meta = { ...metaOf(published), ...dates, ...certaintyOf(published, id, true) };
    return { status: 200, shape, data: JSON.stringify(data), meta, isEntity: false };
  };
  return [
    ...daos.flatMap(({ space_id: id }) => [
      proOnly("the detail of a DAO", `/v1/daos/${id}`, file(ENVELOPES.dao, `daos/${id}.json`, id)),
      proOnly("its risk", `/v1/daos/${id}/risk`, file(ENVELOPES.risk, `risk/${id}.json`, id)),
    ]),
    ...unscored.flatMap(({ space_id: id }) => [
      proOnly("no score, no detail", `/v1/daos/${id}`, NOT_SCORED),
      proOnly("no score, no risk", `/v1/daos/${id}/risk`, NOT_SCORED),
    ]),
  ];
}

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

/** Every entity by ID and by wallet, including opted-out ones. */
export function entityRequests({ published, entities }: JourneySubjects): JourneyRequest[] {
  return [
    ...entities.flatMap((entity) => {
      const path = `entities/${entity.entityId}.json`;
      const promised: Promised = entity.isOptedOut
        ? NOT_FOUND
        : {
            status: 200,
            shape: ENVELOPES.entity,
            data: textOf(published, path),
            meta: metaOf(published),
            isEntity: true,
          };
      const why = entity.isOptedOut ? "an entity that opted out" : "an entity";
      return [
        proOnly(why, `/v1/entities/${entity.entityId}`, promised),
        ...entity.wallets.map((wallet) =>
          proOnly(`${why}, by wallet`, `/v1/entities?wallet=${wallet}`, promised),
        ),
        proOnly(
          `${why}, by a wallet in capitals`,
          `/v1/entities?wallet=0x${entity.wallets[0]?.slice(2).toUpperCase()}`,
          promised,
        ),
      ];
    }),
  ];
}

/** The index, and its history in every period. */
export function indexRequests({ published }: JourneySubjects): JourneyRequest[] {
  const meta = metaOf(published);
  const history = published.json("dgi-history.json") as DgiHistory;
  const lastMs = Date.parse(`${meta.as_of.slice(0, 10)}T00:00:00.000Z`);
  const period = (name: keyof typeof DGI_PERIOD_DAYS): Promised => {
    const first = new Date(lastMs - (DGI_PERIOD_DAYS[name] - 1) * 86_400_000).toISOString().slice(0, 10);
    const values = history.values
      .filter((point) => point.date >= first)
      // The interval of a day is published, but not served.
      .map(({ interval: _, ...point }) => point);
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

/** The list, whole and by category. */
export function listRequests({ published }: JourneySubjects): JourneyRequest[] {
  const daos = published.json("daos.json") as DaoSummary[];
  const unscored = published.json("unscored.json") as Pick<DaoSummary, "category">[];
  const meta = metaOf(published);
  const list = (rows: readonly DaoSummary[], category?: string): Promised => ({
    status: 200,
    shape: ENVELOPES.daos,
    data: JSON.stringify(rows),
    meta: {
      ...meta,
      total: rows.length,
      unscored: unscored.filter((dao) => category === undefined || dao.category === category).length,
      updated_at: meta.as_of,
      by_space_id: Object.fromEntries(
        rows.map(({ space_id: id }) => [id, certaintyOf(published, id, false)]),
      ),
    },
    isEntity: false,
  });
  return [
    sameForAll("every scored DAO, by rank", "/v1/daos", list(daos)),
    ...CATEGORIES.map((category) =>
      sameForAll(
        "one category, ranks as overall",
        `/v1/daos?category=${category}`,
        list(
          daos.filter((dao) => dao.category === category),
          category,
        ),
      ),
    ),
  ];
}

/** The refused requests of the contract table; its successful ones are checked to the byte elsewhere. */
function refusals({ published, entities }: JourneySubjects): JourneyRequest[] {
  const [days = ""] = published.paths.filter((path) => path.endsWith("/days.csv"));
  const [, dao = ""] = days.split("/");
  const [day = ""] = published.dated(dao).keys();
  const entity = entities.find(({ isOptedOut, wallets }) => !isOptedOut && wallets.length > 0);
  const rows = contractRows({
    dao,
    day,
    // DAOs that lack data are found in the published files.
    withoutDelegates: undefined,
    withoutRisk: undefined,
    unscored: undefined,
    entityId: entity?.entityId ?? "",
    wallet: entity?.wallets[0] ?? "",
  });
  return rows
    .filter(({ pro }) => pro !== "200")
    .map(({ why, url, method, free, pro }) => ({
      why,
      path: url,
      ...(method === undefined ? {} : { method }),
      free: refusal(free),
      pro: refusal(pro),
    }));
}

function refusal(want: string): Promised {
  const [status, code = ""] = want.split(" ");
  return { status: Number(status) as 400 | 403 | 404 | 405, code };
}

/** Every endpoint with every parameter and the expected response for each tier. */
export function journeyRequests(subjects: JourneySubjects): readonly JourneyRequest[] {
  return [
    ...listRequests(subjects),
    ...daoRequests(subjects),
    ...delegateRequests(subjects),
    ...indexRequests(subjects),
    ...entityRequests(subjects),
    ...refusals(subjects),
  ];
}
