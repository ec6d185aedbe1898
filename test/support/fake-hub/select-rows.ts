import type { HubRow } from "./hub-store.ts";

/** The arguments of a listing in a GraphQL request. */
export interface ListingArguments {
  readonly where?: Readonly<Record<string, unknown>>;
  readonly first?: number;
  readonly skip?: number;
  readonly orderBy?: string;
  readonly orderDirection?: string;
}

/** What differs between the hub's listings. */
export interface ListingRules {
  /** Fields to order by; by any other, the hub orders by `created`. */
  readonly orders: readonly string[];
  readonly skipMax?: number;
  /** The longest list of a filter, by its name; 100 for all others. */
  readonly idsMax?: Readonly<Record<string, number>>;
}

/** A limit of the hub was exceeded. */
export class LimitPassed extends Error {}

const COMPARE: Readonly<Record<string, (value: number, bound: number) => boolean>> = {
  _gt: (value, bound) => value > bound,
  _gte: (value, bound) => value >= bound,
  _lt: (value, bound) => value < bound,
  _lte: (value, bound) => value <= bound,
};

/** Selects rows like the hub: with its limits, its filters that ignore 0, and its orders. */
export function selectRows(
  rows: Iterable<HubRow>,
  given: ListingArguments,
  { orders, skipMax = 5_000, idsMax = {} }: ListingRules,
): readonly HubRow[] {
  const { where = {}, first = 20, skip = 0 } = given;
  demandLimit("first", first, 1_000);
  demandLimit("skip", skip, skipMax);
  for (const [key, value] of Object.entries(where)) {
    if (key.endsWith("_in") && Array.isArray(value)) demandLimit(key, value.length, idsMax[key] ?? 100);
  }
  const orderBy = orders.includes(given.orderBy ?? "") ? String(given.orderBy) : "created";
  const sign = given.orderDirection?.toLowerCase() === "asc" ? 1 : -1;
  const filters = Object.entries(where).flatMap((filter) => filterOf(filter) ?? []);
  const chosen: HubRow[] = [];
  for (const row of rows) if (filters.every((passes) => passes(row))) chosen.push(row);
  const byId = (a: HubRow, b: HubRow) => (String(a["id"]) < String(b["id"]) ? -1 : 1);
  // Rows of the same order come by id.
  chosen.sort((a, b) =>
    orderBy === "id" ? sign * byId(a, b) : sign * (Number(a[orderBy]) - Number(b[orderBy])) || byId(a, b),
  );
  return chosen.slice(skip, skip + first);
}

function demandLimit(key: string, value: number, limit: number): void {
  if (value > limit) throw new LimitPassed(`The \`${key}\` argument must not be greater than ${limit}`);
  if (value < 0) throw new LimitPassed(`The \`${key}\` argument must be positive`);
}

/** Builds the filter once, because there are many rows. */
function filterOf([key, bound]: readonly [string, unknown]): ((row: HubRow) => boolean) | undefined {
  if (bound === undefined) return undefined;
  if (key.endsWith("_in") && Array.isArray(bound)) {
    const [name, values] = [key.slice(0, -3), new Set<unknown>(bound)];
    return (row) => values.has(row[name]);
  }
  const ending = key.match(/_(?:gt|gte|lt|lte)$/)?.[0];
  const compare = ending === undefined ? undefined : COMPARE[ending];
  if (ending === undefined || compare === undefined) return (row) => row[key] === bound;
  // The hub omits falsy bounds from its query, so `created_gt: 0` filters nothing.
  if (bound === null || bound === 0) return undefined;
  const [name, limit] = [key.slice(0, -ending.length), Number(bound)];
  // Nothing compares with an SQL null.
  return (row) => row[name] != null && compare(Number(row[name]), limit);
}
