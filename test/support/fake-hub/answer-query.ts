import type { HubRow, HubStore } from "./hub-store.ts";
import { LimitPassed, type ListingArguments, selectRows } from "./select-rows.ts";

/** What a hub answers to one request: a status and a body, JSON or not. */
export interface HubAnswer {
  readonly status: number;
  readonly body: unknown;
  readonly contentType?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * Answers the queries of our adapter, known by their operation's name (`Space`, `Proposals`, `Votes`) and read from
 * their variables; the text is not parsed, except that only fields are answered whose names stand in it.
 */
export function answerQuery(store: HubStore, text: string): HubAnswer {
  const request = parsed(text);
  if (request === undefined) {
    return { status: 400, body: "<!DOCTYPE html><pre>SyntaxError</pre>", contentType: "text/html" };
  }
  const variables = request["variables"] as Readonly<Record<string, unknown>>;
  const query = String(request["query"]);
  const ask = ASK[String(request["operationName"])];
  if (ask === undefined) return { status: 400, body: { errors: [{ message: "Unknown operation" }] } };
  if (!areVariables(variables)) {
    // The hub's framework takes a variable of a wrong type for a fault of its own.
    return { status: 500, body: { errors: [{ message: "Variable got invalid value" }] } };
  }
  try {
    const data = ask.answer(store, variables);
    return { status: 200, body: { data: { [ask.field]: selected(data, query) } } };
  } catch (error) {
    if (!(error instanceof LimitPassed)) throw error;
    return { status: 200, body: { errors: [{ message: error.message }], data: { [ask.field]: null } } };
  }
}

type Variables = Readonly<Record<string, unknown>>;
interface Ask {
  readonly field: string;
  answer(store: HubStore, variables: Variables): unknown;
}

const ASK: Readonly<Record<string, Ask>> = {
  Space: {
    field: "space",
    answer: (store, { id }) => store.spaces.get(String(id)) ?? null,
  },
  Proposals: {
    field: "proposals",
    answer: (store, variables) =>
      selectRows(store.proposals.values(), variables as ListingArguments, ["created", "start", "end"]).map(
        (proposal) => ({ ...proposal, space: { id: proposal["space"] } }),
      ),
  },
  Votes: {
    field: "votes",
    answer: (store, variables) =>
      selectRows(store.votes.values(), variables as ListingArguments, ["created", "vp"]).map((vote) => ({
        ...vote,
        proposal: store.proposals.has(String(vote["proposal"])) ? { id: vote["proposal"] } : null,
      })),
  },
};

function parsed(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

function areVariables(variables: Variables | undefined): variables is Variables {
  const isCount = (value: unknown) => value === undefined || (Number.isInteger(value) && Number(value) >= 0);
  if (typeof variables !== "object" || variables === null) return false;
  return isCount(variables["first"]) && isCount(variables["skip"]);
}

/** A field that was not asked for is not answered. */
function selected(data: unknown, query: string): unknown {
  const names = new Set(query.match(/\w+/g));
  const pick = (row: HubRow) => Object.fromEntries(Object.entries(row).filter(([name]) => names.has(name)));
  if (data === null) return null;
  return Array.isArray(data) ? data.map(pick) : pick(data as HubRow);
}
