import { z } from "zod";
import { DelegateEnvelope } from "../../snapshots/format/envelope.ts";
import { IsoDate, SpaceId } from "../../snapshots/format/ids.ts";
import {
  DELEGATE_LIMIT_DEFAULT,
  DELEGATE_LIMIT_FREE_MAX,
  DELEGATE_LIMITS,
} from "../../snapshots/format/limits.ts";
import { WEIGHT_TIERS, type WeightTier } from "../../snapshots/format/value-sets.ts";
import type { ReadyListing } from "../../snapshots/store/read/snapshot-reader.ts";
import { defineEndpoint } from "../request/endpoint.ts";
import { CONTENT_ENCODINGS } from "../request/request-head.ts";
import { encodings } from "../request/response.ts";

/** The exact spellings of the allowed limits: `1e1`, ` 10` and `+10` are not among them. */
const DelegateLimitText = z
  .string()
  .refine((text) => DELEGATE_LIMITS.some((limit) => String(limit) === text))
  .transform(Number);

export const daoDelegates = defineEndpoint({
  url: "/v1/daos/:space_id/delegates",
  lowestTier: "free",
  operationId: "listDaoDelegates",
  tag: "DAOs",
  summary: "The delegates of one DAO by voting power",
  description:
    "The first delegates by rank, today's or those at the end of a past day. A tier filters first, then the limit cuts; `rank` stays the overall one. Free callers get at most 10 and no past days.",
  parameters: {
    limit: {
      shape: DelegateLimitText,
      invalid: "limit-invalid",
      description: "How many delegates at most. Above 10 it needs the Pro tier.",
      values: { type: "integer", enum: DELEGATE_LIMITS },
      default: DELEGATE_LIMIT_DEFAULT,
      beyondFree: { problem: "limit-needs-pro", maximum: DELEGATE_LIMIT_FREE_MAX },
    },
    tier: {
      shape: z.enum(WEIGHT_TIERS),
      invalid: "weight-tier-invalid",
      description: "Only delegates of this weight tier.",
      example: "T1",
    },
    date: {
      shape: IsoDate,
      invalid: "date-invalid",
      description: "A past day (UTC), as of its end. Needs the Pro tier. A day without data gives 404.",
      example: "2026-03-30",
      beyondFree: { problem: "date-needs-pro" },
    },
  },
  answers: { shape: DelegateEnvelope, mayBeKept: true },
  refusals: ["limit-needs-pro", "date-needs-pro", "delegates-unknown"],
  find: ({ limit = DELEGATE_LIMIT_DEFAULT, tier, date }, { pathId, snapshot }) => {
    if (!SpaceId.safeParse(pathId).success) return "delegates-unknown";
    const listing = date === undefined ? snapshot.latestListing(pathId) : snapshot.datedListing(pathId, date);
    if (listing === undefined) return "delegates-unknown";
    const body = bodyOf(listing, tier, limit);
    return {
      encode: encodings(body),
      // It is compressed on demand, and hardly smaller then where it compresses badly.
      bytes: CONTENT_ENCODINGS.length * body.length,
      mayBeKept: true,
      snapshotVersion: snapshot.version,
    };
  },
});

/** The canonical bytes of the envelope, put together from what was serialised at publish time. */
function bodyOf(listing: ReadyListing, weightTier: WeightTier | undefined, limit: number): Buffer {
  const rows = listing.rows.filter((row) => weightTier === undefined || row.weightTier === weightTier);
  const delegates = rows
    .slice(0, limit)
    .map((row) => row.json)
    .join(",");
  const { methodology_version, as_of } = listing.meta;
  const head = JSON.stringify({
    dao: listing.dao,
    fetched_at: listing.fetchedAt,
    total_delegates: listing.totalDelegates,
  }).slice(0, -1);
  const data = `${head},"delegates":[${delegates}],"summary":${listing.summaryJson}}`;
  const meta = JSON.stringify({ methodology_version, as_of });
  return Buffer.from(`{"data":${data},"meta":${meta}}\n`, "utf8");
}
