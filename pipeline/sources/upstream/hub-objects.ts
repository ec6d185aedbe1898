import { z } from "zod";
import type { Space } from "../../facts/dao-facts.ts";
import { type Proposal, strategiesKey, VOTING_TYPES } from "../../facts/proposal.ts";
import type { CastVote } from "../../facts/proposal-votes.ts";
import { upstreamLink, upstreamText, upstreamTitle } from "../../facts/upstream-text.ts";
import {
  AnyNumber,
  isPossiblePower,
  parseAddress,
  parseDay,
  parseId,
  parseMoment,
  parsePower,
  parseSeconds,
  textList,
} from "./parse-values.ts";
import { parseShape, rowFailure } from "./row-error.ts";

const Addresses = textList().nullish();
/** Links are optional: an invalid one is dropped and does not reject the row. */
const Link = z.string().nullish().catch(undefined);
const PossiblePower = z.custom<number>((value) => typeof value === "number" && isPossiblePower(value));

/** The fields that are read of a hub's space; all but `id` are optional. */
const HubSpace = z.object({
  id: z.string(),
  name: z.string().nullish(),
  website: Link,
  discussions: Link,
  admins: Addresses,
  moderators: Addresses,
  filters: z.object({ onlyMembers: z.boolean().nullish(), minScore: AnyNumber.nullish() }).nullish(),
  validation: z.object({ name: z.string().nullish(), params: z.unknown().optional() }).nullish(),
  voting: z
    .object({
      period: AnyNumber.nullish(),
      quorum: PossiblePower.nullish(),
      quorumType: z.string().nullish(),
    })
    .nullish(),
  flagged: z.boolean().nullish(),
  hibernated: z.boolean().nullish(),
  verified: z.boolean().nullish(),
});
type HubSpace = z.infer<typeof HubSpace>;

/**
 * Maps a hub's space to ours. A setting that is not of its type is unknown; `unknown` has a message for each. Throws
 * `RowFailure` if it is no space or another one.
 */
export function spaceOfHub(
  value: unknown,
  spaceId: string,
): { readonly space: Space; readonly unknown: readonly string[] } {
  const misfits = misfitsOf(value);
  const isMisfit = (...names: readonly (keyof HubSpace)[]) => names.some((name) => misfits.has(name));
  const hub = parseShape(HubSpace, omit(value, misfits));
  if (hub.id !== spaceId) throw rowFailure("ID_INVALID", "id is of another space");
  const space = {
    name: upstreamText(hub.name),
    website: upstreamLink(hub.website),
    forum: upstreamLink(hub.discussions),
    isProposingGated: isMisfit("filters", "validation")
      ? isGatedAnyhow(hub, isMisfit("validation"))
      : isProposingGated(hub),
    hasFixedPeriod: hub.voting == null ? undefined : (hub.voting.period ?? 0) > 0,
    quorum: quorumOf(hub),
    adminsAndModeratorsCount: isMisfit("admins", "moderators") ? undefined : adminsAndModerators(hub),
    isFlagged: hub.flagged ?? undefined,
    isHibernated: hub.hibernated ?? undefined,
    isVerified: hub.verified ?? undefined,
  };
  return { space, unknown: [...misfits].map((name) => `${name} is not valid and counts as unknown`) };
}

function misfitsOf(value: unknown): ReadonlySet<string> {
  const { error } = HubSpace.safeParse(value);
  const names = (error?.issues ?? []).flatMap(({ path }) => (path.length === 0 ? [] : [String(path[0])]));
  // Without its id, it is no space.
  return new Set(names.filter((name) => name !== "id"));
}

function omit(value: unknown, names: ReadonlySet<string>): unknown {
  if (typeof value !== "object" || value === null || names.size === 0) return value;
  return Object.fromEntries(Object.entries(value).filter(([name]) => !names.has(name)));
}

/** The score that a validation requires of proposers, from its own parameters. */
function ownMinScore(params: unknown): number {
  const minScore =
    typeof params === "object" && params !== null && "minScore" in params ? params.minScore : 0;
  return Number(minScore) || 0;
}

/**
 * Whether proposing is restricted, by the hub's rules. The validation defaults to "basic", which requires its
 * own score or else that of the filters, and admits everybody without one. "any" admits everybody; all others
 * are restrictions.
 */
function isProposingGated({ filters, validation }: HubSpace): boolean | undefined {
  const name = validation?.name || "basic";
  const minScore = ownMinScore(validation?.params) || (filters?.minScore ?? 0);
  const isValidated = name === "basic" ? minScore > 0 : name !== "any";
  if (filters?.onlyMembers === true || isValidated) return true;
  return filters?.onlyMembers == null && validation == null ? undefined : false;
}

/** The same without the filters or the validation: `true` if what is left admits nobody else. */
function isGatedAnyhow(hub: HubSpace, isValidationUnknown: boolean): true | undefined {
  const isGated = isValidationUnknown ? hub.filters?.onlyMembers : isProposingGated(hub);
  return isGated === true ? true : undefined;
}

/** `null` means no quorum. With a quorum of rejections (a veto), another quorum is unknown. */
function quorumOf({ voting }: HubSpace): number | undefined {
  if (voting?.quorum === undefined || voting.quorumType === "rejection") return undefined;
  return voting.quorum ?? 0;
}

function adminsAndModerators({ admins, moderators }: HubSpace): number | undefined {
  if (admins == null && moderators == null) return undefined;
  return new Set([...(admins ?? []), ...(moderators ?? [])].map((address) => address.toLowerCase())).size;
}

/** A longer discussion field is not a link. */
const DISCUSSION_LENGTH_MAX = 65_536;

/**
 * The fields that are read of a hub's proposal, plus `created_date`, `start_date` and `end_date` of archives
 * that know only the day. A missing key means that the source does not know the value.
 */
export const HubProposal = z.object({
  id: z.string(),
  title: z.string().nullish(),
  link: Link,
  author: z.string().nullish(),
  created: AnyNumber.nullish(),
  created_date: z.string().nullish(),
  start: AnyNumber.nullish(),
  start_date: z.string().nullish(),
  end: AnyNumber.nullish(),
  end_date: z.string().nullish(),
  type: z.string().nullish(),
  choices: z.array(z.unknown()).nullish(),
  discussion: z.string().max(DISCUSSION_LENGTH_MAX).nullish(),
  quorum: AnyNumber.nullish(),
  quorumType: z.string().nullish(),
  privacy: z.string().nullish(),
  strategies: z.array(z.unknown()).nullish(),
  state: z.enum(["pending", "active", "closed", "cancelled", "canceled"]).nullish(),
  scores_state: z.enum(["final", "pending", "invalid", ""]).nullish(),
  scores_total: AnyNumber.nullish(),
  updated: AnyNumber.nullish(),
  scores_updated: AnyNumber.nullish(),
  votes: z.int().min(0).nullish(),
  flagged: z.boolean().nullish(),
  deleted: z.boolean().nullish(),
});
export type HubProposal = z.infer<typeof HubProposal>;

/** What counts for a quorum of another type is not known. */
const QUORUM_TYPES: ReadonlySet<string> = new Set(["default", "rejection"]);

/** Maps a hub's proposal to ours. Throws `RowFailure` if it is invalid. */
export function proposalOfHub(hub: HubProposal): Proposal {
  const start = parseMoment({ seconds: hub.start, day: hub.start_date }, "start", "start");
  const end = parseMoment({ seconds: hub.end, day: hub.end_date }, "end", "end");
  if (start !== undefined && end !== undefined && end.atMs < start.atMs) {
    throw rowFailure("ENDS_BEFORE_START", "the vote ends before it starts");
  }
  const proposalId = parseId(hub.id, "id");
  return {
    proposalId,
    title: upstreamTitle(hub.title),
    link: upstreamLink(hub.link, proposalId),
    author: hub.author == null ? undefined : parseAddress(hub.author, "author"),
    created: parseMoment({ seconds: hub.created, day: hub.created_date }, "created", "start"),
    start,
    end,
    votingType: votingTypeOf(hub.type),
    // No choices means that the source does not know them.
    choicesCount: hub.choices == null || hub.choices.length === 0 ? undefined : hub.choices.length,
    discussion: hub.discussion === null ? "" : hub.discussion,
    quorum: QUORUM_TYPES.has(hub.quorumType || "default") ? parsePower(hub.quorum, "quorum") : undefined,
    isQuorumRejection: hub.quorumType === "rejection",
    quorumPower: undefined,
    state: hub.state === "canceled" ? "cancelled" : (hub.state ?? undefined),
    scoresState: scoresStateOf(hub.scores_state),
    scoresTotal: parsePower(hub.scores_total, "scores_total"),
    votesCount: hub.votes ?? undefined,
    strategiesKey: strategiesKey(hub.strategies),
    revision: revisionOf(hub),
    isShutter: hub.privacy === "shutter",
    isFlagged: hub.flagged === true,
    isDeleted: hub.deleted === true,
  };
}

function revisionOf({ updated, scores_updated: counted }: HubProposal): string | undefined {
  return updated === undefined && counted === undefined ? undefined : `${updated ?? ""}/${counted ?? ""}`;
}

/** `unknown` is a type that we do not know; without a type, the source does not report it. */
function votingTypeOf(type: string | null | undefined): Proposal["votingType"] {
  return type == null ? undefined : (VOTING_TYPES.find((known) => known === type) ?? "unknown");
}

/** Without the key it is an archive of closed proposals; empty if the hub has not counted yet. */
function scoresStateOf(state: HubProposal["scores_state"]): Proposal["scoresState"] {
  if (state === undefined) return undefined;
  return state === null || state === "" ? "pending" : state;
}

/**
 * The fields that are read of a hub's vote, plus `created_date` of archives. `proposal` is the id or, as the
 * hub nests it, an object; `null` means a deleted proposal. `choice` is parsed by the proposal's voting type.
 */
export const HubVote = z.object({
  id: z.string().nullish(),
  proposal: z.union([z.string(), z.object({ id: z.string() })]).nullable(),
  voter: z.string(),
  created: AnyNumber.nullish(),
  created_date: z.string().nullish(),
  choice: z.unknown(),
  vp: AnyNumber.nullish(),
  vp_state: z.string().nullish(),
  reason: z.string().nullish(),
});
export type HubVote = z.infer<typeof HubVote>;

/** The id of a vote's proposal; `undefined` if that was deleted. */
export function proposalIdOf(vote: HubVote): string | undefined {
  return typeof vote.proposal === "string" ? vote.proposal : vote.proposal?.id;
}

/** Maps a hub's vote for a ballot. Throws `RowFailure` if invalid; numbers the voter only if all else is valid. */
export function voteOfHub(hub: HubVote, line: number, internVoter: (address: string) => number): CastVote {
  const voter = parseAddress(hub.voter, "voter");
  const vote = {
    created: createdOf(hub),
    choice: hub.choice,
    power: parsePower(hub.vp, "vp"),
    isReasonGiven: hub.reason == null ? undefined : hub.reason.trim() !== "",
    isFinal: hub.vp_state == null || hub.vp_state === "final",
    voteId: hub.id == null ? undefined : parseId(hub.id, "id"),
    line,
  };
  return { voterId: internVoter(voter), ...vote };
}

function createdOf({ created, created_date }: HubVote): CastVote["created"] {
  if (created != null) return { atS: parseSeconds(created, "created"), precision: "second" };
  return created_date == null ? undefined : { atS: parseDay(created_date, "created_date"), precision: "day" };
}
