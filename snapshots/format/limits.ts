import type { AccessTier, DgiPeriod } from "./value-sets.ts";

/** Version of the shapes in this folder, which everything that is published has. */
export const FORMAT_VERSION = 2;

/** Of these the documents are read; what is older is compared with and redacted, but not served (`store/read/format-one.ts`). */
export const FORMATS_READ = [1, FORMAT_VERSION] as const;

/** Values a caller may send as `limit` on delegate listings. */
export const DELEGATE_LIMITS = [10, 20, 50, 100] as const;
export type DelegateLimit = (typeof DELEGATE_LIMITS)[number];

/** What `limit` is when the caller does not send one, on every tier. */
export const DELEGATE_LIMIT_DEFAULT: DelegateLimit = 10;

/** The most delegates a Free caller may ask for. */
export const DELEGATE_LIMIT_FREE_MAX = 10;

/** A listing carries this many delegates by rank, and as many of each weight tier. */
export const LISTING_ROWS_PER_CUT = 100;

/** A delegation graph names this many delegates, and as many delegators; it folds the others. */
export const GRAPH_ACCOUNTS_MAX = 100;

/** Every tier: its name, its requests a UTC day, and whether an account of it may have a limit of its own. */
export const TIERS: Readonly<
  Record<
    AccessTier,
    { readonly name: string; readonly dailyRequests: number; readonly mayHaveOwnLimit: boolean }
  >
> = {
  free: { name: "Free", dailyRequests: 100, mayHaveOwnLimit: false },
  pro: { name: "Pro", dailyRequests: 10_000, mayHaveOwnLimit: false },
  enterprise: { name: "Enterprise", dailyRequests: 100_000, mayHaveOwnLimit: true },
};

/** Requests per UTC day of an account without a limit of its own. */
export const DAILY_REQUESTS = Object.fromEntries(
  Object.entries(TIERS).map(([tier, { dailyRequests }]) => [tier, dailyRequests]),
) as Readonly<Record<AccessTier, number>>;

/** Calendar days a DGI history period covers. */
export const DGI_PERIOD_DAYS: Readonly<Record<DgiPeriod, number>> = {
  "30d": 30,
  "90d": 90,
  "365d": 365,
};

/** Calendar days in `history.gvs_30d` of a DAO. */
export const GVS_HISTORY_DAYS = 30;

/** The most entities a DAO detail names. */
export const TOP_ENTITIES_MAX = 10;

/** Code points of the longest text from upstream that is published (names, labels). */
export const TEXT_CODE_POINTS_MAX = 100;

/** Code points of the longest title of a proposal that is published. */
export const TITLE_CODE_POINTS_MAX = 200;

/** Characters of the longest link that is published; a longer one is left out, as a cut one leads nowhere. */
export const LINK_LENGTH_MAX = 500;

/**
 * No version has a higher sequence. Exact as a number, with room for one a second for 30 million years, so that whatever
 * a reader accepts it can also remember.
 */
export const SEQUENCE_MAX = 999_999_999_999_999;

/**
 * An unsigned version is refused when its sequence is further above the last one seen: every honest one after it would be
 * a rollback. Ten thousand are 27 years of nights, or more than a year of hours.
 */
export const SEQUENCE_LEAD_MAX = 10_000;

/** The highest sequence of the first unsigned version that a machine takes. */
export const FIRST_SEQUENCE_MAX = 1_000_000;

/** A reader stops at these sizes before it hashes anything: endless data is an attack. */
export const POINTER_BYTES_MAX = 4 * 1024;
export const MANIFEST_BYTES_MAX = 256 * 1024 * 1024;
export const FILE_BYTES_MAX = 4 * 1024 * 1024 * 1024;

/** No file but the index is larger: it is read whole, and a string of more than half a gigabyte cannot be made of it. */
export const WHOLE_FILE_BYTES_MAX = 256 * 1024 * 1024;
