import { type DocumentNode, execute, GraphQLError, parse, validate } from "graphql";
import { HUB_SCHEMA } from "./hub-schema.ts";
import type { HubRow, HubStore } from "./hub-store.ts";
import { LimitPassed, type ListingArguments, selectRows } from "./select-rows.ts";

/** The answer of a hub: a status and a body, JSON or not. */
export interface HubAnswer {
  readonly status: number;
  readonly body: unknown;
  readonly contentType?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * Parses, validates and executes a request against the schema like the hub: anything unknown is refused with 400.
 * Without its database the hub still answers 200, with different errors for lists and for a space.
 */
export function answerQuery(store: HubStore, text: string, isDatabaseDown = false): HubAnswer {
  const request = parsed(text);
  if (request === undefined) {
    return { status: 400, body: "<!DOCTYPE html><pre>SyntaxError</pre>", contentType: "text/html" };
  }
  const document = documentOf(String(request["query"]));
  if (!("definitions" in document)) return { status: 400, body: { errors: document } };
  const given = request["variables"];
  const variableValues = typeof given === "object" && given !== null ? (given as Variables) : {};
  const operation = request["operationName"];
  const answer = execute({
    schema: HUB_SCHEMA,
    document,
    rootValue: isDatabaseDown ? DOWN : rootOf(store),
    variableValues,
    operationName: typeof operation === "string" ? operation : null,
  });
  if (answer instanceof Promise) throw new Error("the store answers at once");
  // The hub's framework treats a variable of a wrong type as an internal error.
  if (!("data" in answer) || isNegative(variableValues))
    return { status: 500, body: { errors: answer.errors } };
  return { status: 200, body: answer };
}

type Variables = Readonly<Record<string, unknown>>;

function parsed(text: string): Variables | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? (value as Variables) : undefined;
  } catch {
    return undefined;
  }
}

const documents = new Map<string, DocumentNode | readonly GraphQLError[]>();

/** A parsed and valid query, or its errors; cached, because tests repeat a few queries very often. */
function documentOf(query: string): DocumentNode | readonly GraphQLError[] {
  let document = documents.get(query);
  if (document === undefined) {
    document = validated(query);
    documents.set(query, document);
  }
  return document;
}

function validated(query: string): DocumentNode | readonly GraphQLError[] {
  try {
    const document = parse(query);
    const errors = validate(HUB_SCHEMA, document);
    return errors.length > 0 ? errors : document;
  } catch (error) {
    if (error instanceof GraphQLError) return [error];
    throw error;
  }
}

function isNegative({ first = 0, skip = 0 }: Variables): boolean {
  return Number(first) < 0 || Number(skip) < 0;
}

const fail = (message: string) => () => {
  throw new GraphQLError(message);
};
const DOWN = {
  space: fail("Unexpected error"),
  spaces: fail("request failed"),
  proposals: fail("request failed"),
  votes: fail("request failed"),
};

/** The resolvers of a query's fields. */
function rootOf(store: HubStore) {
  const spaceOf = (id: unknown) => store.spaces.get(String(id)) ?? null;
  const proposalOf = (proposal: HubRow) => ({
    ...proposal,
    // Also for an unknown space, because the hub keeps the proposals of deleted spaces.
    space: spaceOf(proposal["space"]) ?? { id: proposal["space"] },
  });
  const voteOf = (vote: HubRow) => {
    const proposal = store.proposals.get(String(vote["proposal"]));
    const space = spaceOf(vote["space"]) ?? { id: vote["space"] };
    return { ...vote, space, proposal: proposal === undefined ? null : proposalOf(proposal) };
  };
  return {
    space: ({ id }: { readonly id: string }) => spaceOf(id),
    spaces: (given: ListingArguments) =>
      listed(store.spaces.values(), given, ["created"]).map((space) => ({
        ...space,
        ...sizeOf(store, space["id"]),
      })),
    proposals: (given: ListingArguments) =>
      listed(store.proposals.values(), given, ["created", "start", "end"]).map(proposalOf),
    votes: (given: ListingArguments) => listed(store.votes.values(), given, ["created", "vp"]).map(voteOf),
  };
}

/** Counts votes, which the hub stores in its rows, so that the counts are always up to date here. */
function sizeOf(store: HubStore, spaceId: unknown) {
  const own = [...store.proposals.values()].filter(({ space }) => space === spaceId);
  return {
    proposalsCount: own.length,
    votesCount: own.reduce((sum, { votes }) => sum + (Number(votes) || 0), 0),
  };
}

function listed(rows: Iterable<HubRow>, given: ListingArguments, orders: readonly string[]) {
  try {
    return selectRows(rows, given, orders);
  } catch (error) {
    throw error instanceof LimitPassed ? new GraphQLError(error.message) : error;
  }
}
