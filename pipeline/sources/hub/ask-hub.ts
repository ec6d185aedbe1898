import { z } from "zod";
import { PipelineError, sourceFailed } from "../../facts/errors.ts";
import { upstreamText } from "../../facts/upstream-text.ts";
import type { JsonAnswer } from "../http/exchange.ts";
import type { HttpClient } from "../http/http-client.ts";

/** The hub refuses a request of this size; a smaller one may succeed. */
export class AskForLess extends PipelineError {
  /** Whether the hub returned no rows because a required field of one is null. */
  readonly isRowWithheld: boolean;

  constructor(queryName: string, isRowWithheld: boolean) {
    const what = isRowWithheld
      ? "hub returned nothing, because a row lacks a required field"
      : "hub's answer is too large";
    super("SOURCE_FAILED", `the ${what} (${queryName})`);
    this.isRowWithheld = isRowWithheld;
  }
}

/** One of our queries: `name` is its GraphQL operation, `field` its result under `data`. */
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

/** One page of votes on a proposal. */
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

/** URL and key of the hub, and the client to use. */
export interface HubAccess {
  readonly http: HttpClient;
  readonly url: string;
  readonly apiKey: string | undefined;
}

/** Only the fields that are read: a hostile hub might send a million errors. */
const Answer = z.object({
  data: z.custom<object>((value) => typeof value === "object" && !Array.isArray(value)).nullish(),
  errors: z.custom<readonly unknown[]>((value) => Array.isArray(value)).nullish(),
});
const Complaint = z.object({ message: z.string() });

/** A null in a required field: the hub drops the row, or the whole list. */
const NullInRow = z.object({
  message: z.string().startsWith("Cannot return null for non-nullable field"),
  path: z.tuple([z.string(), z.int().min(0)], z.union([z.string(), z.number()])),
});

/** The hub's messages, with status 200, if its SQL fails for lists or a space. Any other error is final. */
const DATABASE_FAILS: ReadonlySet<string> = new Set(["request failed", "Unexpected error"]);

function databaseFault(body: unknown): string | undefined {
  const message = messageOf(Answer.safeParse(body).data?.errors?.[0]);
  return message !== undefined && DATABASE_FAILS.has(message)
    ? `reports a database failure: "${message}"`
    : undefined;
}

function messageOf(complaint: unknown): string | undefined {
  return Complaint.safeParse(complaint).data?.message;
}

/**
 * Sends one query and returns the value of its field, even `null`. Rows that the hub could not return are
 * `undefined` in a list. Throws `PipelineError` SOURCE_FAILED if the hub refuses (with status 200 and
 * `errors` for a limit, and without GraphQL for a key or a rate), or its subclass `AskForLess` if a smaller
 * request may succeed.
 */
export async function askHub(
  { http, url, apiKey }: HubAccess,
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
  if (!parsed.success) throw failed(query, "sent an answer that is not GraphQL");
  const { data, errors } = parsed.data;
  if (errors != null && errors.length > 0) {
    const places = placesWithheld(errors, query.field);
    if (places !== undefined) return withoutRows(fieldOf(data, query), places, query);
    const message = upstreamText(messageOf(errors[0]));
    throw failed(query, `refused the query${message === undefined ? "" : `: ${message}`}`);
  }
  return fieldOf(data, query);
}

function fieldOf(data: object | null | undefined, query: HubQuery): unknown {
  // Own properties only, because the hub chooses the keys.
  const field = data == null ? undefined : Object.getOwnPropertyDescriptor(data, query.field);
  if (field === undefined) throw failed(query, `sent an answer without ${query.field}`);
  return field.value;
}

/** Indexes of the rows that the errors are about; `undefined` if an error is about something else. */
function placesWithheld(errors: readonly unknown[], field: string): ReadonlySet<number> | undefined {
  const places = new Set<number>();
  for (const error of errors) {
    const parsed = NullInRow.safeParse(error);
    if (!parsed.success || parsed.data.path[0] !== field) return undefined;
    places.add(parsed.data.path[1]);
  }
  return places;
}

/** Throws `AskForLess` if one null removed all rows. */
function withoutRows(rows: unknown, places: ReadonlySet<number>, query: HubQuery): unknown {
  if (!Array.isArray(rows)) throw new AskForLess(query.name, true);
  if ([...places].some((index) => rows[index] !== null))
    throw failed(query, "sent an answer that is not GraphQL");
  return rows.map((row, index) => (places.has(index) ? undefined : row));
}

function refuseStatus({ status }: JsonAnswer, query: HubQuery): void {
  if (status === 401 || status === 403) {
    throw sourceFailed(`the hub refused the key (${query.name}, status ${status})`, {
      hint: "Check the hub's API key. The hub also works without one, at a lower rate.",
    });
  }
  if (status === 429) {
    throw sourceFailed(`the hub's rate limit is used up (${query.name})`, {
      hint: "Lower --rps, or set a key. The next fetch continues from the last stored page.",
    });
  }
  if (status === 413) throw new AskForLess(query.name, false);
  if (status < 200 || status > 299) throw failed(query, `answered status ${status}`);
}

function failed(query: HubQuery, what: string): PipelineError {
  return sourceFailed(`the hub ${what} (${query.name})`);
}
