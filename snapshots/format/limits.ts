import { ACCESS_TIERS, type AccessTier, byTier, type DgiPeriod, TIERS } from "./value-sets.ts";

/** Version of the shapes in this folder; everything that is published now has it. */
export const FORMAT_VERSION = 3;

/** Values a caller may send as `limit` on delegate listings. */
export const DELEGATE_LIMITS = [10, 20, 50, 100] as const;
export type DelegateLimit = (typeof DELEGATE_LIMITS)[number];

/** `limit` if the caller does not send one, on every tier. */
export const DELEGATE_LIMIT_DEFAULT: DelegateLimit = 10;

export const DELEGATE_LIMIT_FREE_MAX = 10;

/** A listing contains this many delegates by rank, and as many of each weight tier. */
export const LISTING_ROWS_PER_CUT = 100;

/** A delegation graph names this many delegates and as many delegators; it sums up the others. */
export const GRAPH_ACCOUNTS_MAX = 100;

/** Requests per UTC day of an account without an individual limit. */
export const DAILY_REQUESTS = byTier((tier): number => TIERS[tier].dailyRequests);

export function tiersWithOwnLimit(): readonly AccessTier[] {
  return ACCESS_TIERS.filter((tier) => TIERS[tier].mayHaveOwnLimit);
}

export const DGI_PERIOD_DAYS: Readonly<Record<DgiPeriod, number>> = {
  "30d": 30,
  "90d": 90,
  "365d": 365,
};

export const GVS_HISTORY_DAYS = 30;

export const TOP_ENTITIES_MAX = 10;

/** Maximum length of a published text from upstream (name, label), in code points. */
export const TEXT_CODE_POINTS_MAX = 100;

export const TITLE_CODE_POINTS_MAX = 200;

/** Maximum length of a published link, in characters. Longer ones are omitted: a truncated link leads nowhere. */
export const LINK_LENGTH_MAX = 500;

/**
 * The highest sequence of a version. It is exact as a double, so that readers can store every sequence they accept, and
 * leaves room for one version a second for 30 million years.
 */
export const SEQUENCE_MAX = 999_999_999_999_999;

/**
 * An unsigned version whose sequence exceeds the last one seen by more than this is refused, because every honest
 * version after it would be a rollback. Ten thousand are 27 years of nights, or more than a year of hours.
 */
export const SEQUENCE_LEAD_MAX = 10_000;

/** The highest sequence that a machine accepts in its first unsigned version. */
export const FIRST_SEQUENCE_MAX = 1_000_000;

/** Readers refuse anything larger before they hash it, because endless data is an attack. */
export const POINTER_BYTES_MAX = 4 * 1024;
/** More than a hundred thousand files. A manifest is read whole and parsed, which takes about ten times its size. */
export const MANIFEST_BYTES_MAX = 32 * 1024 * 1024;
export const FILE_BYTES_MAX = 4 * 1024 * 1024 * 1024;

/** Maximum size of every file but the index: files are read whole, and strings are limited to half a gigabyte. */
export const WHOLE_FILE_BYTES_MAX = 256 * 1024 * 1024;
