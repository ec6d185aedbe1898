import type { Space } from "../../facts/space.ts";
import { upstreamText } from "../../facts/upstream-text.ts";
import type { HubSpace } from "./hub-space.ts";
import { parsePower } from "./parse-power.ts";
import { RowError } from "./row-error.ts";

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
