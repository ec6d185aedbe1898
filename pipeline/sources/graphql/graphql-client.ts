import { isPipelineFailure } from "../../facts/errors.ts";
import { createPageSize } from "./page-size.ts";
import {
  failureOf,
  type GraphqlAnswer,
  type GraphqlQuery,
  type GraphqlService,
  readAnswer,
  valuesOf,
} from "./read-answer.ts";

/** The most queries in one request that Snapshot's services accept. */
export const QUERIES_MAX = 5;

interface Asked {
  readonly query: GraphqlQuery;
  readonly variables: Variables;
  readonly canAskForLess: boolean;
  readonly resolve: (answer: GraphqlAnswer) => void;
  readonly reject: (error: unknown) => void;
}

type Variables = Readonly<Record<string, unknown>>;

export type GraphqlClient = ReturnType<typeof createGraphqlClient>;

/**
 * Opens a client of one service. Queries that wait for the same turn of the rate limit share a request: the limit counts
 * requests, and each may have five queries. If a shared request fails, its halves are asked for, so that one query cannot
 * spoil another; a service that refuses only the number of queries gets fewer then, and now and then more again.
 */
export function createGraphqlClient(service: GraphqlService) {
  const { http, url, headers, name } = service;
  const waiting: Asked[] = [];
  const size = createPageSize(QUERIES_MAX);
  /** Requests that have not had their turn yet; together they take everything that waits. */
  let pending = 0;

  /** Sends one request for what `take` returns at its turn. Returns whether all its queries were answered. */
  async function send(take: () => readonly Asked[]): Promise<boolean> {
    let group: readonly Asked[] = [];
    let isTooLarge = false;
    let maySplit = true;
    try {
      const answer = await http.postJson({
        url,
        headers,
        failureOf: (body) => failureOf(service, body),
        body: undefined,
        late() {
          group = take();
          const canAskForLess = group.length > 1 || group[0]?.canAskForLess === true;
          return { body: bodyOf(group), canAskForLess };
        },
      });
      isTooLarge = answer.status === 413;
      const values = group.length > 1 ? valuesOf(answer, group.map(aliasOf)) : undefined;
      const isKeyRefused = answer.status === 401 || answer.status === 403;
      if (values !== undefined || group.length === 1 || isKeyRefused) {
        maySplit = false;
        const answers = group.map(({ query }, index) =>
          values === undefined
            ? readAnswer(service, query, answer)
            : { value: values[index], unreadable: [] },
        );
        size.worked(group.length);
        for (const [index, { resolve }] of group.entries()) resolve(answers[index] as GraphqlAnswer);
        return true;
      }
    } catch (error) {
      // Nothing is taken if the client is closed before the request's turn.
      if (group.length === 0) group = take();
      if (group.length <= 1 || !maySplit || !isPipelineFailure(error) || error.isPassing) {
        for (const { reject } of group) reject(error);
        return false;
      }
    }
    const half = Math.ceil(group.length / 2);
    const parts = [group.slice(0, half), group.slice(half)];
    const areAnswered = await Promise.all(parts.map((part) => send(() => part)));
    if (areAnswered.includes(false)) return false;
    if (!isTooLarge) size.failed(group.length);
    return true;
  }

  function sendWaiting(): void {
    while (waiting.length > pending * size.now()) {
      pending += 1;
      void send(takeWaiting);
    }
  }

  function takeWaiting(): readonly Asked[] {
    pending -= 1;
    // The size may have changed since they were asked: each pending request needs a query, and each query a request.
    const taken = waiting.splice(0, Math.min(size.now(), waiting.length - pending));
    sendWaiting();
    return taken;
  }

  return {
    name,
    queriesMax: size.now,
    /**
     * Returns the value of one query's field, even `null`. Faults that pass are retried, whatever their status. Throws
     * `SOURCE_FAILED` if the service refuses the query; its data say if a smaller one, or one without some row or field,
     * may succeed.
     */
    ask(
      query: GraphqlQuery,
      variables: Variables,
      { canAskForLess = false }: { readonly canAskForLess?: boolean } = {},
    ): Promise<GraphqlAnswer> {
      return new Promise((resolve, reject) => {
        waiting.push({ query, variables, canAskForLess, resolve, reject });
        sendWaiting();
      });
    },
  };
}

const aliasOf = (_: unknown, index: number): string => `q${index}`;

/** The body of a request for one query, or for several, each under its alias. */
function bodyOf(group: readonly Asked[]) {
  const [only] = group;
  if (group.length === 1 && only !== undefined) {
    const { query, variables } = only;
    return { operationName: query.name, query: textOf(query.name, [{ query }]), variables };
  }
  const parts = group.map(({ query }, index) => ({ query, alias: aliasOf(query, index) }));
  const variables = group.flatMap(({ variables: given }, index) =>
    Object.entries(given).map(([name, value]) => [`${aliasOf(given, index)}_${name}`, value] as const),
  );
  const name = group.map(({ query }) => query.name).join("_");
  return { operationName: name, query: textOf(name, parts), variables: Object.fromEntries(variables) };
}

function textOf(
  name: string,
  parts: readonly { readonly query: GraphqlQuery; readonly alias?: string }[],
): string {
  const declared: string[] = [];
  const fields = parts.map(({ query, alias }) => {
    const variableOf = (parameter: string) => (alias === undefined ? parameter : `${alias}_${parameter}`);
    const given = Object.entries(query.parameters).map(([parameter, type]) => {
      declared.push(`$${variableOf(parameter)}: ${type}`);
      return `${parameter}: $${variableOf(parameter)}`;
    });
    const label = alias === undefined ? "" : `${alias}: `;
    return `${label}${query.field}(${given.join(", ")}) { ${query.selection} }`;
  });
  return `query ${name}(${declared.join(", ")}) { ${fields.join(" ")} }`;
}
