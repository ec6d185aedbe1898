import { type DocumentNode, execute, GraphQLError, Kind, parse, validate } from "graphql";
import { HUB_SCHEMA } from "./hub-schema.ts";
import type { HubRow, HubStore } from "./hub-store.ts";
import { LimitPassed, type ListingArguments, type ListingRules, selectRows } from "./select-rows.ts";

/** The answer of a hub: a status and a body, JSON or not. */
export interface HubAnswer {
  readonly status: number;
  readonly body: unknown;
  readonly contentType?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * Parses, validates and executes a request against the schema like the hub: anything unknown is refused with 400, and an
 * answer without any data has status 500.
 */
export function answerQuery(
  store: HubStore,
  text: string,
  { isDatabaseDown }: { readonly isDatabaseDown: boolean },
): HubAnswer {
  const request = parsed(text);
  if (request === undefined) {
    return { status: 400, body: "<!DOCTYPE html><pre>SyntaxError</pre>", contentType: "text/html" };
  }
  const checked = checkedQuery(String(request["query"]));
  if ("status" in checked) return checked;
  const given = request["variables"];
  const operation = request["operationName"];
  const answer = execute({
    schema: HUB_SCHEMA,
    document: checked,
    rootValue: isDatabaseDown ? DOWN : rootOf(store),
    variableValues: typeof given === "object" && given !== null ? (given as Variables) : {},
    operationName: typeof operation === "string" ? operation : null,
  });
  if (answer instanceof Promise) throw new Error("the store answers at once");
  return { status: answer.data == null ? 500 : 200, body: answer };
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

const checkedQueries = new Map<string, DocumentNode | HubAnswer>();

/** A parsed and valid query, or its refusal; cached, because tests repeat a few queries very often. */
function checkedQuery(query: string): DocumentNode | HubAnswer {
  const checked = checkedQueries.get(query) ?? check(query);
  checkedQueries.set(query, checked);
  return checked;
}

const ROOTS_MAX = 5;

function check(query: string): DocumentNode | HubAnswer {
  try {
    const document = parse(query);
    for (const { name, selectionSet } of operationsOf(document)) {
      // The hub's rule for this throws instead of reporting, which its framework treats as an internal error.
      if (selectionSet.selections.length > ROOTS_MAX) {
        const message = `'${name} exceeds the maximum number of root selections: ${ROOTS_MAX}`;
        return { status: 500, body: { errors: [{ message }] } };
      }
    }
    const errors = validate(HUB_SCHEMA, document);
    return errors.length > 0 ? { status: 400, body: { errors } } : document;
  } catch (error) {
    if (error instanceof GraphQLError) return { status: 400, body: { errors: [error] } };
    throw error;
  }
}

function operationsOf({ definitions }: DocumentNode) {
  return definitions.flatMap((one) =>
    one.kind === Kind.OPERATION_DEFINITION
      ? [{ name: one.name?.value ?? "", selectionSet: one.selectionSet }]
      : [],
  );
}

const fail = (message: string) => () => {
  throw new GraphQLError(message);
};
const DOWN = {
  space: fail("Unexpected error"),
  spaces: fail("Unexpected error"),
  proposals: fail("request failed"),
  votes: fail("request failed"),
};

const SPACES: ListingRules = { orders: ["created", "updated", "id"], skipMax: 100_000 };
const PROPOSALS: ListingRules = {
  orders: ["created", "updated", "start", "end", "votes"],
  idsMax: { space_in: 10_000 },
};
const VOTES: ListingRules = { orders: ["created", "vp"] };

/** The resolvers of a query's fields. Related rows are looked up only for whoever asks. */
function rootOf(store: HubStore) {
  const spaceOf = (id: unknown) => {
    const space = store.spaces.get(String(id));
    return space === undefined ? null : formattedSpace(store, space);
  };
  const withSpace = (row: HubRow) => ({ ...row, space: () => spaceOf(row["space"]) ?? { id: row["space"] } });
  const proposalOf = ({ proposal }: HubRow) => store.proposals.get(String(proposal));
  const withProposal = (vote: HubRow) => ({
    ...withSpace(vote),
    proposal: withSpace(proposalOf(vote) ?? {}),
  });
  const isListed = (proposal: HubRow | undefined) =>
    proposal !== undefined && store.spaces.has(String(proposal["space"]));
  return {
    space: ({ id }: { readonly id: string }) => spaceOf(id),
    spaces: (given: ListingArguments) =>
      listed(store.spaces.values(), given, SPACES).map((space) => formattedSpace(store, space)),
    proposals: (given: ListingArguments) => {
      const space = given.where?.["space"];
      const rows = typeof space === "string" ? store.proposalsOf(space) : [...store.proposals.values()];
      return listed(rows.filter(isListed), given, PROPOSALS).map(withSpace);
    },
    votes: (given: ListingArguments) => {
      const votes = listed(store.votes.values(), given, VOTES);
      // Left out after the page was cut, which makes it shorter.
      return votes.filter((vote) => isListed(proposalOf(vote))).map(withProposal);
    },
  };
}

/** What the hub makes of the settings that a space stored. */
function formattedSpace(store: HubStore, space: HubRow) {
  const ownProposals = () => store.proposalsOf(String(space["id"]));
  const filters = { minScore: 0, onlyMembers: false, ...(space["filters"] as object | undefined) };
  const basic = { name: "basic", params: { minScore: filters.minScore } };
  const validation = (space["validation"] ?? (filters.minScore ? basic : { name: "any" })) as HubRow;
  return {
    ...space,
    name: space["name"] ?? space["id"],
    admins: space["admins"] ?? [],
    moderators: space["moderators"] ?? [],
    filters,
    validation: { ...validation, params: validation["params"] ?? {} },
    voting: { quorumType: "default", ...(space["voting"] as object | undefined) },
    strategies: space["strategies"] ?? [],
    flagged: space["flagged"] ?? false,
    hibernated: space["hibernated"] ?? false,
    verified: space["verified"] ?? false,
    created: space["created"] ?? 0,
    categories: space["categories"] ?? [],
    proposalsCount: () => ownProposals().length,
    votesCount: () => ownProposals().reduce((sum, { votes }) => sum + (Number(votes) || 0), 0),
  };
}

function listed(rows: Iterable<HubRow>, given: ListingArguments, rules: ListingRules) {
  try {
    return selectRows(rows, given, rules);
  } catch (error) {
    throw error instanceof LimitPassed ? new GraphQLError(error.message) : error;
  }
}
