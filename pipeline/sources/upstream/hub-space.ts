import { z } from "zod";
import type { Space } from "../../facts/dao-facts.ts";
import { upstreamText } from "../../facts/upstream-text.ts";
import { AnyNumber, parsePower, textList } from "./parse-values.ts";
import { RowError } from "./row-error.ts";

const Addresses = textList().nullish();

/** The hub's object of one space, as far as we read it; every key but `id` may be missing. */
export const HubSpace = z.object({
  id: z.string(),
  name: z.string().nullish(),
  admins: Addresses,
  moderators: Addresses,
  filters: z.object({ onlyMembers: z.boolean().nullish() }).nullish(),
  validation: z.object({ name: z.string().nullish(), params: z.unknown().optional() }).nullish(),
  voting: z
    .object({
      period: AnyNumber.nullish(),
      quorum: AnyNumber.nullish(),
      quorumType: z.string().nullish(),
    })
    .nullish(),
});
export type HubSpace = z.infer<typeof HubSpace>;

/** What a hub's space says of how the DAO votes. Throws `RowError` where it is of another space or cannot be. */
export function spaceOfHub(hub: HubSpace, spaceId: string): Space {
  if (hub.id !== spaceId) throw new RowError("ID_INVALID", "id is of another space");
  return {
    spaceId,
    name: upstreamText(hub.name),
    isProposingGated: isProposingGated(hub),
    hasFixedPeriod: hub.voting == null ? undefined : (hub.voting.period ?? 0) > 0,
    quorum: quorumOf(hub),
    adminsAndModeratorsCount: adminsAndModerators(hub),
  };
}

/** Whether anything is asked for: a hub that asks for nothing says so with an empty object as well. */
function asksForSomething(params: unknown): boolean {
  return typeof params === "object" && params !== null && Object.keys(params).length > 0;
}

/** The validation "any", or one that asks for nothing, lets everybody propose. */
function isProposingGated({ filters, validation }: HubSpace): boolean | undefined {
  const isMembersOnly = filters?.onlyMembers;
  if (isMembersOnly == null && validation == null) return undefined;
  const isValidated =
    validation?.name != null && validation.name !== "any" && asksForSomething(validation.params);
  return isMembersOnly === true || isValidated;
}

/** A hub says `null` for none. A quorum that counts rejections is a veto: whether there is a quorum beside it, nobody says. */
function quorumOf({ voting }: HubSpace): number | undefined {
  if (voting?.quorum === undefined || voting.quorumType === "rejection") return undefined;
  return parsePower(voting.quorum, "quorum") ?? 0;
}

function adminsAndModerators({ admins, moderators }: HubSpace): number | undefined {
  if (admins == null && moderators == null) return undefined;
  return new Set([...(admins ?? []), ...(moderators ?? [])].map((address) => address.toLowerCase())).size;
}
