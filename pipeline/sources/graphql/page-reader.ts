import { isPipelineFailure, sourceFailed } from "../../facts/errors.ts";
import type { GraphqlClient } from "./graphql-client.ts";
import { createPageSize, type PageSize } from "./page-size.ts";
import type { GraphqlQuery } from "./read-answer.ts";

/** A page of rows with the requested size; a shorter page is the last. */
export interface Page {
  /** `undefined` for each row that the service has but cannot return. */
  readonly rows: readonly unknown[];
  readonly pageSize: number;
}

export type PageReader = ReturnType<typeof createPageReader>;

/** Rows that had to be requested around, and the most that may be. */
interface WithheldRows {
  count: number;
  readonly max: number;
}

/** Starts with the largest pages; remembers for each list what size worked. */
export function createPageReader({
  client,
  pageSize,
  withheld,
}: {
  readonly client: GraphqlClient;
  readonly pageSize: number;
  readonly withheld: WithheldRows;
}) {
  const sizes = new Map<string, PageSize>();
  const sizeOf = ({ field }: GraphqlQuery): PageSize => {
    const size = sizes.get(field) ?? createPageSize(pageSize);
    sizes.set(field, size);
    return size;
  };

  async function ask(
    query: GraphqlQuery,
    variables: Readonly<Record<string, unknown>>,
    first: number,
  ): Promise<readonly unknown[]> {
    const canAskForLess = sizeOf(query).mayBeTooMuch(first);
    const { value: rows } = await client.ask(query, { ...variables, first }, { canAskForLess });
    // Checked before any row is parsed.
    if (!Array.isArray(rows) || rows.length > first) {
      throw sourceFailed(`${client.name}'s answer is not a list of at most ${first} ${query.field}`);
    }
    return rows;
  }

  function countWithheld(): void {
    withheld.count += 1;
    if (withheld.count <= withheld.max) return;
    throw sourceFailed(
      `${client.name} cannot return more than ${withheld.max} rows: a required field of each is null`,
    );
  }

  /**
   * Fetches one page of at most `most` rows. Halves it while the answer is too large, also because it took too long. If the
   * service returns nothing because of one row, fetches the rows before it: the page then ends with that row, and the next one
   * begins after it, so that a row costs two requests more. Throws `SOURCE_FAILED` if the answer is not such a page, or if
   * too many single rows are withheld.
   */
  async function fetchPage(
    query: GraphqlQuery,
    variables: Readonly<Record<string, unknown>>,
    most = pageSize,
  ): Promise<Page> {
    const size = sizeOf(query);
    const first = Math.min(most, size.now());
    try {
      const rows = await ask(query, variables, first);
      size.worked(first);
      return { rows, pageSize: first };
    } catch (error) {
      const { isTooLarge, part } = (isPipelineFailure(error) && error.data) || {};
      if (isTooLarge && first > 1) {
        size.failed(first);
        return fetchPage(query, variables, first);
      }
      if (typeof part !== "number" || part >= first) throw error;
      countWithheld();
      if (part === 0) return { rows: [undefined], pageSize: 1 };
      const before = await fetchPage(query, variables, part);
      // Shorter if the list changed meanwhile, if this was too much too, or if another row is withheld.
      if (before.rows.length < part) return before;
      return { rows: [...before.rows, undefined], pageSize: part + 1 };
    }
  }

  return {
    client,
    pageSize,
    sizeNow: (query: GraphqlQuery): number => sizeOf(query).now(),
    fetchPage,
  };
}
