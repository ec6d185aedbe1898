import { z } from "zod";
import { PipelineError } from "../../facts/errors.ts";
import { upstreamText } from "../../facts/upstream-text.ts";
import type { JsonAnswer } from "../http/exchange.ts";
import type { HttpClient } from "../http/http-client.ts";

/** The hub does not answer so much at once; a smaller question may be answered. */
export class AskForLess extends PipelineError {
  /** Whether it gives no row because of one that it cannot give, for something is null in it. */
  readonly isRowWithheld: boolean;

  constructor(queryName: string, isRowWithheld: boolean) {
    const what = isRowWithheld
      ? "hub answers nothing, because a row of it lacks something"
      : "hub's answer is more than can be taken at once";
    super("SOURCE_FAILED", `the ${what} (${queryName})`);
    this.isRowWithheld = isRowWithheld;
  }
}

/** A query of ours: `name` is its GraphQL operation, `field` what it answers under `data`. */
export interface HubQuery {
  readonly name: string;
  readonly field: "space" | "spaces" | "proposals" | "votes";
  readonly text: string;
}

/** The configuration of one space. */
export const SPACE_QUERY: HubQuery = {
  name: "Space",
  field: "space",
  text: `query Space($id: String!) {
  space(id: $id) {
    id name website discussions admins moderators
    filters { onlyMembers minScore }
    validation { name params }
    voting { period quorum quorumType }
    flagged hibernated verified
  }
}`,
};

/** Proposals of a space, a page or by id. */
export const PROPOSALS_QUERY: HubQuery = {
  name: "Proposals",
  field: "proposals",
  text: `query Proposals($where: ProposalWhere!, $first: Int!, $skip: Int!, $orderBy: String!, $orderDirection: OrderDirection!) {
  proposals(where: $where, first: $first, skip: $skip, orderBy: $orderBy, orderDirection: $orderDirection) {
    id space { id } title link author created updated start end type choices discussion quorum quorumType privacy
    strategies { name network params }
    state scores_state scores_total scores_updated votes flagged
  }
}`,
};

/** Votes on a proposal, a page. */
export const VOTES_QUERY: HubQuery = {
  name: "Votes",
  field: "votes",
  text: `query Votes($where: VoteWhere!, $first: Int!, $skip: Int!, $orderBy: String!, $orderDirection: OrderDirection!) {
  votes(where: $where, first: $first, skip: $skip, orderBy: $orderBy, orderDirection: $orderDirection) {
    id voter created choice vp vp_state reason
    proposal { id }
  }
}`,
};

/** Where the hub is, and who asks. */
export interface HubDoor {
  readonly http: HttpClient;
  readonly url: string;
  readonly apiKey: string | undefined;
}

/** No more of its form than we read: a hub that is not itself may answer with a million errors. */
const Answer = z.object({
  data: z.custom<object>((value) => typeof value === "object" && !Array.isArray(value)).nullish(),
  errors: z.custom<readonly unknown[]>((value) => Array.isArray(value)).nullish(),
});
const Complaint = z.object({ message: z.string() });

/** A null in a row where the hub's schema has none: the row is left out, or the whole list. */
const NullInRow = z.object({
  message: z.string().startsWith("Cannot return null for non-nullable field"),
  path: z.tuple([z.string(), z.int().min(0)], z.union([z.string(), z.number()])),
});

/** What the hub says, with status 200, when its SQL fails: of lists, and of a space. Any other error is final. */
const DATABASE_FAILS: ReadonlySet<string> = new Set(["request failed", "Unexpected error"]);

function databaseFault(body: unknown): string | undefined {
  const message = messageOf(Answer.safeParse(body).data?.errors?.[0]);
  return message !== undefined && DATABASE_FAILS.has(message)
    ? `answers that its database fails: "${message}"`
    : undefined;
}

function messageOf(complaint: unknown): string | undefined {
  return Complaint.safeParse(complaint).data?.message;
}

/**
 * Asks one question, and answers what stands in its field, `null` included. Throws `PipelineError` SOURCE_FAILED
 * where the hub refuses: it does so with status 200 and `errors` for a limit, and with bodies that are no GraphQL
 * for a key or a rate; `AskForLess`, which is such, where that may help. Of a list that the hub gives without some of its rows,
 * those are `undefined`.
 */
export async function askHub(
  { http, url, apiKey }: HubDoor,
  query: HubQuery,
  variables: Readonly<Record<string, unknown>>,
): Promise<unknown> {
  const answer = await http.postJson({
    url,
    body: { operationName: query.name, query: query.text, variables },
    passingFaultOf: databaseFault,
    ...(apiKey === undefined ? {} : { headers: { "x-api-key": apiKey } }),
  });
  refuseStatus(answer, query);
  const parsed = Answer.safeParse(answer.body);
  if (!parsed.success) throw failed(query, "answered what is no GraphQL");
  const { data, errors } = parsed.data;
  if (errors != null && errors.length > 0) {
    const places = placesWithheld(errors, query.field);
    if (places !== undefined) return withoutRows(fieldOf(data, query), places, query);
    const words = upstreamText(messageOf(errors[0]));
    throw failed(query, `refused the query${words === undefined ? "" : `: ${words}`}`);
  }
  return fieldOf(data, query);
}

function fieldOf(data: object | null | undefined, query: HubQuery): unknown {
  // The own one, because the hub chooses the keys.
  const field = data == null ? undefined : Object.getOwnPropertyDescriptor(data, query.field);
  if (field === undefined) throw failed(query, `answered no ${query.field}`);
  return field.value;
}

/** The places of the rows that the errors are about; `undefined` where one of them is about anything else. */
function placesWithheld(errors: readonly unknown[], field: string): ReadonlySet<number> | undefined {
  const places = new Set<number>();
  for (const error of errors) {
    const parsed = NullInRow.safeParse(error);
    if (!parsed.success || parsed.data.path[0] !== field) return undefined;
    places.add(parsed.data.path[1]);
  }
  return places;
}

/** Throws `AskForLess` where one null took all rows along. */
function withoutRows(rows: unknown, places: ReadonlySet<number>, query: HubQuery): unknown {
  if (!Array.isArray(rows)) throw new AskForLess(query.name, true);
  if ([...places].some((place) => rows[place] !== null)) throw failed(query, "answered what is no GraphQL");
  return rows.map((row, place) => (places.has(place) ? undefined : row));
}

function refuseStatus({ status }: JsonAnswer, query: HubQuery): void {
  if (status === 401 || status === 403) {
    throw new PipelineError("SOURCE_FAILED", `the hub refused the key (${query.name}, status ${status})`, {
      hint: "Check the hub's API key. The hub also answers without one, at a lower rate.",
    });
  }
  if (status === 429) {
    throw new PipelineError("SOURCE_FAILED", `the hub answers no more: its rate is used up (${query.name})`, {
      hint: "Lower --rps, or give a key. The next fetch continues from the last stored page.",
    });
  }
  if (status === 413) throw new AskForLess(query.name, false);
  if (status < 200 || status > 299) throw failed(query, `answered status ${status}`);
}

function failed(query: HubQuery, what: string): PipelineError {
  return new PipelineError("SOURCE_FAILED", `the hub ${what} (${query.name})`);
}
