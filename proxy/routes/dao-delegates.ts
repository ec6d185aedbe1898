import { z } from "zod";
import { DelegateEnvelope } from "../../snapshots/format/envelope.ts";
import { IsoDate, SpaceId } from "../../snapshots/format/ids.ts";
import {
  DELEGATE_LIMIT_DEFAULT,
  DELEGATE_LIMIT_FREE_MAX,
  DELEGATE_LIMITS,
} from "../../snapshots/format/limits.ts";
import { type AccessTier, WEIGHT_TIERS } from "../../snapshots/format/value-sets.ts";
import { problem } from "../request/answer.ts";
import { defineEndpoint, isTierEnough } from "../request/endpoint.ts";
import type { Problem } from "../request/problems.ts";

/** The exact spellings of the allowed limits: `1e1`, ` 10` and `+10` are not among them. */
const DelegateLimitText = z
  .string()
  .refine((text) => DELEGATE_LIMITS.some((limit) => String(limit) === text))
  .transform(Number);

const DIGITS = /^[0-9]+$/;

/** `GET /v1/daos/{space_id}/delegates`: the first delegates of a DAO, today's or those of a past day. */
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
      beyondFree: { maximum: DELEGATE_LIMIT_FREE_MAX },
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
      beyondFree: "any value",
    },
  },
  answers: { shape: DelegateEnvelope, mayBeKept: true },
  refusals: ["limit-needs-pro", "date-needs-pro", "delegates-unknown"],
  beyondTier: beyondFree,
  find: ({ limit = DELEGATE_LIMIT_DEFAULT, tier, date }, { pathId, snapshot, delegates }) => {
    if (!SpaceId.safeParse(pathId).success) return problem("delegates-unknown");
    const encode = delegates.find(snapshot, { spaceId: pathId, date, weightTier: tier, limit });
    if (encode === undefined) return problem("delegates-unknown");
    // Compressed, it is held by `delegates`.
    const bytes = encode("identity").bytes.length;
    return { kind: "body", encode, bytes, mayBeKept: true, snapshotVersion: snapshot.version };
  },
});

/**
 * What a Free caller asks for beyond its tier: a date in any form, or one limit of digits above 10, however long. A limit
 * given twice is left to validity: there is no one value to judge.
 */
function beyondFree(query: URLSearchParams, tier: AccessTier): Problem | undefined {
  if (isTierEnough(tier, "pro")) return undefined;
  const [limit, ...more] = query.getAll("limit");
  if (limit !== undefined && more.length === 0 && isAboveFreeLimit(limit)) return "limit-needs-pro";
  return query.has("date") ? "date-needs-pro" : undefined;
}

function isAboveFreeLimit(text: string): boolean {
  // A long run of digits becomes Infinity at worst, which is above 10 as well.
  return DIGITS.test(text) && Number(text) > DELEGATE_LIMIT_FREE_MAX;
}
