import { isPipelineFailure } from "../../facts/errors.ts";
import type { PageSize } from "./page-size.ts";

/** A page of rows with the requested size; a shorter page is the last. */
export interface Page {
  /** `undefined` for each row that the service has but cannot return. */
  readonly rows: readonly unknown[];
  readonly pageSize: number;
}

/** How to fetch one page of a list. */
interface PageRequest {
  /** Requests the first rows of the page. Its failure may say `isTooLarge` or name a `part`. */
  readonly ask: (first: number, options: { readonly canAskForLess: boolean }) => Promise<readonly unknown[]>;
  readonly size: PageSize;
  readonly most: number;
  /** Called for each row that has to be requested around; throws when there were too many. */
  readonly onWithheld: () => void;
}

/**
 * Fetches one page. Halves it while the answer is too large, also because it took too long. If the service returns
 * nothing because of one row, fetches the rows before it: the page then ends with that row, and the next one begins
 * after it, so that a row costs two requests more.
 */
export async function fetchPage(request: PageRequest): Promise<Page> {
  const { ask, size, onWithheld } = request;
  for (let most = request.most; ; ) {
    const first = Math.min(most, size.now());
    try {
      const rows = await ask(first, { canAskForLess: size.mayBeTooMuch(first) });
      size.worked(first);
      return { rows, pageSize: first };
    } catch (error) {
      const { isTooLarge, part } = (isPipelineFailure(error) && error.data) || {};
      if (isTooLarge && first > 1) size.failed(first);
      else if (typeof part === "number" && part < first) {
        onWithheld();
        return await fetchUpTo(request, part);
      } else throw error;
      most = first;
    }
  }
}

/** A page that ends with the row at an index, which the service cannot return. */
async function fetchUpTo(request: PageRequest, index: number): Promise<Page> {
  if (index === 0) return { rows: [undefined], pageSize: 1 };
  const before = await fetchPage({ ...request, most: index });
  // Shorter if the list changed meanwhile, if this was too much too, or if another row is withheld.
  if (before.rows.length < index) return before;
  return { rows: [...before.rows, undefined], pageSize: index + 1 };
}
